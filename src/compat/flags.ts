import { withSandbox } from "../options/settings_layer.ts";
import type { JsonObject } from "../types/json.ts";
import type { Options } from "./generated/options.ts";
import { FLAGS } from "./generated/sent_options.ts";

/** How the parts travel that have two ways. */
interface Delivery {
  readonly mcpServers: Readonly<Record<string, unknown>>;
  readonly plugins: NonNullable<Options["plugins"]>;
  readonly awaitsInitialize: boolean;
}

/** The arguments of the CLI, in the order of the official SDK, so that command lines can be compared. */
export function argumentsOf(
  options: Options,
  delivery: Delivery,
): readonly string[] {
  return [
    ...FLAGS.flatMap(([name, option]) =>
      OWN_WAY[name]?.(options, delivery) ??
        (option ? flag(name, options[option as keyof Options]) : [])
    ),
    ...Object.entries({ ...options.extraArgs, ...settingsOf(options) })
      .flatMap(([name, value]) =>
        value === null ? [`--${name}`] : word(name, String(value))
      ),
  ];
}

/** Flags that are more than the value of one option, or left out where it is 0. */
const OWN_WAY: Readonly<
  Record<
    string,
    (options: Options, delivery: Delivery) => readonly string[]
  >
> = {
  "thinking": thinkingFlags,
  "max-turns": ({ maxTurns }) => flag("max-turns", maxTurns || undefined),
  "json-schema": (options) => {
    const schema = schemaOf(options);
    return flag("json-schema", schema && JSON.stringify(schema));
  },
  "debug": ({ debug, debugFile }) => flag("debug", !debugFile && debug),
  "permission-prompt-tool": ({ canUseTool, permissionPromptToolName }) =>
    flag(
      "permission-prompt-tool",
      canUseTool ? "stdio" : permissionPromptToolName,
    ),
  "permission-prompts": ({ permissionPrompts }) =>
    flag("permission-prompts", permissionPrompts),
  // A store says itself which session is the newest.
  "continue": (options) =>
    flag("continue", options.continue && !options.sessionStore),
  "allowedTools": (options) =>
    flag("allowedTools", approvedTools(options).join(",")),
  "disallowedTools": ({ disallowedTools }) =>
    flag("disallowedTools", disallowedTools?.join(",")),
  "tools": ({ tools }) =>
    Array.isArray(tools)
      ? [`--tools=${tools.join(",")}`]
      : flag("tools", tools && "default"),
  "mcp-config": (_options, { mcpServers }) =>
    Object.keys(mcpServers).length === 0
      ? []
      : ["--mcp-config", JSON.stringify({ mcpServers })],
  "setting-sources": ({ settingSources }) =>
    settingSources ? [`--setting-sources=${settingSources.join(",")}`] : [],
  "task-budget": ({ taskBudget }) => flag("task-budget", taskBudget?.total),
  "betas": ({ betas }) => flag("betas", betas?.join(",")),
  "permission-mode": ({ permissionMode }) =>
    flag("permission-mode", permissionMode),
  "session-mirror": ({ sessionStore }) =>
    flag("session-mirror", sessionStore !== undefined),
  "no-session-persistence": ({ persistSession }) =>
    flag("no-session-persistence", persistSession === false),
  "project-config-root": ({ projectConfigRoot }) =>
    flag("project-config-root", projectConfigRoot),
  "add-dir": ({ additionalDirectories }) =>
    flag("add-dir", additionalDirectories),
  "plugin-dir": (_options, { awaitsInitialize, plugins }) => [
    ...flag("await-initialize", awaitsInitialize),
    ...plugins.flatMap(pluginFlag),
  ],
  "managed-settings": ({ managedSettings }) =>
    managedSettings
      ? word("managed-settings", JSON.stringify(managedSettings))
      : [],
};

/** A flag and its value as one argument; none without a value, and for a list one each. */
function flag(name: string, value: unknown): readonly string[] {
  if (value === undefined || value === false || value === "") return [];
  if (value === true) return [`--${name}`];
  const values = Array.isArray(value) ? value : [value];
  return values.map((one) => `--${name}=${one}`);
}

