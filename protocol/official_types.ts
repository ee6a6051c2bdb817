/** Types of the official package that are not shapes of the wire. */

/** A type by its official name: description and declaration. A key may hold type parameters. */
export type OfficialTypes = Readonly<Record<string, readonly [string, string]>>;

const PERMISSION_QUESTION = `{
  signal: AbortSignal; suggestions?: PermissionUpdate[]; blockedPath?: string; mcpServer?: { name: string; source: string };
  decisionReason?: string; title?: string; displayName?: string; description?: string; defaultToNo?: boolean;
  suppressAlwaysAllowRule?: boolean; toolUseID: string; agentID?: string; requestId: string;
  matchedAskRule?: { source: string; toolName: string; ruleContent?: string } }`;
const ASKED = "{ signal: AbortSignal; requestId: string }";
const ON_EXIT =
  'event: "exit", listener: (code: number | null, signal: Signal | null) => void';
const ON_ERROR = 'event: "error", listener: (error: Error) => void';
const STREAM = "string | AsyncIterable<SDKUserMessage>";
const SHOWN = 'display?: "summarized" | "omitted"';

/** Options, and the arguments and results of callbacks among them. */
const OPTIONS: OfficialTypes = {
  SdkBeta: ["Beta feature of the API", '"context-1m-2025-08-07"'],
  SettingSource: ["Settings file to read", '"user" | "project" | "local"'],
  ThinkingAdaptive: [
    "The model decides whether and how much it thinks",
    `{ type: "adaptive"; ${SHOWN} }`,
  ],
  ThinkingEnabled: [
    "The model thinks, up to a budget of tokens",
    `{ type: "enabled"; budgetTokens?: number; ${SHOWN} }`,
  ],
  ThinkingDisabled: ["The model does not think first", '{ type: "disabled" }'],
  ThinkingConfig: [
    "Whether and how much the model thinks before it answers",
    "ThinkingAdaptive | ThinkingEnabled | ThinkingDisabled",
  ],
  OutputFormatType: ["Kind of structured output", '"json_schema"'],
  BaseOutputFormat: [
    "Part that every structured output has",
    "{ type: OutputFormatType }",
  ],
  JsonSchemaOutputFormat: [
    "Structured output by JSON Schema",
    '{ type: "json_schema"; schema: Record<string, unknown> }',
  ],
  OutputFormat: ["Structured output", "JsonSchemaOutputFormat"],
  ToolConfig: [
    "Options of built-in tools",
    '{ askUserQuestion?: { previewFormat?: "markdown" | "html" } }',
  ],
  SandboxSettings: [
    "Sandbox for the commands of tools; unknown keys are allowed",
    'NonNullable<Settings["sandbox"]>',
  ],
  SandboxNetworkConfig: [
    "Network access in the sandbox",
    'NonNullable<SandboxSettings["network"]>',
  ],
  SandboxFilesystemConfig: [
    "File access in the sandbox",
    'NonNullable<SandboxSettings["filesystem"]>',
  ],
  SandboxCredentialsConfig: [
    "Credentials in the sandbox",
    "Record<string, unknown>",
  ],
  SandboxIgnoreViolations: [
    "Violations of the sandbox to ignore",
    'NonNullable<SandboxSettings["ignoreViolations"]>',
  ],
  PermissionBehavior: ["Effect of a rule", '"allow" | "deny" | "ask"'],
  CanUseTool: [
    "Decides whether a tool may run; `null` leaves the question unanswered",
    `(toolName: string, input: Record<string, unknown>, options: ${PERMISSION_QUESTION}) => Promise<PermissionResult | null>`,
  ],
  ElicitationRequest: [
    "Question of an MCP server to the user",
    `{ serverName: string; message: string; mode?: "form" | "url"; url?: string; elicitationId?: string;
       requestedSchema?: Record<string, unknown>; title?: string; displayName?: string; description?: string }`,
  ],
  ElicitationResult: [
    "Answer to an elicitation",
    `{ [key: string]: unknown; action: "accept" | "decline" | "cancel";
       content?: Record<string, string | number | boolean | string[]> }`,
  ],
  OnElicitation: [
    "Answers elicitations; `null` leaves one unanswered",
    `(request: ElicitationRequest, options: ${ASKED}) => Promise<ElicitationResult | null>`,
  ],
  UserDialogRequest: [
    "Dialog that the CLI asks the host to show",
    "{ dialogKind: string; payload: Record<string, unknown>; toolUseID?: string }",
  ],
  OnUserDialog: [
    "Shows dialogs; `null` leaves one unanswered",
    `(request: UserDialogRequest, options: ${ASKED}) => Promise<UserDialogResult | null>`,
  ],
  HookInput: ["Input of a hook", "Mutable<AnyHookInput>"],
  HookCallback: [
    "Hook",
    "(input: HookInput, toolUseID: string | undefined, options: { signal: AbortSignal }) => Promise<HookJSONOutput>",
  ],
  HookCallbackMatcher: [
    "Hooks for the events that a pattern matches; `timeout` in seconds",
    `{ matcher?: string | undefined; hooks: HookCallback[]; timeout?: number | undefined;
       onFailure?: "continue" | "block" | undefined }`,
  ],
  HookPermissionDecision: [
    "Decision of a hook about a tool call",
    '"allow" | "deny" | "ask" | "defer"',
  ],
  PostToolBatchToolCall: [
    "One tool call of several",
    'PostToolBatchHookInput["tool_calls"][number]',
  ],
  SpawnOptions: [
    "Arguments of `spawnClaudeCodeProcess`; the signal is aborted when the process has to end and the grace is over",
    `{ command: string; args: string[]; cwd?: string; env: { [envVar: string]: string | undefined };
       signal: AbortSignal }`,
  ],
  SpawnedProcess: [
    "Process, wherever it runs; a `ChildProcess` of Node fits",
    `{ stdin: Writable; stdout: Readable; readonly killed: boolean; readonly exitCode: number | null;
       readonly signalCode?: Signal | null; kill(signal: Signal): boolean;
       on(${ON_EXIT}): void; on(${ON_ERROR}): void; once(${ON_EXIT}): void; once(${ON_ERROR}): void;
       off(${ON_EXIT}): void; off(${ON_ERROR}): void }`,
  ],
};

