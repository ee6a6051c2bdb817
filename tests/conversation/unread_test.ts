import assert from "node:assert/strict";
import {
  type AgentOptions,
  type Conversation,
  type ParseError,
  query,
} from "@sluice/agent";
import { fakeCli } from "@sluice/agent/testing";
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";
import {
  assistantLine,
  memoryCli,
  metricsSpy,
  resultLine,
  turns,
} from "./_rig.ts";

/** Looks like a complete message, but is malformed. */
const BROKEN = '{"type":"assistant","message":}';
const { uuid: _uuid, ...INCOMPLETE } = assistantLine("x");

/** A conversation whose consumer has taken one message and does not come back. */
async function begin(options: AgentOptions = {}, staysOpen = false) {
  const { transport, peer } = memoryCli({}, { staysOpen });
  const conversation = query("x", { ...options, transport });
  await conversation.ready;
  const messages = conversation[Symbol.asyncIterator]();
  const first = messages.next();
  await peer.send(assistantLine("first"));
  await first;
  const before = conversation.health();
  return { peer, conversation, messages, before };
}

/** Waits until this many bytes were read. */
async function untilRead(
  conversation: Conversation,
  bytes: number,
): Promise<void> {
  while (conversation.health().bytesRead < bytes) await turns(1);
}

test("health() counts lines and bytes when they are read, unconsumed ones included", async () => {
  const { peer, conversation, before } = await begin();
  const lines = Array.from(
    { length: 20 },
    (_, n) => JSON.stringify(assistantLine(`${n}`)) + "\n",
  );
  const all = lines.join("");
  // Cut in the middle of a line.
  await peer.send(all.slice(0, 3_000), all.slice(3_000));
  await untilRead(conversation, before.bytesRead + all.length);
  const { messagesReceived } = conversation.health();
  assert.equal(messagesReceived, before.messagesReceived + 20);
  await peer.send(resultLine());
  await conversation.close();
  assert.equal(conversation.health().messagesReceived, messagesReceived + 1);
});

test("bad lines among unread messages, and metrics of all, are reported once, with the result of their turn", async () => {
  const { metrics, of } = metricsSpy();
  const { peer, conversation, messages, before } = await begin(
    { metrics },
    true,
  );
  const errors = conversation.errors.getReader();
  const parsed = of("parser.parse").length;
  const good = JSON.stringify(assistantLine("good"));
  const text = `${BROKEN}\n${good}\n${JSON.stringify(INCOMPLETE)}\n`;
  await peer.send(text);
  await untilRead(conversation, before.bytesRead + text.length);
  assert.equal(of("parser.parse").length, parsed);
  await peer.send(resultLine());
  assert.equal(((await errors.read()).value as ParseError).field, undefined);
  assert.equal(((await errors.read()).value as ParseError).field, "uuid");
  const told = of("parser.parse").length;
  assert.equal(told, parsed + 3, "good, incomplete, result");
  assert.equal((await messages.next()).value?.type, "assistant");
  assert.equal((await messages.next()).value?.type, "result");
  assert.equal(of("parser.parse").length, told);
  await conversation.close();
});

test("bad lines among unread messages are reported at the latest when the conversation is closed", async () => {
  const { peer, conversation, before } = await begin();
  const text = `${BROKEN}\n${JSON.stringify(INCOMPLETE)}\n`;
  await peer.send(text);
  await untilRead(conversation, before.bytesRead + text.length);
  await conversation.close();
  const { items } = await collect(conversation.errors);
  assert.deepEqual(
    items.map((error) => [error.code, (error as ParseError).field]),
    [["parse", undefined], ["parse", "uuid"]],
  );
});

test("bad lines among unread messages are reported when the CLI has ended", async () => {
  const fake = fakeCli([["first", { wait: 50 }, { line: BROKEN }, {
    line: INCOMPLETE,
  }, { wait: 50 }]]);
  const conversation = query("x", { cliPath: fake.cliPath });
  const messages = conversation[Symbol.asyncIterator]();
  for (;;) {
    const { value } = await messages.next();
    if (value?.type === "assistant") break;
  }
  const errors = conversation.errors.getReader();
  assert.equal(((await errors.read()).value as ParseError).field, undefined);
  assert.equal(((await errors.read()).value as ParseError).field, "uuid");
  assert.equal((await messages.next()).value?.type, "result");
  assert.equal((await messages.next()).done, true);
  await fake.close();
});

test("bad lines that were read are reported even after an abort", async () => {
  const controller = new AbortController();
  const { peer, conversation, before } = await begin({
    signal: controller.signal,
  });
  await peer.send(`${BROKEN}\n`);
  await untilRead(conversation, before.bytesRead + BROKEN.length + 1);
  controller.abort(new Error("enough"));
  await conversation.close();
  const { items } = await collect(conversation.errors);
  assert.deepEqual(items.map(({ code }) => code), ["parse"]);
});
