import assert from "node:assert/strict";
import { branchOf } from "../../src/transcripts/branch.ts";
import {
  forkTranscript,
  memoryTranscripts,
  readTranscript,
  type TranscriptEntry,
} from "@sluice/agent/transcripts";
import { test } from "../_harness.ts";

const ID = "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11";
const KEY = { projectKey: "p", sessionId: ID };

/** Ids of the messages of a session, each line of which follows the one before it unless it says otherwise. */
async function idsIn(...lines: readonly object[]): Promise<readonly string[]> {
  const store = memoryTranscripts();
  let parentUuid: unknown = null;
  for (const [at, line] of lines.entries()) {
    const entry: TranscriptEntry = {
      type: "user",
      uuid: `u${at}`,
      parentUuid,
      sessionId: ID,
      timestamp: `2026-01-01T00:00:${String(at).padStart(2, "0")}.000Z`,
      ...line,
    };
    parentUuid = entry.uuid;
    await store.append(KEY, [entry]);
  }
  const read = await readTranscript(ID, { store, projectKey: "p" });
  return read.map(({ uuid }) => uuid);
}

const hears = (content: unknown = "Hello", more: object = {}) => ({
  message: { role: "user", content },
  ...more,
});

const says = (id: string, content: unknown, more: object = {}) => ({
  type: "assistant",
  message: { id, role: "assistant", content },
  ...more,
});

const calls = (answer: string, id: string, more: object = {}) =>
  says(answer, [{ type: "tool_use", id, name: "Bash", input: {} }], more);

const results = (id: string, more: object = {}) =>
  hears([{ type: "tool_result", tool_use_id: id, content: "ok" }], more);

const queued = (attachment: object = {}, more: object = {}) => ({
  type: "attachment",
  attachment: { type: "queued_command", prompt: "And this", ...attachment },
  ...more,
});

const boundary = (compactMetadata: object = {}, more: object = {}) => ({
  type: "system",
  subtype: "compact_boundary",
  parentUuid: null,
  compactMetadata,
  ...more,
});

test("a transcript is read from the newest line that leads to a message", async () => {
  assert.deepEqual(
    await idsIn(hears(), says("m1", "Hi"), {
      type: "attachment",
      parentUuid: null,
    }),
    ["u0", "u1"],
  );
  assert.deepEqual(
    await idsIn(
      hears(),
      says("m1", "left"),
      says("m2", "newest", { parentUuid: "u0" }),
      { type: "progress", parentUuid: "u1" },
    ),
    ["u0", "u2"],
  );
  assert.deepEqual(
    await idsIn(
      hears(),
      says("m1", "newest"),
      says("m2", "left", { parentUuid: "u0" }),
      { type: "attachment", parentUuid: "u1", attachment: { type: "date" } },
    ),
    ["u0", "u1"],
  );
  assert.deepEqual(
    await idsIn(hears("a", { parentUuid: "u1" }), hears("b")),
    [],
    "a circle has no end",
  );
});

test("a transcript holds no lines of subagents and teammates", async () => {
  assert.deepEqual(
    await idsIn(
      hears(),
      hears("to a teammate", { teamName: "t" }),
      hears("to a subagent", { isSidechain: true }),
      says("m1", "Hi"),
      says("m2", "by a teammate", { teamName: "t" }),
    ),
    ["u0", "u3"],
  );
});

test("a line that was written again stands where it was written last", async () => {
  const store = memoryTranscripts();
  const line = (uuid: string, parentUuid: string | null, more = {}) => ({
    type: "user",
    uuid,
    parentUuid,
    sessionId: ID,
    message: { role: "user", content: uuid },
    ...more,
  });
  const lines = [
    line("a", null),
    line("left", "a"),
    line("b", "a"),
    line("left", "a"),
  ];
  assert.deepEqual(
    branchOf(lines).map(({ uuid }) => uuid),
    ["a", "left"],
  );
  // Of what a store has twice the first one counts: a call was made again.
  await store.append(KEY, lines);
  const read = await readTranscript(ID, { store, projectKey: "p" });
  assert.deepEqual(read.map(({ uuid }) => uuid), ["a", "b"]);
});

test("parallel calls and results beside the chain stand behind the last line of their answer, by time", async () => {
  assert.deepEqual(
    await idsIn(
      hears(),
      calls("m1", "t1"),
      calls("m1", "t2"),
      calls("m1", "t3", { parentUuid: "u1" }),
      results("t3", { parentUuid: "u3" }),
      results("t1", { parentUuid: "u1" }),
      results("t2", { parentUuid: "u2" }),
      says("m2", "Done"),
    ),
    ["u0", "u1", "u2", "u3", "u4", "u5", "u6", "u7"],
  );
  assert.deepEqual(
    await idsIn(
      hears(),
      calls("m1", "t1"),
      calls("m1", "t2"),
      calls("m1", "t3"),
      results("t1", { parentUuid: "u1", timestamp: "2026-01-01T00:01:00Z" }),
      results("t2", { parentUuid: "u2", timestamp: "2026-01-01T00:00:30Z" }),
      results("t3", { parentUuid: "u3" }),
      says("m2", "Done"),
    ),
    ["u0", "u1", "u2", "u3", "u5", "u4", "u6", "u7"],
    "by time",
  );
});

