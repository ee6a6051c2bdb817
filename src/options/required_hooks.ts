import { ConfigError } from "../errors/base.ts";
import { asObject, isObject, textOfError, typeOf } from "../errors/text.ts";
import type { PermissionMode } from "../protocol/permissions.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { AgentOptions } from "../types/options.ts";
import { mentionVariables } from "./file_mentions.ts";
import { contradict } from "./refuse.ts";
import { isResumed } from "./session_options.ts";
import { parseSettings } from "./settings_layer.ts";
import { splitSpecs } from "./tool_spec.ts";

/** Switches bare mode on, in which the CLI calls no hook and still confirms them. Source: tried on CLI 2.1.80 to 2.1.328. */
const BARE_VARIABLE = "CLAUDE_CODE_SIMPLE";
/** Flags after which the CLI calls no hook. Source: tried on CLI 2.1.328. */
const HOOKLESS_FLAGS: readonly string[] = ["bare", "safe-mode"];
/** Settings that switch hooks off, ours perhaps among them. */
const NO_HOOKS: readonly string[] = [
  "disableAllHooks",
  "allowManagedHooksOnly",
];
/** Keeps shell lines in skills and commands from running: no hook and no permission sees those. */
const NO_SKILL_SHELL = "disableSkillShellExecution";
/** Modes in which calls run that no rule allows. */
const UNASKED_MODES: ReadonlySet<PermissionMode> = new Set([
  "acceptEdits",
  "auto",
  "bypassPermissions",
]);
/** The control request that lays settings over those of files. */
const APPLY = "apply_flag_settings";

/** The options that have no effect unless the CLI calls hooks. */
export function optionsByHooks(options: AgentOptions): readonly string[] {
  const { allowedTools, deniedTools, permissions, hooks = {} } = options;
  const hasHooks = Object.values(hooks).some((matchers) =>
    matchers?.some((matcher) => matcher.hooks.length > 0)
  );
  return [
    ...(hasHooks ? ["hooks"] : []),
    ...(allowedTools === undefined ? [] : ["allowedTools"]),
    ...(splitSpecs(deniedTools ?? []).length === 0 ? [] : ["deniedTools"]),
    ...(permissions?.approvals === undefined ? [] : ["permissions.approvals"]),
  ];
}

/**
 * Whether the CLI has to read `initialize` before it starts a session: one that resumes a deferred call judges it at once, by its own rules
 * if it has read no hooks. Source: tried on CLI 2.1.330.
 */
export function startsByHooks(options: AgentOptions): boolean {
  return isResumed(options) && optionsByHooks(options).length > 0;
}

/** The mode that is set only when hooks hold, if it lets calls run unasked: a deferred call may be judged before they do. */
export function lateMode(options: AgentOptions): PermissionMode | undefined {
  const mode = options.permissions?.mode;
  const isUnasked = mode !== undefined && UNASKED_MODES.has(mode);
  return isUnasked && startsByHooks(options) ? mode : undefined;
}

/** Whether a variable would switch bare mode on; Windows ignores its case. */
export function isBareVariable(name: string): boolean {
  return name.toUpperCase() === BARE_VARIABLE;
}

/** Refuses flags, variables and settings that switch hooks off beside options that need them. */
export function checkHooksOn(options: AgentOptions): void {
  const [first] = optionsByHooks(options);
  if (first === undefined) return;
  const { env, extraArgs = {}, settings, managedSettings } = options;
  for (const flag of HOOKLESS_FLAGS) {
    const set = extraArgs[flag];
    if (set !== undefined) refuseOff(`extraArgs.${flag}`, set, first);
  }
  // These stand above all others.
  checkSettings("managedSettings", managedSettings, first);
  checkVariables("env", env, first);
  checkSettings("settings", parseSettings(settings), first);
}

