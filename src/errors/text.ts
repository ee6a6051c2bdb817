import type { JsonValue } from "../types/json.ts";

/** Text of outside data is cut here; the whole is in a field of the error. */
const CUT_AT = 200;

/** Replacement for a secret. */
export const REDACTED = "[redacted]";

/** Remedy for a missing login. */
export const LOG_IN = "start claude and type /login, or set ANTHROPIC_API_KEY";

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

/** The last `length` characters; never half of a surrogate pair. */
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

/** For `JSON.stringify()`: bytes are counted and not shown. */
function withoutBytes(this: unknown, key: string, read: unknown): unknown {
  // A buffer has turned itself into a list by now.
  const value = (this as Record<string, unknown>)[key];
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer
    ? `${value.constructor.name} of ${value.byteLength} bytes`
    : read;
}

/** The JSON type of a value: `null` and `array` told apart from `object`. */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/**
 * Tells a JSON object from a list and from `null`; `isObject<unknown>()` asks of values that never were JSON.
 */
export function isObject<Part = JsonValue>(
  value: unknown,
): value is { readonly [key: string]: Part | undefined } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A JSON object as it is; `{}` in place of any other value. */
export function asObject<Part = JsonValue>(
  value: unknown,
): { readonly [key: string]: Part | undefined } {
  return isObject<Part>(value) ? value : {};
}

/** A list as it is; an empty one in place of any other value. */
export function asList(value: unknown): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** The JSON value in a text; `undefined` for other texts. */
export function parsedJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
 * Returns a readable text for any thrown value, an `Error` or not.
 *
 * @example Describe an error and another value
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

/** The same error; anything else as an error with its text, and itself as the cause. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error
    ? thrown
    : new Error(textOfError(thrown), { cause: thrown });
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
