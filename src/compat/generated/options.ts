// Made from protocol/ by `npm run generate`; edit that.
import type {
  AgentDefinition,
  EffortLevel,
  HookEvent,
  PermissionMode,
  SdkPluginConfig,
} from "./official.ts";
import type {
  CanUseTool,
  HookCallbackMatcher,
  McpServerConfig,
  OnElicitation,
  OnUserDialog,
  OutputFormat,
  SandboxSettings,
  SdkBeta,
  SessionStore,
  SessionStoreFlush,
  Settings,
  SettingSource,
  SpawnedProcess,
  SpawnOptions,
  ThinkingConfig,
  ToolConfig,
} from "./types.ts";

/**
 * Everything that {@link query} can be told, with the official names and meanings.
 *
 * What is not known here, or of a wrong type, is told of once as a warning of the process, and goes to the CLI as it is.
 */
export interface Options {
  /** Cancels everything. */
  abortController?: AbortController | undefined;
  /** Further directories that tools may touch. */
  additionalDirectories?: string[] | undefined;
  /** Directory whose configuration of a project counts. */
  projectConfigRoot?: string | undefined;
  /** The agent that runs the main thread. */
  agent?: string | undefined;
  /** Agents that the model can hand work to, by name. */
  agents?: Record<string, AgentDefinition> | undefined;
  /** Tools that run without a question; no limit on the others. */
  allowedTools?: string[] | undefined;
  /** Decides whether a tool may run, where rules leave that open. */
  canUseTool?: CanUseTool | undefined;
  /** Whether to continue the newest session of the working directory. */
  continue?: boolean | undefined;
  /** Working directory; that of this program. */
  cwd?: string | undefined;
  /** Tools that may not be used. */
  disallowedTools?: string[] | undefined;
  /** Names by which the model calls tools, each with the real one. */
  toolAliases?: Record<string, string> | undefined;
  /** Which built-in tools exist. */
  tools?: string[] | { type: "preset"; preset: "claude_code" } | undefined;
  /** The whole environment of the CLI; unset = that of this program. */
  env?: { [envVar: string]: string | undefined } | undefined;
  /** Runtime of a CLI that is a script. */
  executable?: "bun" | "deno" | "node" | undefined;
  /** Arguments before those of the CLI. */
  executableArgs?: string[] | undefined;
  /** Further flags of the CLI, `null` for one without a value. */
  extraArgs?: Record<string, string | null> | undefined;
  /** The model to fall back to. */
  fallbackModel?: string | undefined;
  /** Whether the CLI keeps copies of changed files, for `rewindFiles()`. */
  enableFileCheckpointing?: boolean | undefined;
  /** How built-in tools behave. */
  toolConfig?: ToolConfig | undefined;
  /** With `resume`: under a new id. */
  forkSession?: boolean | undefined;
  /** Beta features of the API. */
  betas?: SdkBeta[] | undefined;
  /** Callbacks by event; one that throws stops nothing. */
  hooks?: Partial<Record<HookEvent, HookCallbackMatcher[]>> | undefined;
  /** Answers questions of MCP servers; unset = declined. */
  onElicitation?: OnElicitation | undefined;
  /** Shows dialogs of the CLI. */
  onUserDialog?: OnUserDialog | undefined;
  /** Which dialogs can be shown; needs `onUserDialog`. */
  supportedDialogKinds?: string[] | undefined;
  /** Whether the host can stop single tasks. */
  perTaskStopAffordance?: boolean | undefined;
  /** Whether the CLI writes the session to disk; true. */
  persistSession?: boolean | undefined;
  /** Where the session is kept besides. */
  sessionStore?: SessionStore | undefined;
  /** How often the store is written; `"batched"`. */
  sessionStoreFlush?: SessionStoreFlush | undefined;
  /** Limit on one read from the store, in milliseconds; 60 000. */
  loadTimeoutMs?: number | undefined;
  /** Whether messages about command hooks come. */
  includeHookEvents?: boolean | undefined;
  /** Whether `stream_event` messages come. */
  includePartialMessages?: boolean | undefined;
  /** Whether texts of subagents come. */
  forwardSubagentText?: boolean | undefined;
  /** Whether prompts are taken as they are written, without commands in them. */
  verbatimPrompts?: boolean | undefined;
  /** Whether and how much the model thinks. */
  thinking?: ThinkingConfig | undefined;
  /** How hard the model works. */
  effort?: EffortLevel | undefined;
  /** Most tokens of thinking; 0 = none. */
  maxThinkingTokens?: number | undefined;
  /** Most model turns. */
  maxTurns?: number | undefined;
  /** Most spent, in US dollars. */
  maxBudgetUsd?: number | undefined;
  /** Token budget of the task, shown to the model. */
  taskBudget?: { total: number } | undefined;
  /** MCP servers by name. */
  mcpServers?: Record<string, McpServerConfig> | undefined;
  /** How they get to the CLI; `"argv"`, which other users of the machine can read. */
  mcpServersDelivery?: "argv" | "initialize" | undefined;
  /** The model. */
  model?: string | undefined;
  /** Structured output. */
  outputFormat?: OutputFormat | undefined;
  /** The CLI; unset = looked for. */
  pathToClaudeCodeExecutable?: string | undefined;
  /** Calls that run without prompting. */
  permissionMode?: PermissionMode | undefined;
  /** Instructions for the model in plan mode. */
  planModeInstructions?: string | undefined;
  /** Whether `"bypassPermissions"` may be chosen. */
  allowDangerouslySkipPermissions?: boolean | undefined;
  /** An MCP tool that decides; not together with `canUseTool`. */
  permissionPromptToolName?: string | undefined;
  /** Who is asked. */
  permissionPrompts?: "host" | "none" | undefined;
  /** Plugins on this disk. */
  plugins?: SdkPluginConfig[] | undefined;
  /** How they get to the CLI; `"argv"`. */
  pluginDelivery?: "argv" | "initialize" | undefined;
  /** Whether `prompt_suggestion` messages come. */
  promptSuggestions?: boolean | undefined;
  /** Whether summaries of what subagents do come. */
  agentProgressSummaries?: boolean | undefined;
  /** Id of the session to resume. */
  resume?: string | undefined;
  /** Id of the new session, a UUID. */
  sessionId?: string | undefined;
  /** With `resume`: forget everything after this message. */
  resumeSessionAt?: string | undefined;
  /** With `resume`: forget this turn. */
  resumeDropsTurn?: string | undefined;
  /** How tools' commands are fenced in. */
  sandbox?: SandboxSettings | undefined;
  /** Settings: an object, its JSON text, or the path of a file. */
  settings?: string | Settings | undefined;
  /** Settings that stand above all others. */
  managedSettings?: Settings | undefined;
  /** Which settings files are read; all. */
  settingSources?: SettingSource[] | undefined;
  /** Skills that may be used. */
  skills?: string[] | "all" | undefined;
  /** Whether the CLI writes what it does to stderr. */
  debug?: boolean | undefined;
  /** File into which it does so. */
  debugFile?: string | undefined;
  /** Gets stderr. */
  stderr?: ((data: string) => void) | undefined;
  /** Whether only the MCP servers given here exist. */
  strictMcpConfig?: boolean | undefined;
  /** System prompt; unset = next to nothing. */
  systemPrompt?: string | string[] | {
    type: "custom";
    prompt: string | string[];
    snapshot?: boolean;
  } | {
    type: "preset";
    preset: "claude_code";
    append?: string;
    excludeDynamicSections?: boolean;
    snapshot?: boolean;
  } | undefined;
  /** Title of the session. */
  title?: string | undefined;
  /** Starts the CLI in a way of one's own. */
  spawnClaudeCodeProcess?:
    | ((options: SpawnOptions) => SpawnedProcess)
    | undefined;
}

