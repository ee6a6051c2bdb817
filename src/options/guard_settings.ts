import { ConfigError } from "../errors/config.ts";
import { isObject } from "../errors/is_object.ts";
import type { JsonObject } from "../types/json.ts";
import type { AgentOptions } from "../types/options.ts";
import {
  BARE_VARIABLE,
  checkHooksOn,
  checkVariables,
  guards,
} from "./guarded.ts";
import { NO_SKILL_SHELL, skillShell } from "./skill_shell.ts";

/**
 * The settings that keep hooks and lists in force, for the layer above the user's files: a file that is changed in the
 * middle of a session switches nothing off.
 */
export function guardSettings(options: AgentOptions): JsonObject {
  return {
    env: { [BARE_VARIABLE]: "" },
    ...(options.allowedTools !== undefined &&
      skillShell(options) === undefined && { [NO_SKILL_SHELL]: true }),
  };
}

/** Whether the user lets skills run shell lines past an allow-list, and said so. */
export function letsSkillsRun(options: AgentOptions): boolean {
  return options.allowedTools !== undefined && skillShell(options) === false;
}

/** The fields of a control request, with what keeps hooks on; throws for what would switch them off. */
export function keepGuards(
  options: AgentOptions,
  subtype: string,
  fields: JsonObject = {},
): JsonObject {
  const { settings } = fields;
  const [first] = guards(options);
  if (first !== undefined && subtype === "initialize") {
    throw new ConfigError({
      message:
        `Request "initialize" must be left to reinitialize() beside "${first}": its hooks would take the place of those that guard`,
      key: "subtype",
      value: subtype,
      fatal: false,
    });
  }
  if (first === undefined || !SETTINGS_REQUESTS.has(subtype)) return fields;
  if (!isObject(settings)) return fields;
  checkHooksOn("settings", settings, first);
  if (settings.env === undefined) return fields;
  checkVariables("settings.env", settings.env, first);
  if (subtype !== "apply_flag_settings") return fields;
  // They take the place of all variables that were applied before.
  const given = isObject(settings.env) ? settings.env : {};
  const env = { ...given, [BARE_VARIABLE]: "" };
  return { ...fields, settings: { ...settings, env } };
}

const SETTINGS_REQUESTS: ReadonlySet<string> = new Set([
  "apply_flag_settings",
  "update_settings",
]);
