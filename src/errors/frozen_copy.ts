import type { JsonValue } from "../types/json.ts";

/** A copy that cannot be changed, at any depth; the value itself is left as it is. */
export function frozenCopy<T extends JsonValue | undefined>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map(frozenCopy)
    : Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, frozenCopy(one)]),
    );
  // It has what the value has.
  return Object.freeze(copy) as T;
}
