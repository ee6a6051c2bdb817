import assert from "node:assert/strict";
import { localTransport } from "@sluice/agent";
import { test } from "../_harness.ts";
import { reasonWithoutCli, withRealCli } from "../_real_cli.ts";
import { withDriver } from "./_cli_driver.ts";

// Retries, tools and errors in mid-stream with the real CLI are in tests/e2e/.
test(
  "the real CLI believes the scripted model, waits while it hangs, and takes no turn on the side",
  () =>
    withRealCli([
      { thinking: "Let me see", text: "One two three" },
      { text: "Late.", hang: true },
      "First.",
      "Second.",
    ], ({ cliPath, cwd, model, env }) =>
      withDriver(localTransport({ cliPath }), { cwd, env }, async (cli) => {
        await cli.initialize();
        const turn = (prompt: string) => {
          cli.lines.length = 0;
          cli.prompt(prompt);
          return cli.result();
        };
        assert.equal((await turn("go")).result, "One two three");
        assert.deepEqual(
          cli.ofType("assistant").map(({ message }) =>
            message.content[0].type
          ),
          ["thinking", "text"],
        );
        assert.equal(model.requests.length, 1);
        assert.match(model.requests[0]?.lastText ?? "", /go$/);

        const late = turn("wait");
        await model.waitForRequest(2);
        assert.equal(cli.ofType("result").length, 0);
        model.release();
        assert.equal((await late).result, "Late.");

        assert.equal((await turn("on the side")).result, "First.");
        const before = model.requests.length;
        const haiku = { subtype: "set_model", model: "claude-haiku-4-5" };
        assert.equal((await cli.control(haiku, "model")).subtype, "success");
        const description = "fix the bug";
        const title = { subtype: "generate_session_title", description };
        const titled = await cli.control(title, "title");
        assert.equal(titled.response.title, "Scripted");
        const aside = { subtype: "side_question", question: "What is up?" };
        const answered = await cli.control(aside, "aside");
        assert.equal(answered.response.response, "ok");
        assert.equal(model.unusedTurns, 1);
        assert.equal((await turn("next")).result, "Second.");
        assert.deepEqual(
          model.requests.slice(before - 1).map(({ isSide }) => isSide),
          [false, true, true, true, false],
        );

        // It shows at once that the script has run out.
        const line = await turn("one more");
        assert.equal(line.is_error, true);
        assert.match(line.result, /no turn for request \d+: its script has 4/);
        await cli.end();
        await cli.exited;
      })),
  { skip: reasonWithoutCli },
);
