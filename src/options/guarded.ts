import { ConfigError } from "../errors/base.ts";
import { isObject, textOfError, typeOf } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import type { AgentOptions } from "../types/options.ts";
import { contradict } from "./refuse.ts";
import { parseSettings } from "./settings_layer.ts";
import { parseSpec, splitSpecs } from "./tool_spec.ts";

/** Switches bare mode on, in which the CLI calls no hook and still says that it took them. Source: tried on CLI 2.1.80 to 2.1.328. */
const BARE_VARIABLE = "CLAUDE_CODE_SIMPLE";
/** Makes the CLI name a file that a prompt, a command or a skill mentions (`@path`) instead of reading it past hooks and permissions. Source: named by CLI 2.1.299, tried on 2.1.330. */
const MENTIONS_VARIABLE = "CLAUDE_CODE_DISABLE_FILE_MENTIONS";
/** Flags after which the CLI calls no hook. Source: tried on CLI 2.1.328. */
const HOOKLESS_FLAGS: readonly string[] = ["bare", "safe-mode"];
/** Settings that switch hooks off, ours perhaps among them. */
const NO_HOOKS: readonly string[] = [
  "disableAllHooks",
  "allowManagedHooksOnly",
];

/** Whether hooks or lists of tools have to hold: their names, for errors. */
export function guards(options: AgentOptions): readonly string[] {
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

/** Whether a variable would switch bare mode on; Windows does not look at the case. */
export function isBareVariable(name: string): boolean {
  return name.toUpperCase() === BARE_VARIABLE;
}

/** Refuses what would switch bare mode on beside hooks and lists. */
export function checkBare(options: AgentOptions): void {
  const [first] = guards(options);
  if (first === undefined) return;
  const { env, extraArgs = {}, settings, managedSettings } = options;
  for (const flag of HOOKLESS_FLAGS) {
    const set = extraArgs[flag];
    if (set !== undefined) refuseBare(`extraArgs.${flag}`, set, first);
  }
  // These stand above all others.
  checkHooksOn("managedSettings", managedSettings as JsonObject, first);
  checkVariables("env", env, first);
  checkHooksOn("settings", parseSettings(settings), first);
}

/** Refuses variables that would switch bare mode on. */
function checkVariables(
  key: string,
  variables: unknown,
  guard: string,
): void {
  if (typeof variables !== "object" || variables === null) return;
  for (const [name, value] of Object.entries(variables)) {
    const isOff = value === undefined || value === null ||
      /^(?:0|false|no|off|)$/i.test(String(value).trim());
    if (isBareVariable(name) && !isOff) {
      refuseBare(`${key}.${name}`, value, guard);
    }
  }
}

/** Refuses settings that say that hooks are off, or have such variables; a path says nothing. */
function checkHooksOn(
  key: string,
  settings: JsonObject | string | undefined,
  guard: string,
): void {
  if (typeof settings !== "object") return;
  checkVariables(`${key}.env`, settings.env, guard);
  for (const name of NO_HOOKS) {
    const value = settings[name];
    if (value === undefined || value === null || value === false) continue;
    const why =
      `must be left out beside "${guard}": with hooks switched off nothing would be guarded`;
    contradict(`${key}.${name}`, value, why);
  }
}

function refuseBare(key: string, value: unknown, guard: string): never {
  const why =
    `must be left out beside "${guard}": in bare mode the CLI calls no hook, so that nothing would be guarded`;
  return contradict(key, value, why);
}

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
    env: {
      ...variables,
      [BARE_VARIABLE]: "",
      ...mentionVariables(options),
    },
    ...(options.allowedTools !== undefined &&
      skillShell(options) === undefined && { [NO_SKILL_SHELL]: true }),
  };
}

/** How much of `Read` a list of tools names. */
function readsIn(list: unknown): "all" | "some" | "none" | undefined {
  if (typeof list !== "string" && !Array.isArray(list)) return undefined;
  const specs = splitSpecs(list as string | readonly string[])
    .map(parseSpec).filter((spec) => spec?.tool === "Read");
  if (specs.some((spec) => spec?.pattern === undefined)) return "all";
  return specs.length > 0 ? "some" : "none";
}

/** The option that decides which files the model may read; `undefined` when nothing does. */
export function readPolicy(options: AgentOptions): string | undefined {
  const { tools, permissions = {}, hooks = {} } = options;
  const allowed = readsIn(options.allowedTools);
  if (allowed !== undefined && allowed !== "all") return "allowedTools";
  const denied = readsIn(options.deniedTools);
  if (denied !== undefined && denied !== "none") return "deniedTools";
  if (readsIn(tools) === "none") return "tools";
  const deciding = [hooks.PreToolUse, hooks.PermissionRequest];
  const isHooked = deciding.some((matchers) =>
    matchers?.some((one) => one.hooks.length > 0 && mayMatchRead(one.matcher))
  );
  if (isHooked) return "hooks";
  if (permissions.approvals !== undefined) return "permissions.approvals";
  return permissions.canUseTool && "permissions.canUseTool";
}

