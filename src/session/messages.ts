import { ConfigError } from "../errors/base.ts";
import { isObject, show, textOfError, typeOf } from "../errors/text.ts";
import { firstProblem, isArray, Problem, wrong } from "../parse/fields.ts";
import { byteLength } from "../stream/byte_length.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { ContentBlock } from "../protocol/content.ts";
import { BLOCK_FIELDS, BLOCKS } from "../protocol/tables.ts";

/** Who says a message of a chat. */
export type ChatRole = "system" | "user" | "assistant";

const ROLES: readonly unknown[] = ["system", "user", "assistant"];

/** Whether somebody of a chat is called so. */
export function isRole(value: unknown): value is ChatRole {
  return ROLES.includes(value);
}

/** What is wrong with a value that is no role. */
function noRole(value: unknown, field: string): Problem {
  const fact = 'must be "system", "user" or "assistant"';
  return new Problem(field, `${fact}: ${show(value)}`);
}

/** One message of a chat; calls of tools and their results are content blocks. */
export interface ChatMessage {
  /** Who says it; tool results are said by the user. */
  readonly role: ChatRole;
  /** Text, or blocks. */
  readonly content: string | readonly ContentBlock[];
  /** Id of the message, if it has one. */
  readonly id?: string;
  /** When it was said; a session sets it where it is missing. */
  readonly created?: Date;
}

/** Checks a message that a program hands over and copies it, so that later changes to it change nothing here. */
export function takeMessage(
  message: ChatMessage,
  key: string,
  now: number,
): ChatMessage {
  if (typeof message !== "object" || message === null) {
    const fact = `must be an object, is ${typeOf(message)}`;
    throw refused(new Problem(key, fact), message);
  }
  const { role, content, id, created } = message;
  if (!isRole(role)) throw refused(noRole(role, `${key}.role`), role);
  if (id !== undefined && typeof id !== "string") {
    throw refused(wrong(`${key}.id`, "string", id), id);
  }
  if (created !== undefined && !isDate(created)) {
    const fact = `must be a valid Date: ${show(created)}`;
    throw refused(new Problem(`${key}.created`, fact), created);
  }
  const taken = liveContent(content, `${key}.content`);
  if (taken instanceof Problem) throw refused(taken, content);
  return Object.freeze({
    role,
    content: taken,
    ...(id === undefined ? {} : { id }),
    created: new Date(created ?? now),
  });
}

function isDate(value: unknown): value is Date {
  return value instanceof Date && !Number.isNaN(value.getTime());
}

function refused({ field, fact }: Problem, value: unknown): ConfigError {
  return new ConfigError({
    message: `Message cannot be taken: "${field}" ${fact}`,
    key: field,
    value,
    fatal: false,
  });
}

type Content = string | readonly ContentBlock[];

