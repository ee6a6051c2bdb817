import type { JsonObject, JsonValue } from "../types/json.ts";
import type { Scrub } from "./secrets.ts";
import { beginningOf, isDeep, MOST_LEVELS, REDACTED } from "./text.ts";

/** Characters of a value that an error keeps, names included. */
const KEPT_LENGTH = 4_096;

/** Length counted for a number or a literal of JSON, and for the punctuation around any value. */
const SCALAR_LENGTH = 4;

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
    // A value too deep to search is not shown.
    if (depth === MOST_LEVELS) return REDACTED;
    return container(value as JsonObject | readonly JsonValue[], depth + 1);
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

  function container(
    value: JsonObject | readonly JsonValue[],
    depth: number,
  ): JsonValue {
    const isList = Array.isArray(value);
    const parts: [string | number, JsonValue | undefined][] = [];
    let isSame = true;
    for (const name of isList ? value.keys() : Object.keys(value)) {
      if (typeof name === "string") left -= name.length;
      if (left <= 0) {
        isCut = true;
        isSame = false;
        break;
      }
      const whole = (value as JsonObject)[name];
      const part = take(whole, depth);
      isSame &&= part === whole;
      parts.push([name, part]);
    }
    if (isSame) return value;
    return isList
      ? parts.map(([, part]) => part as JsonValue)
      : Object.fromEntries(parts);
  }

  // A part of a value has the kind of the whole.
  const part = take(value, 0) as Value;
  if (!isCut || isDeep(value)) return { value: part, details: {} };
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  return { value: part, details: { bytes } };
}
