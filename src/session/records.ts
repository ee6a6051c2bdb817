import { isObject, show, textOfError } from "../errors/text.ts";
import { Problem, wrong } from "../parse/fields.ts";
import { byteLength } from "../stream/byte_length.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { inputError } from "./input_error.ts";
import { type ChatMessage, liveMessage, wireContent } from "./messages.ts";

/** The version of the format that is written here. */
const FORMAT_VERSION = 1;

/** The longest line, in bytes; as much as a message of the CLI may have. */
export const MAX_LINE_BYTES: number = 32 * 1024 * 1024;

/** The `type` of the records this package knows. */
export const RECORD = {
  header: "session.header",
  message: "session.message",
  /** Marks the line before it as cut off by a crash. */
  repair: "session.repair",
} as const;

/** The first record of a file. */
export interface Header {
  readonly id: string;
  readonly created: Date;
  /** Absent in a file that only grows. */
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

/** Content of a session in file order: messages, and lines of unknown kinds, kept as written. */
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
  const text = `"${key}" cannot be written: ${fact}`;
  throw inputError(key, text, undefined, cause);
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

/** The record that marks a line as cut off. */
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
  if (!isObject(message)) return wrong("message", "object", message);
  const said = created === undefined ? undefined : toDate(created, "created");
  if (said instanceof Problem) return said;
  const { role, content } = message;
  const taken = liveMessage({ role, content, id, created: said }, inRecord);
  if (taken instanceof Problem) return taken;
  const rest = othersIn(record, IN_RECORD);
  const inner = othersIn(message, IN_MESSAGE);
  return rest || inner
    ? { message: taken, ...rest && { rest }, ...inner && { inner } }
    : { message: taken };
}

function inRecord(field: string): string {
  return IN_MESSAGE.includes(field) ? `message.${field}` : field;
}

const IN_RECORD: readonly string[] = ["type", "id", "created", "message"];

const IN_MESSAGE: readonly string[] = ["role", "content"];

/** Fields of a later version; the common case of none is checked first, for speed. */
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

/** ISO 8601, complete or shortened; `Date.parse` accepts more, depending on the runtime. */
const TIME =
  /^([+-]\d\d)?\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

function toDate(value: JsonValue | undefined, field: string): Date | Problem {
  if (typeof value !== "string") return wrong(field, "string", value);
  const date = new Date(TIME.test(value) ? value : Number.NaN);
  return Number.isNaN(date.getTime())
    ? new Problem(field, `must be a time in ISO 8601: ${show(value)}`)
    : date;
}