/** What the value of an option may be. */
export type OptionKind =
  | "boolean"
  | "function"
  | "list"
  | "number"
  | "object"
  | "string";

/** The kinds that each option takes. */
export const OPTION_KINDS: Readonly<
  Record<keyof Options, readonly OptionKind[]>
> = {
  abortController: ["object"],
  additionalDirectories: ["list"],
  projectConfigRoot: ["string"],
  agent: ["string"],
  agents: ["object"],
  allowedTools: ["list"],
  canUseTool: ["function"],
  continue: ["boolean"],
  cwd: ["string"],
  disallowedTools: ["list"],
  toolAliases: ["object"],
  tools: ["list", "object"],
  env: ["object"],
  executable: ["string"],
  executableArgs: ["list"],
  extraArgs: ["object"],
  fallbackModel: ["string"],
  enableFileCheckpointing: ["boolean"],
  toolConfig: ["object"],
  forkSession: ["boolean"],
  betas: ["list"],
  hooks: ["object"],
  onElicitation: ["function"],
  onUserDialog: ["function"],
  supportedDialogKinds: ["list"],
  perTaskStopAffordance: ["boolean"],
  persistSession: ["boolean"],
  sessionStore: ["object"],
  sessionStoreFlush: ["string"],
  loadTimeoutMs: ["number"],
  includeHookEvents: ["boolean"],
  includePartialMessages: ["boolean"],
  forwardSubagentText: ["boolean"],
  verbatimPrompts: ["boolean"],
  thinking: ["object"],
  effort: ["string"],
  maxThinkingTokens: ["number"],
  maxTurns: ["number"],
  maxBudgetUsd: ["number"],
  taskBudget: ["object"],
  mcpServers: ["object"],
  mcpServersDelivery: ["string"],
  model: ["string"],
  outputFormat: ["object"],
  pathToClaudeCodeExecutable: ["string"],
  permissionMode: ["string"],
  planModeInstructions: ["string"],
  allowDangerouslySkipPermissions: ["boolean"],
  permissionPromptToolName: ["string"],
  permissionPrompts: ["string"],
  plugins: ["list"],
  pluginDelivery: ["string"],
  promptSuggestions: ["boolean"],
  agentProgressSummaries: ["boolean"],
  resume: ["string"],
  sessionId: ["string"],
  resumeSessionAt: ["string"],
  resumeDropsTurn: ["string"],
  sandbox: ["object"],
  settings: ["string", "object"],
  managedSettings: ["object"],
  settingSources: ["list"],
  skills: ["list", "string"],
  debug: ["boolean"],
  debugFile: ["string"],
  stderr: ["function"],
  strictMcpConfig: ["boolean"],
  systemPrompt: ["string", "list", "object"],
  title: ["string"],
  spawnClaudeCodeProcess: ["function"],
};
