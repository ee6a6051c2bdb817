import type { JsonObject, JsonValue } from "../types/json.ts";
import { REDACTED } from "./text.ts";

const SECRET_WORDS =
  /(?:^|_)(?:api_?keys?|keys?|tokens?|jwt|pat|secrets?|pass|passwords?|passwd|passphrase|credentials?|auth|authorization|bearer|cookies?|headers?)(?:_|$)/;
/** `MAX_OUTPUT_TOKENS` counts something. */
const COUNTED_TOKENS =
  /(?:max|min|input|output|thinking|budget|limit|context|num|count).*_tokens?(?:_|$)/;

/** Whether the name of a variable, flag, header or field says that its value is secret. */
export function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toLowerCase();
  return SECRET_WORDS.test(words) && !COUNTED_TOKENS.test(words);
}

/** An object as it may stand in logs and errors: every text under a telling name is left out, at any depth. */
export function withoutSecrets(object: JsonObject): JsonObject {
  return redacted(object, false) as JsonObject;
}

/** Deeper than any message, and far from the end of the stack. */
const MOST_LEVELS = 200;

/** Takes the secrets that are known out of a text. */
export type Scrub = (text: string) => string;

/** A value of the CLI as it may stand in logs and errors: its texts cleaned, at any depth; the same value when none was touched. */
export function scrubbed<Value extends JsonValue | undefined>(
  value: Value,
  scrub: Scrub | undefined,
): Value {
  return scrub === undefined ? value : cleaned(value, scrub, 0) as Value;
}

function cleaned(
  value: JsonValue | undefined,
  scrub: Scrub,
  depth: number,
): unknown {
  if (typeof value === "string") return scrub(value);
  if (typeof value !== "object" || value === null) return value;
  // What cannot be looked through is not shown.
  if (depth === MOST_LEVELS) return REDACTED;
  let isTouched = false;
  const parts = Object.entries(value).map(([name, part]) => {
    const clean = cleaned(part, scrub, depth + 1);
    if (clean !== part) isTouched = true;
    return [name, clean] as const;
  });
  if (!isTouched) return value;
  return Array.isArray(value)
    ? parts.map(([, part]) => part)
    : Object.fromEntries(parts);
}

function redacted(value: JsonValue | undefined, isSecret: boolean): unknown {
  if (typeof value === "string") return isSecret ? REDACTED : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => redacted(one, isSecret));
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      // Variables may be secret whatever they are called.
      redacted(part, isSecret || name === "env" || isSecretName(name)),
    ]),
  );
}
