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
  SDKControlSetPermissionModeResponse,
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
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(opts?: {
    /** Whether the behaviours are left out, which take the CLI longest; false. */
    skipBehaviors?: boolean;
  }): Promise<SDKControlGetUsageResponse>;

  /** Reads a file; `null` if it cannot be read. */
  readFile(path: string, options?: {
    /** Maximum bytes to read; the CLI's default. */
    maxBytes?: number;
    /** Form of the content; `"utf-8"`. */
    encoding?: "utf-8" | "base64";
  }): Promise<SDKControlReadFileResponse | null>;

  /** Reloads the plugins. */
  reloadPlugins(options?: {
    /** Whether nothing is done if the prompt cache would be lost; false. */
    holdOnCacheImpact?: boolean;
    /** Plugins to add. */
    addPlugins?: SdkPluginConfig[];
    /** Whether a running turn makes it fail; false. */
    refuseIfBusy?: boolean;
  }): Promise<SDKControlReloadPluginsResponse>;

  /** Replaces the MCP servers that were added to the session. */
  setMcpServers(
    servers: Record<string, McpServerConfig>,
  ): Promise<McpSetServersResult>;

  /** Sends prompts as they arrive, and ends the input after the last. */
  streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void>;

  /** Moves running work into the background. */
  backgroundTasks(toolUseId?: string): Promise<boolean>;

  /** Sets the permission mode. */
  setPermissionMode(
    mode: PermissionMode,
  ): Promise<SDKControlSetPermissionModeResponse | undefined>;

  /** Sets the permission mode for the tools of one MCP server. */
  setMcpPermissionModeOverride(
    serverName: string,
    mode: "default" | "auto" | null,
  ): Promise<{
    /** Warning that it may have no effect: no server of that name is known. */
    warning?: string;
  }>;

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
  getContextUsage(options?: {
    /** Level of detail; the CLI's default. */
    detail?: "summary" | "full";
  }): Promise<SDKControlGetContextUsageResponse>;

  /** Reloads the skills. */
  reloadSkills(): Promise<SDKControlReloadSkillsResponse>;

  /** Reloads the output styles. */
  reloadOutputStyles(): Promise<SDKControlReloadOutputStylesResponse>;

  /** Restores files to their state at a prompt. */
  rewindFiles(userMessageId: string, options?: {
    /** Whether to report the changes without making them; false. */
    dryRun?: boolean;
  }): Promise<RewindFilesResult>;

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
  generateSessionTitle(description: string, options?: {
    /** Whether it becomes the title of the session. */
    persist?: boolean;
  }): Promise<string | null>;

  /** Sets the title of the session. */
  renameSession(title: string, sessionId?: string): Promise<void>;

  /** Starts the sign-in at an MCP server. */
  mcpAuthenticate(serverName: string, redirectUri?: string, options?: {
    /** Whether only that address is allowed. */
    redirectUriOnly?: boolean;
  }): Promise<JsonObject>;
}

/** Beta feature of the API. */
export type SdkBeta = "context-1m-2025-08-07";

/** Settings file to read. */
export type SettingSource = "user" | "project" | "local";

/** The model decides whether and how much it thinks. */
export type ThinkingAdaptive = {
  /** The model decides. */
  type: "adaptive";
  /** Display of the thinking; unset = the default. */
  display?: "summarized" | "omitted";
};

/** The model thinks, up to a budget of tokens. */
export type ThinkingEnabled = {
  /** With a budget. */
  type: "enabled";
  /** Maximum thinking tokens. */
  budgetTokens?: number;
  /** Display of the thinking; unset = the default. */
  display?: "summarized" | "omitted";
};

/** The model does not think first. */
export type ThinkingDisabled = {
  /** No thinking. */
  type: "disabled";
};

/** Whether and how much the model thinks before it answers. */
export type ThinkingConfig =
  | ThinkingAdaptive
  | ThinkingEnabled
  | ThinkingDisabled;

/** Kind of structured output. */
export type OutputFormatType = "json_schema";

/** Part that every structured output has. */
export type BaseOutputFormat = {
  /** Kind of output. */
  type: OutputFormatType;
};

