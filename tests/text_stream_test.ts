import assert from "node:assert/strict";
import {
  Client,
  CliExitError,
  type Conversation,
  query,
  textStream,
} from "@sluice/agent";
import { fakeCli, type FakeCliScript } from "@sluice/agent/testing";
import { collect } from "./_collect.ts";
import { assistantLine } from "./conversation/_rig.ts";
import { test } from "./_harness.ts";

test("textStream() gives whole messages, or deltas where they come, and nothing twice", async () => {
  const { cliPath } = fakeCli([["Hello, ", "you."]]);
  assert.deepEqual(await textsOf(query("x", { cliPath })), ["Hello, ", "you."]);
  const options = { cliPath, includePartialMessages: true };
  assert.equal((await textsOf(query("x", options))).join(""), "Hello, you.");
});

test("textStream() leaves out what subagents say", async () => {
  const script: FakeCliScript = [[
    {
      message: {
        ...assistantLine("from below"),
        parent_tool_use_id: "toolu_1",
      },
    },
    { message: assistantLine("from above") },
  ]];
  const { cliPath } = fakeCli(script);
  assert.deepEqual(await textsOf(query("x", { cliPath })), ["from above"]);
});

test("textStream() throws what ends the messages, and its cancel ends the conversation", async () => {
  const broken = fakeCli([["a", { exit: 5 }]]);
  const failing = query("x", { cliPath: broken.cliPath });
  const { items, error } = await collect(textStream(failing));
  await failing.close();
  assert.deepEqual(items, ["a"]);
  assert.ok(error instanceof CliExitError);
  const { cliPath } = fakeCli([["a", { wait: "forever" }]]);
  const conversation = query("x", { cliPath });
  const reader = textStream(conversation).getReader();
  assert.deepEqual(await reader.read(), { done: false, value: "a" });
  await reader.cancel();
  assert.equal(conversation.health().state, "gone");
});

test("textStream() of one turn of a client ends with it", async () => {
  const { cliPath } = fakeCli(["one", "two"]);
  const client = new Client({ cliPath });
  await client.connect();
  for (const text of ["one", "two"]) {
    await client.sendMessage("x");
    const { items } = await collect(textStream(client.receiveResponse()));
    assert.deepEqual(items, [text]);
  }
  await client.close();
});

/** All texts, and the process gone. */
async function textsOf(conversation: Conversation): Promise<readonly string[]> {
  const { items, error } = await collect(textStream(conversation));
  assert.equal(error, undefined);
  await conversation.close();
  return items;
}