/** Tools and MCP servers. */
const MCP: OfficialTypes = {
  McpTransport: [
    "One side of a connection to an MCP server, as `@modelcontextprotocol/sdk` has it",
    `{ sessionId?: string | undefined; start(): Promise<void>; send(message: Unspecified, options?: Unspecified): Promise<void>;
       close(): Promise<void>; onclose?: () => void; onerror?: (error: Error) => void;
       onmessage?: (message: Unspecified, extra?: Unspecified) => void }`,
  ],
  McpServer: [
    "MCP server of this program: one made by `createSdkMcpServer()`, or an `McpServer` of `@modelcontextprotocol/sdk`",
    "{ connect(transport: McpTransport): Promise<void>; close(): Promise<void> }",
  ],
  CallToolResult: [
    "Result of a tool",
    `Mutable<OwnCallToolResult> | { content: Unspecified[]; structuredContent?: Record<string, unknown>; isError?: boolean;
       _meta?: Record<string, unknown>; [key: string]: unknown }`,
  ],
  ToolAnnotations: ["Hints about a tool", "Mutable<OwnToolAnnotations>"],
  AnyZodRawShape: [
    "Fields with a Zod schema each, version 3 or 4",
    "Readonly<Record<string, ZodLike>>",
  ],
  ZodLike: [
    "Zod schema, as far as types need it",
    "{ readonly _output: unknown } | { readonly _zod: { readonly output: unknown } }",
  ],
  "InferShape<T extends AnyZodRawShape>": [
    "Type of the arguments that fit a shape",
    "{ [K in keyof T]: T[K] extends { _output: infer O } ? O : never }",
  ],
  "SdkMcpToolDefinition<Schema extends AnyZodRawShape = AnyZodRawShape>": [
    "Tool made by `tool()`",
    `{ name: string; description: string; inputSchema: Schema; annotations?: ToolAnnotations; _meta?: Record<string, unknown>;
       handler: (args: InferShape<Schema>, extra: unknown) => Promise<CallToolResult> }`,
  ],
  CreateSdkMcpServerOptions: [
    "Options of `createSdkMcpServer()`",
    `{ name: string; version?: string; instructions?: string; tools?: Array<SdkMcpToolDefinition<Unspecified>>;
       alwaysLoad?: boolean; timeout?: number }`,
  ],
  McpStdioServerConfig: [
    "MCP server that the CLI starts",
    "Extract<McpServerConfigForProcessTransport, { command: string }>",
  ],
  McpSSEServerConfig: [
    "MCP server over server-sent events",
    'Extract<McpServerConfigForProcessTransport, { url: string }> & { type: "sse" }',
  ],
  McpHttpServerConfig: [
    "MCP server over HTTP",
    'Extract<McpServerConfigForProcessTransport, { url: string }> & { type: "http" }',
  ],
  McpSdkServerConfig: [
    "MCP server of this program, as the CLI knows it",
    'Extract<McpServerConfigForProcessTransport, { type: "sdk" }>',
  ],
  McpSdkServerConfigWithInstance: [
    "MCP server of this program",
    "McpSdkServerConfig & { instance: McpServer }",
  ],
  McpServerConfig: [
    "MCP server",
    "McpStdioServerConfig | McpSSEServerConfig | McpHttpServerConfig | McpSdkServerConfigWithInstance",
  ],
  McpServerStatusConfig: [
    "MCP server in its status",
    "McpServerConfigForProcessTransport | McpClaudeAIProxyServerConfig",
  ],
  AgentMcpServerSpec: [
    "MCP server of one agent: the name of one of the session, or configurations",
    'NonNullable<AgentDefinition["mcpServers"]>[number]',
  ],
};

