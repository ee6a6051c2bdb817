/** Sessions of the real CLI, and what the official package says of them, which `scripts/sessions.ts` writes. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  InMemorySessionStore,
  listSubagents,
  type SessionMessage,
} from "@sluice/agent/compat";
import {
  forkTranscript,
  importTranscript,
  readTranscript,
  sessionFromTranscript,
  type TranscriptEntry,
} from "@sluice/agent/transcripts";
import { test } from "../_harness.ts";

/** Answers of the official package to one session. */
interface Answers {
  readonly info: Readonly<Record<string, unknown>>;
  readonly messages: readonly Answer[];
  readonly withSystem: readonly string[];
  readonly subagents: Readonly<Record<string, readonly Answer[]>>;
  /** Messages of a copy up to each message. */
  readonly forks: Readonly<Record<string, readonly string[]>>;
}

type Answer =
  & Pick<
    SessionMessage,
    "type" | "uuid" | "parent_tool_use_id" | "parent_agent_id"
  >
  & { readonly message?: unknown };

const FOLDER = fileURLToPath(
  new URL("../fixtures/sessions/", import.meta.url),
);
const OFFICIAL: Readonly<Record<string, Answers>> = JSON.parse(
  readFileSync(join(FOLDER, "official.json"), "utf8"),
);

/** The messages with what the file says of those that the official answer keeps short. */
function whole(
  answers: readonly Answer[],
  id: string,
  lines: readonly TranscriptEntry[],
): unknown {
  return answers.map((answer) => {
    const line = lines.find(({ uuid }) => uuid === answer.uuid);
    const { message, timestamp, isMeta, isCompactSummary } = line ??
      { type: answer.type };
    return {
      session_id: id,
      message,
      timestamp,
      ...isCompactSummary === true && { isCompactSummary },
      ...(isMeta || isCompactSummary) === true && { is_meta: true },
      ...answer,
    };
  });
}

function linesOf(path: string): readonly TranscriptEntry[] {
  return entriesIn(readFileSync(join(FOLDER, `${path}.jsonl`), "utf8"));
}

/** Each recorded session, as files and in a store. */
async function each(
  use: (session: {
    readonly id: string;
    readonly key: string;
    readonly files: { readonly configDirectory: string };
    readonly sessionStore: InMemorySessionStore;
    readonly expected: Answers;
  }) => Promise<void>,
): Promise<void> {
  const configDirectory = await mkdtemp(join(tmpdir(), "recorded-"));
  try {
    const files = { configDirectory };
    for (const [key, expected] of Object.entries(OFFICIAL)) {
      const [name = "", id = ""] = key.split("/");
      const project = join(configDirectory, "projects", name);
      await cp(join(FOLDER, name), project, { recursive: true });
      const sessionStore = new InMemorySessionStore();
      const store = sessionStore as Parameters<
        typeof importTranscript
      >[1]["store"];
      await importTranscript(id, { ...files, store });
      await use({ id, key, files, sessionStore, expected });
    }
  } finally {
    await rm(configDirectory, { recursive: true });
  }
}

test("every recorded session has official answers", () => {
  const recorded = readdirSync(FOLDER, { withFileTypes: true })
    .filter((one) => one.isDirectory())
    .flatMap(({ name }) =>
      readdirSync(join(FOLDER, name)).filter((file) => file.endsWith(".jsonl"))
        .map((file) => `${name}/${file.slice(0, -".jsonl".length)}`)
    );
  assert.deepEqual(Object.keys(OFFICIAL).sort(), recorded.sort());
});

test("messages of recorded sessions are those that the official package gives", () =>
  each(async ({ id, key, files, sessionStore, expected }) => {
    assert.deepEqual(
      await getSessionMessages(id, { sessionStore }),
      whole(expected.messages, id, linesOf(key)),
      key,
    );
    const options = { sessionStore, includeSystemMessages: true };
    const withSystem = await getSessionMessages(id, options);
    assert.deepEqual(
      withSystem.map(({ uuid }) => uuid),
      expected.withSystem,
      key,
    );
    const read = await readTranscript(id, files);
    assert.deepEqual(
      read.map(({ uuid }) => uuid),
      expected.messages.map(({ uuid }) => uuid),
      key,
    );
  }));

test("messages of recorded subagents are those that the official package gives", () =>
  each(async ({ id, key, sessionStore, expected }) => {
    const agents = await listSubagents(id, { sessionStore });
    assert.deepEqual(agents.sort(), Object.keys(expected.subagents), key);
    for (const [agent, messages] of Object.entries(expected.subagents)) {
      assert.deepEqual(
        await getSubagentMessages(id, agent, { sessionStore }),
        whole(messages, id, linesOf(`${key}/subagents/agent-${agent}`)),
        key,
      );
    }
  }));

test("readTranscript() gives every call and result of a recorded subagent", () =>
  each(async ({ id, key, files, expected }) => {
    for (const subagent of Object.keys(expected.subagents)) {
      const read = await readTranscript(id, { ...files, subagent });
      const spoken = linesOf(`${key}/subagents/agent-${subagent}`)
        .filter(({ type }) => type === "user" || type === "assistant");
      assert.deepEqual(
        read.map(({ uuid }) => uuid).sort(),
        spoken.map(({ uuid }) => uuid).sort(),
      );
    }
  }));

test("facts about recorded sessions equal those of the official package", () =>
  each(async ({ id, key, sessionStore, expected }) => {
    const { lastModified: _, ...info } =
      await getSessionInfo(id, { sessionStore }) ?? {};
    // Undefined fields are in no JSON.
    assert.deepEqual(JSON.parse(JSON.stringify(info)), expected.info, key);
  }));

test("copies of recorded sessions show what those of the official package show", () =>
  each(async ({ id, key, files, expected }) => {
    for (const [upTo, messages] of Object.entries(expected.forks)) {
      const copy = await forkTranscript(id, {
        ...files,
        ...upTo !== "all" && { upTo },
      });
      const name = key.split("/")[0];
      const lines = entriesIn(
        readFileSync(
          join(files.configDirectory, `projects/${name}/${copy}.jsonl`),
          "utf8",
        ),
      );
      const origins = new Map(
        lines.map(({ uuid, forkedFrom }) => [
          uuid,
          Object(forkedFrom).messageUuid,
        ]),
      );
      const read = await readTranscript(copy, files);
      assert.deepEqual(
        read.map(({ uuid }) => origins.get(uuid) ?? uuid),
        messages,
        `${key} up to ${upTo}`,
      );
    }
  }));

test("a chat made of a recorded session holds each call with its result, and what a compaction replaced", () =>
  each(async ({ id, key, files }) => {
    const { messages } = await sessionFromTranscript(id, files);
    const blocks = messages.flatMap(({ content }) =>
      typeof content === "string" ? [] : content
    );
    const calls = blocks.flatMap((one) =>
      one.type === "tool_use" ? [one.id] : []
    );
    const results = blocks.flatMap((one) =>
      one.type === "tool_result" ? [one.tool_use_id] : []
    );
    assert.deepEqual(results.sort(), calls.sort(), key);
    const first = linesOf(key).find(({ type }) => type === "user");
    assert.equal(messages[0]?.id, first?.uuid, key);
  }));

function entriesIn(text: string): TranscriptEntry[] {
  return text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
}
