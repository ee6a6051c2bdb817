import { redactKnownPatterns } from "../errors/secrets.ts";
import { cut, isObject } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";

const LONGEST_TITLE = 160;

/** The object in a line of JSON; `undefined` for anything else. */
export function parsed(line: string): JsonObject | undefined {
  try {
    const value = JSON.parse(line);
    return isObject(value) ? value as JsonObject : undefined;
  } catch {
    return undefined;
  }
}

export function objectIn(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value as JsonObject : {};
}

export function numberIn(value: JsonValue | undefined): number {
  return typeof value === "number" ? value : 0;
}

/** The text of a message's content, of whatever form. */
export function textOfContent(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) {
    return content === undefined || content === null
      ? ""
      : JSON.stringify(content, null, 2);
  }
  return content.map((block: JsonValue) => {
    if (typeof block === "string") return block;
    const { text, type = "block" } = objectIn(block);
    return typeof text === "string" ? text : `[${type}]`;
  }).join("\n");
}

export function oneLine(text: string): string {
  // Only the first line is shown.
  const line = redactKnownPatterns(text.slice(0, 2 * LONGEST_TITLE))
    .replace(/\s+/g, " ").trim();
  return cut(line, LONGEST_TITLE);
}
