// Made from protocol/ by `npm run generate`; edit that.
import type { AnyHookInput } from "../../protocol/hooks.ts";
import type { SessionInfo } from "../../protocol/session.ts";
import type { Readable, Signal, Writable } from "../../runtime/node_types.ts";
import type {
  TranscriptKey,
  TranscriptSummary,
} from "../../transcripts/store.ts";
import type { CliSettingsFields } from "../../types/cli_settings.ts";
import type { JsonObject } from "../../types/json.ts";
import type {
  CallToolResult as OwnCallToolResult,
  ToolAnnotations as OwnToolAnnotations,
} from "../../types/mcp_tool.ts";
import type { Mutable, UUID } from "../mutable.ts";
import type { MessageParam, Unspecified } from "./api.ts";
import type {
  AccountInfo,
  AgentDefinition,
  AgentInfo,
  EffortLevel,
  HookJSONOutput,
  McpClaudeAIProxyServerConfig,
  McpServerConfigForProcessTransport,
  McpServerStatus,
  McpSetServersResult,
  ModelInfo,
  PermissionMode,
  PermissionResult,
  PermissionUpdate,
  PostToolBatchHookInput,
  RewindFilesResult,
  SDKContextUsage,
  SDKControlGetContextUsageResponse,
  SDKControlGetUsageResponse,
  SDKControlInterruptResponse,
  SDKControlMcpReadResourceResponse,
  SDKControlPermissionRulesState,
  SDKControlReadFileResponse,
  SDKControlReloadOutputStylesResponse,
  SDKControlReloadPluginsResponse,
  SDKControlReloadSkillsResponse,
  SDKMessage,
  SDKMessageOrigin,
  SdkPluginConfig,
  SDKResultError,
  SDKResultSuccess,
  SlashCommand,
  UserDialogResult,
} from "./official.ts";
import type { EXIT_REASONS } from "./values.ts";

/** A running query: its messages, and methods to control it. */
export interface Query extends AsyncGenerator<SDKMessage, void> {
  /** Ends the running turn. */
  interrupt(): Promise<SDKControlInterruptResponse | undefined>;

  /** Reply of the CLI to `initialize`. */
  initializationResult(): Promise<SDKControlInitializeResponse>;

  /** Sends `initialize` again. */
  reinitialize(): Promise<SDKControlInitializeResponse>;

  /** Commands that a prompt may begin with. */
  supportedCommands(): Promise<SlashCommand[]>;

  /** Models to choose from. */
  supportedModels(): Promise<ModelInfo[]>;

  /** Agents that the model can delegate work to. */
  supportedAgents(): Promise<AgentInfo[]>;

  /** The account that is signed in. */
  accountInfo(): Promise<AccountInfo>;

  /** Usage of the plan. */
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(
    opts?: { skipBehaviors?: boolean },
  ): Promise<SDKControlGetUsageResponse>;

  /** Reads a file; `null` if it cannot be read. */
  readFile(
    path: string,
    options?: { maxBytes?: number; encoding?: "utf-8" | "base64" },
  ): Promise<SDKControlReadFileResponse | null>;

  /** Reloads the plugins. */
  reloadPlugins(
    options?: {
      holdOnCacheImpact?: boolean;
      addPlugins?: SdkPluginConfig[];
      refuseIfBusy?: boolean;
    },
  ): Promise<SDKControlReloadPluginsResponse>;

  /** Replaces the MCP servers that were added to the session. */
  setMcpServers(
    servers: Record<string, McpServerConfig>,
  ): Promise<McpSetServersResult>;

  /** Sends prompts as they arrive, and ends the input after the last. */
  streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void>;

  /** Moves running work into the background. */
  backgroundTasks(toolUseId?: string): Promise<boolean>;

  /** Sets the permission mode. */
  setPermissionMode(mode: PermissionMode): Promise<void>;

  /** Sets the permission mode for the tools of one MCP server. */
  setMcpPermissionModeOverride(
    serverName: string,
    mode: "default" | "auto" | null,
  ): Promise<{ warning?: string }>;

  /** Changes the model; unset = the default one. */
  setModel(model?: string): Promise<void>;

  /** Changes the thinking budget of the model. */
  setMaxThinkingTokens(
    maxThinkingTokens: number | null,
    thinkingDisplay?: "summarized" | "omitted" | "highlights" | null,
  ): Promise<void>;

