import assert from "node:assert/strict";
import type { ContentBlock, Message } from "@sluice/agent";
import {
  type ChatMessage,
  Session,
  sessionFromMessages,
} from "@sluice/agent/session";
import { readSource } from "../_examples.ts";
import { test } from "../_harness.ts";
import { clockAt, result, use, user } from "./_chats.ts";

test(
  "Session has id, times and messages, and nothing that removes or edits",
  () => {
    const clock = clockAt(1_000);
    const session = Session.create({ id: "s1", system: "Be brief.", clock });
    assert.equal(session.id, "s1");
    assert.deepEqual(session.created, new Date(1_000));
    assert.deepEqual(session.updated, new Date(1_000));
    assert.deepEqual(session.messages, [
      { role: "system", content: "Be brief.", created: new Date(1_000) },
    ]);
    assert.deepEqual(
      Object.getOwnPropertyNames(Session.prototype).sort(),
      ["append", "constructor", "created", "id", "messages", "updated", "view"],
    );
  },
  { ids: ["S-01"] },
);

test("Session.create() refuses what is no id and no text", () => {
  for (const id of ["", 7]) {
    assert.throws(
      () => Session.create({ id: id as string }),
      { name: "ConfigError", key: "id" },
    );
  }
  assert.throws(
    () => Session.create({ system: 7 as unknown as string }),
    { name: "ConfigError", key: "system" },
  );
});

test("Session.append() moves updated, and never back", () => {
  const clock = clockAt(1_000);
  const session = Session.create({ clock });
  clock.nowMs = 5_000;
  session.append({ role: "user", content: "Hello" });
  assert.deepEqual(session.updated, new Date(5_000));
  assert.deepEqual(session.messages[0]?.created, new Date(5_000));
  clock.nowMs = 3_000;
  session.append({ role: "assistant", content: "Hi" });
  assert.deepEqual(session.updated, new Date(5_000));
  session.append();
  assert.deepEqual(session.created, new Date(1_000));
  const created = new Date(9_000);
  session.append({ role: "user", content: "From the future", created });
  assert.deepEqual(session.updated, created);
}, { ids: ["S-02"] });

test("Session.messages cannot be used to change the session", () => {
  const session = Session.create();
  const blocks = [use("t1")];
  session.append(user(...blocks), { role: "user", content: blocks });
  const before = session.messages;
  const asArray = before as ChatMessage[];
  assert.throws(() => asArray.push({ role: "user", content: "no" }), TypeError);
  assert.throws(() => asArray.pop(), TypeError);
  const first = before[0] as { role: string; content: unknown[] };
  assert.throws(() => first.role = "system", TypeError);
  assert.throws(() => first.content.pop(), TypeError);
  blocks.pop();
  session.created.setTime(0);
  session.updated.setTime(0);
  assert.deepEqual(session.messages.map(({ content }) => content.length), [
    1,
    1,
  ]);
  session.append({ role: "user", content: "more" });
  assert.equal(before.length, 2);
  assert.equal(session.messages.length, 3);
  assert.equal(session.messages[0], before[0]);
  assert.ok(session.updated.getTime() > 0 && session.created.getTime() > 0);
}, { ids: ["S-01"] });

test("Session.append() names what is wrong with a message, and takes none of the call", () => {
  const session = Session.create();
  const said = (content: unknown, more: object = {}) => ({
    role: "user",
    content,
    ...more,
  });
  const result = { type: "tool_result", tool_use_id: "t1" };
  const wrong: readonly (readonly [message: unknown, key: string])[] = [
    [null, ""],
    ["text", ""],
    [{ role: "tool", content: "" }, ".role"],
    [said(undefined), ".content"],
    [said([7]), ".content[0]"],
    [said([{ type: "" }]), ".content[0].type"],
    [said([use("t1"), { type: "text" }]), ".content[1].text"],
    [said([{ ...result, content: [{}] }]), ".content[0].content[0].type"],
    [said("", { id: 7 }), ".id"],
    [said("", { created: new Date("no") }), ".created"],
    [said("", { created: "2026" }), ".created"],
  ];
  for (const [message, at] of wrong) {
    const both = [said("fine"), message] as ChatMessage[];
    const error = { name: "ConfigError", key: `messages[1]${at}` };
    assert.throws(() => session.append(...both), error);
  }
  assert.deepEqual(session.messages, []);
});

test("Session wraps blocks of unknown kinds", () => {
  const session = Session.create();
  const raw = { type: "hologram", data: "x" };
  session.append(
    { role: "assistant", content: [raw] } as unknown as ChatMessage,
  );
  assert.deepEqual(session.messages[0]?.content, [
    { type: "unknown", originalType: "hologram", raw },
  ]);
});

test(
  "docs of Session and SessionStore say that they are not safe for concurrent use",
  () => {
    for (const path of ["src/session/session.ts", "src/session/store.ts"]) {
      const text = readSource(path).replaceAll(/\s*\n\s*\*? ?/g, " ");
      assert.match(
        text,
        /Not safe for concurrent use: when several tasks append/,
      );
    }
    const page = readSource("docs/sessions.md").replaceAll("\n", " ");
    assert.match(page, /not safe for concurrent use/);
  },
  { ids: ["S-03"] },
);

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
