import type { JsonObject, JsonValue } from "../types/json.ts";
import { isBag, refuse } from "./fields.ts";

/** Settings as an object, or as the path of a file; a text that begins with a brace is JSON, which no path does. */
export function parseSettings(
  settings: string | JsonObject | undefined,
): string | JsonObject | undefined {
  if (typeof settings !== "string" || !settings.trimStart().startsWith("{")) {
    return settings;
  }
  let value: JsonValue;
  try {
    value = JSON.parse(settings);
  } catch {
    refuse("settings", "a text", "an object, valid JSON, or a path");
  }
  if (!isBag(value)) refuse("settings", "a text", "an object");
  return value as JsonObject;
}
