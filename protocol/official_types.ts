/** Types of the official package that are not shapes of the wire. */

/** A type by its official name: description and declaration. A key may hold type parameters. */
export type OfficialTypes = Readonly<Record<string, readonly [string, string]>>;

const PERMISSION_QUESTION = `{
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
}`;
const ASKED = `{
  /** Aborted when the answer is no longer needed. */
  signal: AbortSignal;
  /** Id of the control request. */
  requestId: string;
}`;
const ON_EXIT =
  'event: "exit", listener: (code: number | null, signal: Signal | null) => void';
const ON_ERROR = 'event: "error", listener: (error: Error) => void';
const STREAM = "string | AsyncIterable<SDKUserMessage>";
const SHOWN =
  '/** Display of the thinking; unset = the default. */\n display?: "summarized" | "omitted"';

/** Options, and the arguments and results of callbacks among them. */
const OPTIONS: OfficialTypes = {
  SdkBeta: ["Beta feature of the API", '"context-1m-2025-08-07"'],
  SettingSource: ["Settings file to read", '"user" | "project" | "local"'],
  ThinkingAdaptive: [
    "The model decides whether and how much it thinks",
    `{
      /** The model decides. */
      type: "adaptive";
      ${SHOWN};
    }`,
  ],
  ThinkingEnabled: [
    "The model thinks, up to a budget of tokens",
    `{
      /** With a budget. */
      type: "enabled";
      /** Maximum thinking tokens. */
      budgetTokens?: number;
      ${SHOWN};
    }`,
  ],
  ThinkingDisabled: [
    "The model does not think first",
    `{
      /** No thinking. */
      type: "disabled";
    }`,
  ],
  ThinkingConfig: [
    "Whether and how much the model thinks before it answers",
    "ThinkingAdaptive | ThinkingEnabled | ThinkingDisabled",
  ],
  OutputFormatType: ["Kind of structured output", '"json_schema"'],
  BaseOutputFormat: [
    "Part that every structured output has",
    `{
      /** Kind of output. */
      type: OutputFormatType;
    }`,
  ],
  JsonSchemaOutputFormat: [
    "Structured output by JSON Schema",
    `{
      /** Kind of output. */
      type: "json_schema";
      /** JSON Schema of the output. */
      schema: Record<string, unknown>;
    }`,
  ],
  OutputFormat: ["Structured output", "JsonSchemaOutputFormat"],
  ToolConfig: [
    "Options of built-in tools",
    `{
      /** Settings of \`AskUserQuestion\`. */
      askUserQuestion?: {
        /** Format of the previews of options. */
        previewFormat?: "markdown" | "html";
      };
    }`,
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
    `{
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
    }`,
  ],
  ElicitationResult: [
    "Answer to an elicitation",
    `{
      [key: string]: unknown;
      /** Action of the user. */
      action: "accept" | "decline" | "cancel";
      /** Content of the form; only with \`accept\`. */
      content?: Record<string, string | number | boolean | string[]>;
    }`,
  ],
  OnElicitation: [
    "Answers elicitations; `null` leaves one unanswered",
    `(request: ElicitationRequest, options: ${ASKED}) => Promise<ElicitationResult | null>`,
  ],
  UserDialogRequest: [
    "Dialog that the CLI asks the host to show",
    `{
      /** Kind of dialog; only those listed in \`supportedDialogKinds\`. */
      dialogKind: string;
      /** Content of the dialog. */
      payload: Record<string, unknown>;
      /** The tool call behind it. */
      toolUseID?: string;
    }`,
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
    `{
      /** Pattern of tool names such as \`Bash|Edit\`, or of the value that the event is matched by; unset = always. */
      matcher?: string | undefined;
      /** Callbacks to call. */
      hooks: HookCallback[];
      /** Timeout of one call, in seconds; that of the CLI. */
      timeout?: number | undefined;
      /** Effect of a failing hook; \`"continue"\`. */
      onFailure?: "continue" | "block" | undefined;
    }`,
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
    `{
      /** The program. */
      command: string;
      /** Its arguments. */
      args: string[];
      /** Working directory; absent if the option \`cwd\` is unset. */
      cwd?: string;
      /** Its whole environment. */
      env: { [envVar: string]: string | undefined };
      /** Aborted at SIGTERM, when the grace is over. */
      signal: AbortSignal;
    }`,
  ],
  SpawnedProcess: [
    "Process, wherever it runs; a `ChildProcess` of Node fits",
    `{
      /** Its input. */
      stdin: Writable;
      /** Its output. */
      stdout: Readable;
      /** Whether a signal was sent to it. */
      readonly killed: boolean;
      /** Exit code; \`null\` while it runs, or if a signal ended it. */
      readonly exitCode: number | null;
      /** Signal that ended it; \`null\` if none did. */
      readonly signalCode?: Signal | null;
      /** Sends a signal; returns whether it was sent. */
      kill(signal: Signal): boolean;
      /** Adds a listener for the end. */
      on(${ON_EXIT}): void;
      /** Adds a listener for errors. */
      on(${ON_ERROR}): void;
      /** Adds a listener for the end, called once. */
      once(${ON_EXIT}): void;
      /** Adds a listener for errors, called once. */
      once(${ON_ERROR}): void;
      /** Removes a listener for the end. */
      off(${ON_EXIT}): void;
      /** Removes a listener for errors. */
      off(${ON_ERROR}): void;
    }`,
  ],
};

