// Records what the official package says of the recorded sessions, for the tests: `deno run -A scripts/sessions.ts`.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { officialSdk } from "./install/official.ts";
import { filesBelow, ROOT, writeJson } from "./project.ts";
import type { TranscriptEntry } from "../src/transcripts/store.ts";
import type * as Compat from "../src/compat/mod.ts";

type Official = typeof Compat;
type SessionMessage = Compat.SessionMessage;

const FIXTURES = "tests/fixtures/sessions";
await writeJson(`${FIXTURES}/official.json`, await answers());

/** Answers of the official package to each session of the fixtures. */
async function answers(): Promise<Readonly<Record<string, unknown>>> {
  const config = await mkdtemp(join(tmpdir(), "sessions-"));
  Deno.env.set("CLAUDE_CONFIG_DIR", config);
  const official: Official = await import(await officialSdk());
  const all: Record<string, unknown> = {};
  try {
    const project = join(config, "projects/-folder-cwd");
    const fixtures = new URL(`${FIXTURES}/`, ROOT).pathname;
    const files = await filesBelow(fixtures);
    for (const file of files.filter((one) => one.includes("/"))) {
      const path = join(project, file.slice(file.indexOf("/") + 1));
      await Deno.mkdir(join(path, ".."), { recursive: true });
      await Deno.copyFile(join(fixtures, file), path);
    }
    for (const file of files) {
      const [, key, id] = /^([^/]+\/([^/]+))\.jsonl$/.exec(file) ?? [];
      if (key !== undefined && id !== undefined) {
        all[key] = await answersOn(official, project, id);
      }
    }
  } finally {
    await rm(config, { recursive: true });
  }
  return all;
}

async function answersOn(official: Official, project: string, id: string) {
  const messages = await official.getSessionMessages(id);
  const system = { includeSystemMessages: true };
  const withSystem = await official.getSessionMessages(id, system);
  const subagents: Record<string, unknown> = {};
  for (const agent of (await official.listSubagents(id)).sort()) {
    const lines = await linesOf(`${project}/${id}/subagents/agent-${agent}`);
    const said = await official.getSubagentMessages(id, agent);
    subagents[agent] = said.map((message) => briefly(message, lines));
  }
  const forks: Record<string, unknown> = {};
  for (const { uuid } of [{ uuid: undefined }, ...messages]) {
    forks[uuid ?? "all"] = await forkOf(official, project, id, uuid);
  }
  const { fileSize: _, lastModified: __, ...info } =
    await official.getSessionInfo(id) ?? {};
  const lines = await linesOf(`${project}/${id}`);
  return {
    info,
    messages: messages.map((message) => briefly(message, lines)),
    withSystem: withSystem.map(({ uuid }) => uuid),
    subagents,
    forks,
  };
}

/** A message with what is compared: `message` and its time only where they are not those of its line. */
function briefly(
  {
    session_id: _,
    message,
    timestamp,
    isCompactSummary: __,
    is_meta: ___,
    ...others
  }: SessionMessage & {
    readonly timestamp?: string;
    readonly isCompactSummary?: boolean;
    readonly is_meta?: boolean;
  },
  lines: readonly TranscriptEntry[],
) {
  const line = lines.find((line) => line["uuid"] === others.uuid);
  const isSame = JSON.stringify(line?.["message"]) === JSON.stringify(message);
  return {
    ...others,
    ...!isSame && { message },
    ...line?.["timestamp"] !== timestamp && { timestamp },
  };
}

/** The messages that a copy shows, by the ids of what they are copies of. */
async function forkOf(
  { forkSession, getSessionMessages }: Official,
  project: string,
  id: string,
  upToMessageId: string | undefined,
): Promise<unknown> {
  const { sessionId } = await forkSession(
    id,
    upToMessageId === undefined ? {} : { upToMessageId },
  );
  const origins = new Map(
    (await linesOf(`${project}/${sessionId}`)).map((
      { uuid, forkedFrom },
    ) => [uuid, Object(forkedFrom).messageUuid]),
  );
  const messages = await getSessionMessages(sessionId);
  return messages.map(({ uuid }) => origins.get(uuid) ?? uuid);
}

async function linesOf(path: string): Promise<readonly TranscriptEntry[]> {
  const text = await readFile(`${path}.jsonl`, "utf8");
  return text.trim().split("\n").map((line) => JSON.parse(line));
}
