import { isObject } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";

/** Settings with a sandbox laid over what they say of it. */
export function withSandbox(
  given: JsonObject | undefined,
  sandbox: JsonObject,
): JsonObject {
  const own = isObject(given?.sandbox) ? given.sandbox : {};
  const both = merged(own, sandbox);
  // A sandbox that was asked for and cannot be had must not be left out in silence.
  return {
    ...given,
    sandbox: both.enabled === true && both.failIfUnavailable === undefined
      ? { ...both, failIfUnavailable: true }
      : both,
  };
}

/** Lists of what is forbidden are joined, so that both stay in force. */
const RESTRICTION = /^(?:deniedDomains|denyRead|denyWrite)$/;

/** The second over the first, key by key; lists whose key is such are joined. */
export function merged(
  first: JsonObject,
  second: JsonObject,
  joins: RegExp = RESTRICTION,
): JsonObject {
  const all: Record<string, JsonValue | undefined> = { ...first };
  for (const [key, value] of Object.entries(second)) {
    const before = first[key];
    if (value === undefined) continue;
    if (isObject(before) && isObject(value)) {
      all[key] = merged(before, value, joins);
    } else if (
      joins.test(key) && Array.isArray(before) && Array.isArray(value)
    ) {
      all[key] = [...new Set([...before, ...value])];
    } else all[key] = value;
  }
  return all;
}
