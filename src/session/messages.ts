import { isObject, show, typeOf } from "../errors/text.ts";
import { firstProblem, isArray, Problem, wrong } from "../parse/fields.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { ContentBlock } from "../protocol/content.ts";
import { inputError } from "./input_error.ts";
import { BLOCK_FIELDS, BLOCKS } from "../protocol/tables.ts";

/** Author of a chat message. */
export type ChatRole = "system" | "user" | "assistant";

const ROLES: readonly unknown[] = ["system", "user", "assistant"];

export function isRole(value: unknown): value is ChatRole {
  return ROLES.includes(value);
}

/** One message of a chat; calls of tools and their results are content blocks. */
export interface ChatMessage {
  /** Author of the message; `"user"` for tool results. */
  readonly role: ChatRole;
  /** Text, or blocks. */
  readonly content: string | readonly ContentBlock[];
  /** Id of the message, if it has one. */
  readonly id?: string;
  /** Its time; a session sets it if missing. */
  readonly created?: Date;
}

/** Checks and copies a message of the program, so that later changes to it have no effect. */
export function takeMessage(
  message: ChatMessage,
  key: string,
  now: number,
): ChatMessage {
  const pathOf = (field: string) => `${key}.${field}`;
  const { role, content, id, created = new Date(now) } = Object(message);
  const taken = typeof message === "object" && message !== null
    ? liveMessage({ role, content, id, created }, pathOf)
    : new Problem(key, `must be an object, is ${typeOf(message)}`);
  if (!(taken instanceof Problem)) return taken;
  const { field, fact } = taken;
  throw inputError(field, `Message is refused: "${field}" ${fact}`, message);
}

/** A checked and frozen copy of a message. */
export function liveMessage(
  { role, content, id, created }: {
    readonly [Key in keyof ChatMessage]?: unknown;
  },
  pathOf: (field: string) => string,
): ChatMessage | Problem {
  if (!isRole(role)) {
    const fact = 'must be "system", "user" or "assistant"';
    return new Problem(pathOf("role"), `${fact}: ${show(role)}`);
  }
  if (id !== undefined && typeof id !== "string") {
    return wrong(pathOf("id"), "string", id);
  }
  const isDate = created instanceof Date && !Number.isNaN(created.getTime());
  if (created !== undefined && !isDate) {
    const fact = `must be a valid Date: ${show(created)}`;
    return new Problem(pathOf("created"), fact);
  }
  const live = liveContent(content, pathOf("content"));
  if (live instanceof Problem) return live;
  const taken: { -readonly [Key in keyof ChatMessage]: ChatMessage[Key] } = {
    role,
    content: Object.freeze(live),
  };
  if (id !== undefined) taken.id = id;
  if (isDate) taken.created = new Date(created);
  return Object.freeze(taken);
}

type Content = string | readonly ContentBlock[];

/** Content as programs see it: every block checked, blocks of unknown kinds wrapped; a copy of the array. */
function liveContent(value: unknown, at: string): Content | Problem {
  if (typeof value === "string") return value;
  if (!isArray(value)) return wrong(at, "string or array", value);
  const blocks: ContentBlock[] = [];
  for (const item of value) {
    // Only malformed blocks get a path: texts for all would cost more than the check.
    const block = liveBlock(item, () => `${at}[${blocks.length}]`);
    if (block instanceof Problem) return block;
    // Its fields were checked one by one.
    blocks.push(block as unknown as ContentBlock);
  }
  return blocks;
}

function liveBlock(value: JsonValue, at: () => string): JsonObject | Problem {
  if (!isObject(value)) return wrong(at(), "object", value);
  const block = unwrapped(value);
  const { type } = block;
  if (typeof type !== "string") return wrong(`${at()}.type`, "string", type);
  if (type === "") return new Problem(`${at()}.type`, "must not be empty");
  const fields = BLOCKS.get(type);
  if (fields === undefined) {
    return { type: "unknown", originalType: type, raw: block };
  }
  if (firstProblem(block, fields) === undefined) {
    return withInner(block, (inner, path) => liveContent(inner, at() + path));
  }
  const place = { path: at(), block: { type, index: 0 } };
  return firstProblem(block, fields, place) ?? block;
}

/** Content as it stands on disk: what was wrapped is itself again, keys are those of the API. */
export function wireContent(content: Content): JsonValue {
  if (typeof content === "string") return content;
  // A block is made of JSON.
  return content.map((block) => wireBlock(block as unknown as JsonObject));
}

function wireBlock(wrapped: JsonObject): JsonObject {
  const block = unwrapped(wrapped);
  // In the order of the API, then what else the block holds.
  const keys = BLOCK_FIELDS.get(String(block.type)) ?? ["type"];
  const known = keys.filter((key) => key in block);
  const ordered = Object.fromEntries(known.map((key) => [key, block[key]]));
  // Nested content was checked when the block was taken.
  const wire = (inner: JsonValue) => wireContent(inner as Content);
  return withInner({ ...ordered, ...block }, wire) as JsonObject;
}

/** A block of an unknown kind without its wrapping; any other block as it is. */
function unwrapped(block: JsonObject): JsonObject {
  const { type, originalType, raw } = block;
  if (type !== "unknown" || typeof originalType !== "string") return block;
  if (!isObject(raw)) return block;
  return raw.type === originalType ? raw : { ...raw, type: originalType };
}

/** The block with the content that lies in it changed: that of results and of documents made of blocks. */
function withInner(
  block: JsonObject,
  change: (inner: JsonValue, path: string) => unknown,
): JsonObject | Problem {
  const { type, source } = block;
  const isResult = type === "tool_result" || type === "mcp_tool_result";
  const isDocument = type === "document" && isObject(source) &&
    source.type === "content";
  const holder = isResult ? block : isDocument ? source : undefined;
  if (!isArray(holder?.content)) return block;
  const path = isResult ? ".content" : ".source.content";
  const changed = change(holder.content, path);
  if (changed instanceof Problem) return changed;
  const changedHolder = { ...holder, content: changed as JsonValue };
  return isResult ? changedHolder : { ...block, source: changedHolder };
}
