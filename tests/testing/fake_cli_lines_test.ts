import assert from "node:assert/strict";
import type { ParseError } from "../../src/errors/cli.ts";
import { loadStrictCheck, Parser } from "../../src/parse/parser.ts";
import { fakeCli } from "../../src/testing/fake_cli.ts";
import { test } from "../_harness.ts";
import { CliDriver } from "./_cli_driver.ts";

const UUID = "00000000-0000-4000-8000-000000000001";

test("fakeCli() sends messages that the strict check finds nothing to say against", async () => {
  const fake = fakeCli([
    [
      { think: "Hm" },
      "Hello",
      { tool: "Bash", input: { command: "ls" } },
      { ask: { tool: "Bash" } },
      { flood: { messages: 2 } },
      { flood: { messages: 2, kind: "assistant" } },
    ],
    [{ wait: "forever" }],
  ]);
  const cli = new CliDriver(fake.cliPath, {
    args: ["--include-partial-messages", "--replay-user-messages"],
    env: { CLAUDE_CODE_SDK_READS_SESSION_STATE: "1" },
  });
  await cli.initialize();
  cli.prompt("go", UUID);
  const ask = await cli.next(({ request }) => request !== undefined);
  cli.answer(ask.request_id, { behavior: "deny", message: "No" });
  await cli.next(({ state }) => state === "idle");
  cli.prompt("and");
  await cli.until(() => cli.ofType("system", "init").length === 2);
  await cli.control({ subtype: "interrupt" }, "stop");
  await cli.next(({ subtype }) => subtype === "error_during_execution");
  cli.end();
  await cli.exited;

  const messages = cli.lines.filter(({ type }) => !type.startsWith("control_"));
  const errors: ParseError[] = [];
  const parser = new Parser({
    report: (error) => errors.push(error),
    strict: await loadStrictCheck(),
  });
  const parsed = parser.push(messages);
  assert.deepEqual(errors.map(({ message }) => message), []);
  assert.deepEqual(parsed.filter(({ type }) => type === "unknown"), []);
  assert.deepEqual(
    new Set(parsed.map(({ type }) => type)),
    new Set([
      "system",
      "command_lifecycle",
      "user",
      "stream_event",
      "assistant",
      "result",
    ]),
  );
  await fake.close();
});
