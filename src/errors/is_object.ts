import type { JsonValue } from "../types/json.ts";

/** Tells a JSON object from a list and from `null`; `isObject<unknown>()` asks of values that never were JSON. */
export function isObject<Part = JsonValue>(
  value: unknown,
): value is { readonly [key: string]: Part | undefined } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
