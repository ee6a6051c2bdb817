import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Model, Program } from "../_program.ts";

export const model: Model = [];

const ID = "11111111-1111-4111-8111-111111111111";

type Line = readonly [name: string, fields: object, parent?: string | null];

const user = (name: string, more: object = {}): Line => [name, {
  type: "user",
  message: { role: "user", content: name },
  ...more,
}];
const assistant = (name: string): Line => [name, {
  type: "assistant",
  message: { id: name, role: "assistant", content: name },
}];
const note = (name: string): Line => [name, {
  type: "system",
  subtype: "informational",
  content: name,
}];
const boundary = (
  name: string,
  after: string,
  compactMetadata: object = { trigger: "auto" },
): Line => [name, {
  type: "system",
  subtype: "compact_boundary",
  logicalParentUuid: after,
  compactMetadata,
}, null];
const summary = (name: string) => user(name, { isCompactSummary: true });

const kept = (anchorUuid: string, ...uuids: readonly string[]) => ({
  preservedMessages: { anchorUuid, uuids },
});

/** Sessions, and the lines at which they are forked. */
const SESSIONS: Readonly<
  Record<string, { readonly lines: readonly Line[]; readonly at: string }>
> = {
  plain: {
    lines: [
      user("q1"),
      assistant("a1"),
      boundary("b1", "a1"),
      summary("s1"),
      assistant("a2"),
    ],
    at: "a1 b1 s1 a2",
  },
  notes: {
    lines: [
      user("q1"),
      assistant("a1"),
      note("n1"),
      boundary("b1", "a1"),
      note("n2"),
    ],
    at: "n1 b1 n2",
  },
  branches: {
    lines: [
      user("q1"),
      assistant("a1"),
      user("q2"),
      assistant("a2"),
      boundary("b1", "a1"),
      summary("s1"),
    ],
    at: "a2 b1",
  },
  keeping: {
    lines: [
      user("q1"),
      assistant("a1"),
      user("q2"),
      boundary("b1", "gone", kept("s1", "q1", "a1")),
      summary("s1"),
    ],
    at: "b1 s1",
  },
  twice: {
    lines: [
      user("q1"),
      assistant("a1"),
      boundary("b1", "a1", kept("s1", "q1", "a1")),
      summary("s1"),
      assistant("a2"),
      boundary("b2", "a1"),
    ],
    at: "s1 b2",
  },
  own: {
    lines: [
      user("q1"),
      assistant("a1"),
      note("n1"),
      boundary("b1", "q1", kept("b1", "q1")),
    ],
    at: "b1",
  },
  instant: {
    lines: [
      user("q1"),
      assistant("a1"),
      boundary("b1", "a1", { durationMs: 0, ...kept("b1", "a1") }),
    ],
    at: "b1",
  },
  first: {
    lines: [boundary("b1", "gone"), note("n1"), summary("s1")],
    at: "b1 n1",
  },
};

const program: Program = async (sdk, { options, print }) => {
  const folder = `${options.env["HOME"]}/.claude`;
  process.env["CLAUDE_CONFIG_DIR"] = folder;
  const project = join(folder, "projects", "-p");
  const file = (id: string) => join(project, `${id}.jsonl`);
  for (const [name, { lines, at }] of Object.entries(SESSIONS)) {
    const uuids = new Map(lines.map(([line], index) => [
      line,
      `aaaaaaaa-1111-4111-8111-${String(index).padStart(12, "0")}`,
    ]));
    const text = lines.map(([line, fields, parent], index) =>
      JSON.stringify(
        {
          ...{ uuid: line, sessionId: ID, isSidechain: false },
          parentUuid: parent === null ? null : lines[index - 1]?.[0] ?? null,
          ...fields,
        },
        (key, value) => key === "content" ? value : uuids.get(value) ?? value,
      ) + "\n"
    );
    mkdirSync(project, { recursive: true });
    writeFileSync(file(ID), text.join(""));
    for (const upTo of [undefined, ...at.split(" ")]) {
      const upToMessageId = upTo && uuids.get(upTo);
      const { sessionId } = await sdk.forkSession(
        ID,
        upToMessageId ? { upToMessageId } : {},
      );
      const names = new Map([...uuids].map(([line, uuid]) => [uuid, line]));
      const rows = readFileSync(file(sessionId), "utf8").trim().split("\n")
        .map((row) => JSON.parse(row));
      print(
        name,
        upTo ?? "all",
        rows.map(({ forkedFrom, type }) =>
          names.get(Object(forkedFrom).messageUuid) ?? type
        ).join(" "),
      );
      const messages = await sdk.getSessionMessages(sessionId);
      print(messages.map(({ message }) => Object(message).content).join(" "));
      rmSync(file(sessionId));
    }
  }
};

export default program;