/** Structured output by JSON Schema. */
export type JsonSchemaOutputFormat = {
  /** Kind of output. */
  type: "json_schema";
  /** JSON Schema of the output. */
  schema: Record<string, unknown>;
};

/** Structured output. */
export type OutputFormat = JsonSchemaOutputFormat;

/** Options of built-in tools. */
export type ToolConfig = {
  /** Settings of `AskUserQuestion`. */
  askUserQuestion?: {
    /** Format of the previews of options. */
    previewFormat?: "markdown" | "html";
  };
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
    /** Aborted when the answer is no longer needed. */
    signal: AbortSignal;
    /** Permission changes that would make the question unnecessary. */
    suggestions?: PermissionUpdate[];
    /** The path that made the CLI ask. */
    blockedPath?: string;
    /** The MCP server behind the tool. */
    mcpServer?: {
      /** Name of the server. */
      name: string;
      /** Origin of its configuration. */
      source: string;
    };
    /** Reason for the question. */
    decisionReason?: string;
    /** Title to show. */
    title?: string;
    /** Name of the tool to show. */
    displayName?: string;
    /** Description of the call. */
    description?: string;
    /** Whether a dialog should preselect the denial. */
    defaultToNo?: boolean;
    /** Whether a dialog should not offer a rule. */
    suppressAlwaysAllowRule?: boolean;
    /** Id of the call. */
    toolUseID: string;
    /** Id of the subagent that wants the tool. */
    agentID?: string;
    /** Id of the control request. */
    requestId: string;
    /** The rule that asks. */
    matchedAskRule?: {
      /** Location of the rule. */
      source: string;
      /** Name of the tool. */
      toolName: string;
      /** Scope of the rule; absent = the whole tool. */
      ruleContent?: string;
    };
  },
) => Promise<PermissionResult | null>;

/** Question of an MCP server to the user. */
export type ElicitationRequest = {
  /** Name of the server. */
  serverName: string;
  /** The question. */
  message: string;
  /** A form to fill, or a page to open. */
  mode?: "form" | "url";
  /** The page. */
  url?: string;
  /** Id of the question. */
  elicitationId?: string;
  /** JSON Schema of the form. */
  requestedSchema?: Record<string, unknown>;
  /** Title to show. */
  title?: string;
  /** Name of the server to show. */
  displayName?: string;
  /** Subject, as text. */
  description?: string;
};

/** Answer to an elicitation. */
export type ElicitationResult = {
  [key: string]: unknown;
  /** Action of the user. */
  action: "accept" | "decline" | "cancel";
  /** Content of the form; only with `accept`. */
  content?: Record<string, string | number | boolean | string[]>;
};

/** Answers elicitations; `null` leaves one unanswered. */
export type OnElicitation = (request: ElicitationRequest, options: {
  /** Aborted when the answer is no longer needed. */
  signal: AbortSignal;
  /** Id of the control request. */
  requestId: string;
}) => Promise<ElicitationResult | null>;

/** Dialog that the CLI asks the host to show. */
export type UserDialogRequest = {
  /** Kind of dialog; only those listed in `supportedDialogKinds`. */
  dialogKind: string;
  /** Content of the dialog. */
  payload: Record<string, unknown>;
  /** The tool call behind it. */
  toolUseID?: string;
};

/** Shows dialogs; `null` leaves one unanswered. */
export type OnUserDialog = (request: UserDialogRequest, options: {
  /** Aborted when the answer is no longer needed. */
  signal: AbortSignal;
  /** Id of the control request. */
  requestId: string;
}) => Promise<UserDialogResult | null>;

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
  /** Pattern of tool names such as `Bash|Edit`, or of the value that the event is matched by; unset = always. */
  matcher?: string | undefined;
  /** Callbacks to call. */
  hooks: HookCallback[];
  /** Timeout of one call, in seconds; that of the CLI. */
  timeout?: number | undefined;
  /** Effect of a failing hook; `"continue"`. */
  onFailure?: "continue" | "block" | undefined;
};

/** Decision of a hook about a tool call. */
export type HookPermissionDecision = "allow" | "deny" | "ask" | "defer";