/** Plain names are compared whole; any other matcher is a pattern that the CLI reads. */
function mayMatchRead(matcher: string | undefined): boolean {
  return !matcher || !/^[\w|, -]+$/.test(matcher) ||
    matcher.split(/[|, ]+/).includes("Read");
}

/** Whether the lists leave no read at all, so that a rule against all reads says the same. */
export function deniesAllReads(
  { allowedTools, deniedTools, tools }: AgentOptions,
): boolean {
  return readsIn(allowedTools) === "none" || readsIn(tools) === "none" ||
    readsIn(deniedTools) === "all";
}

/** The allow-list, where it allows some reads, and mentions in prompts, commands or skills could name others. */
export function needsNoMentions(options: AgentOptions): string | undefined {
  if (deniesAllReads(options) || readsIn(options.allowedTools) !== "some") {
    return undefined;
  }
  return options.verbatimPrompts === true && isAlone(options) ||
      ownMentions(options) !== undefined
    ? undefined
    : "allowedTools";
}

/** Whether the user set himself what becomes of mentions, although an option decides about reads. */
export function letsMentionsRead(options: AgentOptions): boolean {
  return readPolicy(options) !== undefined &&
    /^(?!(?:1|true|yes|on)$)/i.test(String(ownMentions(options) ?? 1).trim());
}

/** The variable that keeps mentions from reading past the option that decides about reads, unless the user set it. */
export function mentionVariables(
  options: AgentOptions,
): Readonly<Record<string, string>> {
  const isNeeded = readPolicy(options) !== undefined &&
    ownMentions(options) === undefined;
  return isNeeded ? { [MENTIONS_VARIABLE]: "1" } : {};
}

/** What the options set the variable to; settings come before variables. */
function ownMentions({ env, settings }: AgentOptions): unknown {
  const parsed = parseSettings(settings);
  const own = isObject(parsed) && isObject(parsed.env) ? parsed.env : {};
  return own[MENTIONS_VARIABLE] ?? env?.[MENTIONS_VARIABLE];
}

/** Whether the user lets skills run shell lines past an allow-list, and said so. */
export function letsSkillsRun(options: AgentOptions): boolean {
  return options.allowedTools !== undefined && skillShell(options) === false;
}

/** The fields of a control request, with what keeps hooks on; throws for what would switch them off. */
export function keepGuards(
  options: AgentOptions,
  subtype: string,
  given: JsonObject = {},
): JsonObject {
  if (typeof subtype !== "string") {
    throw new ConfigError({
      message: `Option "subtype" must be a string, is ${typeOf(subtype)}`,
      key: "subtype",
      value: subtype,
      fatal: false,
    });
  }
  const [first] = guards(options);
  if (first === undefined) return given;
  if (subtype === "initialize") {
    throw new ConfigError({
      message:
        `Request "initialize" must be left to reinitialize() beside "${first}": its hooks would take the place of those that guard`,
      key: "subtype",
      value: subtype,
      fatal: false,
    });
  }
  const fields = asWritten(subtype, given);
  const { settings } = fields;
  if (!isObject(settings)) return fields;
  if (subtype !== APPLY && subtype !== "update_settings") return fields;
  checkHooksOn("settings", settings, first);
  const variables = variablesOf(subtype, fields);
  if (variables === undefined) return fields;
  const env = {
    ...variables,
    [BARE_VARIABLE]: "",
    ...mentionVariables(options),
  };
  return { ...fields, settings: { ...settings, env } };
}

/** A copy as JSON writes it, so that `toJSON()` and getters cannot change what was judged. */
function asWritten(subtype: string, fields: JsonObject): JsonObject {
  try {
    // A `toJSON()` of the whole would take the place of the subtype as well.
    const text = JSON.stringify({ ...fields, toJSON: undefined });
    return JSON.parse(text) as JsonObject;
  } catch (cause) {
    throw new ConfigError({
      message: `Fields of "${subtype}" cannot be written as JSON: ${
        textOfError(cause)
      }`,
      key: subtype,
      cause,
      fatal: false,
    });
  }
}

/** The variables that a control request applies in the place of all before; `undefined` when it applies none. */
export function variablesOf(
  subtype: string,
  { settings }: JsonObject,
): JsonObject | undefined {
  if (subtype !== APPLY || !isObject(settings)) return;
  if (settings.env === undefined) return;
  return isObject(settings.env) ? settings.env : {};
}

/** The control request that lays settings over those of files. */
const APPLY = "apply_flag_settings";

/** Keeps shell lines in skills and commands from running: no hook and no permission sees those. */
const NO_SKILL_SHELL = "disableSkillShellExecution";

/** What the settings say of shell lines in skills; `undefined` for nothing, and for settings in a file. */
function skillShell({ settings }: AgentOptions): unknown {
  const parsed = parseSettings(settings);
  return typeof parsed === "object" ? parsed[NO_SKILL_SHELL] : undefined;
}

/** Whether the CLI reads skills and commands of nobody else. */
function isAlone(
  { settingSources, plugins = [], additionalDirectories = [] }: AgentOptions,
): boolean {
  return settingSources?.length === 0 && plugins.length === 0 &&
    additionalDirectories.length === 0;
}
