import {
  ENTRYPOINT_VARIABLE,
  STREAMING_FLAGS,
  withSandbox,
} from "../options/launch.ts";
import type { Host } from "../ports/host.ts";
import type { JsonObject } from "../types/json.ts";
import type { Options } from "./generated/options.ts";
import { warnOnce } from "./warnings.ts";
import { SDK_VERSION } from "./errors.ts";
import type { McpSdkServerConfigWithInstance } from "./types_mcp.ts";

/** Options made ready: what is started, and what is said first. */
export interface Prepared {
  /** Arguments of the CLI. */
  readonly args: readonly string[];
  /** Fields of `initialize` that come from options; hooks and servers of this program are not among them. */
  readonly initialize: JsonObject;
  /** MCP servers of this program, by name. */
  readonly servers: ReadonlyMap<string, McpSdkServerConfigWithInstance>;
  /** Whether other servers go with `initialize`, which the CLI has to confirm before the prompt may leave. */
  readonly sendsServers: boolean;
}

/** How the official SDK starts scripts; anything else is a program. */
const SCRIPT = /\.(?:js|mjs|tsx|ts|jsx)$/;

/** The command in front of the CLI's own arguments; `undefined` = to be looked for. */
export function commandOf(
  options: Options,
  host: Host,
): readonly string[] | undefined {
  const { pathToClaudeCodeExecutable: path, executableArgs = [] } = options;
  if (!path) return undefined;
  if (!isScript(path)) return [path, ...executableArgs];
  const { executable = host.name === "bun" ? "bun" : "node" } = options;
  return [executable, ...executableArgs, path];
}

/** Whether a CLI needs something that runs it. */
export function isScript(path: string): boolean {
  return SCRIPT.test(path);
}

/**
 * Makes the arguments and the fields of `initialize`.
 *
 * @throws {Error} For what the official SDK refuses before it starts anything
 */
export function prepare(options: Options): Prepared {
  refuse(options);
  const { own: servers, outer } = ownServers(options.mcpServers);
  const sendsServers = options.mcpServersDelivery === "initialize" &&
    Object.keys(outer).length > 0;
  const plugins = options.pluginDelivery === "initialize" &&
      options.plugins?.length
    ? options.plugins
    : undefined;
  return {
    args: [
      ...STREAMING_FLAGS,
      ...argumentsOf(options, {
        mcpServers: sendsServers ? {} : outer,
        plugins: plugins ? [] : options.plugins ?? [],
        awaitsInitialize: sendsServers || plugins !== undefined,
      }),
    ],
    initialize: plainJson({
      ...promptOf(options),
      planModeInstructions: options.planModeInstructions,
      toolAliases: options.toolAliases,
      agents: agentsOf(options),
      title: options.title,
      skills: Array.isArray(options.skills) ? options.skills : undefined,
      jsonSchema: schemaOf(options),
      promptSuggestions: options.promptSuggestions,
      agentProgressSummaries: options.agentProgressSummaries,
      forwardSubagentText: options.forwardSubagentText,
      supportedDialogKinds: options.supportedDialogKinds,
      perTaskStopAffordance: options.perTaskStopAffordance,
      plugins,
      mcpServers: sendsServers ? outer : undefined,
    }),
    servers,
    sendsServers,
  };
}

/** The MCP servers of this program, and all others. */
export function ownServers(
  all: Options["mcpServers"] = {},
): {
  readonly own: ReadonlyMap<string, McpSdkServerConfigWithInstance>;
  readonly outer: Readonly<Record<string, unknown>>;
} {
  const own = new Map<string, McpSdkServerConfigWithInstance>();
  const outer: Record<string, unknown> = {};
  for (const [name, config] of Object.entries(all)) {
    if (config.type === "sdk" && config.instance) own.set(name, config);
    else outer[name] = config;
  }
  return { own, outer };
}

/** The whole environment: what was given, or else that of this program. */
export function environmentOf(
  options: Options,
  host: Host,
): Record<string, string> {
  const all: Record<string, string | undefined> = {
    ...options.env ?? host.env(),
  };
  all[ENTRYPOINT_VARIABLE] ||= "sdk-ts";
  all.CLAUDE_AGENT_SDK_VERSION ||= SDK_VERSION;
  if (options.enableFileCheckpointing) {
    all.CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING = "true";
  }
  all.CLAUDE_CODE_SDK_READS_SESSION_STATE ??= "1";
  const { previewFormat } = options.toolConfig?.askUserQuestion ?? {};
  if (previewFormat) all.CLAUDE_CODE_QUESTION_PREVIEW_FORMAT = previewFormat;
  // They would change what the CLI is, or what it prints.
  delete all.NODE_OPTIONS;
  const debug = all.DEBUG_CLAUDE_AGENT_SDK ?? "";
  if (/^\s*(?:1|true|yes|on)\s*$/i.test(debug)) all.DEBUG = "1";
  else delete all.DEBUG;
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] =>
      entry[1] !== undefined
    ),
  );
}

