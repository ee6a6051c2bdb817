import assert from "node:assert/strict";
import { localTransport } from "@sluice/agent";
import type { ModelTurn, ScriptedModel } from "@sluice/agent/testing";
import { test as plainTest } from "../_harness.ts";
import { reasonWithoutCli, withRealCli } from "../_real_cli.ts";
import { type CliDriver, type Line, withDriver } from "./_cli_driver.ts";

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
    withRealCli(turns, ({ cliPath, cwd, model, ...real }) => {
      const drive = { args, cwd, env: { ...real.env, ...env } };
      return withDriver(localTransport({ cliPath }), drive, async (cli) => {
        await cli.initialize();
        await use(cli, model);
        await cli.end();
        await cli.exited;
      });
    });
  plainTest(name, body, { skip: reasonWithoutCli });
}

/** Begins a turn: the lines so far are of those before. */
function begin(cli: CliDriver, prompt: string): void {
  cli.lines.length = 0;
  cli.prompt(prompt);
}

function turn(cli: CliDriver, prompt: string): Promise<Line> {
  begin(cli, prompt);
  return cli.result();
}

/** Content blocks of the assistant lines, one each. */
const blocks = (cli: CliDriver) =>
  cli.ofType("assistant").map(({ message }) => message.content[0]);

test("the real CLI believes the scripted model, turn by turn", [
  { thinking: "Let me see", text: "One two three" },
  {
    text: "Both.",
    tools: ["one", "two"].map((name) => ({
      name: "Bash",
      input: { command: `touch ${name}`, description: name },
    })),
  },
  "Done.",
  { error: { status: 529 }, repeat: 1 },
  "Recovered.",
  { text: "So far", streamError: true },
  "and on.",
  { text: "one two three four", disconnect: true },
  "Whole.",
  { text: "word ".repeat(200), delayMs: 20 },
  "Again.",
  { text: "Late.", hang: true },
  "First.",
  "Second.",
], async (cli, model) => {
  // It streams a thought and a text piece by piece.
  assert.equal((await turn(cli, "go")).result, "One two three");
  const deltas = cli.ofType("stream_event").map(({ event }) => event.delta);
  const joined = (field: string) =>
    deltas.map((delta) => delta?.[field] ?? "").join("");
  assert.equal(joined("thinking"), "Let me see");
  assert.equal(joined("text"), "One two three");
  assert.deepEqual(blocks(cli).map(({ type }) => type), ["thinking", "text"]);
  assert.equal(model.requests.length, 1);
  assert.match(model.requests[0]?.lastText ?? "", /go$/);

  // It runs tool calls in parallel, and sends their results.
  begin(cli, "call");
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
  assert.equal((await cli.result()).result, "Done.");
  assert.deepEqual(blocks(cli).map(({ type }) => type), [
    "text",
    "tool_use",
    "tool_use",
    "text",
  ]);
  assert.match(model.requests[2]?.lastText ?? "", /Not this one/);

  // It tries again when the API is overloaded.
  assert.equal((await turn(cli, "overload")).result, "Recovered.");
  const [refused] = cli.ofType("system", "api_retry");
  assert.equal(refused.error_status, 529);
  assert.equal(refused.error, "overloaded");

  // It goes on after an error in mid-stream.
  assert.equal((await turn(cli, "break")).result, "and on.");
  assert.deepEqual(blocks(cli).map(({ text }) => text), ["So far", "and on."]);

  // It tries again when the connection is cut.
  assert.equal((await turn(cli, "cut")).result, "Whole.");
  const [cut] = cli.ofType("system", "api_retry");
  assert.equal(cut.error_status, null);

  // It can be interrupted while a text is slow.
  begin(cli, "talk");
  await cli.next(({ event }) => event?.type === "content_block_delta");
  await cli.control({ subtype: "interrupt" }, "stop");
  assert.equal((await cli.result()).terminal_reason, "aborted_streaming");
  assert.equal((await turn(cli, "once more")).result, "Again.");

  // It waits while an answer hangs, until it is released.
  begin(cli, "wait");
  await cli.next(({ type }) => type === "assistant");
  assert.equal(cli.ofType("result").length, 0);
  model.release();
  assert.equal((await cli.result()).result, "Late.");

  // Its side requests take no turn.
  assert.equal((await turn(cli, "on the side")).result, "First.");
  const before = model.requests.length;
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
  assert.equal((await turn(cli, "next")).result, "Second.");
  assert.deepEqual(
    model.requests.slice(before - 1).map(({ isSide }) => isSide),
    [false, true, true, true, false],
  );

  // It shows at once that the script has run out.
  const line = await turn(cli, "one more");
  assert.equal(line.is_error, true);
  assert.match(line.result, /no turn for request \d+: its script has 14/);
}, { args: ["--include-partial-messages", "--permission-prompt-tool=stdio"] });
