import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type {
  Model,
  Program,
  SessionStore,
  SessionStoreEntry,
} from "../_program.ts";

export const model: Model = [];

const COUNT = 5;

const PAGES: readonly { readonly offset?: number; readonly limit?: number }[] =
  [
    {},
    { offset: 1, limit: 2 },
    { offset: 9 },
    { offset: -1 },
    { offset: 1.5 },
    { limit: -1 },
    { limit: 1.5 },
    { offset: -1, limit: 2 },
    { offset: -4, limit: 2 },
    { offset: 1.5, limit: 1.5 },
    { offset: 0.5, limit: 1.2 },
    { offset: NaN },
    { offset: NaN, limit: 2 },
    { offset: 4, limit: NaN },
  ];

const idOf = (at: number) =>
  `11111111-1111-4111-8111-${`${at}`.padStart(12)}`
    .replaceAll(" ", "0");

/** The messages of a session. */
const linesOf = (sessionId: string): SessionStoreEntry[] =>
  Array.from({ length: COUNT }, (_, at) => ({
    type: "user",
    uuid: `${sessionId.slice(0, 24)}${String(at).padStart(12, "a")}`,
    parentUuid: at === 0
      ? null
      : `${sessionId.slice(0, 24)}${String(at - 1).padStart(12, "a")}`,
    sessionId,
    cwd: "/pages",
    timestamp: "2026-01-01T00:00:00.000Z",
    message: { role: "user", content: `${sessionId.at(-1)}-${at}` },
  }));

/** Sessions in files and in a store are listed, and the messages of one read, by pages of odd numbers too. */
const program: Program = async (sdk, { options, print }) => {
  const folder = `${options.env["HOME"]}/.claude`;
  process.env["CLAUDE_CONFIG_DIR"] = folder;
  const project = join(folder, "projects", "-pages");
  mkdirSync(project, { recursive: true });
  const stored = new Map<string, SessionStoreEntry[]>();
  for (let at = 0; at < COUNT; at++) {
    const sessionId = idOf(at);
    const lines = linesOf(sessionId);
    const path = join(project, `${sessionId}.jsonl`);
    const text = lines.map((line) => `${JSON.stringify(line)}\n`);
    writeFileSync(path, text.join(""));
    utimesSync(path, 1.7e9 + at, 1.7e9 + at);
    stored.set(sessionId, lines);
  }
  const sessionStore: SessionStore = {
    append: () => Promise.resolve(),
    load: ({ sessionId }) => Promise.resolve(stored.get(sessionId) ?? null),
    listSessions: () =>
      Promise.resolve(
        [...stored.keys()].map((sessionId, mtime) => ({ sessionId, mtime })),
      ),
  };
  for (const page of PAGES) {
    const messages = await sdk.getSessionMessages(idOf(0), page);
    print(
      `${page.offset} ${page.limit}`,
      messages.map(({ message }) => Object(message).content).join(" "),
    );
    for (const more of [{}, { sessionStore }]) {
      const sessions = await sdk.listSessions({
        ...page,
        ...more,
        dir: "/pages",
      });
      print(sessions.map(({ summary }) => summary).join(" "));
    }
  }
};

export default program;