/** Settings. */
const SETTINGS: OfficialTypes = {
  Settings: [
    "Settings file; unknown keys are allowed",
    "Mutable<CliSettingsFields> & { [key: string]: unknown }",
  ],
  FlagSettings: [
    "Change of settings; `null` removes a key",
    '{ [K in keyof Settings]?: K extends "effortLevel" ? EffortLevel | null : Settings[K] | null }',
  ],
  ConfigScope: ["Owner of settings", '"local" | "user" | "project"'],
  ResolvedSettingSource: [
    "Source of a setting",
    'SettingSource | "managed" | "flag"',
  ],
  PolicySettingsOrigin: [
    "Origin of managed settings",
    '"helper" | "remote" | "plist" | "hklm" | "file" | "parent" | "hkcu"',
  ],
  ProvenanceEntry: [
    "Origin of a setting",
    "{ source: ResolvedSettingSource; path?: string; policyOrigin?: PolicySettingsOrigin }",
  ],
  ResolveSettingsOptions: [
    "Options of `resolveSettings()`",
    `{ cwd?: string; settingSources?: SettingSource[]; managedSettings?: Settings;
       serverManagedSettings?: Settings }`,
  ],
  ResolvedSettings: [
    "Settings of all sources together",
    `{ effective: Settings; provenance: Partial<Record<keyof Settings, ProvenanceEntry>>;
       sources: Array<ProvenanceEntry & { settings: Settings }>;
       machinePolicy?: { didNotLoad: false | Array<"profile" | "registry" | "file"> } }`,
  ],
  DeniedModelsMatch: [
    "Result of `matchDeniedModels()`",
    "{ denied: boolean[]; warnings: string[] }",
  ],
};

/** Sessions and their store. */
const SESSIONS: OfficialTypes = {
  SessionKey: ["Place of a session in a store", "Mutable<TranscriptKey>"],
  SessionStoreEntry: [
    "Line of a session",
    "{ type: string; uuid?: string; timestamp?: string; [k: string]: unknown }",
  ],
  SessionStoreFlush: [
    "Frequency of writes to a store",
    '"batched" | "eager"',
  ],
  SessionSummaryEntry: [
    "Summary of a session, so that lists need not read it",
    "Mutable<TranscriptSummary>",
  ],
  SessionStore: [
    "Keeps sessions besides the CLI's own files",
    `{ append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
       load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
       listSessions?(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>>;
       listSessionSummaries?(projectKey: string): Promise<SessionSummaryEntry[]>;
       delete?(key: SessionKey): Promise<void>;
       listSubkeys?(key: { projectKey: string; sessionId: string }): Promise<string[]> }`,
  ],
  SDKSessionInfo: [
    "Facts about a session",
    `{ sessionId: string; summary: string; lastModified: number; fileSize?: number | undefined;
       customTitle?: string | undefined; firstPrompt?: string | undefined; gitBranch?: string | undefined;
       cwd?: string | undefined; tag?: string | undefined; createdAt?: number | undefined;
       archived?: boolean | undefined }`,
  ],
  SessionMessage: [
    "Message of a session",
    `{ type: "user" | "assistant" | "system"; uuid: string; session_id: string; message: unknown;
       parent_tool_use_id: string | null; parent_agent_id: string | null }`,
  ],
  GetSessionInfoOptions: [
    "Place to search for a session: below a directory, in a store, or among all files of the CLI",
    "{ dir?: string; sessionStore?: SessionStore }",
  ],
  ListSubagentsOptions: [
    "Options of `listSubagents()`",
    "GetSessionInfoOptions",
  ],
  SessionMutationOptions: [
    "Place of a session to change",
    "GetSessionInfoOptions",
  ],
  GetSubagentMessagesOptions: [
    "Options of `getSubagentMessages()`",
    "GetSessionInfoOptions & { limit?: number; offset?: number }",
  ],
  GetSessionMessagesOptions: [
    "Options of `getSessionMessages()`",
    "GetSubagentMessagesOptions & { includeSystemMessages?: boolean }",
  ],
  ListSessionsOptions: [
    "Options of `listSessions()`",
    "GetSubagentMessagesOptions & { includeWorktrees?: boolean; includeProgrammatic?: boolean }",
  ],
  ForkSessionOptions: [
    "Options of `forkSession()`: the last message to copy, and a title",
    "SessionMutationOptions & { upToMessageId?: string; title?: string }",
  ],
  ForkSessionResult: ["Copy of a session", "{ sessionId: string }"],
  ImportSessionToStoreOptions: [
    "Options of `importSessionToStore()`",
    "{ dir?: string; includeSubagents?: boolean; batchSize?: number }",
  ],
};