  /** Overrides settings for this session. */
  applyFlagSettings(settings: FlagSettings): Promise<void>;

  /** Changes settings in their file. */
  updateSettings(
    source: "localSettings" | "userSettings",
    settings: Record<string, unknown>,
  ): Promise<void>;

  /** Status of the MCP servers. */
  mcpServerStatus(): Promise<McpServerStatus[]>;

  /** Content of the context. */
  getContextUsage(
    options?: { detail?: "summary" | "full" },
  ): Promise<SDKControlGetContextUsageResponse>;

  /** Reloads the skills. */
  reloadSkills(): Promise<SDKControlReloadSkillsResponse>;

  /** Reloads the output styles. */
  reloadOutputStyles(): Promise<SDKControlReloadOutputStylesResponse>;

  /** Restores files to their state at a prompt. */
  rewindFiles(
    userMessageId: string,
    options?: { dryRun?: boolean },
  ): Promise<RewindFilesResult>;

  /** Marks a file as read. */
  seedReadState(path: string, mtime: number): Promise<void>;

  /** Reconnects an MCP server. */
  reconnectMcpServer(serverName: string): Promise<void>;

  /** Switches an MCP server on or off. */
  toggleMcpServer(serverName: string, enabled: boolean): Promise<void>;

  /** Reads a resource of an MCP server. */
  readMcpResource(
    serverName: string,
    uri: string,
  ): Promise<SDKControlMcpReadResourceResponse>;

  /** Stops a task in the background. */
  stopTask(taskId: string): Promise<void>;

  /** Ends it. */
  close(): void;
}

/** Methods that the official package does not declare, and that wrappers call. */
export interface UndeclaredControls {
  /** Enables remote control of the session by claude.ai, if the CLI allows it. */
  enableRemoteControl(enabled: boolean, name?: string): Promise<JsonObject>;

  /** Returns the settings in force and their sources. */
  getSettings(): Promise<JsonObject>;

  /** Cancels a queued prompt; returns whether it was still queued. */
  cancelAsyncMessage(uuid: string): Promise<boolean>;

  /** Generates a title for the session by the model. */
  generateSessionTitle(
    description: string,
    options?: { persist?: boolean },
  ): Promise<string | null>;

  /** Sets the title of the session. */
  renameSession(title: string, sessionId?: string): Promise<void>;

  /** Starts the sign-in at an MCP server. */
  mcpAuthenticate(
    serverName: string,
    redirectUri?: string,
    options?: { redirectUriOnly?: boolean },
  ): Promise<JsonObject>;
}

/** Beta feature of the API. */
export type SdkBeta = "context-1m-2025-08-07";

/** Settings file to read. */
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

/** Whether and how much the model thinks before it answers. */
export type ThinkingConfig =
  | ThinkingAdaptive
  | ThinkingEnabled
  | ThinkingDisabled;

/** Kind of structured output. */
export type OutputFormatType = "json_schema";

/** Part that every structured output has. */
export type BaseOutputFormat = { type: OutputFormatType };

/** Structured output by JSON Schema. */
export type JsonSchemaOutputFormat = {
  type: "json_schema";
  schema: Record<string, unknown>;
};

/** Structured output. */
export type OutputFormat = JsonSchemaOutputFormat;

/** Options of built-in tools. */
export type ToolConfig = {
  askUserQuestion?: { previewFormat?: "markdown" | "html" };
};

/** Sandbox for the commands of tools; unknown keys are allowed. */
export type SandboxSettings = NonNullable<Settings["sandbox"]>;

/** Network access in the sandbox. */
export type SandboxNetworkConfig = NonNullable<SandboxSettings["network"]>;

/** File access in the sandbox. */
export type SandboxFilesystemConfig = NonNullable<
  SandboxSettings["filesystem"]
>;

/** Credentials in the sandbox. */
export type SandboxCredentialsConfig = Record<string, unknown>;

/** Violations of the sandbox to ignore. */
export type SandboxIgnoreViolations = NonNullable<
  SandboxSettings["ignoreViolations"]
>;

/** Effect of a rule. */
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
    matchedAskRule?: { source: string; toolName: string; ruleContent?: string };
  },
) => Promise<PermissionResult | null>;

/** Question of an MCP server to the user. */
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

/** Answer to an elicitation. */
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

