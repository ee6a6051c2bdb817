// Records sessions of the real CLI, and what the official package says of their files, for the tests.
//
//   deno run -A scripts/sessions.ts                   the official answers to the recorded files
//   deno run -A scripts/sessions.ts --record          all sessions anew, then the answers
//   deno run -A scripts/sessions.ts --record fork     these
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { officialSdk } from "./install/official.ts";
import { commandLine, filesBelow, ROOT, say, writeJson } from "./project.ts";
import type { TranscriptEntry } from "../src/transcripts/store.ts";
import type * as Compat from "../src/compat/mod.ts";
import { SCENARIOS } from "./sessions/scenarios.ts";
import { type RealCli, withRealCli } from "../tests/_real_cli.ts";

type Official = typeof Compat;
type SessionMessage = Compat.SessionMessage;

const FIXTURES = "tests/fixtures/sessions";
const LONGEST_TEXT = 300;
const { names, flags } = commandLine();

if (flags.has("record")) {
  const cli = Deno.env.get("SLUICE_TEST_CLI") ??
    new URL(".cli/node_modules/.bin/claude", ROOT).pathname;
  const wanted = names.length > 0 ? names : Object.keys(SCENARIOS);
  for (const name of wanted) await recordScenario(name, cli);
}
await writeJson(`${FIXTURES}/official.json`, await answers());

/** Has a scenario played, and keeps the files of its sessions without what is of this machine. */
async function recordScenario(name: string, cli: string): Promise<void> {
  const scenario = SCENARIOS[name];
  if (scenario === undefined) throw new Error(`No scenario: ${name}`);
  const folder = new URL(`${FIXTURES}/${name}/`, ROOT);
  await withRealCli(scenario.turns, async (real) => {
    await scenario.use(real);
    const projects = join(String(real.env["HOME"]), ".claude/projects");
    const [project = ""] = await filesBelow(projects);
    const slug = project.split("/")[0] ?? "";
    await rm(folder, { recursive: true, force: true });
    const files = await filesBelow(join(projects, slug));
    for (const file of files) {
      if (!/\.jsonl$|\.meta\.json$/.test(file)) continue;
      const text = await readFile(join(projects, slug, file), "utf8");
      const kept = new URL(file, folder);
      await Deno.mkdir(new URL("./", kept), { recursive: true });
      await writeFile(kept, sanitized(text, real));
    }
    say(`${name}: ${files.length} files`);
  }, cli);
}

/** Lines without what is of this machine, and without texts that are long. */
function sanitized(text: string, { env, cwd }: RealCli): string {
  const folder = join(cwd, "..");
  const slug = folder.replaceAll(/[^A-Za-z0-9]/g, "-");
  const plain = text.replaceAll(folder, "/folder").replaceAll(slug, "-folder")
    .replaceAll(String(env["ANTHROPIC_BASE_URL"]), "http://model")
    .replaceAll(hostname(), "machine");
  return plain.split("\n").map((line) =>
    line === "" ? line : JSON.stringify(shortened(JSON.parse(line)))
  ).join("\n");
}

/** A line without long texts, and without what the model was sent, which is most of a file. */
function shortened(entry: Partial<TranscriptEntry>): unknown {
  // What is noted of a subagent has no type.
  const { type, attachment } = entry;
  const kind = Object(attachment).type;
  const kept = type?.startsWith("api-request")
    ? { type }
    : kind === undefined || kind === "queued_command"
    ? entry
    : { ...entry, attachment: { type: kind } };
  const text = JSON.stringify(
    kept,
    (_, value) =>
      typeof value === "string" ? value.slice(0, LONGEST_TEXT) : value,
  );
  return JSON.parse(text);
}

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

/** A message with what is compared; `message` and its time only where they are not those of its line. */
function briefly(
  { type, uuid, message, timestamp, parent_tool_use_id, parent_agent_id }:
    & SessionMessage
    & { readonly timestamp?: string },
  lines: readonly TranscriptEntry[],
) {
  const line = lines.find((line) => line["uuid"] === uuid);
  const isSame = JSON.stringify(line?.["message"]) === JSON.stringify(message);
  return {
    type,
    uuid,
    ...!isSame && { message },
    ...line?.["timestamp"] !== timestamp && { timestamp },
    parent_tool_use_id,
    parent_agent_id,
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
