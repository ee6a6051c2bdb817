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
 * Options of {@link query}, with the names and meanings of the official SDK.
 *
 * Unknown options and wrong types cause one warning of the process each, and are passed to the CLI unchanged. Text where a list belongs is refused.
 */
export interface Options {
  /** Cancels everything. */
  abortController?: AbortController | undefined;
  /** Further directories that tools may touch. */
  additionalDirectories?: string[] | undefined;
  /** Directory with the project's configuration. */
  projectConfigRoot?: string | undefined;
  /** The agent that runs the main thread. */
  agent?: string | undefined;
  /** Agents that the model can delegate work to, by name. */
  agents?: Record<string, AgentDefinition> | undefined;
  /** Tools that are auto-allowed; other tools are not restricted. */
  allowedTools?: string[] | undefined;
  /** Decides tool calls that no rule covers. */
  canUseTool?: CanUseTool | undefined;
  /** Whether to continue the newest session of the working directory. */
  continue?: boolean | undefined;
  /** Working directory; that of this program. */
  cwd?: string | undefined;
  /** Tools that may not be used. */
  disallowedTools?: string[] | undefined;
  /** Names by which the model calls tools, each with the real one. */
  toolAliases?: Record<string, string> | undefined;
  /** Built-in tools that exist. */
  tools?: string[] | {
    /** All of the CLI's own. */
    type: "preset";
    /** Name of the preset. */
    preset: "claude_code";
  } | undefined;
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
  /** Settings of built-in tools. */
  toolConfig?: ToolConfig | undefined;
  /** With `resume`: whether the session continues under a new id. */
  forkSession?: boolean | undefined;
  /** Beta features of the API. */
  betas?: SdkBeta[] | undefined;
  /** Callbacks by event; one that throws stops nothing. */
  hooks?: Partial<Record<HookEvent, HookCallbackMatcher[]>> | undefined;
  /** Answers questions of MCP servers; unset = declined. */
  onElicitation?: OnElicitation | undefined;
  /** Shows dialogs of the CLI. */
  onUserDialog?: OnUserDialog | undefined;
  /** Dialogs that can be shown; needs `onUserDialog`. */
  supportedDialogKinds?: string[] | undefined;
  /** Whether the host can stop single tasks. */
  perTaskStopAffordance?: boolean | undefined;
  /** Whether the CLI writes the session to disk; true. */
  persistSession?: boolean | undefined;
  /** A store that also gets the session. */
  sessionStore?: SessionStore | undefined;
  /** Frequency of writes to the store; `"batched"`. */
  sessionStoreFlush?: SessionStoreFlush | undefined;
  /** Timeout of one read from the store, in milliseconds; 60 000. */
  loadTimeoutMs?: number | undefined;
  /** Whether messages about command hooks are delivered. */
  includeHookEvents?: boolean | undefined;
  /** Whether `stream_event` messages are delivered. */
  includePartialMessages?: boolean | undefined;
  /** Whether texts of subagents are delivered. */
  forwardSubagentText?: boolean | undefined;
  /** Whether prompts are sent verbatim, without expanding commands. */
  verbatimPrompts?: boolean | undefined;
  /** Whether and how much the model thinks. */
  thinking?: ThinkingConfig | undefined;
  /** Effort of the model. */
  effort?: EffortLevel | undefined;
  /** Maximum thinking tokens; 0 = no thinking. */
  maxThinkingTokens?: number | undefined;
  /** Maximum number of model turns. */
  maxTurns?: number | undefined;
  /** Budget in US dollars. */
  maxBudgetUsd?: number | undefined;
  /** Token budget of the task, shown to the model. */
  taskBudget?: {
    /** Tokens of the whole task. */
    total: number;
  } | undefined;
  /** MCP servers by name. */
  mcpServers?: Record<string, McpServerConfig> | undefined;
  /** Way of passing them to the CLI; `"argv"`, which other users of the machine can read. */
  mcpServersDelivery?: "argv" | "initialize" | undefined;
  /** The model. */
  model?: string | undefined;
  /** Structured output. */
  outputFormat?: OutputFormat | undefined;
  /** Path of the CLI; unset = searched for. */
  pathToClaudeCodeExecutable?: string | undefined;
  /** Permission mode: which calls run without prompting. */
  permissionMode?: PermissionMode | undefined;
  /** Instructions for the model in plan mode. */
  planModeInstructions?: string | undefined;
  /** Whether `"bypassPermissions"` may be chosen. */
  allowDangerouslySkipPermissions?: boolean | undefined;
  /** An MCP tool that decides; not together with `canUseTool`. */
  permissionPromptToolName?: string | undefined;
  /** Recipient of permission prompts. */
  permissionPrompts?: "host" | "none" | undefined;
  /** Plugins on this disk. */
  plugins?: SdkPluginConfig[] | undefined;
  /** Way of passing them to the CLI; `"argv"`. */
  pluginDelivery?: "argv" | "initialize" | undefined;
  /** Whether `prompt_suggestion` messages are delivered. */
  promptSuggestions?: boolean | undefined;
  /** Whether progress summaries of subagents are delivered. */
  agentProgressSummaries?: boolean | undefined;
  /** Id of the session to resume. */
  resume?: string | undefined;
  /** Id of the new session, a UUID. */
  sessionId?: string | undefined;
  /** With `resume`: drops everything after this message. */
  resumeSessionAt?: string | undefined;
  /** With `resume`: drops this turn. */
  resumeDropsTurn?: string | undefined;
  /** Sandbox for the commands of tools. */
  sandbox?: SandboxSettings | undefined;
  /** Settings: an object, its JSON text, or the path of a file. */
  settings?: string | Settings | undefined;
  /** Managed settings, which override all others. */
  managedSettings?: Settings | undefined;
  /** Settings files to read; all. */
  settingSources?: SettingSource[] | undefined;
  /** Skills that may be used. */
  skills?: string[] | "all" | undefined;
  /** Whether the CLI writes debug output to stderr. */
  debug?: boolean | undefined;
  /** File for the debug output. */
  debugFile?: string | undefined;
  /** Called with the stderr output. */
  stderr?: ((data: string) => void) | undefined;
  /** Whether only the MCP servers given here exist. */
  strictMcpConfig?: boolean | undefined;
  /** System prompt; unset = a minimal one. */
  systemPrompt?: string | string[] | {
    /** A prompt of your own. */
    type: "custom";
    /** The prompt. */
    prompt: string | string[];
    /** Whether the prompt is kept as it is at the start. */
    snapshot?: boolean;
  } | {
    /** The prompt of the CLI. */
    type: "preset";
    /** Name of the preset. */
    preset: "claude_code";
    /** Text added to the prompt. */
    append?: string;
    /** Whether sections that change per turn stay out of the prompt. */
    excludeDynamicSections?: boolean;
    /** Whether the prompt is kept as it is at the start. */
    snapshot?: boolean;
  } | undefined;
  /** Title of the session. */
  title?: string | undefined;
  /** Custom function that starts the CLI. */
  spawnClaudeCodeProcess?:
    | ((options: SpawnOptions) => SpawnedProcess)
    | undefined;
}

/** Kind of value that an option may have. */
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
