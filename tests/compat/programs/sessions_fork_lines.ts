import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Model, Program } from "../_program.ts";

export const model: Model = [];

const ID = "11111111-1111-4111-8111-111111111111";
const OTHER = "22222222-2222-4222-8222-222222222222";
const THEN = "2026-01-01T00:00:00.000Z";

const uuid = (at: number) =>
  `aaaaaaaa-1111-4111-8111-${String(at).padStart(12, "0")}`;

/** Messages of a session, each behind the one before it: fields of a line. */
const SPOKEN: readonly object[] = [
  {
    type: "user",
    slug: "a-plan",
    teamName: "team",
    agentName: "agent",
    sessionKind: "daemon",
    requestSessionId: OTHER,
  },
  { type: "assistant", sentAsUuid: uuid(1), turnAttributionKey: "key" },
  {
    type: "user",
    sourceToolAssistantUUID: uuid(2),
    summarizedTurnPromptUuids: [uuid(1)],
    droppedPromptUuids: [uuid(1)],
    rowsAheadOfPutBack: 1,
    teamName: undefined,
  },
  { type: "progress" },
  { type: "assistant", forkedFrom: { sessionId: OTHER, messageUuid: "m" } },
  { type: "assistant", requestSessionId: OTHER },
  {
    type: "attachment",
    attachment: { type: "queued_command", prompt: "a", source_uuid: uuid(1) },
  },
  {
    type: "attachment",
    attachment: { type: "queued_command", prompt: "b", source_uuid: "gone" },
  },
  {
    type: "attachment",
    attachment: {
      type: "deferred_tools_record",
      nameOnlyAnnouncements: [uuid(1), "gone", 1],
    },
  },
  { type: "attachment", attachment: { type: "other", source_uuid: uuid(1) } },
  { type: "system", subtype: "model_refusal_fallback" },
  {
    type: "system",
    subtype: "voice_call_talk",
    content: "c",
    fold: { kept: 1, command: { kept: 2, source_uuid: uuid(1) } },
  },
  {
    type: "system",
    subtype: "compact_boundary",
    logicalParentUuid: uuid(2),
    compactMetadata: {
      trigger: "auto",
      preservedMessages: { anchorUuid: uuid(3), uuids: [uuid(1), "gone"] },
      runningTurnSends: [uuid(1)],
    },
  },
  { type: "user", logicalParentUuid: null },
];

/** Lines that are no messages. */
const NOTES: readonly object[] = [
  { type: "history-suppression", cause: "else", sessionId: OTHER },
  { type: "hybrid-organization", organizationUuid: OTHER.toUpperCase() },
  { type: "hybrid-organization", organizationUuid: OTHER },
  { type: "hybrid-organization", organizationUuid: "none" },
  {
    type: "content-replacement",
    replacements: [{ kind: "tool-result", toolUseId: "t1" }, null],
  },
  { type: "content-replacement", replacements: [{ toolUseId: "t2" }] },
  { type: "content-replacement", replacements: "none" },
  {
    type: "content-replacement",
    sessionId: OTHER,
    replacements: [{ toolUseId: "t3" }],
  },
  { type: "atis-latch", atis: "first" },
  { type: "atis-latch", atis: "second" },
  { type: "atis-latch", atis: "not visible" },
  { type: "atis-latch", atis: "third", sessionId: OTHER },
  { type: "tools-used", tools: ["Bash"] },
  { type: "tools-used", tools: ["Bash", "", 1, "Read"] },
  { type: "tools-used", tools: "none" },
  { type: "tools-used", tools: ["Write"], sessionId: OTHER },
  { type: "relocated", relocatedCwd: "/first" },
  { type: "relocated", relocatedCwd: "/second" },
  { type: "relocated", relocatedCwd: "" },
  { type: "relocated", relocatedCwd: "/third", sessionId: OTHER },
  { type: "ai-title", aiTitle: "Title" },
  { type: "tag", tag: "tag" },
  { type: "file-history-snapshot", messageId: uuid(1), snapshot: {} },
  { type: "future", value: 1 },
];

const spoken = SPOKEN.map((fields, index) => ({
  uuid: uuid(index + 1),
  parentUuid: index === 0 ? null : uuid(index),
  sessionId: ID,
  isSidechain: false,
  timestamp: THEN,
  message: { role: "user", content: `said ${index + 1}` },
  ...fields,
}));

const SESSIONS: Readonly<Record<string, readonly object[]>> = {
  "all": [...spoken, ...NOTES.map((note) => ({ sessionId: ID, ...note }))],
  "empty latch": [
    ...spoken.slice(0, 1),
    { type: "atis-latch", sessionId: ID, atis: "" },
    { type: "tools-used", sessionId: ID, tools: [] },
  ],
};

/** A line in which ids of copies are numbers, with its keys in order. */
function shown(row: object, numbers: ReadonlyMap<string, number>): string {
  const sorted = Object.entries(row).toSorted(([a], [b]) => a < b ? -1 : 1);
  return JSON.stringify(
    Object.fromEntries(sorted),
    (key, value) =>
      key === "timestamp" || key === "ts"
        ? value === THEN ? "then" : "now"
        : numbers.get(value) ?? value,
  );
}

const program: Program = async (sdk, { options, print }) => {
  const folder = `${options.env["HOME"]}/.claude`;
  process.env["CLAUDE_CONFIG_DIR"] = folder;
  const project = join(folder, "projects", "-p");
  const file = (id: string) => join(project, `${id}.jsonl`);
  mkdirSync(project, { recursive: true });
  for (const [name, lines] of Object.entries(SESSIONS)) {
    const printed = (place: string, rows: readonly object[]) => {
      print(name, place);
      const numbers = new Map(
        rows.map((row, index) => [String(Object(row).uuid), index]),
      );
      for (const row of rows) print(shown(row, numbers));
    };
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    writeFileSync(file(ID), text);
    const { sessionId } = await sdk.forkSession(ID);
    const rows = readFileSync(file(sessionId), "utf8").trim().split("\n");
    printed("file", rows.map((row) => JSON.parse(row)));
    const stored: object[] = [];
    await sdk.forkSession(ID, {
      sessionStore: {
        load: () =>
          Promise.resolve(
            text.trim().split("\n").map((line) => JSON.parse(line)),
          ),
        append: (_, entries) => {
          stored.push(...entries);
          return Promise.resolve();
        },
      },
    });
    printed("store", stored);
  }
};

export default program;