/** Dialog that the CLI asks the host to show. */
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

/** Input of a hook. */
export type HookInput = Mutable<AnyHookInput>;

/** Hook. */
export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: { signal: AbortSignal },
) => Promise<HookJSONOutput>;

/** Hooks for the events that a pattern matches; `timeout` in seconds. */
export type HookCallbackMatcher = {
  matcher?: string | undefined;
  hooks: HookCallback[];
  timeout?: number | undefined;
  onFailure?: "continue" | "block" | undefined;
};

/** Decision of a hook about a tool call. */
export type HookPermissionDecision = "allow" | "deny" | "ask" | "defer";

/** One tool call of several. */
export type PostToolBatchToolCall =
  PostToolBatchHookInput["tool_calls"][number];

/** Arguments of `spawnClaudeCodeProcess`; the signal is aborted when the process has to end and the grace is over. */
export type SpawnOptions = {
  command: string;
  args: string[];
  cwd?: string;
  env: { [envVar: string]: string | undefined };
  signal: AbortSignal;
};

/** Process, wherever it runs; a `ChildProcess` of Node fits. */
export type SpawnedProcess = {
  stdin: Writable;
  stdout: Readable;
  readonly killed: boolean;
  readonly exitCode: number | null;
  readonly signalCode?: Signal | null;
  kill(signal: Signal): boolean;
  on(
    event: "exit",
    listener: (code: number | null, signal: Signal | null) => void,
  ): void;
  on(event: "error", listener: (error: Error) => void): void;
  once(
    event: "exit",
    listener: (code: number | null, signal: Signal | null) => void,
  ): void;
  once(event: "error", listener: (error: Error) => void): void;
  off(
    event: "exit",
    listener: (code: number | null, signal: Signal | null) => void,
  ): void;
  off(event: "error", listener: (error: Error) => void): void;
};

/** One side of a connection to an MCP server, as `@modelcontextprotocol/sdk` has it. */
export type McpTransport = {
  sessionId?: string | undefined;
  start(): Promise<void>;
  send(message: Unspecified, options?: Unspecified): Promise<void>;
  close(): Promise<void>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: Unspecified, extra?: Unspecified) => void;
};

/** MCP server of this program: one made by `createSdkMcpServer()`, or an `McpServer` of `@modelcontextprotocol/sdk`. */
export type McpServer = {
  connect(transport: McpTransport): Promise<void>;
  close(): Promise<void>;
};