/** A flag and its value as two arguments, unless the value looks like a flag. */
function word(name: string, value: string): readonly string[] {
  return value.length > 1 && value.startsWith("-")
    ? [`--${name}=${value}`]
    : [`--${name}`, value];
}

function thinkingFlags(options: Options): readonly string[] {
  const { maxThinkingTokens: most, thinking } = options;
  if (thinking === undefined) {
    return most === 0
      ? ["--thinking=disabled"]
      : flag("max-thinking-tokens", most);
  }
  const { type } = thinking;
  if (type === "disabled") return ["--thinking=disabled"];
  if (type !== "enabled" && type !== "adaptive") return [];
  const budget = type === "enabled" ? thinking.budgetTokens : undefined;
  return [
    budget === undefined
      ? "--thinking=adaptive"
      : `--max-thinking-tokens=${budget}`,
    ...flag("thinking-display", thinking.display),
  ];
}

/** Skills that are named run without a question. */
function approvedTools(
  { allowedTools = [], skills }: Options,
): readonly string[] {
  const rules = skills === "all"
    ? ["Skill"]
    : (skills ?? []).map((name) => `Skill(${skillName(name)})`);
  return [
    ...allowedTools,
    ...rules.filter((rule) => !allowedTools.includes(rule)),
  ];
}

/** Throws for a name that would become another rule than the one meant. */
function skillName(name: unknown): string {
  if (typeof name !== "string" || name.trim() === "") {
    throw new Error("Skill names must be non-empty strings.");
  }
  const isBad = name !== name.trim() || name === "*" || name.startsWith("/") ||
    // deno-lint-ignore no-control-regex -- names may hold none
    /[(),\u0000-\u001f\u007f-\u009f]|\\\\|\\$|[: ]\*$/.test(name) ||
    !name.isWellFormed();
  if (!isBad) return name;
  throw new Error(
    `Invalid skill name ${
      JSON.stringify(name)
    }: it has to be the exact name of one skill, without a leading slash, wildcards, parentheses, commas, control characters or stray backslashes.`,
  );
}

function pluginFlag(
  plugin: NonNullable<Options["plugins"]>[number],
): readonly string[] {
  if (plugin.type !== "local") {
    throw new Error(`Unsupported plugin type: ${String(plugin.type)}`);
  }
  return flag(
    plugin.skipMcpDiscovery ? "plugin-dir-no-mcp" : "plugin-dir",
    plugin.path,
  );
}

/** The flag for settings: as they are, or with the sandbox laid over them. */
function settingsOf(
  { settings, sandbox, extraArgs }: Options,
): { readonly settings?: string } {
  const given = typeof settings === "object"
    ? JSON.stringify(settings)
    : settings || extraArgs?.settings || undefined;
  if (!sandbox) return given === undefined ? {} : { settings: given };
  const text = given?.trim();
  if (text !== undefined && !/^\{.*\}$/s.test(text)) {
    throw new Error(
      "Cannot use both a settings file path and the sandbox option. Include the sandbox configuration in your settings file instead.",
    );
  }
  let own: JsonObject = {};
  try {
    if (text !== undefined) own = JSON.parse(text);
  } catch {
    throw new Error("Invalid JSON provided to the settings option.");
  }
  return { settings: JSON.stringify(withSandbox(own, plainJson(sandbox))) };
}

/** The JSON Schema of structured output. */
export function schemaOf(
  { outputFormat }: Options,
): Record<string, unknown> | undefined {
  return outputFormat?.type === "json_schema" ? outputFormat.schema : undefined;
}

/** The same as JSON carries it: without what is undefined. Throws for what cannot be written. */
export function plainJson(value: unknown): JsonObject {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch (cause) {
    throw new Error(
      `The session was not started, because an option cannot be sent to Claude Code: ${
        String((cause as Error).message).split("\n")[0]
      }`,
      { cause },
    );
  }
}