/** Tools and MCP servers. */
const MCP: OfficialTypes = {
  McpTransport: [
    "One side of a connection to an MCP server, as `@modelcontextprotocol/sdk` has it",
    `{
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
    }`,
  ],
  McpServer: [
    "MCP server of this program: one made by `createSdkMcpServer()`, or an `McpServer` of `@modelcontextprotocol/sdk`",
    `{
      /** Connects the server to a client. */
      connect(transport: McpTransport): Promise<void>;
      /** Ends the connection. */
      close(): Promise<void>;
    }`,
  ],
  CallToolResult: [
    "Result of a tool",
    `Mutable<OwnCallToolResult> | {
      /** Content blocks for the model. */
      content: Unspecified[];
      /** The same as data. */
      structuredContent?: Record<string, unknown>;
      /** Whether the call failed; false. */
      isError?: boolean;
      /** Further data. */
      _meta?: Record<string, unknown>;
      [key: string]: unknown;
    }`,
  ],
  ToolAnnotations: ["Hints about a tool", "Mutable<OwnToolAnnotations>"],
  AnyZodRawShape: [
    "Fields with a Zod schema each, version 3 or 4",
    "Readonly<Record<string, ZodLike>>",
  ],
  ZodLike: [
    "Zod schema, as far as types need it",
    `{
      /** Output type of version 3. */
      readonly _output: unknown;
    } | {
      /** Types of version 4. */
      readonly _zod: {
        /** Output type of version 4. */
        readonly output: unknown;
      };
    }`,
  ],
  "InferShape<T extends AnyZodRawShape>": [
    "Type of the arguments that fit a shape",
    "{ [K in keyof T]: T[K] extends { _output: infer O } ? O : never }",
  ],
  "SdkMcpToolDefinition<Schema extends AnyZodRawShape = AnyZodRawShape>": [
    "Tool made by `tool()`",
    `{
      /** Name of the tool. */
      name: string;
      /** Description for the model. */
      description: string;
      /** Fields of the input, each with a Zod schema. */
      inputSchema: Schema;
      /** Hints about the tool. */
      annotations?: ToolAnnotations;
      /** Further data, such as \`anthropic/searchHint\`. */
      _meta?: Record<string, unknown>;
      /** Function that runs a call. */
      handler: (args: InferShape<Schema>, extra: unknown) => Promise<CallToolResult>;
    }`,
  ],
  CreateSdkMcpServerOptions: [
    "Options of `createSdkMcpServer()`",
    `{
      /** Name of the server. */
      name: string;
      /** Version of the server; \`"1.0.0"\`. */
      version?: string;
      /** Usage instructions for the model. */
      instructions?: string;
      /** Its tools; no two of one name. */
      tools?: Array<SdkMcpToolDefinition<Unspecified>>;
      /** Whether its tools are always shown to the model; false. */
      alwaysLoad?: boolean;
      /** Timeout of a call, in milliseconds; that of the CLI. */
      timeout?: number;
    }`,
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
    `McpSdkServerConfig & {
      /** The server. */
      instance: McpServer;
    }`,
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
    `{
      /** Source of the setting. */
      source: ResolvedSettingSource;
      /** Settings file, if it is one. */
      path?: string;
      /** Origin, for managed settings. */
      policyOrigin?: PolicySettingsOrigin;
    }`,
  ],
  ResolveSettingsOptions: [
    "Options of `resolveSettings()`",
    `{
      /** Directory of the project and local settings; that of this program. */
      cwd?: string;
      /** Settings files to read; all. */
      settingSources?: SettingSource[];
      /** Managed settings of this program; only their deny and ask rules count. */
      managedSettings?: Settings;
      /** Managed settings of a server. */
      serverManagedSettings?: Settings;
      /** Fingerprint of the registry on Windows; has no effect here, where the registry is not read. */
      registryPolicyFingerprint?: () => { hklm: string | null; hkcu: string | null } | undefined;
    }`,
  ],
  ResolvedSettings: [
    "Settings of all sources together",
    `{
      /** All sources merged. */
      effective: Settings;
      /** Last source of each key. */
      provenance: Partial<Record<keyof Settings, ProvenanceEntry>>;
      /** Each source with settings, the strongest last. */
      sources: Array<ProvenanceEntry & {
        /** Settings of the source. */
        settings: Settings;
      }>;
      /** State of the machine's managed settings. */
      machinePolicy?: {
        /** Parts that could not be loaded; \`false\` = none. */
        didNotLoad: false | Array<"profile" | "registry" | "file">;
        /** Whether a read of the registry contradicted \`registryPolicyFingerprint\`. */
        registryPolicyDifferedFromFingerprint?: true;
      };
    }`,
  ],
  DeniedModelsMatch: [
    "Result of `matchDeniedModels()`",
    `{
      /** Whether each model is denied, in the order of the models. */
      denied: boolean[];
      /** Remarks on ignored and imprecise entries. */
      warnings: string[];
    }`,
  ],
};

