import { ConfigError } from "../errors/base.ts";
import { isObject } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import type { AgentOptions } from "../types/options.ts";
import { BARE_VARIABLE, checkHooksOn, guards } from "./guarded.ts";
import { parseSettings } from "./fields.ts";

/**
 * The settings that keep hooks and lists in force, for the layer above the user's files: a file that is changed in the
 * middle of a session switches nothing off.
 *
 * @param variables Those that were applied before, whose place they take
 */
export function guardSettings(
  options: AgentOptions,
  variables: JsonObject = {},
): JsonObject {
  return {
    env: { ...variables, [BARE_VARIABLE]: "" },
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
  if (first === undefined || !isObject(settings)) return fields;
  if (!SETTINGS_REQUEST.test(subtype)) return fields;
  checkHooksOn("settings", settings, first);
  const given = variablesOf(subtype, fields);
  if (given === undefined) return fields;
  const env = { ...given, [BARE_VARIABLE]: "" };
  return { ...fields, settings: { ...settings, env } };
}

/** The variables that a control request applies in the place of all before; `undefined` when it applies none. */
export function variablesOf(
  subtype: string,
  { settings }: JsonObject,
): JsonObject | undefined {
  if (subtype !== "apply_flag_settings" || !isObject(settings)) return;
  if (settings.env === undefined) return;
  return isObject(settings.env) ? settings.env : {};
}

const SETTINGS_REQUEST = /^(?:apply_flag|update)_settings$/;

/** Keeps shell lines in skills and commands from running: no hook and no permission sees those. */
const NO_SKILL_SHELL = "disableSkillShellExecution";

/** What the settings say of shell lines in skills; `undefined` for nothing, and for settings in a file. */
function skillShell({ settings }: AgentOptions): unknown {
  const parsed = parseSettings(settings);
  return typeof parsed === "object" ? parsed[NO_SKILL_SHELL] : undefined;
}

/** The option that relies on shell lines of skills not to run. */
export function needsNoSkillShell(options: AgentOptions): string | undefined {
  const said = skillShell(options);
  if (said === true) return `settings.${NO_SKILL_SHELL}`;
  return options.allowedTools !== undefined && said === undefined
    ? "allowedTools"
    : undefined;
}

/** Whether the CLI reads skills and commands of anybody else. */
export function mayHoldSkills(
  { settingSources, plugins = [], additionalDirectories = [] }: AgentOptions,
): boolean {
  return settingSources?.length !== 0 || plugins.length > 0 ||
    additionalDirectories.length > 0;
}
