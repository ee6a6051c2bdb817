import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import { Deferred } from "../../src/async/deferred.ts";
import type { Program } from "../../src/runtime/program.ts";
import { screen } from "../../src/command/command_line.ts";
import { printer } from "../../src/command/printer.ts";
import { type Message, query, toolUsesOf } from "@sluice/agent";
import { fakeCli, type FakeCliScript, FakeClock } from "@sluice/agent/testing";
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";

/** A program at a terminal, and what it wrote. */
function terminalOf(columns: () => number) {
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
  return { self, texts };
}

/** What a conversation with a scripted CLI says. */
async function messagesOf(script: FakeCliScript): Promise<readonly Message[]> {
  const fake = fakeCli(script);
  const { items } = await collect(query("Hi", { cliPath: fake.cliPath }));
  await fake.close();
  return items;
}

test("The line about what goes on stays away after the result, until something goes on again", async () => {
  const items = await messagesOf("Over.");
  const { self, texts } = terminalOf(() => 80);
  const clock = new FakeClock();
  const { showActivity, print } = printer(screen(self), { clock });
  const hide = showActivity();
  const drawn = async () => {
    const before = texts.length;
    await clock.advance(1_000);
    return texts.slice(before).join("").includes("Ctrl-C interrupts");
  };
  assert.equal(await drawn(), true);
  for (const message of items) await print(message);
  assert.match(texts.join(""), /tokens in/);
  assert.equal(await drawn(), false);
  const again = items.find((message) => message.type === "assistant");
  assert.ok(again?.type === "assistant");
  // It says nothing, so that no text stands in the line.
  await print({ ...again, message: { ...again.message, content: [] } });
  assert.equal(await drawn(), true);
  hide();
});

test("The time of a tool is without that of the person who was asked about it", async () => {
  const items = await messagesOf([[
    { tool: "Bash", input: { command: "ls" }, result: "a" },
    "Over.",
  ]]);
  const { self, texts } = terminalOf(() => 80);
  const clock = new FakeClock();
  const { quietly, print } = printer(screen(self), { clock });
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
  const { self, texts } = terminalOf(() => 80);
  const { note, print, quietly } = printer(screen(self));
  const answered = new Deferred<void>();
  const asking = quietly(async (hold) => {
    // Not yet on the screen: what came before it is printed.
    await note("before");
    hold();
    await answered.promise;
    texts.push("[answered]");
  });
  // One that is taken back meanwhile frees nothing.
  await quietly(() => Promise.resolve());
  const printing = (async () => {
    for (const message of items) await print(message);
    await note("after");
  })();
  await clockTurns();
  assert.deepEqual(texts, ["before\n"]);
  answered.resolve();
  await Promise.all([asking, printing]);
  assert.match(
    texts.join(""),
    /^before\n\[answered\]Shall I tell you a joke[^]*after\n$/,
  );
});

/** Lets everything happen that needs no timer. */
async function clockTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("What a tool is called with is cut to the width that the terminal has by then", async () => {
  const items = await messagesOf([[
    { tool: "Bash", input: { command: "x".repeat(300) } },
  ]]);
  const call = items.find((one) =>
    one.type === "assistant" && toolUsesOf(one).length > 0
  );
  assert.ok(call !== undefined);
  let columns = 80;
  const { self, texts } = terminalOf(() => columns);
  const { print } = printer(screen(self));
  for (columns of [80, 40, 5]) await print(call);
  assert.deepEqual(
    texts.map((text) => text.match(/x+/)?.[0].length),
    [59, 19, 59],
  );
});

test("A turn that was interrupted is printed as such, without a diagnostic of the CLI", async () => {
  const items = await messagesOf([[{
    result: {
      subtype: "error_during_execution",
      is_error: true,
      errors: ["[ede_diagnostic] result_type=user"],
      terminal_reason: "aborted_tools",
    },
  }]]);
  const { self, texts } = terminalOf(() => 80);
  const { print } = printer(screen(self));
  for (const message of items) await print(message);
  assert.match(texts.join(""), /✖.* interrupted\n/);
  assert.doesNotMatch(texts.join(""), /ede_diagnostic/);
});

test("A failure that a result does not repeat is printed beside it", async () => {
  const items = await messagesOf([[{
    message: {
      type: "assistant",
      message: {
        id: "m1",
        type: "message",
        role: "assistant",
        model: "<synthetic>",
        content: [{ type: "text", text: "API Error: 500" }],
      },
      parent_tool_use_id: null,
      error: "server_error",
    },
  }, { result: { subtype: "error_max_turns", is_error: true, errors: [] } }]]);
  const { self, texts } = terminalOf(() => 80);
  const { print } = printer(screen(self));
  for (const message of items) await print(message);
  assert.equal(texts.join("").split("API Error: 500").length, 2);
});