test("a result that is linked elsewhere belongs to the call that it names, once", async () => {
  const chain = [hears(), calls("m1", "t1"), calls("m1", "t2"), results("t2")];
  const done = says("m2", "Done", { parentUuid: "u3" });
  const lost = results("t1", { parentUuid: "u0" });
  assert.deepEqual(
    await idsIn(...chain, lost, done),
    ["u0", "u1", "u2", "u4", "u3", "u5"],
  );
  assert.deepEqual(
    await idsIn(...chain, lost, results("t1", { parentUuid: "u0" }), done),
    ["u0", "u1", "u2", "u4", "u3", "u6"],
    "not a second copy of it",
  );
  assert.deepEqual(
    await idsIn(...chain, { ...lost, isSidechain: true }, done),
    ["u0", "u1", "u2", "u3", "u5"],
    "not that of a subagent",
  );
  assert.deepEqual(
    await idsIn(...chain, { ...lost, agentId: "a1" }, done),
    ["u0", "u1", "u2", "u3", "u5"],
    "not that of another agent",
  );
  assert.deepEqual(
    await idsIn(
      ...chain,
      lost,
      calls("m9", "t1", { parentUuid: "u0" }),
      done,
    ),
    ["u0", "u1", "u2", "u3", "u6"],
    "not where two answers have a call of that id",
  );
  assert.deepEqual(
    await idsIn(
      hears(),
      calls("m9", "t1"),
      results("t1", { parentUuid: "u0" }),
      calls("m1", "t1", { parentUuid: "u0" }),
      calls("m1", "t2"),
      results("t2"),
      says("m2", "Done"),
    ),
    ["u0", "u3", "u4", "u5", "u6"],
    "nor where the other answer was left",
  );
});

test("ids of calls that a model uses again belong to the answer that a result is linked to", async () => {
  const turn = (answer: string, at: number) => [
    hears(),
    calls(answer, "t1"),
    calls(answer, "t2"),
    results("t1", { parentUuid: `u${at + 1}` }),
    results("t2", { parentUuid: `u${at + 2}` }),
  ];
  assert.deepEqual(
    await idsIn(...turn("m1", 0), ...turn("m2", 5), says("m3", "Done")),
    Array.from({ length: 11 }, (_, at) => `u${at}`),
  );
});

test("messages that a compaction kept stand behind its anchor, and nothing else before it does", async () => {
  const kept = (compactMetadata: object) =>
    idsIn(
      hears(),
      says("m1", "one"),
      hears("two"),
      boundary(compactMetadata),
      hears("In short", { isCompactSummary: true }),
      hears("three"),
    );
  const messages = { anchorUuid: "u4", uuids: ["u1", "u2"] };
  const segment = { anchorUuid: "u4", headUuid: "u1", tailUuid: "u2" };
  const both = ["u4", "u1", "u2", "u5"];
  assert.deepEqual(await kept({ preservedMessages: messages }), both);
  assert.deepEqual(await kept({ preservedSegment: segment }), both);
  for (
    const nothing of [
      {},
      { preservedMessages: { anchorUuid: "u4", uuids: [] } },
      { preservedMessages: { anchorUuid: "u4", uuids: ["gone", "u2"] } },
      { preservedMessages: { anchorUuid: "u4", uuids: "u1 u2" } },
      { preservedMessages: 7 },
      { preservedSegment: { ...segment, headUuid: "gone" } },
      { preservedSegment: null },
    ]
  ) {
    const text = JSON.stringify(nothing);
    assert.deepEqual(await kept(nothing), ["u4", "u5"], text);
  }
  assert.deepEqual(
    await idsIn(
      hears(),
      boundary(undefined, { compactMetadata: "x" }),
      hears(),
    ),
    ["u2"],
  );
});

test("a prompt in mid-turn is a message where it was answered or waits for it, once", async () => {
  const id = { source_uuid: "s1" };
  const turn = [hears(), calls("m1", "t1"), results("t1")];
  const before = ["u0", "u1", "u2"];
  assert.deepEqual(
    await idsIn(...turn, queued(id), says("m2", "Both")),
    [...before, "s1", "u4"],
  );
  assert.deepEqual(await idsIn(...turn, queued(id)), [...before, "s1"]);
  assert.deepEqual(await idsIn(...turn, queued()), [...before, "u3"]);
  assert.deepEqual(
    await idsIn(...turn, queued(id), hears("[Request interrupted by user]")),
    [...before, "s1", "u4"],
  );
  assert.deepEqual(
    await idsIn(...turn, queued(id), hears("something else")),
    [...before, "u4"],
    "put back, and said anew",
  );
  assert.deepEqual(
    await idsIn(
      ...turn,
      queued(id),
      hears("A reminder", { isMeta: true }),
      says("m2", "Both"),
    ),
    [...before, "s1", "u5"],
  );
  assert.deepEqual(
    await idsIn(
      ...turn,
      hears("And this", { uuid: "s1" }),
      queued(id),
      says("m2", "Both"),
    ),
    [...before, "s1", "u5"],
    "it is there already",
  );
  for (
    const other of [
      { isMeta: true },
      { prompt: 7 },
      { type: "date" },
    ]
  ) {
    assert.deepEqual(
      await idsIn(...turn, queued({ ...id, ...other }), says("m2", "Both")),
      [...before, "u4"],
      JSON.stringify(other),
    );
  }
});

test("a copy may end with a prompt in mid-turn", async () => {
  const store = memoryTranscripts();
  const place = { store, projectKey: "p" };
  const line = { sessionId: ID, parentUuid: null };
  await store.append(KEY, [
    { ...line, ...hears(), type: "user", uuid: "u0" },
    { ...line, ...queued({ source_uuid: "s1" }), uuid: "u1", parentUuid: "u0" },
    { ...line, ...says("m1", "Both"), uuid: "u2", parentUuid: "u1" },
  ]);
  const copy = await forkTranscript(ID, { ...place, upTo: "s1" });
  const read = await readTranscript(copy, place);
  assert.deepEqual(
    read.map(({ message }) => Object(message).content),
    ["Hello", "And this"],
  );
});
