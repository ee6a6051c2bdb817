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

/** The ids of the messages that are read of lines, each of which follows the one before it unless it says otherwise. */
async function reads(
  lines: readonly object[],
  expected: string,
  why?: string,
): Promise<void> {
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
  assert.equal(read.map(({ uuid }) => uuid).join(" "), expected, why);
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

/** A line behind the one with that number. */
const after = (at: number) => ({ parentUuid: `u${at}` });

const queued = (attachment: object = {}, more: object = {}) => ({
  type: "attachment",
  attachment: { type: "queued_command", prompt: "And this", ...attachment },
  ...more,
});

const boundary = (compactMetadata?: unknown) => ({
  type: "system",
  subtype: "compact_boundary",
  parentUuid: null,
  compactMetadata,
});

test("a transcript is read from the newest line that leads to a message", async () => {
  const chat = [hears(), says("m1", "Hi")];
  const other = says("m2", "other", after(0));
  await reads([...chat, { type: "attachment", parentUuid: null }], "u0 u1");
  await reads([...chat, other, { type: "progress", ...after(1) }], "u0 u2");
  const date = { type: "attachment", attachment: { type: "date" } };
  await reads([...chat, other, { ...date, ...after(1) }], "u0 u1");
  await reads([hears("a", after(1)), hears("b")], "", "a circle has no end");
});

test("a transcript holds no lines of subagents and teammates", async () => {
  await reads([
    hears(),
    hears("to a teammate", { teamName: "t" }),
    hears("to a subagent", { isSidechain: true }),
    says("m1", "Hi"),
    says("m2", "by a teammate", { teamName: "t" }),
  ], "u0 u3");
});

test("a line that was written again stands where it was written last", async () => {
  const lines = [hears(), hears("left"), hears("b", after(0))];
  const again = hears("left", { uuid: "u1", ...after(0) });
  const written = [...lines, again].map((line, at) => (
    { type: "user", uuid: `u${at}`, parentUuid: at ? "u0" : null, ...line }
  ));
  const branch = branchOf(written);
  assert.deepEqual(branch.map(({ uuid }) => uuid), ["u0", "u1"]);
  // Of what a store has twice the first one counts: a call was made again.
  await reads([...lines, again], "u0 u2");
});

test("parallel calls and results beside the chain stand behind the last line of their answer, by time", async () => {
  await reads([
    hears(),
    calls("m1", "t1"),
    calls("m1", "t2"),
    calls("m1", "t3", after(1)),
    results("t3", after(3)),
    results("t1", after(1)),
    results("t2", after(2)),
    says("m2", "Done"),
  ], "u0 u1 u2 u3 u4 u5 u6 u7");
  const at = (time: string) => ({ timestamp: `2026-01-01T00:${time}Z` });
  await reads([
    hears(),
    calls("m1", "t1"),
    calls("m1", "t2"),
    calls("m1", "t3"),
    results("t1", { ...after(1), ...at("01:00") }),
    results("t2", { ...after(2), ...at("00:30") }),
    results("t3", after(3)),
    says("m2", "Done"),
  ], "u0 u1 u2 u3 u5 u4 u6 u7");
});

test("a result that is linked elsewhere belongs to the call that it names, once", async () => {
  const chain = [hears(), calls("m1", "t1"), calls("m1", "t2"), results("t2")];
  const done = says("m2", "Done", after(3));
  const lost = results("t1", after(0));
  await reads([...chain, lost, done], "u0 u1 u2 u4 u3 u5");
  await reads([...chain, lost, lost, done], "u0 u1 u2 u4 u3 u6", "no copy");
  for (const other of [{ isSidechain: true }, { agentId: "a1" }]) {
    const ofAgent = { ...lost, ...other };
    await reads([...chain, ofAgent, done], "u0 u1 u2 u3 u5", "of an agent");
  }
  const same = calls("m9", "t1", after(0));
  await reads([...chain, lost, same, done], "u0 u1 u2 u3 u6", "whose is it?");
  await reads([
    hears(),
    calls("m9", "t1"),
    lost,
    calls("m1", "t1", after(0)),
    calls("m1", "t2"),
    results("t2"),
    says("m2", "Done"),
  ], "u0 u3 u4 u5 u6");
});

test("ids of calls that a model uses again belong to the answer that a result is linked to", async () => {
  const turn = (answer: string, at: number) => [
    hears(),
    calls(answer, "t1"),
    calls(answer, "t2"),
    results("t1", after(at + 1)),
    results("t2", after(at + 2)),
  ];
  const ids = Array.from({ length: 11 }, (_, at) => `u${at}`).join(" ");
  await reads([...turn("m1", 0), ...turn("m2", 5), says("m3", "Done")], ids);
});

test("messages that a compaction kept stand behind its anchor, and nothing else before it does", async () => {
  const anchorUuid = "u4";
  const uuids = ["u1", "u2"];
  const segment = { anchorUuid, headUuid: "u1", tailUuid: "u2" };
  const rows: readonly (readonly [compactMetadata: unknown, kept: string])[] = [
    [{ preservedMessages: { anchorUuid, uuids } }, "u4 u1 u2 u5"],
    [{ preservedSegment: segment }, "u4 u1 u2 u5"],
    [{}, "u4 u5"],
    ["x", "u4 u5"],
    [{ preservedMessages: { anchorUuid, uuids: [] } }, "u4 u5"],
    [{ preservedMessages: { anchorUuid, uuids: ["gone", "u2"] } }, "u4 u5"],
    [{ preservedMessages: { anchorUuid, uuids: "u1 u2" } }, "u4 u5"],
    [{ preservedMessages: 7 }, "u4 u5"],
    [{ preservedSegment: { ...segment, headUuid: "gone" } }, "u4 u5"],
    [{ preservedSegment: null }, "u4 u5"],
  ];
  for (const [compactMetadata, kept] of rows) {
    const lines = [
      hears(),
      says("m1", "one"),
      hears("two"),
      boundary(compactMetadata),
      hears("In short", { isCompactSummary: true }),
      hears("three"),
    ];
    await reads(lines, kept, JSON.stringify(compactMetadata));
  }
});

test("a prompt in mid-turn is a message where it was answered or waits for it, once", async () => {
  const id = { source_uuid: "s1" };
  const turn = [hears(), calls("m1", "t1"), results("t1")];
  const both = says("m2", "Both");
  const reminder = hears("A reminder", { isMeta: true });
  const stopped = hears("[Request interrupted by user]");
  await reads([...turn, queued(id), both], "u0 u1 u2 s1 u4");
  await reads([...turn, queued(id)], "u0 u1 u2 s1");
  await reads([...turn, queued()], "u0 u1 u2 u3");
  await reads([...turn, queued(id), stopped], "u0 u1 u2 s1 u4");
  await reads([...turn, queued(id), hears("anew")], "u0 u1 u2 u4", "put back");
  await reads([...turn, queued(id), reminder, both], "u0 u1 u2 s1 u5");
  const there = hears("And this", { uuid: "s1" });
  await reads([...turn, there, queued(id), both], "u0 u1 u2 s1 u5", "is there");
  for (const other of [{ isMeta: true }, { prompt: 7 }, { type: "date" }]) {
    const line = queued({ ...id, ...other });
    await reads([...turn, line, both], "u0 u1 u2 u4", JSON.stringify(other));
  }
});

test("lines of other authors are messages, though the CLI marks them as its own", async () => {
  const of = (kind: string) => ({ isMeta: true, origin: { kind } });
  await reads([
    hears(),
    hears("from a channel", of("channel")),
    hears("from a person", of("human")),
    queued({ source_uuid: "s1", ...of("peer") }),
    says("m1", "Hi"),
  ], "u0 u1 s1 u4");
});

test("the placeholder of a turn without an answer is no message", async () => {
  const end = { closesQuietTurn: true };
  const text = (text: string) => [{ type: "text", text }];
  await reads([
    hears(),
    says("m1", text("No response requested."), end),
    says("m2", text("No response requested.")),
    says("m3", text("Hi"), end),
    says("m4", text(""), end),
  ], "u0 u2 u3");
});

test("the record of a local command does not replace a prompt in mid-turn", async () => {
  const record = hears("<command-name>cost</command-name>");
  const caveat = hears("<local-command-caveat>x", { isMeta: true });
  const prompt = queued({ source_uuid: "s1" });
  const answer = says("m1", "Hi");
  await reads([hears(), prompt, caveat, record, answer], "u0 s1 u3 u4");
  await reads([hears(), prompt, record, answer], "u0 u2 u3");
});

test("a copy may end with a prompt in mid-turn", async () => {
  const store = memoryTranscripts();
  const place = { store, projectKey: "p" };
  const line = { sessionId: ID, parentUuid: null };
  await store.append(KEY, [
    { ...line, ...hears(), type: "user", uuid: "u0" },
    { ...line, ...queued({ source_uuid: "s1" }), uuid: "u1", ...after(0) },
    { ...line, ...says("m1", "Both"), uuid: "u2", ...after(1) },
  ]);
  const copy = await forkTranscript(ID, { ...place, upTo: "s1" });
  const read = await readTranscript(copy, place);
  const contents = read.map(({ message }) => Object(message).content);
  assert.deepEqual(contents, ["Hello", "And this"]);
});

test("a copy up to a compaction ends with the last message that it replaced", async () => {
  const lines = [
    hears(),
    says("m1", "Hi"),
    hears("Left"),
    { ...boundary(), logicalParentUuid: "u1" },
    hears("In short", { isCompactSummary: true }),
  ];
  const copied = async (upTo: string) => {
    const store = memoryTranscripts();
    const place = { store, projectKey: "p" };
    await store.append(
      KEY,
      lines.map((line, at) => ({
        ...{ type: "user", uuid: `u${at}`, sessionId: ID },
        ...{ parentUuid: at ? `u${at - 1}` : null },
        ...line,
      })),
    );
    const sessionId = await forkTranscript(ID, { ...place, upTo });
    return store.entries({ projectKey: "p", sessionId })
      .flatMap(({ forkedFrom }) => Object(forkedFrom).messageUuid ?? []);
  };
  assert.deepEqual(await copied("u2"), ["u0", "u1", "u2"]);
  assert.deepEqual(await copied("u3"), ["u0", "u1"]);
  assert.deepEqual(await copied("u4"), ["u0", "u1", "u2", "u3", "u4"]);
});
