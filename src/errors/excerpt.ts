import type { JsonValue } from "../types/json.ts";
import type { Scrub } from "./secrets.ts";
import { beginningOf, isDeep, REDACTED } from "./text.ts";

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
    // A secret that is cut is not recognised, so more is cleaned than is kept.
    const clean = scrub(beginningOf(text, left + KEPT_LENGTH));
    const kept = beginningOf(clean, left);
    if (kept.length < clean.length || text.length > left + KEPT_LENGTH) {
      isCut = true;
    }
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
