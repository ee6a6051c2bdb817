import type { JsonValue } from "../types/json.ts";

/** Text of outside data is cut here; the whole is in a field of the error. */
const CUT_AT = 200;

/** What stands in the place of a secret. */
export const REDACTED = "[redacted]";

/** At most 200 characters, the last one an ellipsis when some were cut. */
export function cut(text: string, length: number = CUT_AT): string {
  return text.length <= length ? text : `${beginningOf(text, length - 1)}…`;
}

/** The first 200 characters; never half of a surrogate pair. */
export function beginningOf(text: string, length: number = CUT_AT): string {
  if (text.length <= length) return text;
  const isPairCut = isHighSurrogate(text.charCodeAt(length - 1));
  return copyOf(text.slice(0, isPairCut ? length - 1 : length));
}

/** The last so many characters; never half of a surrogate pair. */
export function endOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const from = text.length - length;
  const isPairCut = isHighSurrogate(text.charCodeAt(from - 1));
  return copyOf(text.slice(isPairCut ? from + 1 : from));
}

/** A text whose beginning is cut off, from its first whole line on; as it is where it has none. */
export function fromWholeLine(text: string): string {
  return text.slice(text.indexOf("\n") + 1) || text;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** V8 keeps the whole text alive for a slice of it, and errors are kept. */
function copyOf(part: string): string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return decoder.decode(new TextEncoder().encode(part));
}

/** A value as it may stand in a message: quoted, cut, never throwing. */
export function show(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (typeof value === "bigint") return `${value}n`;
  // JSON has no word for Infinity and NaN.
  if (typeof value === "number") return String(value);
  try {
    if (isDeep(value)) return typeOf(value);
    return cut(JSON.stringify(value, withoutBytes) ?? String(value));
  } catch {
    return typeOf(value);
  }
}

/** So many small numbers in a row may be the bytes of a secret. */
const FEWEST_BYTES = 8;

/** For `JSON.stringify()`: bytes are counted, in whatever form; nothing takes secrets out of numbers. */
function withoutBytes(this: unknown, key: string, read: unknown): unknown {
  // A buffer has turned itself into a list by now.
  const value = (this as Record<string, unknown>)[key];
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    return `${value.constructor.name} of ${value.byteLength} bytes`;
  }
  if (
    Array.isArray(read) && read.length >= FEWEST_BYTES && read.every(isByte)
  ) {
    return `${read.length} bytes`;
  }
  return read;
}

function isByte(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) &&
    value >= -128 && value < 256;
}

/** The JSON type of a value: `null` and `array` told apart from `object`. */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/**
 * Tells a JSON object from a list and from `null`; `isObject<unknown>()` asks of values that never were JSON.
 *
 * @example A list is not an object
 * ```ts
 * import { isObject } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual([isObject({}), isObject([]), isObject(null)], [true, false, false]);
 * ```
 */
export function isObject<Part = JsonValue>(
  value: unknown,
): value is { readonly [key: string]: Part | undefined } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Deeper than any message, and far from the end of the stack. */
export const MOST_LEVELS = 200;

/** Whether something is nested deeper than that, or in itself: to write it as JSON takes Bun seconds, and the others have no stack for it. */
export function isDeep(value: unknown, levels: number = MOST_LEVELS): boolean {
  if (typeof value !== "object" || value === null) return false;
  // Bytes have nothing below them.
  if (ArrayBuffer.isView(value)) return false;
  return levels === 0 ||
    Object.values(value).some((part) => isDeep(part, levels - 1));
}

/**
 * The text of anything that was thrown.
 *
 * @example An error, and something else
 * ```ts
 * import { textOfError } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * assert.equal(textOfError(new Error("no room")), "no room");
 * assert.equal(textOfError("no room"), "no room");
 * ```
 */
export function textOfError(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  if (typeof error === "string") return error;
  return show(error);
}

/** Facts behind a message, in brackets; those that are not known are left out. */
export function showFacts(facts: Readonly<Record<string, unknown>>): string {
  const known = Object.entries(facts)
    .flatMap(([name, fact]) => fact === undefined ? [] : [`${name}: ${fact}`]);
  return ` (${known.join(", ")})`;
}

/** `killed by SIGTERM` or `exit code 1`. */
export function showExit(
  { code, signal }: {
    readonly code: number | null;
    readonly signal: string | null;
  },
): string {
  if (signal !== null) return `killed by ${signal}`;
  return code === null ? "no exit code" : `exit code ${code}`;
}

/** A text that can do nothing to a terminal, on one line: control and invisible characters are spelled out. */
export function printable(text: string): string {
  // The classes below take a runtime milliseconds to look up, the first time.
  if (/^[ -~]*$/.test(text)) return text;
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, spellOut);
}

/** A text of several lines that can do nothing else to a terminal: no escape, nothing that turns the direction of writing. */
export function printableLines(text: string): string {
  return text.replace(
    /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu,
    spellOut,
  );
}

/** A character by its number: `\u{1b}`. */
export function spellOut(one: string): string {
  return `\\u{${one.codePointAt(0)?.toString(16)}}`;
}

/** What a runtime writes around the reason: where it was thrown, frames of the stack, its own version. */
const AROUND: readonly RegExp[] = [
  /^\s/,
  /^\d+ \| /,
  /^[\s^~]*$/,
  /^[{}[\]]+$/,
  /^(?:file:|node:|\/|[A-Z]:\\)\S*:\d+$/,
  /^Traceback \(most recent call last\)/,
  /^Stack backtrace:/,
  /^(?:Node\.js|Bun) v\d/,
  /^npm (?:warn|notice)\b/i,
];

/** A mark under the place in the line above. */
const MARK = /^\s*[\^~]+\s*$/;

const NAMES_AN_ERROR =
  /\b\w*(?:error|exception)\b|\b(?:fatal|panic(?:ked)?|cannot|denied|not found)\b/i;

// deno-lint-ignore no-control-regex -- colours of a terminal begin with one
const COLOURS = /\x1b\[[\d;]*m/g;

/**
 * What a program that is over said of its end, one line, cut.
 *
 * The first line that names an error; without one the last that says something. Empty when there was nothing.
 */
export function lastWords(stderr: string): string {
  const lines = stderr.replace(COLOURS, "").trim().split(/\r?\n/);
  const said = lines.filter((line, at) =>
    !AROUND.some((one) => one.test(line)) && !MARK.test(lines[at + 1] ?? "")
  );
  const words = said.find((line) => NAMES_AN_ERROR.test(line)) ??
    said.at(-1) ?? lines.at(-1) ?? "";
  return cut(words.trim());
}

/** The known name that is closest to a mistyped one; `undefined` when none is close. */
export function nearest(
  name: string,
  known: Iterable<string>,
): string | undefined {
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let least = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/** Edits from one text to another; two neighbours that changed places are one edit. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let at = 1; at <= to.length; at++) {
      const same = from[row - 1] === to[at - 1];
      let cost = Math.min(
        (last[at] ?? 0) + 1,
        (current[at - 1] ?? 0) + 1,
        (last[at - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = row > 1 && at > 1 && from[row - 1] === to[at - 2] &&
        from[row - 2] === to[at - 1];
      if (swapped) cost = Math.min(cost, (beforeLast[at - 2] ?? 0) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
