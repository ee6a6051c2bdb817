import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  forkTranscript,
  memoryTranscripts,
  type TranscriptEntry,
} from "@sluice/agent/transcripts";
import { entriesIn, textOf } from "../../src/transcripts/lines.ts";
import { test } from "../_harness.ts";
import { withFolder } from "../session/_chats.ts";

const ID = "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11";
const THEN = "2026-01-02T00:00:00.000Z";

/** Lines of a conversation, each behind the one before it. */
function chat(...lines: readonly object[]): TranscriptEntry[] {
  return lines.map((more, at) => ({
    type: at % 2 === 0 ? "user" : "assistant",
    uuid: `line-${at}`,
    parentUuid: at === 0 ? null : `line-${at - 1}`,
    timestamp: THEN,
    sessionId: ID,
    message: { role: "user", content: `said ${at}` },
    ...more,
  }));
}

/** The lines of a copy, in the CLI's own files and in a store. */
async function copies(
  entries: readonly TranscriptEntry[],
  check: (copy: readonly TranscriptEntry[], sessionId: string) => void,
): Promise<void> {
  const store = memoryTranscripts();
  const stored = { store, projectKey: "p" };
  await store.append({ projectKey: "p", sessionId: ID }, entries);
  const copied = await forkTranscript(ID, stored);
  check(store.entries({ projectKey: "p", sessionId: copied }), copied);
  await withFolder(async (configDirectory) => {
    const project = join(configDirectory, "projects", "-p");
    await mkdir(project, { recursive: true });
    await writeFile(join(project, `${ID}.jsonl`), textOf(entries));
    const copy = await forkTranscript(ID, { configDirectory });
    const text = await readFile(join(project, `${copy}.jsonl`), "utf8");
    check(entriesIn(text), copy);
  });
}

test("forkTranscript() leaves out fields that name what belongs to the session, such as the file of its plan", async () => {
  const own = {
    slug: "a-plan",
    teamName: "team",
    agentName: "agent",
    sessionKind: "daemon",
    sourceToolAssistantUUID: "line-0",
    summarizedTurnPromptUuids: ["line-0"],
    droppedPromptUuids: ["line-0"],
    sentAsUuid: "line-0",
    rowsAheadOfPutBack: 1,
    turnAttributionKey: "key",
  };
  await copies(chat(own, own), (copy) => {
    assert.equal(copy.length, 3);
    for (const line of copy) {
      const left = Object.keys(own).filter((key) => key in line);
      assert.deepEqual(left, []);
    }
  });
});

test("forkTranscript() names the session that sent the request of each answer", async () => {
  const lines = chat(
    { requestSessionId: "of no answer" },
    {},
    {},
    { forkedFrom: { sessionId: "before", messageUuid: "m" } },
    {},
    { requestSessionId: "first", forkedFrom: { sessionId: "before" } },
  );
  await copies(lines, (copy) => {
    const senders = copy.map(({ requestSessionId }) => requestSessionId);
    const expected = [undefined, ID, undefined, "before", undefined, "first"];
    assert.deepEqual(senders.slice(0, -1), expected);
  });
});

test("forkTranscript() copies what the CLI has noted about the session, and nothing of another session", async () => {
  const other = "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b22";
  const notes = [
    { type: "content-replacement", replacements: [{ toolUseId: "t1" }] },
    { type: "content-replacement", replacements: [{ toolUseId: "t2" }] },
    { type: "atis-latch", atis: "" },
    { type: "tools-used", tools: ["Bash"] },
    { type: "relocated", relocatedCwd: "/moved" },
  ];
  const lines = [
    ...chat({}),
    ...notes.map((note) => ({ ...note, sessionId: ID })),
    ...notes.map((note) => ({ ...note, sessionId: other })),
  ];
  await copies(lines, (copy, sessionId) => {
    const noted = copy.slice(1, -1).map((line) => {
      const { uuid: _, timestamp: __, ...rest } = line;
      return rest;
    });
    const replacements = [{ toolUseId: "t1" }, { toolUseId: "t2" }];
    assert.deepEqual(
      noted,
      [{ type: "content-replacement", replacements }, ...notes.slice(2)]
        .map((note) => ({ ...note, sessionId })),
    );
  });
});

test("forkTranscript() names the copy of a line where a prompt names the line", async () => {
  const attachment = { type: "queued_command", source_uuid: "line-0" };
  const lines = chat({}, {}, { type: "attachment", attachment });
  await copies(lines, ([first, , prompt]) => {
    assert.equal(Object(prompt?.attachment).source_uuid, first?.uuid);
  });
});