/** Sessions and their store. */
const SESSIONS: OfficialTypes = {
  SessionKey: ["Place of a session in a store", "Mutable<TranscriptKey>"],
  SessionStoreEntry: [
    "Line of a session",
    `{
      /** Kind of line. */
      type: string;
      /** Id of the line; identifies duplicates. */
      uuid?: string;
      /** Time of writing, ISO 8601. */
      timestamp?: string;
      [k: string]: unknown;
    }`,
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
    `{
      /** Appends lines, all or none; resolves when they are stored. */
      append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
      /** All lines, oldest first; \`null\` if nothing was ever added. */
      load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
      /** The sessions of a project, in any order; \`mtime\` in milliseconds since 1970. */
      listSessions?(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>>;
      /** Summaries of a project's sessions; lists then need not load them. */
      listSessionSummaries?(projectKey: string): Promise<SessionSummaryEntry[]>;
      /** Removes a part, or a session with all its parts. */
      delete?(key: SessionKey): Promise<void>;
      /** The parts of a session beside the main one; needed for subagents. */
      listSubkeys?(key: { projectKey: string; sessionId: string }): Promise<string[]>;
    }`,
  ],
  SDKSessionInfo: [
    "Facts about a session",
    `{
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
    }`,
  ],
  SessionMessage: [
    "Message of a session",
    `{
      /** Author of the message. */
      type: "user" | "assistant" | "system";
      /** Id of the message. */
      uuid: string;
      /** Id of the session. */
      session_id: string;
      /** The message in the form of the API. */
      message: unknown;
      /** The tool call that started its subagent; \`null\` in the main conversation. */
      parent_tool_use_id: string | null;
      /** The subagent that started its subagent; \`null\` in the main conversation. */
      parent_agent_id: string | null;
    }`,
  ],
  GetSessionInfoOptions: [
    "Place to search for a session: below a directory, in a store, or among all files of the CLI",
    `{
      /** Directory of the session; unset = all projects are searched. */
      dir?: string;
      /** Store of the session; unset = files of the CLI. */
      sessionStore?: SessionStore;
    }`,
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
    `GetSessionInfoOptions & {
      /** Maximum number; unset or 0 = all. */
      limit?: number;
      /** Number to skip first; 0. */
      offset?: number;
    }`,
  ],
  GetSessionMessagesOptions: [
    "Options of `getSessionMessages()`",
    `GetSubagentMessagesOptions & {
      /** Whether messages of type \`system\` are included; false. */
      includeSystemMessages?: boolean;
    }`,
  ],
  ListSessionsOptions: [
    "Options of `listSessions()`",
    `GetSubagentMessagesOptions & {
      /** Whether sessions of the repository's other worktrees are included; true. */
      includeWorktrees?: boolean;
      /** Whether sessions begun by programs are included; true. */
      includeProgrammatic?: boolean;
    }`,
  ],
  ForkSessionOptions: [
    "Options of `forkSession()`: the last message to copy, and a title",
    `SessionMutationOptions & {
      /** Uuid of the last message to copy; unset = all. */
      upToMessageId?: string;
      /** Title of the copy; unset = that of the session, with \`(fork)\`. */
      title?: string;
    }`,
  ],
  ForkSessionResult: [
    "Copy of a session",
    `{
      /** Id of the copy. */
      sessionId: string;
    }`,
  ],
  ImportSessionToStoreOptions: [
    "Options of `importSessionToStore()`",
    `{
      /** Directory of the session; unset = all projects are searched. */
      dir?: string;
      /** Whether its subagents are copied; true. */
      includeSubagents?: boolean;
      /** Lines per write; 500. */
      batchSize?: number;
    }`,
  ],
};

