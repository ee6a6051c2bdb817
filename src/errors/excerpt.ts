import type { JsonObject, JsonValue } from "../types/json.ts";
import type { Scrub } from "./secrets.ts";
import { beginningOf, isDeep, MOST_LEVELS, REDACTED } from "./text.ts";

/** So many characters of a value are kept with an error, names included. */
const KEPT_LENGTH = 4_096;
/** What a number or a word of JSON counts, and the punctuation around any value. */
const SCALAR_LENGTH = 4;

const encoder = new TextEncoder();

/** As much of a value as an error keeps. */
export interface Excerpt<Value> {
  /** The value itself when it is small and no text in it was touched; else a copy, and of a big one its beginning. */
  readonly value: Value;
  /** `bytes`: the length of the whole as JSON, when some of it was left out. */
  readonly details: { readonly bytes?: number };
}

/** A value of the CLI as an error may keep it: unread errors must not hold megabytes, and secrets must not be shown. */
export function excerpt<Value extends JsonValue | undefined>(
  value: Value,
  scrub: Scrub = (text) => text,
): Excerpt<Value> {
  let left = KEPT_LENGTH;
  let isCut = false;

  function take(
    value: JsonValue | undefined,
    depth: number,
  ): JsonValue | undefined {
    left -= SCALAR_LENGTH;
    if (typeof value === "string") return beginning(value);
    if (typeof value !== "object" || value === null) return value;
    // What cannot be looked through is not shown.
    if (depth === MOST_LEVELS) return REDACTED;
    return Array.isArray(value)
      ? list(value, depth + 1)
      : fields(value as JsonObject, depth + 1);
  }

  function beginning(text: string): string {
    // A secret that is cut is not recognised, so more is cleaned than is kept.
    const clean = scrub(beginningOf(text, left + KEPT_LENGTH));
    const kept = beginningOf(clean, Math.max(0, left));
    if (kept.length < clean.length || text.length > left + KEPT_LENGTH) {
      isCut = true;
    }
    left -= kept.length;
    return kept;
  }

  function list(
    items: readonly JsonValue[],
    depth: number,
  ): readonly JsonValue[] {
    const parts: JsonValue[] = [];
    for (const one of items) {
      if (isFull()) break;
      parts.push(take(one, depth) as JsonValue);
    }
    const isSame = parts.length === items.length &&
      parts.every((part, at) => part === items[at]);
    return isSame ? items : parts;
  }

  function fields(object: JsonObject, depth: number): JsonObject {
    const parts: [string, JsonValue | undefined][] = [];
    const names = Object.keys(object);
    for (const name of names) {
      left -= name.length;
      if (isFull()) break;
      parts.push([name, take(object[name], depth)]);
    }
    const isSame = parts.length === names.length &&
      parts.every(([name, part]) => part === object[name]);
    return isSame ? object : Object.fromEntries(parts);
  }

  function isFull(): boolean {
    if (left <= 0) isCut = true;
    return left <= 0;
  }

  // A part of a value has the kind of the whole.
  const part = take(value, 0) as Value;
  return { value: part, details: isCut ? sizeOf(value) : {} };
}

function sizeOf(value: unknown): { readonly bytes?: number } {
  if (isDeep(value)) return {};
  return { bytes: encoder.encode(JSON.stringify(value)).length };
}