function checkVariables(key: string, variables: unknown, by: string): void {
  if (!isObject<unknown>(variables)) return;
  for (const [name, value] of Object.entries(variables)) {
    const isOff = /^(?:0|false|no|off|null|undefined|)$/i
      .test(String(value).trim());
    if (isBareVariable(name) && !isOff) refuseOff(`${key}.${name}`, value, by);
  }
}

/** A path tells nothing. */
function checkSettings(key: string, settings: unknown, by: string): void {
  if (!isObject<unknown>(settings)) return;
  checkVariables(`${key}.env`, settings.env, by);
  for (const name of NO_HOOKS) {
    if (settings[name]) refuseOff(`${key}.${name}`, settings[name], by);
  }
}

function refuseOff(key: string, value: unknown, by: string): never {
  const why =
    `must be left out beside "${by}": it switches off the hooks that this needs`;
  return contradict(key, value, why);
}

/**
 * The settings that keep hooks and lists in force, for the layer above the user's files: a file that is changed in the
 * middle of a session switches nothing off.
 *
 * @param variables Those that were applied before, whose place they take
 */
export function hookSettings(
  options: AgentOptions,
  variables: JsonObject = {},
): JsonObject {
  const isShellOpen = options.allowedTools === undefined ||
    skillShell(options) !== undefined;
  return {
    env: hookVariables(options, variables),
    ...!isShellOpen && { [NO_SKILL_SHELL]: true },
  };
}

function hookVariables(options: AgentOptions, before: JsonObject): JsonObject {
  return { ...before, [BARE_VARIABLE]: "", ...mentionVariables(options) };
}

/** Whether the user lets skills run shell lines past an allow-list. */
export function letsSkillsRun(options: AgentOptions): boolean {
  return options.allowedTools !== undefined && skillShell(options) === false;
}

/** The value in the settings; `undefined` also for settings in a file. */
function skillShell({ settings }: AgentOptions): JsonValue | undefined {
  const parsed = parseSettings(settings);
  return typeof parsed === "object" ? parsed[NO_SKILL_SHELL] : undefined;
}

/** The fields of a control request, with what keeps hooks on; throws for a request that switches them off. */
export function keepHooks(
  options: AgentOptions,
  subtype: string,
  given: JsonObject = {},
): JsonObject {
  if (typeof subtype !== "string") {
    refuseRequest(
      subtype,
      `Option "subtype" must be a string, is ${typeOf(subtype)}`,
    );
  }
  const [first] = optionsByHooks(options);
  if (first === undefined) return given;
  if (subtype === "initialize") {
    refuseRequest(
      subtype,
      `Request "initialize" must be left to reinitialize() beside "${first}": it would replace the hooks`,
    );
  }
  const fields = asWritten(subtype, given);
  const { settings } = fields;
  if (!isObject(settings)) return fields;
  if (subtype !== APPLY && subtype !== "update_settings") return fields;
  checkSettings("settings", settings, first);
  const variables = appliedVariables(subtype, fields);
  if (variables === undefined) return fields;
  const env = hookVariables(options, variables);
  return { ...fields, settings: { ...settings, env } };
}

function refuseRequest(
  value: unknown,
  message: string,
  key: string = "subtype",
): never {
  throw new ConfigError({ message, key, value, fatal: false });
}

/** A copy, so that `toJSON()` and getters cannot change what was judged; a `toJSON()` of the whole would replace the subtype. */
function asWritten(subtype: string, fields: JsonObject): JsonObject {
  try {
    return JSON.parse(JSON.stringify({ ...fields, toJSON: undefined }));
  } catch (cause) {
    const why = `cannot be written as JSON: ${textOfError(cause)}`;
    return refuseRequest(subtype, `Fields of "${subtype}" ${why}`, subtype);
  }
}

/** The variables that a control request applies in place of all before; `undefined` when it applies none. */
export function appliedVariables(
  subtype: string,
  { settings }: JsonObject,
): JsonObject | undefined {
  if (subtype !== APPLY || !isObject(settings)) return;
  if (settings.env === undefined) return;
  return asObject(settings.env);
}