/** One tool call of several. */
export type PostToolBatchToolCall =
  PostToolBatchHookInput["tool_calls"][number];

/** Arguments of `spawnClaudeCodeProcess`; the signal is aborted when the process has to end and the grace is over. */
export type SpawnOptions = {
  /** The program. */
  command: string;
  /** Its arguments. */
  args: string[];
  /** Working directory; absent if the option `cwd` is unset. */
  cwd?: string;
  /** Its whole environment. */
  env: { [envVar: string]: string | undefined };
  /** Aborted at SIGTERM, when the grace is over. */
  signal: AbortSignal;
};

/** Process, wherever it runs; a `ChildProcess` of Node fits. */
export type SpawnedProcess = {
  /** Its input. */
  stdin: Writable;
  /** Its output. */
  stdout: Readable;
  /** Whether a signal was sent to it. */
  readonly killed: boolean;
  /** Exit code; `null` while it runs, or if a signal ended it. */
  readonly exitCode: number | null;
  /** Signal that ended it; `null` if none did. */
  readonly signalCode?: Signal | null;
  /** Sends a signal; returns whether it was sent. */
  kill(signal: Signal): boolean;
  /** Adds a listener for the end. */
  on(
    event: "exit",
    listener: (code: number | null, signal: Signal | null) => void,
  ): void;
  /** Adds a listener for errors. */
  on(event: "error", listener: (error: Error) => void): void;
  /** Adds a listener for the end, called once. */
  once(
    event: "exit",
    listener: (code: number | null, signal: Signal | null) => void,
  ): void;
  /** Adds a listener for errors, called once. */
  once(event: "error", listener: (error: Error) => void): void;
  /** Removes a listener for the end. */
  off(
    event: "exit",
    listener: (code: number | null, signal: Signal | null) => void,
  ): void;
  /** Removes a listener for errors. */
  off(event: "error", listener: (error: Error) => void): void;
};

/** One side of a connection to an MCP server, as `@modelcontextprotocol/sdk` has it. */
export type McpTransport = {
  /** Id of the connection, if it has one. */
  sessionId?: string | undefined;
  /** Opens the connection. */
  start(): Promise<void>;
  /** Sends a message. */
  send(message: Unspecified, options?: Unspecified): Promise<void>;
  /** Closes the connection. */
  close(): Promise<void>;
  /** Called when the connection is closed. */
  onclose?: () => void;
  /** Called with each error. */
  onerror?: (error: Error) => void;
  /** Called with each message. */
  onmessage?: (message: Unspecified, extra?: Unspecified) => void;
};

/** MCP server of this program: one made by `createSdkMcpServer()`, or an `McpServer` of `@modelcontextprotocol/sdk`. */
export type McpServer = {
  /** Connects the server to a client. */
  connect(transport: McpTransport): Promise<void>;
  /** Ends the connection. */
  close(): Promise<void>;
};

/** Result of a tool. */
export type CallToolResult = Mutable<OwnCallToolResult> | {
  /** Content blocks for the model. */
  content: Unspecified[];
  /** The same as data. */
  structuredContent?: Record<string, unknown>;
  /** Whether the call failed; false. */
  isError?: boolean;
  /** Further data. */
  _meta?: Record<string, unknown>;
  [key: string]: unknown;
};

/** Hints about a tool. */
export type ToolAnnotations = Mutable<OwnToolAnnotations>;

/** Fields with a Zod schema each, version 3 or 4. */
export type AnyZodRawShape = Readonly<Record<string, ZodLike>>;

/** Zod schema, as far as types need it. */
export type ZodLike = {
  /** Output type of version 3. */
  readonly _output: unknown;
} | {
  /** Types of version 4. */
  readonly _zod: {
    /** Output type of version 4. */
    readonly output: unknown;
  };
};

/** Type of the arguments that fit a shape. */
export type InferShape<T extends AnyZodRawShape> = {
  [K in keyof T]: T[K] extends { _output: infer O } ? O : never;
};

/** Tool made by `tool()`. */
export type SdkMcpToolDefinition<
  Schema extends AnyZodRawShape = AnyZodRawShape,