/** Content as programs see it: every block checked, blocks of unknown kinds wrapped; a copy of the array. */
function liveContent(value: unknown, at: string): Content | Problem {
  if (typeof value === "string") return value;
  if (!isArray(value)) return wrong(at, "string or array", value);
  const blocks: ContentBlock[] = [];
  for (const item of value) {
    // Where it is, is said of wrong ones alone: texts for all would cost more than the check.
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
  const ordered: Record<string, JsonValue | undefined> = {};
  for (const key of keys) if (key in block) ordered[key] = block[key];
  const whole = { ...ordered, ...block };
  // What is inside was checked when the block was taken.
  const inside = withInner(whole, (inner) => wireContent(inner as Content));
  return inside as JsonObject;
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

/** The version of the format that is written here. */
const FORMAT_VERSION = 1;

/** The longest line, in bytes; as much as a message of the CLI may have. */
export const MAX_LINE_BYTES: number = 32 * 1024 * 1024;

/** The `type` of the records this package knows. */
export const RECORD = {
  header: "session.header",
  message: "session.message",
  /** Says that the line before it was cut off by a crash. */
  repair: "session.repair",
} as const;

/** The first record of a file. */
export interface Header {
  readonly id: string;
  readonly created: Date;
  /** Absent in a file that only grows: it cannot keep the time of its last change in its first line. */
  readonly updated: Date | undefined;
  /** Fields of a later version, kept for saving. */
  readonly rest: JsonObject;
}

/** A message, with the fields of a later version that came with it. */
export interface MessageEntry {
  readonly message: ChatMessage;
  /** Beside the message, in its record. */
  readonly rest?: JsonObject;
  /** In the message itself. */
  readonly inner?: JsonObject;
}

/** What a session holds, in the order of the file: messages, and lines of kinds that are not known here, kept as they were written. */
export type Entry = MessageEntry | { readonly line: string };

/** The header's line, without its newline. */
export function headerLine({ id, created, updated, rest }: Header): string {
  return JSON.stringify({
    type: RECORD.header,
    version: FORMAT_VERSION,
    id,
    created: created.toISOString(),
    updated: updated?.toISOString(),
    ...rest,
  });
}

/** The line of an entry, without its newline; refuses one that could not be read again. */
export function checkedLine(entry: Entry, index: number): string {
  let fact: string;
  let cause: unknown;
  try {
    const line = entryLine(entry);
    const bytes = byteLength(line);
    if (bytes <= MAX_LINE_BYTES) return line;
    fact = `${bytes} bytes, ${MAX_LINE_BYTES} are the most of a line`;
  } catch (error) {
    cause = error;
    fact = `its content is not JSON: ${textOfError(error)}`;
  }
  const key = `messages[${index}]`;
  throw new ConfigError({
    message: `"${key}" cannot be written: ${fact}`,
    key,
    cause,
    fatal: false,
  });
}

function entryLine(entry: Entry): string {
  if ("line" in entry) return entry.line;
  const { message: { role, content, id, created }, rest, inner } = entry;
  return JSON.stringify({
    type: RECORD.message,
    id,
    created: created?.toISOString(),
    message: { role, content: wireContent(content), ...inner },
    ...rest,
  });
}

/** The line that says that the one with this number was cut off. */
export function repairLine(line: number, now: number): string {
  const created = new Date(now).toISOString();
  return JSON.stringify({ type: RECORD.repair, created, torn_line: line });
}

export function toHeader(record: JsonObject): Header | Problem {
  const { type: _type, version, id, created, updated, ...rest } = record;
  if (typeof version !== "number") return wrong("version", "number", version);
  if (version !== FORMAT_VERSION) {
    const fact = `is not one that this package reads: ${show(version)}`;
    return new Problem("version", fact);
  }
  if (typeof id !== "string") return wrong("id", "string", id);
  if (id === "") return new Problem("id", "must not be empty");
  const begun = toDate(created, "created");
  if (begun instanceof Problem) return begun;
  const moved = updated === undefined ? undefined : toDate(updated, "updated");
  if (moved instanceof Problem) return moved;
  return { id, created: begun, updated: moved, rest };
}

export function toMessageEntry(record: JsonObject): MessageEntry | Problem {
  const { id, created, message } = record;
  if (id !== undefined && typeof id !== "string") {
    return wrong("id", "string", id);
  }
  const said = created === undefined ? undefined : toDate(created, "created");
  if (said instanceof Problem) return said;
  if (!isObject(message)) return wrong("message", "object", message);
  const { role, content } = message;
  if (!isRole(role)) return noRole(role, "message.role");
  const live = liveContent(content, "message.content");
  if (live instanceof Problem) return live;
  const taken: { -readonly [Key in keyof ChatMessage]: ChatMessage[Key] } = {
    role,
    content: live,
  };
  if (id !== undefined) taken.id = id;
  if (said !== undefined) taken.created = said;
  const entry = { message: Object.freeze(taken) };
  const rest = othersIn(record, IN_RECORD);
  const inner = othersIn(message, IN_MESSAGE);
  return rest || inner
    ? { ...entry, ...rest && { rest }, ...inner && { inner } }
    : entry;
}

const IN_RECORD: readonly string[] = ["type", "id", "created", "message"];
const IN_MESSAGE: readonly string[] = ["role", "content"];

/** Fields of a later version; that there are none is found out faster than what is left beside those known. */
function othersIn(
  object: JsonObject,
  known: readonly string[],
): JsonObject | undefined {
  for (const key in object) {
    if (known.includes(key)) continue;
    return Object.fromEntries(
      Object.entries(object).filter(([name]) => !known.includes(name)),
    );
  }
  return undefined;
}

/** ISO 8601, as `Date.toISOString()` gives it and others shorten it; `Date.parse` takes more, each runtime its own. */
const TIME =
  /^([+-]\d\d)?\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

function toDate(value: JsonValue | undefined, field: string): Date | Problem {
  if (typeof value !== "string") return wrong(field, "string", value);
  const date = new Date(TIME.test(value) ? value : Number.NaN);
  return Number.isNaN(date.getTime())
    ? new Problem(field, `must be a time in ISO 8601: ${show(value)}`)
    : date;
}
