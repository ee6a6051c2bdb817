import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock, ContentBlock, JsonObject } from "@sluice/agent";
import type { ChatMessage } from "@sluice/agent/session";
import { pick, textOf } from "../options/_random.ts";

/** Runs with a folder of its own, which is gone afterwards. */
export async function withFolder(
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sessions-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A clock that stands until it is moved. */
export function clockAt(ms: number): Clock & { nowMs: number } {
  return {
    nowMs: ms,
    now() {
      return this.nowMs;
    },
    sleep: () => Promise.reject(new Error("Sleep not expected")),
  };
}

/** A call of a tool. */
export function use(id: string, name = "Read"): ContentBlock {
  return { type: "tool_use", id, name, input: { path: "/a" } };
}

/** The result of a call. */
export function result(id: string, content = "done"): ContentBlock {
  return { type: "tool_result", tool_use_id: id, content };
}

/** A message of the user. */
export function user(...content: readonly ContentBlock[]): ChatMessage {
  return { role: "user", content };
}

/** A message of the assistant. */
export function assistant(...content: readonly ContentBlock[]): ChatMessage {
  return { role: "assistant", content };
}

/** Characters that break careless writers: quotes, newlines of all kinds, halves of pairs, NUL. */
const PIECES: readonly string[] = [
  "a",
  "Z ",
  "\n",
  "\r\n",
  "\u2028",
  '"',
  "\\",
  "é",
  "漢",
  "😀",
  "\ud800",
  "\0",
  "\ufeff",
  "session.header",
  '{"type":""}',
];

/** A text to get wrong. */
export function randomText(random: () => number): string {
  return textOf(random, PIECES, 12);
}

/** Input of a tool, with keys of anybody's style. */
function randomInput(random: () => number): JsonObject {
  return {
    filePath: randomText(random),
    PascalCase: [random(), null, true, { "": randomText(random) }],
    __proto: -0.5,
    snake_case: Math.floor(random() * 2 ** 53),
  };
}

/** One block of every kind, in turn. */
const MAKERS: readonly ((random: () => number) => ContentBlock)[] = [
  (random) => ({ type: "text", text: randomText(random) }),
  (random) => ({ type: "text", text: randomText(random), citations: null }),
  (random) => ({
    type: "thinking",
    thinking: randomText(random),
    signature: "s",
  }),
  () => ({ type: "redacted_thinking", data: "ZGF0YQ==" }),
  (random) => ({
    type: "tool_use",
    id: "t1",
    name: "Read",
    input: randomInput(random),
  }),
  (random) => ({
    type: "tool_result",
    tool_use_id: "t1",
    content: randomText(random),
    is_error: true,
  }),
  (random) => ({
    type: "tool_result",
    tool_use_id: "t1",
    content: [{ type: "text", text: randomText(random) }, unknownBlock(random)],
  }),
  () => ({ type: "tool_result", tool_use_id: "t1" }),
  () => ({
    type: "image",
    source: { type: "base64", media_type: "image/png", data: "AAAA" },
  }),
  () => ({
    type: "image",
    source: { type: "url", url: "https://example.com/a.png" },
  }),
  (random) => ({
    type: "document",
    source: {
      type: "text",
      media_type: "text/plain",
      data: randomText(random),
    },
    title: "A",
    context: null,
    citations: { enabled: true },
  }),
  (random) => ({
    type: "document",
    source: { type: "content", content: [unknownBlock(random)] },
  }),
  (random) => ({
    type: "server_tool_use",
    id: "s1",
    name: "web_search",
    input: randomInput(random),
  }),
  (random) => ({
    type: "web_search_tool_result",
    tool_use_id: "s1",
    content: [{ url: randomText(random) }],
  }),
  (random) => ({
    type: "mcp_tool_use",
    id: "m1",
    name: "search",
    server_name: "docs",
    input: randomInput(random),
  }),
  (random) => ({
    type: "mcp_tool_result",
    tool_use_id: "m1",
    content: [unknownBlock(random)],
    is_error: false,
  }),
  (random) => unknownBlock(random),
];

function unknownBlock(random: () => number): ContentBlock {
  const raw = { type: "hologram", data: randomText(random) };
  return { type: "unknown", originalType: "hologram", raw };
}

/** How many kinds of blocks {@link blockOf} makes. */
export const BLOCK_KINDS: number = MAKERS.length;

/** A block of the kind with that number. */
export function blockOf(kind: number, random: () => number): ContentBlock {
  const make = MAKERS[kind % MAKERS.length];
  if (make === undefined) throw new RangeError(`No such kind: ${kind}`);
  return make(random);
}

/** A message of any role, with or without id and time. */
export function randomMessage(random: () => number): ChatMessage {
  const count = Math.floor(random() * 4);
  const content = random() < 0.3 ? randomText(random) : Array.from(
    { length: count },
    () => blockOf(Math.floor(random() * BLOCK_KINDS), random),
  );
  return {
    role: pick(random, ["system", "user", "assistant"]),
    content,
    ...(random() < 0.5 ? { id: randomText(random) } : {}),
    ...(random() < 0.5
      ? { created: new Date(Math.floor(random() * 4e12)) }
      : {}),
  };
}