> = {
  /** Name of the tool. */
  name: string;
  /** Description for the model. */
  description: string;
  /** Fields of the input, each with a Zod schema. */
  inputSchema: Schema;
  /** Hints about the tool. */
  annotations?: ToolAnnotations;
  /** Further data, such as `anthropic/searchHint`. */
  _meta?: Record<string, unknown>;
  /** Function that runs a call. */
  handler: (
    args: InferShape<Schema>,
    extra: unknown,
  ) => Promise<CallToolResult>;
};

/** Options of `createSdkMcpServer()`. */
export type CreateSdkMcpServerOptions = {
  /** Name of the server. */
  name: string;
  /** Version of the server; `"1.0.0"`. */
  version?: string;
  /** Usage instructions for the model. */
  instructions?: string;
  /** Its tools; no two of one name. */
  tools?: Array<SdkMcpToolDefinition<Unspecified>>;
  /** Whether its tools are always shown to the model; false. */
  alwaysLoad?: boolean;
  /** Timeout of a call, in milliseconds; that of the CLI. */
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
  /** The server. */
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
  /** Source of the setting. */
  source: ResolvedSettingSource;
  /** Settings file, if it is one. */
  path?: string;
  /** Origin, for managed settings. */
  policyOrigin?: PolicySettingsOrigin;
};

/** Options of `resolveSettings()`. */
export type ResolveSettingsOptions = {
  /** Directory of the project and local settings; that of this program. */
  cwd?: string;
  /** Settings files to read; all. */
  settingSources?: SettingSource[];
  /** Managed settings of this program; only their deny and ask rules count. */
  managedSettings?: Settings;
  /** Managed settings of a server. */
  serverManagedSettings?: Settings;
  /** Fingerprint of the registry on Windows; has no effect here, where the registry is not read. */
  registryPolicyFingerprint?: () =>
    | { hklm: string | null; hkcu: string | null }
    | undefined;
};

/** Settings of all sources together. */
export type ResolvedSettings = {
  /** All sources merged. */
  effective: Settings;
  /** Last source of each key. */
  provenance: Partial<Record<keyof Settings, ProvenanceEntry>>;
  /** Each source with settings, the strongest last. */
  sources: Array<
    ProvenanceEntry & {
      /** Settings of the source. */
      settings: Settings;
    }
  >;
  /** State of the machine's managed settings. */
  machinePolicy?: {
    /** Parts that could not be loaded; `false` = none. */
    didNotLoad: false | Array<"profile" | "registry" | "file">;
    /** Whether a read of the registry contradicted `registryPolicyFingerprint`. */
    registryPolicyDifferedFromFingerprint?: true;
  };
};

/** Result of `matchDeniedModels()`. */
export type DeniedModelsMatch = {
  /** Whether each model is denied, in the order of the models. */
  denied: boolean[];
  /** Remarks on ignored and imprecise entries. */
  warnings: string[];
};

/** Place of a session in a store. */
export type SessionKey = Mutable<TranscriptKey>;

/** Line of a session. */
export type SessionStoreEntry = {
  /** Kind of line. */
  type: string;
  /** Id of the line; identifies duplicates. */
  uuid?: string;
  /** Time of writing, ISO 8601. */
  timestamp?: string;
  [k: string]: unknown;
};

/** Frequency of writes to a store. */
export type SessionStoreFlush = "batched" | "eager";

/** Summary of a session, so that lists need not read it. */
export type SessionSummaryEntry = Mutable<TranscriptSummary>;

/** Keeps sessions besides the CLI's own files. */
export type SessionStore = {
  /** Appends lines, all or none; resolves when they are stored. */
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
  /** All lines, oldest first; `null` if nothing was ever added. */
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
  /** The sessions of a project, in any order; `mtime` in milliseconds since 1970. */
  listSessions?(
    projectKey: string,
  ): Promise<Array<{ sessionId: string; mtime: number }>>;
  /** Summaries of a project's sessions; lists then need not load them. */
  listSessionSummaries?(projectKey: string): Promise<SessionSummaryEntry[]>;
  /** Removes a part, or a session with all its parts. */
  delete?(key: SessionKey): Promise<void>;
  /** The parts of a session beside the main one; needed for subagents. */
  listSubkeys?(
    key: { projectKey: string; sessionId: string },
  ): Promise<string[]>;
};

