import assert from "node:assert/strict";
import { sessionFromMessages } from "../../src/session/from_messages.ts";
import type { ContentBlock } from "../../src/protocol/content.ts";
import type { Message } from "../../src/protocol/messages_other.ts";
import type { JsonObject } from "../../src/types/json.ts";
import { test } from "../_harness.ts";
import { recordedMessages } from "../parse/_transcripts.ts";
import { clockAt, result, use } from "./_chats.ts";

async function* from(...messages: readonly unknown[]): AsyncGenerator<Message> {
  for (const message of messages) {
    yield await Promise.resolve(message as Message);
  }
}

function says(
  uuid: string,
  api: string,
  block: ContentBlock,
  more: object = {},
) {
  return {
    type: "assistant",
    uuid,
    session_id: "s1",
    parent_tool_use_id: null,
    message: { id: api, role: "assistant", content: [block] },
    ...more,
  };
}

function hears(uuid: string, content: unknown, more: object = {}) {
  return {
    type: "user",
    uuid,
    session_id: "s1",
    parent_tool_use_id: null,
    message: { role: "user", content },
    ...more,
  };
}

const text = (text: string): ContentBlock => ({ type: "text", text });

test("sessionFromMessages() joins the lines of one API message, and keeps ids and times", async () => {
  const clock = clockAt(5_000);
  const session = await sessionFromMessages(
    from(
      { type: "system", subtype: "init", session_id: "s0" },
      hears("u1", "Hello", { timestamp: "2026-01-02T03:04:05.678Z" }),
      { type: "stream_event", event: {}, session_id: "s1" },
      says("a1", "m1", text("I look.")),
      says("a2", "m1", use("t1")),
      hears("u2", [result("t1")]),
      says("a3", "m1", use("t2")),
      hears("u3", [result("t2")]),
      says("a4", "m2", text("Done."), { session_id: "s2" }),
      { type: "result", subtype: "success", session_id: "s2" },
    ),
    { clock },
  );
  assert.equal(session.id, "s1");
  const created = new Date(5_000);
  assert.deepEqual(session.messages, [
    {
      role: "user",
      content: "Hello",
      id: "u1",
      created: new Date("2026-01-02T03:04:05.678Z"),
    },
    {
      role: "assistant",
      content: [text("I look."), use("t1"), use("t2")],
      id: "a1",
      created,
    },
    { role: "user", content: [result("t1")], id: "u2", created },
    { role: "user", content: [result("t2")], id: "u3", created },
    { role: "assistant", content: [text("Done.")], id: "a4", created },
  ]);
  assert.equal(session.view({ maxTokens: Infinity }).length, 5);
});

test("sessionFromMessages() leaves out replays, what was replaced, and subagents unless asked for", async () => {
  const messages = () =>
    from(
      hears("u0", "again", { isReplay: true }),
      says("a1", "m1", text("No."), { error: "overloaded" }),
      says("a2", "m2", text("Yes."), { supersedes: ["a1"] }),
      says("a3", "m3", text("Inside."), { parent_tool_use_id: "t1" }),
    );
  const contents = async (subagents: boolean) =>
    (await sessionFromMessages(messages(), { subagents })).messages
      .map(({ content }) => content);
  assert.deepEqual(await contents(false), [[text("Yes.")]]);
  assert.deepEqual(await contents(true), [[text("Yes.")], [text("Inside.")]]);
});

test("sessionFromMessages() makes an id where no message has one", async () => {
  const session = await sessionFromMessages(from());
  assert.match(session.id, /^[\w-]{36}$/);
  assert.deepEqual(session.messages, []);
});

test("sessionFromMessages() rejects with what the messages throw", async () => {
  const reason = new Error("CLI is gone");
  async function* broken(): AsyncGenerator<Message> {
    yield* from(hears("u1", "Hello"));
    throw reason;
  }
  await assert.rejects(sessionFromMessages(broken()), reason);
});

test("sessionFromMessages() takes every recorded run, and orphans nothing", async () => {
  let exchanges = 0;
  for (const [name, messages] of await recordedMessages()) {
    const session = await sessionFromMessages(from(...messages));
    const uses = blocksOf(messages.filter(isMain), "tool_use");
    assert.equal(blocksOf(session.messages, "tool_use"), uses, name);
    let orphans = -1;
    session.view({
      maxTokens: Infinity,
      onTruncated: (report) => orphans = report.orphans,
    });
    const { tool_result: answered } = countOf(session.messages);
    if (uses === answered) assert.equal(orphans, 0, name);
    exchanges += uses;
  }
  assert.ok(exchanges > 10, `${exchanges}`);
});

function isMain(message: JsonObject): boolean {
  return message.type === "assistant" && message.parent_tool_use_id === null;
}

function blocksOf(messages: readonly unknown[], type: string): number {
  return countOf(messages)[type] ?? 0;
}

/** How many blocks of each type there are. */
function countOf(messages: readonly unknown[]): Record<string, number> {
  const count: Record<string, number> = { tool_result: 0 };
  for (const message of messages) {
    const { content, message: inner } = message as {
      content?: readonly ContentBlock[];
      message?: { content: readonly ContentBlock[] };
    };
    for (const block of inner?.content ?? content ?? []) {
      count[block.type] = (count[block.type] ?? 0) + 1;
    }
  }
  return count;
}
