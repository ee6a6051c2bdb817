import { withSandbox } from "../options/merged_settings.ts";
import type { JsonObject } from "../types/json.ts";
import { OPTION_KINDS, type Options } from "./generated/options.ts";
import { FLAGS } from "./generated/sent_options.ts";

/** Delivery of the parts that may travel as arguments or in `initialize`. */
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
      ARGUMENTS[name]?.(options, delivery) ??
        flag(
          name,
          VALUES[name]
            ? VALUES[name](options)
            : option && valueOf(options, option as keyof Options),
        )
    ),
    ...Object.entries({ ...options.extraArgs, ...settingsOf(options) })
      .flatMap(([name, value]) =>
        value === null ? [`--${name}`] : word(name, String(value))
      ),
  ];
}

/** `true` = the flag alone, `undefined` or `false` = none, a list = the flag once for each. */
type FlagValue = string | boolean | readonly string[] | undefined;

/** Values that are not those of one option as they are. */
const VALUES: Readonly<Record<string, (options: Options) => FlagValue>> = {
  "max-turns": ({ maxTurns }) => unlessFalse(maxTurns),
  "task-budget": ({ taskBudget }) =>
    taskBudget ? String(taskBudget.total) : undefined,
  "betas": ({ betas }) => joined(betas),
  "json-schema": (options) => JSON.stringify(schemaOf(options) || undefined),
  "debug": ({ debug, debugFile }) => !debugFile && Boolean(debug),
  "permission-prompt-tool": ({ canUseTool, permissionPromptToolName }) =>
    canUseTool ? "stdio" : unlessFalse(permissionPromptToolName),
  "permission-prompts": ({ permissionPrompts }) =>
    unlessFalse(permissionPrompts),
  // A store says itself which session is the newest.
  "continue": ({ continue: value, sessionStore }) =>
    Boolean(value) && !sessionStore,
  "allowedTools": (options) => joined(approvedTools(options)),
  "disallowedTools": ({ disallowedTools }) => joined(disallowedTools),
  "tools": ({ tools }) =>
    Array.isArray(tools)
      ? tools.join(",")
      : tools === undefined
      ? undefined
      : "default",
  "setting-sources": ({ settingSources }) => settingSources?.join(","),
  "permission-mode": ({ permissionMode }) => unlessFalse(permissionMode),
  "session-mirror": ({ sessionStore }) => Boolean(sessionStore),
  "no-session-persistence": ({ persistSession }) => persistSession === false,
  // The CLI refuses an empty one: without the flag it would read that of the working directory.
  "project-config-root": ({ projectConfigRoot }) => given(projectConfigRoot),
  "resume-drops-turn": ({ resumeDropsTurn }) => given(resumeDropsTurn),
  "add-dir": ({ additionalDirectories }) => additionalDirectories,
};

/** Flags that are written in a way of their own. */
const ARGUMENTS: Readonly<
  Record<string, (options: Options, delivery: Delivery) => readonly string[]>
> = {
  "thinking": thinkingFlags,
  "mcp-config": (_, { mcpServers }) =>
    Object.keys(mcpServers).length === 0
      ? []
      : ["--mcp-config", JSON.stringify({ mcpServers })],
  "plugin-dir": (_, { awaitsInitialize, plugins }) => [
    ...flag("await-initialize", awaitsInitialize),
    ...plugins.flatMap(pluginFlag),
  ],
  "managed-settings": ({ managedSettings }) =>
    managedSettings
      ? word("managed-settings", JSON.stringify(managedSettings))
      : [],
};

/** The value of an option; that of a switch goes by truth, and false text is omitted. */
function valueOf(options: Options, name: keyof Options): FlagValue {
  const value = options[name];
  const [kind] = OPTION_KINDS[name];
  if (kind === "boolean") return Boolean(value);
  return kind === "string" ? unlessFalse(value) : given(value);
}

/** A value as text, however odd: the CLI refuses a bad limit, and would not miss one that was left out. */
function given(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}

function unlessFalse(value: unknown): string | undefined {
  return value ? String(value) : undefined;
}

function joined(list: readonly string[] = []): string | undefined {
  return list.length > 0 ? list.join(",") : undefined;
}

/** A flag and its value as one argument. */
function flag(name: string, value: FlagValue): readonly string[] {
  if (value === undefined || value === false) return [];
  if (value === true) return [`--${name}`];
  return [value].flat().map((one) => `--${name}=${one}`);
}

/** A flag and its value as two arguments, unless the value looks like a flag. */
function word(name: string, value: string): readonly string[] {
  return value.length > 1 && value.startsWith("-")
    ? [`--${name}=${value}`]
    : [`--${name}`, value];
}

function thinkingFlags(options: Options): readonly string[] {
  const { maxThinkingTokens: most, thinking } = options;
  if (!thinking) {
    return most === 0
      ? ["--thinking=disabled"]
      : flag("max-thinking-tokens", given(most));
  }
  const { type } = thinking;
  if (type === "disabled") return ["--thinking=disabled"];
  if (type !== "enabled" && type !== "adaptive") return [];
  const budget = type === "enabled" ? thinking.budgetTokens : undefined;
  return [
    budget === undefined
      ? "--thinking=adaptive"
      : `--max-thinking-tokens=${budget}`,
    ...flag("thinking-display", unlessFalse(thinking.display)),
  ];
}

/** Named skills run without prompting. */
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

/** Throws for a name that would become a different rule. */
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
    String(plugin.path),
  );
}

/** The flag for settings, with the sandbox on top. */
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

/** A copy by JSON; throws for what cannot be written. */
export function plainJson(value: unknown, what = "an option"): JsonObject {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch (cause) {
    throw new Error(
      `The session was not started, because ${what} cannot be sent to Claude Code: ${
        String((cause as Error).message).split("\n")[0]
      }`,
      { cause },
    );
  }
}
