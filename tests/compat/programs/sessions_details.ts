import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Model, Program } from "../_program.ts";

export const model: Model = [];

const ID = "11111111-1111-4111-8111-111111111111";
/** Another session: its lines have all fields that are returned. */
const MARKED = "22222222-2222-4222-8222-222222222222";
const THEN = "2026-01-01T00:00:00.000Z";

const uuid = (at: number) =>
  `aaaaaaaa-1111-4111-8111-${String(at).padStart(12, "0")}`;

/** Lines of a session, each behind the one before it. */
function linesOf(all: readonly (readonly [string, object?])[]) {
  return all.map(([type, fields = {}], index) => ({
    type,
    uuid: uuid(index + 1),
    parentUuid: index === 0 ? null : uuid(index),
    sessionId: ID,
    isSidechain: false,
    timestamp: THEN,
    message: { role: type, content: `${type} ${index + 1}` },
    ...fields,
  }));
}

const queued = (attachment: object, more: object = {}) =>
  ["attachment", {
    attachment: { type: "queued_command", prompt: "while", ...attachment },
    ...more,
  }] as const;

const says = (text: string, more: object) =>
  ["assistant", {
    message: { role: "assistant", content: [{ type: "text", text }] },
    ...more,
  }] as const;

const results = (ids: readonly string[], more: object) => {
  const content = ids.map((id) => ({ type: "tool_result", tool_use_id: id }));
  return ["user", { message: { role: "user", content }, ...more }] as const;
};

const command = (tag: string, more: object = {}) =>
  ["user", {
    message: { role: "user", content: `<${tag}>x</${tag}>` },
    ...more,
  }] as const;

const marked: readonly (readonly [string, object?])[] = [
  ["user", { origin: { kind: "human" }, promptId: "p" }],
  ["assistant", { interruptedByShutdown: true, error: "rate_limit" }],
  queued({ origin: { kind: "human" } }),
  queued({ origin: { kind: "peer" }, isMeta: true }),
  queued({ isMeta: true }),
  queued({ origin: "no kind" }),
  queued({ commandMode: "task-notification", runId: "r1" }),
  queued({ forwardedIntent: { lineage: "l1" } }),
  ["assistant"],
  ["user", { isMeta: true, origin: { kind: "human" } }],
  ["user", { isMeta: true, origin: { kind: "channel", server: "s" } }],
  ["user", {
    origin: {
      kind: "task-notification",
      subkind: "s",
      runId: "not an id",
      taskKind: "mcp-task",
      secret: "s",
    },
  }],
  results(["t1"], { toolDenialKind: "user-rejected" }),
  results(["t1", "t2"], { toolDenialKind: "user-rejected" }),
  results(["t1"], { toolDenialKind: "new" }),
  ["assistant", { toolDenialUnanswered: "stream-closed" }],
  says("No response requested.", { closesQuietTurn: true }),
  says("Said", { closesQuietTurn: true }),
  queued({ prompt: "answered behind a command" }),
  command("local-command-caveat", { isMeta: true }),
  command("command-name"),
  command("local-command-stdout"),
  ["assistant"],
  command("local-command-caveat", { isMeta: true }),
  command("command-name"),
  command("command-name"),
  command("local-command-caveat", { isMeta: true }),
  command("command-name", { promptSource: "typed" }),
  ["assistant", { toolDenialUnanswered: "else", origin: null }],
];

const program: Program = async (sdk, { options, print }) => {
  const folder = `${options.env["HOME"]}/.claude`;
  process.env["CLAUDE_CONFIG_DIR"] = folder;
  const project = join(folder, "projects", "-p");
  const file = (id: string) => join(project, `${id}.jsonl`);
  const write = (path: string, lines: readonly object[]) => {
    mkdirSync(join(path, ".."), { recursive: true });
    const text = lines.map((line) => `${JSON.stringify(line)}\n`);
    writeFileSync(path, text.join(""));
  };
  write(
    file(ID),
    linesOf([
      ["user"],
      ["user", { isMeta: true }],
      ["assistant"],
      ["user", { isVisibleInTranscriptOnly: true }],
      ["user", { isCompactSummary: true }],
      ["assistant", { requestSessionId: "first" }],
    ]),
  );
  write(
    file(MARKED),
    linesOf(marked).map((line) => ({ ...line, sessionId: MARKED })),
  );
  const beside = { isSidechain: true, agentId: "a1" };
  write(
    join(project, ID, "subagents", "agent-a1.jsonl"),
    linesOf([
      ["user", beside],
      ["user", { ...beside, isMeta: true }],
      queued({ isMeta: true }, beside),
      ["assistant", beside],
    ]),
  );
  const attempt = async (name: string, action: () => Promise<unknown>) => {
    try {
      print(name, JSON.stringify(await action()) ?? "undefined");
    } catch (error) {
      const { name: kind, message } = error as Error;
      // Each engine has texts of its own for these.
      print(name, kind === "TypeError" ? kind : message);
    }
  };

  await attempt("messages", () => sdk.getSessionMessages(ID));
  for (const message of await sdk.getSessionMessages(MARKED)) {
    print("marked", JSON.stringify(message));
  }
  rmSync(file(MARKED));
  await attempt("subagent", () => sdk.getSubagentMessages(ID, "a1"));
  await attempt("no id", () => sdk.getSubagentMessages(ID, undefined as never));
  await attempt(
    "null",
    async () => (await sdk.listSessions(null as never)).length,
  );
  await attempt(
    "no dir",
    async () => (await sdk.listSessions({ dir: "" })).length,
  );
  const tags = [
    "later",
    "a\u200bb\ufeffc",
    "\uff21\ufb01",
    "a\ue000\u{e0001}b",
  ];
  for (const tag of [...tags, "\u200b", undefined as never, null]) {
    await attempt("tag", () => sdk.tagSession(ID, tag));
    await attempt("is", async () => (await sdk.getSessionInfo(ID))?.tag);
  }
  const forks = [{}, { upToMessageId: uuid(3) }, { upToMessageId: "" }, {
    upToMessageId: uuid(9),
  }];
  for (const fork of forks) {
    await attempt("fork", async () => {
      const { sessionId } = await sdk.forkSession(ID, fork);
      return readFileSync(file(sessionId), "utf8").trim().split("\n")
        .map((text) => JSON.parse(text)).map((line) => [
          line.type,
          line.timestamp === THEN,
          line.timestamp !== undefined,
          line.requestSessionId,
          line.uuid !== undefined,
        ]);
    });
  }
};

export default program;