/** Facts about a session. */
export type SDKSessionInfo = {
  /** Id of the session. */
  sessionId: string;
  /** Text for a list: the title, else the last prompt, else the first one. */
  summary: string;
  /** Last change, in milliseconds since 1970. */
  lastModified: number;
  /** Size of its file, in bytes; absent in a store. */
  fileSize?: number | undefined;
  /** Title given by a person or the model. */
  customTitle?: string | undefined;
  /** First prompt, at most 200 characters. */
  firstPrompt?: string | undefined;
  /** The branch that was checked out. */
  gitBranch?: string | undefined;
  /** Working directory. */
  cwd?: string | undefined;
  /** Tag given by a person. */
  tag?: string | undefined;
  /** Start, in milliseconds since 1970. */
  createdAt?: number | undefined;
  /** Whether it is archived; absent in a store. */
  archived?: boolean | undefined;
};

/** Message of a session. */
export type SessionMessage = {
  /** Author of the message. */
  type: "user" | "assistant" | "system";
  /** Id of the message. */
  uuid: string;
  /** Id of the session. */
  session_id: string;
  /** The message in the form of the API. */
  message: unknown;
  /** The tool call that started its subagent; `null` in the main conversation. */
  parent_tool_use_id: string | null;
  /** The subagent that started its subagent; `null` in the main conversation. */
  parent_agent_id: string | null;
};

/** Place to search for a session: below a directory, in a store, or among all files of the CLI. */
export type GetSessionInfoOptions = {
  /** Directory of the session; unset = all projects are searched. */
  dir?: string;
  /** Store of the session; unset = files of the CLI. */
  sessionStore?: SessionStore;
};

/** Options of `listSubagents()`. */
export type ListSubagentsOptions = GetSessionInfoOptions;

/** Place of a session to change. */
export type SessionMutationOptions = GetSessionInfoOptions;

/** Options of `getSubagentMessages()`. */
export type GetSubagentMessagesOptions = GetSessionInfoOptions & {
  /** Maximum number; unset or 0 = all. */
  limit?: number;
  /** Number to skip first; 0. */
  offset?: number;
};

/** Options of `getSessionMessages()`. */
export type GetSessionMessagesOptions = GetSubagentMessagesOptions & {
  /** Whether messages of type `system` are included; false. */
  includeSystemMessages?: boolean;
};

/** Options of `listSessions()`. */
export type ListSessionsOptions = GetSubagentMessagesOptions & {
  /** Whether sessions of the repository's other worktrees are included; true. */
  includeWorktrees?: boolean;
  /** Whether sessions begun by programs are included; true. */
  includeProgrammatic?: boolean;
};

/** Options of `forkSession()`: the last message to copy, and a title. */
export type ForkSessionOptions = SessionMutationOptions & {
  /** Uuid of the last message to copy; unset = all. */
  upToMessageId?: string;
  /** Title of the copy; unset = that of the session, with `(fork)`. */
  title?: string;
};

/** Copy of a session. */
export type ForkSessionResult = {
  /** Id of the copy. */
  sessionId: string;
};

/** Options of `importSessionToStore()`. */
export type ImportSessionToStoreOptions = {
  /** Directory of the session; unset = all projects are searched. */
  dir?: string;
  /** Whether its subagents are copied; true. */
  includeSubagents?: boolean;
  /** Lines per write; 500. */
  batchSize?: number;
};

