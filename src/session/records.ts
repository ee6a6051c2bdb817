import { isObject, show, textOfError } from "../errors/text.ts";
import { Problem, wrong } from "../parse/fields.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { inputError } from "./input_error.ts";
import { type ChatMessage, liveMessage, wireContent } from "./messages.ts";

/** The version of the format that is written here. */
const FORMAT_VERSION = 1;

/** The `type` of the records this package knows. */
export const RECORD = {
  header: "session.header",
  message: "session.message",
} as const;

/** The first record of a file. */
export interface Header {
  readonly id: string;
  readonly created: Date;
  /** Absent in a file that only grows. */
  readonly updated: Date | undefined;
}

/** The header's line, with its newline. */
export function headerLine({ id, created, updated }: Header): string {
  return lineOf({
    type: RECORD.header,
    version: FORMAT_VERSION,
    id,
    created: created.toISOString(),
    updated: updated?.toISOString(),
  });
}

/** The line of a message, with its newline; refuses one that is no JSON. */
export function messageLine(
  { role, content, id, created }: ChatMessage,
  index: number,
): string {
  try {
    return lineOf({
      type: RECORD.message,
      id,
      created: created?.toISOString(),
      message: { role, content: wireContent(content) },
    });
  } catch (cause) {
    const key = `messages[${index}]`;
    const fact = `its content is not JSON: ${textOfError(cause)}`;
    const text = `"${key}" cannot be written: ${fact}`;
    throw inputError(key, text, undefined, cause);
  }
}

function lineOf(record: object): string {
  return `${JSON.stringify(record)}\n`;
}

export function toHeader(record: JsonObject): Header | Problem {
  const { version, id, created, updated } = record;
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
  return { id, created: begun, updated: moved };
}

export function toMessage(record: JsonObject): ChatMessage | Problem {
  const { id, created, message } = record;
  if (!isObject(message)) return wrong("message", "object", message);
  const said = created === undefined ? undefined : toDate(created, "created");
  if (said instanceof Problem) return said;
  const { role, content } = message;
  return liveMessage({ role, content, id, created: said }, pathInRecord);
}

function pathInRecord(field: string): string {
  return /^(?:role|content)/.test(field) ? `message.${field}` : field;
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
