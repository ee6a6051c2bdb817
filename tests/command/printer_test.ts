import { Deferred } from "@sluice/agent/extend";
import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import { type Message, query, toolUsesOf } from "@sluice/agent";
import { fakeCli, type FakeCliScript, FakeClock } from "@sluice/agent/testing";
import { screen } from "../../src/command/command_line.ts";
import { printer } from "../../src/command/printer.ts";
import type { Program } from "../../src/runtime/program.ts";
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";
import { failedRequest } from "./_program.ts";

/** A printer at a terminal, and what it wrote. */
function atTerminal(columns: () => number = () => 80) {
  const texts: string[] = [];
  const put = (text: string | Uint8Array) => {
    texts.push(
      typeof text === "string" ? text : new TextDecoder().decode(text),
    );
    return Promise.resolve();
  };
  const self = {
    env: {},
    terminals: { stdin: true, stdout: true, stderr: true },
    columns,
    write: put,
    writeError: put,
  } as unknown as Program;
  const clock = new FakeClock();
  const printed = printer(screen(self), { clock });
  const printAll = async (items: readonly Message[]) => {
    for (const item of items) await printed.print(item);
    return texts.join("");
  };
  return { ...printed, clock, texts, printAll };
}

/** The messages of a conversation with a scripted CLI. */
async function messagesOf(script: FakeCliScript): Promise<readonly Message[]> {
  const fake = fakeCli(script);
  const { items } = await collect(query("Hi", { cliPath: fake.cliPath }));
  await fake.close();
  return items;
}

test("The line of the current activity stays away after the result, until another message comes", async () => {
  const items = await messagesOf("Over.");
  const { clock, print, printAll, showActivity, texts } = atTerminal();
  const hide = showActivity();
  const isDrawn = async () => {
    const before = texts.length;
    await clock.advance(1_000);
    return texts.slice(before).join("").includes("Ctrl-C interrupts");
  };
  assert.equal(await isDrawn(), true);
  assert.match(await printAll(items), /tokens in/);
  assert.equal(await isDrawn(), false);
  const again = items.find((message) => message.type === "assistant");
  assert.ok(again?.type === "assistant");
  // It says nothing, so that no text stands in the line.
  await print({ ...again, message: { ...again.message, content: [] } });
  assert.equal(await isDrawn(), true);
  hide();
});

test("The time of a tool is without that of the person who was asked about it", async () => {
  const items = await messagesOf([[
    { tool: "Bash", input: { command: "ls" }, result: "a" },
    "Over.",
  ]]);
  const { clock, print, quietly, texts } = atTerminal();
  for (const message of items) {
    await print(message);
    const [call] = message.type === "assistant" ? toolUsesOf(message) : [];
    if (call === undefined) continue;
    await quietly(() => clock.advance(7_000), call.id);
    // Of another call, or of none.
    await quietly(() => clock.advance(300), "other");
    await quietly(() => clock.advance(20));
  }
  assert.match(texts.join(""), /✔[^\n]*320 ms/);
});

test("While a question is on the screen nothing else is printed, and nothing of it is lost", async () => {
  const items = await messagesOf("Shall I tell you a joke? y = yes, n = no");
  const { note, printAll, quietly, texts } = atTerminal();
  const [asked, answered] = [new Deferred<void>(), new Deferred<void>()];
  const asking = quietly(async (hold) => {
    // Not yet on the screen: what came before it is printed.
    await note("before");
    hold();
    asked.resolve();
    await answered.promise;
    texts.push("[answered]");
  });
  await asked.promise;
  // One that is taken back meanwhile frees nothing.
  await quietly(() => Promise.resolve());
  const printing = printAll(items).then(() => note("after"));
  for (let turn = 0; turn < 5; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(texts, ["before\n"]);
  answered.resolve();
  await Promise.all([asking, printing]);
  assert.match(
    texts.join(""),
    /^before\n\[answered\]Shall I tell you a joke[^]*after\n$/,
  );
});

test("The input of a tool is cut to the present width of the terminal", async () => {
  const input = { command: "x".repeat(300) };
  const items = await messagesOf([[{ tool: "Bash", input }]]);
  const call = items.find((one) =>
    one.type === "assistant" && toolUsesOf(one).length > 0
  );
  assert.ok(call !== undefined);
  let columns = 80;
  const { print, texts } = atTerminal(() => columns);
  for (columns of [80, 40, 5]) await print(call);
  assert.deepEqual(
    texts.map((text) => text.match(/x+/)?.[0].length),
    [59, 19, 59],
  );
});

test("An interrupted turn is printed without a diagnostic of the CLI, a failure beside a result that does not repeat it", async () => {
  const interrupted = await messagesOf([[{
    result: {
      subtype: "error_during_execution",
      is_error: true,
      errors: ["[ede_diagnostic] result_type=user"],
      terminal_reason: "aborted_tools",
    },
  }]]);
  const text = await atTerminal().printAll(interrupted);
  assert.match(text, /✖.* interrupted\n/);
  assert.doesNotMatch(text, /ede_diagnostic/);
  const failed = await messagesOf([[
    failedRequest("server_error", "API Error: 500"),
    { result: { subtype: "error_max_turns", is_error: true, errors: [] } },
  ]]);
  const other = await atTerminal().printAll(failed);
  assert.equal(other.split("API Error: 500").length, 2);
});

test("Nothing that the CLI reports drives the terminal, whichever field it is in", async () => {
  const evil = "\x1b]0;title\x07\x1b[2J\x9b31m\u202e\r";
  const retry = {
    type: "system",
    subtype: "api_retry",
    attempt: 1,
    max_retries: 3,
    retry_delay_ms: 10,
    error_status: 500,
    error: evil,
  };
  const items = await messagesOf([[
    { message: retry },
    { result: { num_turns: evil } },
  ]]);
  const text = await atTerminal().printAll(items);
  assert.match(text, /\\u\{1b\}\]0;title.*: try 1 of 3/);
  assert.match(text, /\\u\{202e\}\\u\{d\} turns/);
  // deno-lint-ignore no-control-regex -- colours of a terminal begin with one
  const plain = text.replace(/\x1b\[\d+m/g, "");
  assert.doesNotMatch(plain, /(?!\n)\p{Cc}|\u202e/u);
});