/** A running query and its messages. */
const QUERIES: OfficialTypes = {
  SDKUserMessage: [
    "Prompt, as a line of the CLI's input",
    `{
      /** Always a user message. */
      type: "user";
      /** The prompt itself. */
      message: MessageParam;
      /** The tool call this belongs to; \`null\` for a prompt. */
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
      /** Id of this prompt, for \`rewindFiles()\`. */
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
    }`,
  ],
  SDKControlInitializeResponse: [
    "Reply of the CLI to `initialize`",
    `Mutable<Pick<SessionInfo, "account" | "agents" | "available_output_styles" | "claude_code_version" | "commands" |
       "fast_mode_state" | "models" | "output_style" | "pid">>`,
  ],
  WarmQuery: [
    "CLI that has started and waits for its prompt; takes one prompt or one stream of prompts",
    `AsyncDisposable & {
      /** Starts the session with its prompts; once only. */
      query(prompt: ${STREAM}): Query;
      /** Ends the process, unless a session was started. */
      close(): void;
    }`,
  ],
  ClaimOptions: [
    "Options of the session that begins in a spare process",
    `{
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
      /** Maximum thinking tokens; \`null\` = the default. */
      maxThinkingTokens?: number | null;
      /** Settings of the session; no hooks. */
      settings?: FlagSettings;
      /** Text added to the system prompt. */
      appendSystemPrompt?: string;
      /** Title of the session. */
      title?: string;
      /** Agents that the model can delegate work to, by name. */
      agents?: Record<string, AgentDefinition>;
    }`,
  ],
  SpareProcess: [
    "CLI that has started and waits for a session; `claimed` resolves when that has begun, `exited` when the process is gone",
    `AsyncDisposable & {
      /** Starts the session in the process; once only. */
      claim(params: { prompt: ${STREAM}; options: ClaimOptions }): Query;
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
    }`,
  ],
  Transport: [
    "Connection to a CLI, as the official SDK declares it; no function of this package accepts one",
    `{
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
    }`,
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
    `{
      /** Id of the call. */
      id: string;
      /** Name of the tool. */
      name: string;
      /** Input of the tool. */
      input: Record<string, unknown>;
    }`,
  ],
  SDKControlRequest: [
    "Control request of either side",
    `{
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
    }`,
  ],
  SDKControlResponse: [
    "Reply to a control request of either side",
    `{
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
    }`,
  ],
};

/** All of them; Source: `sdk.d.ts` 0.3.332. */
export const OFFICIAL_TYPES: OfficialTypes = {
  ...OPTIONS,
  ...MCP,
  ...SETTINGS,
  ...SESSIONS,
  ...QUERIES,
};