/** A running query and its messages. */
const QUERIES: OfficialTypes = {
  SDKUserMessage: [
    "Prompt, as a line of the CLI's input",
    `{ type: "user"; message: MessageParam; parent_tool_use_id: string | null; isSynthetic?: boolean;
       tool_use_result?: unknown; priority?: "now" | "next" | "later"; origin?: SDKMessageOrigin; shouldQuery?: boolean;
       timestamp?: string; client_composed?: true; uuid?: UUID; pasted_content?: MessageParam["content"][];
       inline_pastes?: string[]; session_id?: string; agent_id?: string; subagent_type?: string;
       task_description?: string }`,
  ],
  SDKControlInitializeResponse: [
    "Reply of the CLI to `initialize`",
    `Mutable<Pick<SessionInfo, "account" | "agents" | "available_output_styles" | "claude_code_version" | "commands" |
       "fast_mode_state" | "models" | "output_style" | "pid">>`,
  ],
  WarmQuery: [
    "CLI that has started and waits for its prompt; takes one prompt or one stream of prompts",
    `AsyncDisposable & { query(prompt: ${STREAM}): Query; close(): void }`,
  ],
  ClaimOptions: [
    "Options of the session that begins in a spare process",
    `{ cwd: string; env?: Record<string, string>; additionalDirectories?: string[]; model?: string;
       permissionMode?: PermissionMode; maxThinkingTokens?: number | null; settings?: FlagSettings;
       appendSystemPrompt?: string; title?: string; agents?: Record<string, AgentDefinition> }`,
  ],
  SpareProcess: [
    "CLI that has started and waits for a session; `claimed` resolves when that has begun, `exited` when the process is gone",
    `AsyncDisposable & { claim(params: { prompt: ${STREAM}; options: ClaimOptions }): Query;
       readonly claimed: Promise<{ cwd: string; sessionId: string; parkedMs?: number; sdkMcpSettled: boolean }>;
       readonly exited: Promise<void>; close(): void }`,
  ],
  Transport: [
    "Connection to a CLI, as the official SDK declares it; no function of this package accepts one",
    `{ write(data: string): void | Promise<void>; close(): void; isReady(): boolean;
       readMessages(): AsyncGenerator<object, void, unknown>; endInput(): void; waitForExit?(): Promise<void> }`,
  ],
  ExitReason: [
    "Reason for the end of a session",
    "(typeof EXIT_REASONS)[number]",
  ],
  SDKResultMessage: ["End of a turn", "SDKResultSuccess | SDKResultError"],
  SDKStatus: [
    "Work of the CLI beside the turn; `null` = none",
    '"compacting" | "requesting" | null',
  ],
  SDKContextUsageCategory: [
    "One part of the context",
    'SDKContextUsage["categories"][number]',
  ],
  SDKPermissionRuleEntry: [
    "One permission rule",
    'SDKControlPermissionRulesState["rules"][number]',
  ],
  SDKPermissionRuleDescription: [
    "Permission rule in words",
    'NonNullable<SDKPermissionRuleEntry["description"]>',
  ],
  SDKPermissionWorkspaceDirectory: [
    "Directory that tools may touch",
    'SDKControlPermissionRulesState["workspaceDirectories"][number]',
  ],
  SDKDeferredToolUse: [
    "Deferred tool call",
    "{ id: string; name: string; input: Record<string, unknown> }",
  ],
  SDKControlRequest: [
    "Control request of either side",
    '{ type: "control_request"; request_id: string; request: { subtype: string; [key: string]: unknown } }',
  ],
  SDKControlResponse: [
    "Reply to a control request of either side",
    `{ type: "control_response"; response: { subtype: "success" | "error"; request_id: string;
       response?: Record<string, unknown>; error?: string; [key: string]: unknown } }`,
  ],
};

/** All of them; Source: `sdk.d.ts` 0.3.330. */
export const OFFICIAL_TYPES: OfficialTypes = {
  ...OPTIONS,
  ...MCP,
  ...SETTINGS,
  ...SESSIONS,
  ...QUERIES,
};
