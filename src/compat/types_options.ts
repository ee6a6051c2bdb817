import type {
  AgentDefinition,
  EffortLevel,
  HookEvent,
  PermissionMode,
  PermissionResult,
  PermissionUpdate,
  SDKMessageOrigin,
  SdkPluginConfig,
  UserDialogResult,
} from "./generated/official.ts";
import type { Readable, Signal, Writable } from "../runtime/node_types.ts";
import type { UUID } from "./mutable.ts";
import type { MessageParam } from "./generated/api.ts";
import type { HookCallbackMatcher } from "./types_query.ts";
import type { McpServerConfig, Settings } from "./types_mcp.ts";
import type { SessionStore, SessionStoreFlush } from "./types_sessions.ts";

/** Beta features of the API that can be switched on. */
export type SdkBeta = "context-1m-2025-08-07";

/** Which settings files are read. */
export type SettingSource = "user" | "project" | "local";

/** The model decides whether and how much it thinks. */
export type ThinkingAdaptive = {
  type: "adaptive";
  display?: "summarized" | "omitted";
};

/** The model thinks, up to a budget of tokens. */
export type ThinkingEnabled = {
  type: "enabled";
  budgetTokens?: number;
  display?: "summarized" | "omitted";
};

/** The model does not think first. */
export type ThinkingDisabled = { type: "disabled" };

/** Whether and how much the model thinks before it speaks. */
export type ThinkingConfig =
  | ThinkingAdaptive
  | ThinkingEnabled
  | ThinkingDisabled;

/** Kinds of structured output. */
export type OutputFormatType = "json_schema";

/** What every kind of structured output says. */
export type BaseOutputFormat = { type: OutputFormatType };

/** Structured output by JSON Schema. */
export type JsonSchemaOutputFormat = {
  type: "json_schema";
  schema: Record<string, unknown>;
};

/** Structured output. */
export type OutputFormat = JsonSchemaOutputFormat;

/** How built-in tools behave. */
export type ToolConfig = {
  askUserQuestion?: { previewFormat?: "markdown" | "html" };
};

/** How tools' commands are fenced in; the keys that the CLI knows, and whatever else. */
export type SandboxSettings = NonNullable<Settings["sandbox"]>;

/** Where they may go on the network. */
export type SandboxNetworkConfig = NonNullable<SandboxSettings["network"]>;

/** Which files they may touch. */
export type SandboxFilesystemConfig = NonNullable<
  SandboxSettings["filesystem"]
>;

/** Which secrets they may see. */
export type SandboxCredentialsConfig = Record<string, unknown>;

/** What is let through although it is forbidden. */
export type SandboxIgnoreViolations = NonNullable<
  SandboxSettings["ignoreViolations"]
>;

/** What a rule says. */
export type PermissionBehavior = "allow" | "deny" | "ask";

/** Decides whether a tool may run; `null` leaves the question unanswered. */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: {
    signal: AbortSignal;
    suggestions?: PermissionUpdate[];
    blockedPath?: string;
    mcpServer?: { name: string; source: string };
    decisionReason?: string;
    title?: string;
    displayName?: string;
    description?: string;
    defaultToNo?: boolean;
    suppressAlwaysAllowRule?: boolean;
    toolUseID: string;
    agentID?: string;
    requestId: string;
    matchedAskRule?: {
      source: string;
      toolName: string;
      ruleContent?: string;
    };
  },
) => Promise<PermissionResult | null>;

/** A question of an MCP server to the user. */
export type ElicitationRequest = {
  serverName: string;
  message: string;
  mode?: "form" | "url";
  url?: string;
  elicitationId?: string;
  requestedSchema?: Record<string, unknown>;
  title?: string;
  displayName?: string;
  description?: string;
};

/** The answer to an elicitation. */
export type ElicitationResult = {
  [key: string]: unknown;
  action: "accept" | "decline" | "cancel";
  content?: Record<string, string | number | boolean | string[]>;
};

/** Answers elicitations; `null` leaves one unanswered. */
export type OnElicitation = (
  request: ElicitationRequest,
  options: { signal: AbortSignal; requestId: string },
) => Promise<ElicitationResult | null>;

/** A dialog that the CLI wants shown. */
export type UserDialogRequest = {
  dialogKind: string;
  payload: Record<string, unknown>;
  toolUseID?: string;
};

/** Shows dialogs; `null` leaves one unanswered. */
export type OnUserDialog = (
  request: UserDialogRequest,
  options: { signal: AbortSignal; requestId: string },
) => Promise<UserDialogResult | null>;

/** A line for the CLI's input: a prompt. */
export type SDKUserMessage = {
  type: "user";
  message: MessageParam;
  parent_tool_use_id: string | null;
  isSynthetic?: boolean;
  tool_use_result?: unknown;
  priority?: "now" | "next" | "later";
  origin?: SDKMessageOrigin;
  shouldQuery?: boolean;
  timestamp?: string;
  client_composed?: true;
  uuid?: UUID;
  pasted_content?: MessageParam["content"][];
  inline_pastes?: string[];
  session_id?: string;
  agent_id?: string;
  subagent_type?: string;
  task_description?: string;
};

/** What `spawnClaudeCodeProcess` is given. */
export interface SpawnOptions {
  /** The program. */
  command: string;
  /** Its arguments. */
  args: string[];
  /** Its working directory. */
  cwd?: string;
  /** Its whole environment. */
  env: { [envVar: string]: string | undefined };
  /** Aborted when it has to end and the grace is over. */
  signal: AbortSignal;
}

/** A process, wherever it runs; a `ChildProcess` of Node fits. */
export interface SpawnedProcess {
  /** Its input. */
  stdin: Writable;
  /** Its output. */
  stdout: Readable;
  /** Whether it was sent a signal. */
  readonly killed: boolean;
  /** Exit code; `null` while it runs, and when a signal ended it. */
  readonly exitCode: number | null;
  /** The signal that ended it. */
  readonly signalCode?: Signal | null;
  /** Sends a signal. */
  kill(signal: Signal): boolean;
  /** Listens for its end. */
  on(
    event: "exit",
    listener: (code: number | null, signal: Signal | null) => void,
  ): void;
  /** Listens for a failure. */
  on(event: "error", listener: (error: Error) => void): void;
  /** Listens for its end, once. */
  once(
    event: "exit",
    listener: (code: number | null, signal: Signal | null) => void,
  ): void;
  /** Listens for a failure, once. */
  once(event: "error", listener: (error: Error) => void): void;
  /** Stops listening. */
  off(
    event: "exit",
    listener: (code: number | null, signal: Signal | null) => void,
  ): void;
  /** Stops listening. */
  off(event: "error", listener: (error: Error) => void): void;
}

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
  /** Whether to go on with the newest session of the working directory. */
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
  /** What runs a CLI that is a script. */
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
  /** Most tokens for the task, which the model is told. */
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
  /** What runs without a question. */
  permissionMode?: PermissionMode | undefined;
  /** What the model is told in plan mode. */
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
  /** Id of the session to go on with. */
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
  /** What the model is told first; unset = next to nothing. */
  systemPrompt?:
    | string
    | string[]
    | { type: "custom"; prompt: string | string[]; snapshot?: boolean }
    | {
      type: "preset";
      preset: "claude_code";
      append?: string;
      excludeDynamicSections?: boolean;
      snapshot?: boolean;
    }
    | undefined;
  /** Title of the session. */
  title?: string | undefined;
  /** Starts the CLI in a way of one's own. */
  spawnClaudeCodeProcess?:
    | ((options: SpawnOptions) => SpawnedProcess)
    | undefined;
}