/** Result of a tool. */
export type CallToolResult = Mutable<OwnCallToolResult> | {
  content: Unspecified[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  _meta?: Record<string, unknown>;
  [key: string]: unknown;
};

/** Hints about a tool. */
export type ToolAnnotations = Mutable<OwnToolAnnotations>;

/** Fields with a Zod schema each, version 3 or 4. */
export type AnyZodRawShape = Readonly<Record<string, ZodLike>>;

/** Zod schema, as far as types need it. */
export type ZodLike = { readonly _output: unknown } | {
  readonly _zod: { readonly output: unknown };
};

/** Type of the arguments that fit a shape. */
export type InferShape<T extends AnyZodRawShape> = {
  [K in keyof T]: T[K] extends { _output: infer O } ? O : never;
};

/** Tool made by `tool()`. */
export type SdkMcpToolDefinition<
  Schema extends AnyZodRawShape = AnyZodRawShape,
> = {
  name: string;
  description: string;
  inputSchema: Schema;
  annotations?: ToolAnnotations;
  _meta?: Record<string, unknown>;
  handler: (
    args: InferShape<Schema>,
    extra: unknown,
  ) => Promise<CallToolResult>;
};

/** Options of `createSdkMcpServer()`. */
export type CreateSdkMcpServerOptions = {
  name: string;
  version?: string;
  instructions?: string;
  tools?: Array<SdkMcpToolDefinition<Unspecified>>;
  alwaysLoad?: boolean;
  timeout?: number;
};

/** MCP server that the CLI starts. */
export type McpStdioServerConfig = Extract<
  McpServerConfigForProcessTransport,
  { command: string }
>;

/** MCP server over server-sent events. */
export type McpSSEServerConfig =
  & Extract<McpServerConfigForProcessTransport, { url: string }>
  & { type: "sse" };

/** MCP server over HTTP. */
export type McpHttpServerConfig =
  & Extract<McpServerConfigForProcessTransport, { url: string }>
  & { type: "http" };

/** MCP server of this program, as the CLI knows it. */
export type McpSdkServerConfig = Extract<
  McpServerConfigForProcessTransport,
  { type: "sdk" }
>;

/** MCP server of this program. */
export type McpSdkServerConfigWithInstance = McpSdkServerConfig & {
  instance: McpServer;
};

/** MCP server. */
export type McpServerConfig =
  | McpStdioServerConfig
  | McpSSEServerConfig
  | McpHttpServerConfig
  | McpSdkServerConfigWithInstance;

/** MCP server in its status. */
export type McpServerStatusConfig =
  | McpServerConfigForProcessTransport
  | McpClaudeAIProxyServerConfig;

/** MCP server of one agent: the name of one of the session, or configurations. */
export type AgentMcpServerSpec = NonNullable<
  AgentDefinition["mcpServers"]
>[number];

/** Settings file; unknown keys are allowed. */
export type Settings = Mutable<CliSettingsFields> & { [key: string]: unknown };

/** Change of settings; `null` removes a key. */
export type FlagSettings = {
  [K in keyof Settings]?: K extends "effortLevel" ? EffortLevel | null
    : Settings[K] | null;
};

/** Owner of settings. */
export type ConfigScope = "local" | "user" | "project";

/** Source of a setting. */
export type ResolvedSettingSource = SettingSource | "managed" | "flag";

/** Origin of managed settings. */
export type PolicySettingsOrigin =
  | "helper"
  | "remote"
  | "plist"
  | "hklm"
  | "file"
  | "parent"
  | "hkcu";

/** Origin of a setting. */
export type ProvenanceEntry = {
  source: ResolvedSettingSource;
  path?: string;
  policyOrigin?: PolicySettingsOrigin;
};

/** Options of `resolveSettings()`. */
export type ResolveSettingsOptions = {
  cwd?: string;
  settingSources?: SettingSource[];
  managedSettings?: Settings;
  serverManagedSettings?: Settings;
};

/** Settings of all sources together. */
export type ResolvedSettings = {
  effective: Settings;
  provenance: Partial<Record<keyof Settings, ProvenanceEntry>>;
  sources: Array<ProvenanceEntry & { settings: Settings }>;
  machinePolicy?: {
    didNotLoad: false | Array<"profile" | "registry" | "file">;
  };
};

/** Result of `matchDeniedModels()`. */
export type DeniedModelsMatch = { denied: boolean[]; warnings: string[] };

/** Place of a session in a store. */
export type SessionKey = Mutable<TranscriptKey>;

/** Line of a session. */
export type SessionStoreEntry = {
  type: string;
  uuid?: string;
  timestamp?: string;
  [k: string]: unknown;
};

/** Frequency of writes to a store. */
export type SessionStoreFlush = "batched" | "eager";

/** Summary of a session, so that lists need not read it. */
export type SessionSummaryEntry = Mutable<TranscriptSummary>;

/** Keeps sessions besides the CLI's own files. */
export type SessionStore = {
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
  listSessions?(
    projectKey: string,
  ): Promise<Array<{ sessionId: string; mtime: number }>>;
  listSessionSummaries?(projectKey: string): Promise<SessionSummaryEntry[]>;
  delete?(key: SessionKey): Promise<void>;
  listSubkeys?(
    key: { projectKey: string; sessionId: string },
  ): Promise<string[]>;
};

/** Facts about a session. */
export type SDKSessionInfo = {
  sessionId: string;
  summary: string;
  lastModified: number;
  fileSize?: number | undefined;
  customTitle?: string | undefined;
  firstPrompt?: string | undefined;
  gitBranch?: string | undefined;
  cwd?: string | undefined;
  tag?: string | undefined;
  createdAt?: number | undefined;
  archived?: boolean | undefined;
};

/** Message of a session. */
export type SessionMessage = {
  type: "user" | "assistant" | "system";
  uuid: string;
  session_id: string;
  message: unknown;
  parent_tool_use_id: string | null;
  parent_agent_id: string | null;
};

/** Place to search for a session: below a directory, in a store, or among all files of the CLI. */
export type GetSessionInfoOptions = {
  dir?: string;
  sessionStore?: SessionStore;
};

/** Options of `listSubagents()`. */
export type ListSubagentsOptions = GetSessionInfoOptions;

/** Place of a session to change. */
export type SessionMutationOptions = GetSessionInfoOptions;

/** Options of `getSubagentMessages()`. */
export type GetSubagentMessagesOptions = GetSessionInfoOptions & {
  limit?: number;
  offset?: number;
};

/** Options of `getSessionMessages()`. */
export type GetSessionMessagesOptions = GetSubagentMessagesOptions & {
  includeSystemMessages?: boolean;
};

/** Options of `listSessions()`. */
export type ListSessionsOptions = GetSubagentMessagesOptions & {
  includeWorktrees?: boolean;
  includeProgrammatic?: boolean;
};

/** Options of `forkSession()`: the last message to copy, and a title. */
export type ForkSessionOptions = SessionMutationOptions & {
  upToMessageId?: string;
  title?: string;
};

/** Copy of a session. */
export type ForkSessionResult = { sessionId: string };

/** Options of `importSessionToStore()`. */
export type ImportSessionToStoreOptions = {
  dir?: string;
  includeSubagents?: boolean;
  batchSize?: number;
};

/** Prompt, as a line of the CLI's input. */
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

/** Reply of the CLI to `initialize`. */
export type SDKControlInitializeResponse = Mutable<
  Pick<
    SessionInfo,
    | "account"
    | "agents"
    | "available_output_styles"
    | "claude_code_version"
    | "commands"
    | "fast_mode_state"
    | "models"
    | "output_style"
    | "pid"
  >
>;

/** CLI that has started and waits for its prompt; takes one prompt or one stream of prompts. */
export type WarmQuery = AsyncDisposable & {
  query(prompt: string | AsyncIterable<SDKUserMessage>): Query;
  close(): void;
};

/** Options of the session that begins in a spare process. */
export type ClaimOptions = {
  cwd: string;
  env?: Record<string, string>;
  additionalDirectories?: string[];
  model?: string;
  permissionMode?: PermissionMode;
  maxThinkingTokens?: number | null;
  settings?: FlagSettings;
  appendSystemPrompt?: string;
  title?: string;
  agents?: Record<string, AgentDefinition>;
};

/** CLI that has started and waits for a session; `claimed` resolves when that has begun, `exited` when the process is gone. */
export type SpareProcess = AsyncDisposable & {
  claim(
    params: {
      prompt: string | AsyncIterable<SDKUserMessage>;
      options: ClaimOptions;
    },
  ): Query;
  readonly claimed: Promise<
    {
      cwd: string;
      sessionId: string;
      parkedMs?: number;
      sdkMcpSettled: boolean;
    }
  >;
  readonly exited: Promise<void>;
  close(): void;
};

/** Connection to a CLI, as the official SDK declares it; no function of this package accepts one. */
export type Transport = {
  write(data: string): void | Promise<void>;
  close(): void;
  isReady(): boolean;
  readMessages(): AsyncGenerator<object, void, unknown>;
  endInput(): void;
  waitForExit?(): Promise<void>;
};

/** Reason for the end of a session. */
export type ExitReason = (typeof EXIT_REASONS)[number];

/** End of a turn. */
export type SDKResultMessage = SDKResultSuccess | SDKResultError;

/** Work of the CLI beside the turn; `null` = none. */
export type SDKStatus = "compacting" | "requesting" | null;

/** One part of the context. */
export type SDKContextUsageCategory = SDKContextUsage["categories"][number];

/** One permission rule. */
export type SDKPermissionRuleEntry =
  SDKControlPermissionRulesState["rules"][number];

/** Permission rule in words. */
export type SDKPermissionRuleDescription = NonNullable<
  SDKPermissionRuleEntry["description"]
>;

/** Directory that tools may touch. */
export type SDKPermissionWorkspaceDirectory =
  SDKControlPermissionRulesState["workspaceDirectories"][number];

/** Deferred tool call. */
export type SDKDeferredToolUse = {
  id: string;
  name: string;
  input: Record<string, unknown>;
};

/** Control request of either side. */
export type SDKControlRequest = {
  type: "control_request";
  request_id: string;
  request: { subtype: string; [key: string]: unknown };
};

/** Reply to a control request of either side. */
export type SDKControlResponse = {
  type: "control_response";
  response: {
    subtype: "success" | "error";
    request_id: string;
    response?: Record<string, unknown>;
    error?: string;
    [key: string]: unknown;
  };
};
