import type { JsonValue } from "../types/json.ts";
import { beginningOf, isDeep, REDACTED } from "./text.ts";

/** Characters of a value that an error keeps, names included. */
const KEPT_LENGTH = 4_096;

/** Length counted for a number or a literal of JSON, and for the punctuation around any value. */
const SCALAR_LENGTH = 4;

/** As much of a value as an error keeps. */
export interface Excerpt<Value> {
  /** The value itself when it is small; of a big one a copy of its beginning. */
  readonly value: Value;
  /** `bytes`: the length of the whole as JSON, when some of it was left out. */
  readonly details: { readonly bytes?: number };
}

/** A value of the CLI as an error may keep it: unread errors must not hold megabytes. */
export function excerpt<Value extends JsonValue | undefined>(
  value: Value,
): Excerpt<Value> {
  // A value too deep to search is not shown.
  if (isDeep(value)) return { value: REDACTED as Value, details: {} };
  let left = KEPT_LENGTH;
  let isCut = false;

  function keep(name: string, part: JsonValue): JsonValue | undefined {
    left -= name.length + SCALAR_LENGTH;
    if (left < 0) isCut = true;
    if (left < 0 && name !== "") return undefined;
    if (typeof part === "string") return beginning(part);
    if (!Array.isArray(part)) return part;
    const most = Math.ceil(left / SCALAR_LENGTH);
    if (part.length > most) isCut = true;
    return part.slice(0, most);
  }

  function beginning(text: string): string {
    const kept = beginningOf(text, left);
    if (kept.length < text.length) isCut = true;
    left -= kept.length;
    return kept;
  }

  const whole = JSON.stringify(value);
  const kept = JSON.stringify(value, keep);
  return {
    value: kept === whole ? value : JSON.parse(kept),
    details: isCut ? { bytes: new TextEncoder().encode(whole).length } : {},
  };
}
