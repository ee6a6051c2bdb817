import { isObject, parsedJson } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import type { AgentOptions } from "../types/options.ts";
import { isText, text } from "./fields.ts";
import { withSandbox } from "./merged_settings.ts";
import { json } from "./plain_object.ts";
import { refuse } from "./refuse.ts";

/** Settings as an object, or as the path of a file; a text that begins with a brace is JSON, which no path does. */
export function parseSettings(
  settings: AgentOptions["settings"],
): string | JsonObject | undefined {
  if (typeof settings !== "string" || !settings.trimStart().startsWith("{")) {
    return settings as string | JsonObject | undefined;
  }
  const value = parsedJson(settings);
  if (value === undefined) {
    refuse("settings", "a text", "an object, valid JSON, or a path");
  }
  if (!isObject(value)) refuse("settings", "a text", "an object");
  return value;
}

/** The settings that travel in `initialize`: those given as an object, and the sandbox. */
export function flagLayer(
  { settings, sandbox }: Pick<AgentOptions, "sandbox" | "settings">,
): JsonObject | undefined {
  const given = parseSettings(settings);
  if (typeof given === "string") return undefined;
  return sandbox === undefined
    ? given
    : withSandbox(given, sandbox as JsonObject);
}

/** An object, its text, or the path of a file. */
export function checkSettings(value: unknown, key: string): void {
  if (isText(value)) text(value, key);
  const settings = parseSettings(value as AgentOptions["settings"]);
  if (!isText(settings)) json(settings, key);
}
