import { asList, isObject, parsedJson } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";

/** The lines of a text that ends with a newline; `\n` alone ends a line. */
export function splitLines(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}

export function parseObject(text: string): JsonObject | undefined {
  const value = parsedJson(text);
  return isObject(value) ? value : undefined;
}

/** A line as an object; text that is no JSON object comes as `{ raw: text }`. */
export function parseLine(text: string): JsonObject {
  return parseObject(text) ?? { raw: text };
}

/** Whether a text holds another one or fits a pattern, of which a saved script has only source and flags. */
export function matches(
  text: string,
  wanted: string | Pick<RegExp, "source" | "flags">,
): boolean {
  return typeof wanted === "string"
    ? text.includes(wanted)
    : new RegExp(wanted.source, wanted.flags).test(text);
}

/** All text in content blocks, that of tool results included. */
export function textIn(
  content: JsonValue | undefined,
  separator: string = "",
): string {
  if (typeof content === "string") return content;
  return asList(content).filter(isObject)
    .map(({ text, content }) =>
      typeof text === "string" ? text : textIn(content, separator)
    )
    .join(separator);
}
