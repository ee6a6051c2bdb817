import assert from "node:assert/strict";
import { ConfigError } from "@sluice/agent";
import {
  memoryTranscripts,
  readTranscript,
  sessionFromTranscript,
  startWith,
  type TranscriptEntry,
  TranscriptError,
} from "@sluice/agent/transcripts";
import { test } from "../_harness.ts";
import { result, use } from "../session/_chats.ts";

const ID = "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11";

/** A session of lines that follow each other. */
async function stored(...lines: readonly TranscriptEntry[]) {
  const place = { store: memoryTranscripts(), projectKey: "p" };
  await place.store.append(
    { projectKey: "p", sessionId: ID },
    lines.map((line, at) => ({
      uuid: `u${at}`,
      parentUuid: at === 0 ? null : `u${at - 1}`,
      sessionId: ID,
      ...line,
    })),
  );
  return place;
}

const hears = (content: unknown, more: object = {}): TranscriptEntry => ({
  type: "user",
  message: { role: "user", content },
  ...more,
});

const says = (id: string, ...content: readonly unknown[]): TranscriptEntry => ({
  type: "assistant",
  message: { id, role: "assistant", model: "claude", content },
});

test("sessionFromTranscript() joins the lines of an answer, and keeps ids, times, calls and results", async () => {
  const place = await stored(
    hears("Hello", { timestamp: "2026-01-02T03:04:05.678Z" }),
    says("m1", { type: "text", text: "I look." }),
    says("m1", use("t1")),
    hears([result("t1")]),
    says("m2", { type: "text", text: "Done." }),
  );
  const session = await sessionFromTranscript(ID, place);
  assert.equal(session.id, ID);
  assert.deepEqual(
    session.messages.map(({ id, role, content }) => [id, role, content]),
    [
      ["u0", "user", "Hello"],
      ["u1", "assistant", [{ type: "text", text: "I look." }, use("t1")]],
      ["u3", "user", [result("t1")]],
      ["u4", "assistant", [{ type: "text", text: "Done." }]],
    ],
  );
  assert.equal(
    session.messages[0]?.created?.toISOString(),
    "2026-01-02T03:04:05.678Z",
  );
});

test("sessionFromTranscript() leaves out subagents, other branches, and the CLI's own messages", async () => {
  const place = await stored(
    hears("Hello"),
    hears("A reminder", { isMeta: true }),
    { type: "system", subtype: "informational", content: "Hm" },
    {
      type: "assistant",
      message: {
        id: "x",
        role: "assistant",
        model: "<synthetic>",
        content: [{ type: "text", text: "API Error" }],
      },
    },
    hears("Of a subagent", { isSidechain: true, parentUuid: "u3" }),
    hears("Left", { parentUuid: "u3" }),
    {
      type: "system",
      subtype: "compact_boundary",
      parentUuid: null,
      logicalParentUuid: "u3",
    },
    hears("They said hello.", { isCompactSummary: true }),
    says("m1", { type: "text", text: "Good." }),
  );
  const { messages } = await sessionFromTranscript(ID, place);
  assert.deepEqual(messages.map(({ id }) => id), ["u0", "u8"]);
});

test("sessionFromTranscript() keeps the summary of what is not there any more", async () => {
  const place = await stored(
    { type: "system", subtype: "compact_boundary", logicalParentUuid: "gone" },
    hears("They said hello.", { isCompactSummary: true }),
    says("m1", { type: "text", text: "Good." }),
  );
  const { messages } = await sessionFromTranscript(ID, place);
  assert.deepEqual(messages.map(({ id }) => id), ["u1", "u2"]);
});

test("sessionFromTranscript() names a malformed line, a missing session, and a malformed id", async () => {
  for (
    const message of [undefined, "text", { role: "user" }, {
      role: "x",
      content: "",
    }]
  ) {
    const place = await stored({ type: "user", message });
    await assert.rejects(
      sessionFromTranscript(ID, place),
      (error) =>
        error instanceof TranscriptError && error.sessionId === ID &&
        /user line "u0" says no message/.test(error.message),
    );
  }
  const none = { store: memoryTranscripts(), projectKey: "p" };
  await assert.rejects(sessionFromTranscript(ID, none), TranscriptError);
  await assert.rejects(sessionFromTranscript("../x", none), ConfigError);
});

test("startWith() refuses a chat without a speaker, and malformed messages, before anything is written", async () => {
  const store = memoryTranscripts();
  const bad = [
    [],
    [{ role: "system", content: "Be brief." }],
    [{
      role: "assistant",
      content: [{ type: "thinking", thinking: "Hm", signature: "x" }],
    }],
    [{ role: "user", content: "" }],
    [{ role: "nobody", content: "" }],
    [{ role: "user", content: [{ ...use("t1"), input: { at: 1n } }] }],
  ];
  for (const messages of bad) {
    await assert.rejects(
      startWith(messages as never, { store, projectKey: "p" }),
      (error) =>
        error instanceof ConfigError && error.message.includes("messages"),
    );
  }
  assert.equal(store.size, 0);
});

test("startWith() says system messages apart, and never writes the same chat twice into one session", async () => {
  const place = { store: memoryTranscripts(), projectKey: "p" };
  const chat = [
    { role: "system", content: "One." },
    { role: "user", content: "Hello" },
    { role: "system", content: [{ type: "text", text: "Two." }] },
  ] as const;
  const first = await startWith(chat, place);
  const second = await startWith(chat, place);
  assert.equal(first.systemPrompt, "One.\n\nTwo.");
  assert.notEqual(first.resume, second.resume);
  const read = await readTranscript(first.resume, place);
  assert.deepEqual(read.map(({ message }) => message), [
    { role: "user", content: "Hello" },
  ]);
  const plain = await startWith([{ role: "user", content: "Hi" }], place);
  assert.deepEqual(Object.keys(plain), ["resume"]);
});
