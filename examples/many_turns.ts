// Hold a conversation of several turns with one process.
// deno-lint-ignore-file no-console -- an example shows what happens
import assert from "node:assert/strict";
import { Client, textOf } from "@sluice/agent";

const client = new Client({ allowedTools: [] });
const { models } = await client.connect();
assert.ok(models.length > 0);
try {
  // Wait for the result of a turn ...
  const first = await client.ask("My name is Ada. Please remember it.");
  assert.equal(first.is_error, false);

  // ... or receive its messages one by one.
  await client.sendMessage("What is my name?");
  let answer = "";
  for await (const message of client.receiveResponse()) {
    if (message.type === "assistant") answer += textOf(message);
  }
  console.log(answer);
  assert.match(answer, /Ada/);
  assert.equal(client.sessionId, first.session_id);
} finally {
  await client.close();
}
assert.equal(client.state, "closed");