/** Prompt, as a line of the CLI's input. */
export type SDKUserMessage = {
  /** Always a user message. */
  type: "user";
  /** The prompt itself. */
  message: MessageParam;
  /** The tool call this belongs to; `null` for a prompt. */
  parent_tool_use_id: string | null;
  /** Whether a program made this text for the model rather than a person. */
  isSynthetic?: boolean;
  /** Structured result of the tool whose result this line carries. */
  tool_use_result?: unknown;
  /** Place in the queue while a turn runs. */
  priority?: "now" | "next" | "later";
  /** Origin of the message. */
  origin?: SDKMessageOrigin;
  /** False adds to the conversation without starting a turn. */
  shouldQuery?: boolean;
  /** Time of writing, ISO 8601. */
  timestamp?: string;
  /** The text is verbatim, composed by a program. */
  client_composed?: true;
  /** Id of this prompt, for `rewindFiles()`. */
  uuid?: UUID;
  /** Pasted blocks. */
  pasted_content?: MessageParam["content"][];
  /** Pasted texts. */
  inline_pastes?: string[];
  /** Session id. */
  session_id?: string;
  /** The subagent it belongs to. */
  agent_id?: string;
  /** Kind of that subagent. */
  subagent_type?: string;
  /** Task of that subagent. */
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
  /** Starts the session with its prompts; once only. */
  query(prompt: string | AsyncIterable<SDKUserMessage>): Query;
  /** Ends the process, unless a session was started. */
  close(): void;
};

/** Options of the session that begins in a spare process. */
export type ClaimOptions = {
  /** Working directory of the session. */
  cwd: string;
  /** Variables merged over those of the process. */
  env?: Record<string, string>;
  /** Further directories that tools may touch. */
  additionalDirectories?: string[];
  /** The model. */
  model?: string;
  /** Permission mode. */
  permissionMode?: PermissionMode;
  /** Maximum thinking tokens; `null` = the default. */
  maxThinkingTokens?: number | null;
  /** Settings of the session; no hooks. */
  settings?: FlagSettings;
  /** Text added to the system prompt. */
  appendSystemPrompt?: string;
  /** Title of the session. */
  title?: string;
  /** Agents that the model can delegate work to, by name. */
  agents?: Record<string, AgentDefinition>;
};

/** CLI that has started and waits for a session; `claimed` resolves when that has begun, `exited` when the process is gone. */
export type SpareProcess = AsyncDisposable & {
  /** Starts the session in the process; once only. */
  claim(
    params: {
      prompt: string | AsyncIterable<SDKUserMessage>;
      options: ClaimOptions;
    },
  ): Query;
  /** Resolves when the session has begun; rejects if the process ends before. */
  readonly claimed: Promise<{
    /** Working directory of the session. */
    cwd: string;
    /** Id of the session. */
    sessionId: string;
    /** Time the process waited for its session, in milliseconds. */
    parkedMs?: number;
    /** Whether the CLI reports its in-process MCP servers as settled. */
    sdkMcpSettled: boolean;
  }>;
  /** Resolves when the process has exited. */
  readonly exited: Promise<void>;
  /** Ends the process, unless it was claimed. */
  close(): void;
};

/** Connection to a CLI, as the official SDK declares it; no function of this package accepts one. */
export type Transport = {
  /** Writes to the CLI. */
  write(data: string): void | Promise<void>;
  /** Closes the connection. */
  close(): void;
  /** Whether it can be written to. */
  isReady(): boolean;
  /** Messages of the CLI. */
  readMessages(): AsyncGenerator<object, void, unknown>;
  /** Ends the input of the CLI. */
  endInput(): void;
  /** Resolves when the CLI has exited. */
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
  /** Id of the call. */
  id: string;
  /** Name of the tool. */
  name: string;
  /** Input of the tool. */
  input: Record<string, unknown>;
};

/** Control request of either side. */
export type SDKControlRequest = {
  /** Always a control request. */
  type: "control_request";
  /** Id of the request. */
  request_id: string;
  /** The request. */
  request: {
    /** Kind of request. */
    subtype: string;
    [key: string]: unknown;
  };
};

/** Reply to a control request of either side. */
export type SDKControlResponse = {
  /** Always a response. */
  type: "control_response";
  /** The response. */
  response: {
    /** Outcome. */
    subtype: "success" | "error";
    /** Id of the request. */
    request_id: string;
    /** Body of the reply. */
    response?: Record<string, unknown>;
    /** The failure in words. */
    error?: string;
    [key: string]: unknown;
  };
};
