import { withSandbox } from "../options/settings_layer.ts";
import type { JsonObject } from "../types/json.ts";
import type { Options } from "./generated/options.ts";

/** Flags in the order of the official SDK, so that command lines can be compared. */
export function argumentsOf(
  options: Options,
  { mcpServers, plugins, awaitsInitialize }: {
    readonly mcpServers: Readonly<Record<string, unknown>>;
    readonly plugins: NonNullable<Options["plugins"]>;
    readonly awaitsInitialize: boolean;
  },
): readonly string[] {
  const { tools, persistSession } = options;
  const schema = schemaOf(options);
  const asks = options.canUseTool
    ? "stdio"
    : options.permissionPromptToolName || undefined;
  return [
    ...thinkingFlags(options),
    ...flag("effort", options.effort || undefined),
    ...flag("max-turns", options.maxTurns || undefined),
    ...flag("max-budget-usd", options.maxBudgetUsd),
    ...flag("task-budget", options.taskBudget?.total),
    ...flag("model", options.model || undefined),
    ...flag("agent", options.agent || undefined),
    ...flag("betas", joined(options.betas)),
    ...flag("json-schema", schema && JSON.stringify(schema)),
    ...options.debugFile
      ? flag("debug-file", options.debugFile)
      : bare("debug", options.debug),
    ...flag("permission-prompt-tool", asks),
    ...flag("permission-prompts", options.permissionPrompts || undefined),
    // A store says by itself which session is the newest.
    ...bare("continue", options.continue && !options.sessionStore),
    ...flag("resume", options.resume || undefined),
    ...flag("allowedTools", joined(approvedTools(options))),
    ...flag("disallowedTools", joined(options.disallowedTools)),
    ...flag(
      "tools",
      tools && (Array.isArray(tools) ? tools.join(",") : "default"),
    ),
    ...Object.keys(mcpServers).length === 0
      ? []
      : ["--mcp-config", JSON.stringify({ mcpServers })],
    ...flag("setting-sources", options.settingSources?.join(",")),
    ...bare("strict-mcp-config", options.strictMcpConfig),
    ...flag("permission-mode", options.permissionMode || undefined),
    ...bare(
      "allow-dangerously-skip-permissions",
      options.allowDangerouslySkipPermissions,
    ),
    ...flag("fallback-model", options.fallbackModel || undefined),
    ...bare("include-hook-events", options.includeHookEvents),
    ...bare("include-partial-messages", options.includePartialMessages),
    ...bare("session-mirror", options.sessionStore !== undefined),
    ...flag("project-config-root", options.projectConfigRoot),
    ...(options.additionalDirectories ?? []).flatMap((one) =>
      flag("add-dir", one)
    ),
    ...bare("await-initialize", awaitsInitialize),
    ...plugins.flatMap((plugin) => pluginFlag(plugin)),
    ...bare("fork-session", options.forkSession),
    ...flag("resume-session-at", options.resumeSessionAt || undefined),
    ...flag("resume-drops-turn", options.resumeDropsTurn),
    ...flag("session-id", options.sessionId || undefined),
    ...bare("no-session-persistence", persistSession === false),
    ...options.managedSettings
      ? word("managed-settings", JSON.stringify(options.managedSettings))
      : [],
    ...Object.entries({ ...options.extraArgs, ...settingsOf(options) })
      .flatMap(([name, value]) =>
        value === null ? [`--${name}`] : word(name, String(value))
      ),
  ];
}

/** A flag and its value as one argument; none without a value. */
function flag(
  name: string,
  value: string | number | undefined,
): readonly string[] {
  return value === undefined ? [] : [`--${name}=${value}`];
}

function bare(name: string, isSet: boolean | undefined): readonly string[] {
  return isSet ? [`--${name}`] : [];
}

/** A flag and its value as two arguments, unless the value looks like a flag. */
function word(name: string, value: string): readonly string[] {
  return value.length > 1 && value.startsWith("-")
    ? [`--${name}=${value}`]
    : [`--${name}`, value];
}

/** An empty list is no flag. */
function joined(items: readonly string[] = []): string | undefined {
  return items.length === 0 ? undefined : items.join(",");
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
