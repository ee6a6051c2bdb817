import assert from "node:assert/strict";
import type { ModelTurn } from "../../src/testing/model_script.ts";
import type { ScriptedModel } from "../../src/testing/scripted_model.ts";
import { test as plainTest } from "../_harness.ts";
import { reasonWithoutCli, withRealCli } from "../_real_cli.ts";
import { CliDriver } from "./_cli_driver.ts";

interface Run {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The real CLI, driven by hand, line by line: whether the model is one that it believes. */
function test(
  name: string,
  turns: readonly ModelTurn[],
  use: (cli: CliDriver, model: ScriptedModel) => Promise<void>,
  { args = [], env = {} }: Run = {},
): void {
  const body = () =>
    withRealCli(turns, async (real) => {
      const cli = new CliDriver([real.cliPath], {
        args,
        env: { ...real.env, ...env },
        cwd: real.cwd,
      });
      try {
        await cli.initialize();
        cli.prompt("go");
        await use(cli, real.model);
        cli.end();
        await cli.exited;
      } finally {
        try {
          cli.kill("SIGKILL");
        } catch {
          // Gone, as it should be.
        }
        await cli.exited;
      }
    });
  plainTest(name, body, { skip: reasonWithoutCli });
}

const result = (cli: CliDriver) => cli.next(({ type }) => type === "result");

/** Content blocks of the assistant lines, one each. */
const blocks = (cli: CliDriver) =>
  cli.ofType("assistant").map(({ message }) => message.content[0]);

test("the real CLI streams a scripted thought and text piece by piece", [
  { thinking: "Let me see", text: "One two three" },
], async (cli, model) => {
  assert.equal((await result(cli)).result, "One two three");
  const deltas = cli.ofType("stream_event").map(({ event }) => event.delta);
  const joined = (field: string) =>
    deltas.map((delta) => delta?.[field] ?? "").join("");
  assert.equal(joined("thinking"), "Let me see");
  assert.equal(joined("text"), "One two three");
  assert.deepEqual(blocks(cli).map(({ type }) => type), ["thinking", "text"]);
  assert.equal(model.requests.length, 1);
  assert.match(model.requests[0]?.lastText ?? "", /go$/);
}, { args: ["--include-partial-messages"] });

test(
  "the real CLI runs scripted tool calls in parallel, and sends their results",
  [
    {
      text: "Both.",
      tools: ["one", "two"].map((name) => ({
        name: "Bash",
        input: { command: `touch ${name}`, description: name },
      })),
    },
    "Done.",
  ],
  async (cli, model) => {
    for (let n = 1; n <= 2; n++) {
      await cli.until(() => cli.ofType("control_request").length === n);
      const ask = cli.ofType("control_request")[n - 1];
      assert.equal(ask.request.subtype, "can_use_tool");
      cli.answer(
        ask.request_id,
        n === 1
          ? { behavior: "allow" }
          : { behavior: "deny", message: "Not this one" },
      );
    }
    assert.equal((await result(cli)).result, "Done.");
    assert.deepEqual(blocks(cli).map(({ type }) => type), [
      "text",
      "tool_use",
      "tool_use",
      "text",
    ]);
    assert.match(model.requests[1]?.lastText ?? "", /Not this one/);
  },
  { args: ["--permission-prompt-tool=stdio"] },
);

test("the real CLI tries again when the scripted API is overloaded", [
  { error: { status: 529 }, repeat: 1 },
  "Recovered.",
], async (cli) => {
  assert.equal((await result(cli)).result, "Recovered.");
  const [retry] = cli.ofType("system", "api_retry");
  assert.equal(retry.error_status, 529);
  assert.equal(retry.error, "overloaded");
});

test("the real CLI gives up when the scripted API refuses the key", [
  { error: { status: 401 }, repeat: true },
], async (cli) => {
  const line = await result(cli);
  assert.equal(line.is_error, true);
  assert.match(line.result, /Invalid API key/);
  cli.end();
  assert.equal((await cli.exited).code, 1);
}, { env: { CLAUDE_CODE_MAX_RETRIES: "1" } });

test("the real CLI goes on after a scripted error in mid-stream", [
  { text: "So far", streamError: true },
  "and on.",
], async (cli) => {
  assert.equal((await result(cli)).result, "and on.");
  assert.deepEqual(blocks(cli).map(({ text }) => text), ["So far", "and on."]);
});

test("the real CLI tries again when the scripted connection is cut", [
  { text: "one two three four", disconnect: true },
  "Whole.",
], async (cli) => {
  assert.equal((await result(cli)).result, "Whole.");
  const [retry] = cli.ofType("system", "api_retry");
  assert.equal(retry.error_status, null);
});

test("the real CLI can be interrupted while a scripted text is slow", [
  { text: "word ".repeat(200), delayMs: 20 },
  "Again.",
], async (cli) => {
  await cli.next(({ event }) => event?.type === "content_block_delta");
  await cli.control({ subtype: "interrupt" }, "stop");
  assert.equal((await result(cli)).terminal_reason, "aborted_streaming");
  cli.prompt("once more");
  await cli.next(({ result }) => result === "Again.");
}, { args: ["--include-partial-messages"] });

test("the real CLI waits while a scripted answer hangs, until it is released", [
  { text: "Late.", hang: true },
], async (cli, model) => {
  await cli.next(({ type }) => type === "assistant");
  assert.equal(cli.ofType("result").length, 0);
  model.release();
  assert.equal((await result(cli)).result, "Late.");
});

test("the real CLI's side requests take no scripted turn", [
  "First.",
  "Second.",
], async (cli, model) => {
  assert.equal((await result(cli)).result, "First.");
  const checked = await cli.control({
    subtype: "set_model",
    model: "claude-haiku-4-5",
  }, "model");
  assert.equal(checked.subtype, "success");
  const titled = await cli.control({
    subtype: "generate_session_title",
    description: "fix the bug",
  }, "title");
  assert.equal(titled.response.title, "Scripted");
  const answered = await cli.control({
    subtype: "side_question",
    question: "What is up?",
  }, "aside");
  assert.equal(answered.response.response, "ok");
  assert.equal(model.unusedTurns, 1);
  cli.prompt("next");
  await cli.next(({ result }) => result === "Second.");
  assert.deepEqual(
    model.requests.map(({ isSide }) => isSide),
    [false, true, true, true, false],
  );
});

test(
  "the real CLI shows at once that the script has run out",
  [],
  async (cli, model) => {
    const line = await result(cli);
    assert.equal(line.is_error, true);
    assert.match(line.result, /no turn for request 1: its script has 0/);
    assert.equal(model.requests.length, 1);
  },
);
