import { isObject } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";

/** A value as a list; anything else is an empty one. */
export function asList(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** The lines of a text that ends with a newline; `\n` alone ends a line. */
export function splitLines(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** A line as an object; text that is no JSON object comes as `{ raw: text }`. */
export function parseLine(text: string): JsonObject {
  try {
    const line: unknown = JSON.parse(text);
    if (isObject(line)) return line;
  } catch {
    // Told as it came.
  }
  return { raw: text };
}
