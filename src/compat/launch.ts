import { ENTRYPOINT_VARIABLE, STREAMING_FLAGS } from "../options/launch.ts";
import type { Host } from "../ports/host.ts";
import type { JsonObject } from "../types/json.ts";
import type { Options } from "./generated/options.ts";
import { warnOnce } from "./warnings.ts";
import { SDK_VERSION } from "./errors.ts";
import { argumentsOf, plainJson, schemaOf } from "./flags.ts";
import type { McpSdkServerConfigWithInstance } from "./generated/types.ts";
import { FIELDS, VARIABLES } from "./generated/sent_options.ts";

/** Options, prepared for the command line and for `initialize`. */
export interface Prepared {
  readonly args: readonly string[];
  /** Fields of `initialize` that come from options; hooks and servers of this program are not among them. */
  readonly initialize: JsonObject;
  readonly servers: ReadonlyMap<string, McpSdkServerConfigWithInstance>;
  /** Whether other servers go with `initialize`, which the CLI has to confirm before the prompt may leave. */
  readonly sendsServers: boolean;
}

/** The official SDK runs these by a runtime. */
const SCRIPT = /\.(?:js|mjs|tsx|ts|jsx)$/;

/** The command before the CLI's own arguments; `undefined` = find the CLI. */
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

/** Whether a runtime must run the CLI. */
export function isScript(path: string): boolean {
  return SCRIPT.test(path);
}

/**
 * Makes the arguments and the fields of `initialize`.
 *
 * @throws {Error} For what the official SDK refuses before it starts anything
 */
export function prepare(options: Options): Prepared {
  for (const text of faultsOf(options)) throw new Error(text);
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
        awaitsInitialize: sendsServers || plugins !== undefined ||
          startsByHooks(options),
      }),
    ],
    initialize: plainJson({
      ...Object.fromEntries(
        FIELDS.map(([field, option]) => [
          field,
          options[option as keyof Options],
        ]),
      ),
      ...promptOf(options),
      toolAliases: options.toolAliases,
      agents: agentsOf(options),
      skills: Array.isArray(options.skills) ? options.skills : undefined,
      jsonSchema: schemaOf(options),
      supportedDialogKinds: options.supportedDialogKinds,
      plugins,
      mcpServers: sendsServers ? outer : undefined,
    }),
    servers,
    sendsServers,
  };
}

/** Whether the CLI has to read `initialize` first, see `startsByHooks()` of the core; `canUseTool` is called in any case. */
function startsByHooks(
  { continue: isContinued, resume, extraArgs = {}, hooks }: Options,
) {
  const isResumed = Boolean(isContinued || resume) ||
    "resume" in extraArgs || "continue" in extraArgs;
  return isResumed && Object.values(hooks ?? {}).some(
    (matchers) =>
      matchers && matchers.some((matcher) => matcher.hooks.length > 0),
  );
}

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

/** The whole environment of the CLI. */
export function environmentOf(
  options: Options,
  host: Host,
): Record<string, string> {
  const all: Record<string, string | undefined> = {
    ...options.env ?? host.env(),
  };
  all[ENTRYPOINT_VARIABLE] ||= "sdk-ts";
  all.CLAUDE_AGENT_SDK_VERSION ||= SDK_VERSION;
  all.CLAUDE_CODE_SDK_READS_SESSION_STATE ??= "1";
  if (options.enableFileCheckpointing) {
    all[VARIABLES.enableFileCheckpointing] = "true";
  }
  const { previewFormat } = options.toolConfig?.askUserQuestion ?? {};
  if (previewFormat) all[VARIABLES.toolConfig] = previewFormat;
  // They would change the CLI or its output.
  delete all.NODE_OPTIONS;
  const debug = all.DEBUG_CLAUDE_AGENT_SDK ?? "";
  if (/^\s*(?:1|true|yes|on)\s*$/i.test(debug)) all.DEBUG = "1";
  else delete all.DEBUG;
  // Node writes other values as text, and not all runtimes do.
  return Object.fromEntries(
    Object.entries(all)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  );
}

/** Reasons for which the official SDK starts nothing, in its words. */
function* faultsOf(options: Options): Generator<string> {
  const { sessionStore: store, supportedDialogKinds = [] } = options;
  if (store && options.persistSession === false) {
    yield "sessionStore cannot be used with persistSession: false: the store is a copy of what the CLI writes";
  }
  if (supportedDialogKinds.length > 0 && !options.onUserDialog) {
    yield "supportedDialogKinds requires an onUserDialog callback: the dialogs would get no answer";
  }
  if (store && options.continue && !options.resume && !store.listSessions) {
    yield "Options.continue with sessionStore requires store.listSessions to be implemented";
  }
  if (store && options.enableFileCheckpointing) {
    yield "enableFileCheckpointing is not yet supported with sessionStore: the copies of files are not in the store";
  }
  for (const key of ["pluginDelivery", "mcpServersDelivery"] as const) {
    const way = options[key];
    if (way === undefined || way === "argv" || way === "initialize") continue;
    yield `Invalid ${key}. Expected 'argv' or 'initialize'.`;
  }
  if (options.canUseTool && options.permissionPromptToolName) {
    yield "canUseTool callback cannot be used with permissionPromptToolName. Please use one or the other.";
  }
  if (options.fallbackModel && options.fallbackModel === options.model) {
    yield "Fallback model cannot be the same as the main model. Please specify a different model for fallbackModel option.";
  }
  for (const [event, matchers] of Object.entries(options.hooks ?? {})) {
    if (!matchers) continue;
    if (!Array.isArray(matchers)) {
      yield hookFault(`hooks.${event} must be an array of matchers`);
    }
    for (const [index, matcher] of matchers.entries()) {
      if (Array.isArray(matcher?.hooks)) continue;
      yield hookFault(
        `hooks.${event}[${index}].hooks must be an array of callbacks`,
      );
    }
  }
}

function hookFault(fact: string): string {
  return `The session was not started, because the hooks option can't be sent to Claude Code: ${fact}`;
}

/** The default is nearly empty; the CLI's own prompt is a preset. */
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

/** Agents get in-process servers by name: such a server belongs to the session. */
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