/** Throws for what the official SDK refuses before it starts anything, with its words where programs may look for them. */
function refuse(options: Options): void {
  const { sessionStore: store, supportedDialogKinds = [] } = options;
  if (store && options.persistSession === false) {
    throw new Error(
      "sessionStore cannot be used with persistSession: false: the store is a copy of what the CLI writes",
    );
  }
  if (supportedDialogKinds.length > 0 && !options.onUserDialog) {
    throw new Error(
      "supportedDialogKinds requires an onUserDialog callback: nobody would answer the dialogs",
    );
  }
  if (store && options.continue && !options.resume && !store.listSessions) {
    throw new Error(
      "Options.continue with sessionStore requires store.listSessions to be implemented",
    );
  }
  if (store && options.enableFileCheckpointing) {
    throw new Error(
      "enableFileCheckpointing is not yet supported with sessionStore: the copies of files are not in the store",
    );
  }
  for (const key of ["pluginDelivery", "mcpServersDelivery"] as const) {
    const way = options[key];
    if (way === undefined || way === "argv" || way === "initialize") continue;
    throw new Error(`Invalid ${key}. Expected 'argv' or 'initialize'.`);
  }
  if (options.canUseTool && options.permissionPromptToolName) {
    throw new Error(
      "canUseTool callback cannot be used with permissionPromptToolName. Please use one or the other.",
    );
  }
  if (options.fallbackModel && options.fallbackModel === options.model) {
    throw new Error(
      "Fallback model cannot be the same as the main model. Please specify a different model for fallbackModel option.",
    );
  }
  for (const [event, matchers] of Object.entries(options.hooks ?? {})) {
    if (!matchers) continue;
    if (!Array.isArray(matchers)) {
      throw new Error(`hooks.${event} must be an array of matchers`);
    }
    for (const [index, matcher] of matchers.entries()) {
      if (Array.isArray(matcher?.hooks)) continue;
      throw new Error(
        `hooks.${event}[${index}].hooks must be an array of callbacks`,
      );
    }
  }
}

/** Flags in the order of the official SDK, so that command lines can be compared. */
function argumentsOf(
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

function schemaOf(
  { outputFormat }: Options,
): Record<string, unknown> | undefined {
  return outputFormat?.type === "json_schema" ? outputFormat.schema : undefined;
}

/** Unset is next to nothing here, not the CLI's own prompt: that one has to be asked for. */
function promptOf({ systemPrompt = "" }: Options): Record<string, unknown> {
  if (typeof systemPrompt === "string") return { systemPrompt: [systemPrompt] };
  if (Array.isArray(systemPrompt)) return { systemPrompt };
  const { snapshot: systemPromptSnapshot } = systemPrompt;
  if (systemPrompt.type === "custom") {
    const { prompt } = systemPrompt;
    return {
      systemPrompt: typeof prompt === "string" ? [prompt] : prompt,
      systemPromptSnapshot,
    };
  }
  return {
    appendSystemPrompt: systemPrompt.append,
    excludeDynamicSections: systemPrompt.excludeDynamicSections,
    systemPromptSnapshot,
  };
}

/** A server of this program serves the session, not one agent: of those an agent names only the name travels. */
function agentsOf({ agents }: Options): Record<string, unknown> | undefined {
  if (agents === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(agents).map(([agentName, agent]) => {
      if (!Array.isArray(agent?.mcpServers)) return [agentName, agent];
      const mcpServers = agent.mcpServers.map((spec) => {
        if (typeof spec !== "object" || spec === null) return spec;
        return Object.fromEntries(
          Object.entries(spec).map(([name, config]) => {
            if (config?.type !== "sdk" || !("instance" in config)) {
              return [name, config];
            }
            warnOnce(
              `Agent "${agentName}": MCP server "${name}" in its mcpServers was ignored; a server made by createSdkMcpServer() works in the option mcpServers alone`,
              "CLAUDE_SDK_AGENT_IN_PROCESS_SERVER",
            );
            return [name, { type: "sdk", name: config.name ?? name }];
          }),
        );
      });
      return [agentName, { ...agent, mcpServers }];
    }),
  );
}

/** The same as JSON carries it: without what is undefined. Throws for what cannot be written. */
function plainJson(value: unknown): JsonObject {
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
