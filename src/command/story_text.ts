import { redactKnownPatterns } from "../errors/secrets.ts";
import { cut, isObject } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { mainArgumentOf } from "./summaries.ts";

const LONGEST_TITLE = 160;

/** `Bash: npm test`. */
export function callTitle(call: JsonObject): string {
  const argument = mainArgumentOf(objectIn(call["input"]));
  const name = String(call["name"] ?? "tool");
  return argument === undefined ? name : `${name}: ${argument}`;
}

export function redactText(_name: string, value: unknown): unknown {
  return typeof value === "string" ? redactKnownPatterns(value) : value;
}

export function objectIn(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value as JsonObject : {};
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
    const { text, type } = objectIn(block);
    return typeof text === "string" ? text : `[${String(type ?? "block")}]`;
  }).join("\n");
}

export function readTokens(usage: JsonObject): number {
  return numberIn(usage["input_tokens"]) +
    numberIn(usage["cache_read_input_tokens"]) +
    numberIn(usage["cache_creation_input_tokens"]);
}

export function numberIn(value: JsonValue | undefined): number {
  return typeof value === "number" ? value : 0;
}

export function oneLine(text: string): string {
  // Only the first line is shown.
  const line = redactKnownPatterns(text.slice(0, 2 * LONGEST_TITLE))
    .replace(/\s+/g, " ").trim();
  return cut(line, LONGEST_TITLE);
}
