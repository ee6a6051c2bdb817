// Made from protocol/ by `npm run generate`; edit that.
import type {
  BackgroundTasksReply,
  BinaryVersionReply,
  CancelQueuedReply,
  ContextUsage,
  FileSuggestionsReply,
  HooksListing,
  InterruptReceipt,
  ListModelsReply,
  McpCallReply,
  McpPermissionModeReply,
  McpStatusReply,
  PermissionRulesReply,
  ReadFileReply,
  ReadMcpResourceReply,
  RegisterRepoRootReply,
  ReloadOutputStylesReply,
  ReloadPluginsReply,
  ReloadSkillsReply,
  RewindFilesReply,
  SessionCostReply,
  SetMcpServersReply,
  SetModelReply,
  SetPermissionModeReply,
  SettingsReply,
  TaskOutputReply,
  UsageReply,
} from "../../protocol/control_replies.ts";
import type { PermissionMode } from "../../protocol/permissions.ts";
import type {
  AccountInfo,
  AgentInfo,
  PluginConfig,
  SessionInfo,
  SlashCommand,
} from "../../protocol/session.ts";
import type { CliSettingsChange } from "../../types/cli_settings.ts";
import type { ControlOptions } from "../../types/controls.ts";
import type { JsonInput, JsonObject } from "../../types/json.ts";
import type { McpServerInput } from "../../types/mcp.ts";

/** Options of {@link Controls.interrupt}. */
export interface InterruptOptions extends ControlOptions {
  /** Whether queued prompts are cancelled too; default: false. */
  readonly cancelQueued?: boolean | undefined;
}

/** Options of {@link Controls.setMaxThinkingTokens}. */
export interface MaxThinkingTokensOptions extends ControlOptions {
  /** Display of the thinking; null = the default. */
  readonly display?: "summarized" | "omitted" | "highlights" | null | undefined;
}

/** Options of {@link Controls.renameSession}. */
export interface RenameSessionOptions extends ControlOptions {
  /** Side that requested the change. */
  readonly source?: "remote" | "host" | undefined;
  /** Id of the session; default: the running session. */
  readonly sessionId?: string | undefined;
}

/** Options of {@link Controls.callMcpTool}; `timeoutMs` is sent to the CLI as well. */
export interface CallMcpToolOptions extends ControlOptions {
  /** Whether the permission rules are checked first; default: false. */
  readonly checkPermissions?: boolean | undefined;
  /** Whether the result of a tool that failed is returned instead of an error; default: false. */
  readonly softErrorResult?: boolean | undefined;
  /** Whether the model never sees the result; default: false. */
  readonly resultNotForModel?: boolean | undefined;
  /** Expiry of the call; required by the CLI with `outputFiles`. */
  readonly expiresAt?: Date | undefined;
  /** Files for the tool to read. */
  readonly inputFiles?:
    | readonly {
      /** Name of the tool's argument. */
      readonly name: string;
      /** Path of the file in the exchange folder. */
      readonly lanePath: string;
    }[]
    | undefined;
  /** Files for the tool to write. */
  readonly outputFiles?:
    | readonly {
      /** Name of the tool's argument. */
      readonly name: string;
      /** Path of the file in the exchange folder. */
      readonly lanePath: string;
      /** Only if the file still has this version. */
      readonly ifMatch?: string | undefined;
    }[]
    | undefined;
}

/** Options of {@link Controls.contextUsage}. */
export interface ContextUsageOptions extends ControlOptions {
  /** Level of detail; the CLI has a default. */
  readonly detail?: "summary" | "full" | undefined;
}

/** Options of {@link Controls.usage}. */
export interface UsageOptions extends ControlOptions {
  /** Whether to leave out `behaviors`, the slowest part; default: false. */
  readonly skipBehaviors?: boolean | undefined;
}

/** Options of {@link Controls.readFile}. */
export interface ReadFileOptions extends ControlOptions {
  /** Maximum bytes to read; the CLI has a default. */
  readonly maxBytes?: number | undefined;
  /** Form of the content; default: `"utf-8"`. */
  readonly encoding?: "utf-8" | "base64" | undefined;
}

/** Options of {@link Controls.rewindFiles}. */
export interface RewindFilesOptions extends ControlOptions {
  /** Whether to report the changes without making them; default: false. */
  readonly dryRun?: boolean | undefined;
}

/** Options of {@link Controls.reloadPlugins}. */
export interface ReloadPluginsOptions extends ControlOptions {
  /** Whether to do nothing if the prompt cache would be lost; default: false. */
  readonly holdOnCacheImpact?: boolean | undefined;
  /** Plugins to add. */
  readonly addPlugins?: readonly PluginConfig[] | undefined;
  /** Whether a running turn makes it fail; default: false. */
  readonly refuseIfBusy?: boolean | undefined;
}

/** Options of {@link Controls.registerRepoRoot}. */
export interface RegisterRepoRootOptions extends ControlOptions {
  /** Whether its `CLAUDE.md` is read; default: false. */
  readonly reloadClaudeMd?: boolean | undefined;
  /** Whether plugins are reloaded; default: false. */
  readonly reloadPlugins?: boolean | undefined;
  /** Whether skills are reloaded; default: false. */
  readonly reloadSkills?: boolean | undefined;
}

/**
 * Control requests to a running conversation.
 *
 * Each method sends one control request and resolves to the unchanged reply of the CLI. It rejects with `ControlError`
 * when the CLI refuses it (with the CLI's `errorCode`), with `ProtocolError` of category `timeout` when it times out,
 * with the signal's reason when it is aborted, and with `NotConnectedError` or `ClosedError` when there is no
 * conversation. Replies arrive even while no messages are consumed.
 */
export interface Controls {
  /**
   * Interrupts the running turn and stops its tools; the session stays usable.
   *
   * The turn ends with a result (`error_during_execution`). Has no effect when nothing runs.
   */
  interrupt(options?: InterruptOptions): Promise<InterruptReceipt>;
  /** Sets the permission mode; `bypassPermissions` needs the option `permissions.allowBypass`. */
  setPermissionMode(
    mode: PermissionMode,
    options?: ControlOptions,
  ): Promise<SetPermissionModeReply>;
  /** Sets the model; absent or null = the default model. The CLI tests the model with a small API request. */
  setModel(
    model?: string | null,
    options?: ControlOptions,
  ): Promise<SetModelReply>;
  /** Sets the maximum number of thinking tokens; null = the default. */
  setMaxThinkingTokens(
    tokens: number | null,
    options?: MaxThinkingTokensOptions,
  ): Promise<void>;
  /** Sets the title of the session. */
  renameSession(title: string, options?: RenameSessionOptions): Promise<void>;
  /** Returns the state of all MCP servers, also of those that Sluice serves. */
  mcpStatus(options?: ControlOptions): Promise<McpStatusReply>;
  /** Replaces the MCP servers. Servers of settings files stay. Servers with `via: "cli"` that you passed at the start stay too. */
  setMcpServers(
    servers: Readonly<Record<string, McpServerInput>>,
    options?: ControlOptions,
  ): Promise<SetMcpServersReply>;
  /** Reconnects an MCP server. */
  reconnectMcpServer(
    serverName: string,
    options?: ControlOptions,
  ): Promise<void>;
  /** Switches an MCP server on or off. */
  toggleMcpServer(
    serverName: string,
    enabled: boolean,
    options?: ControlOptions,
  ): Promise<void>;
  /** Calls an MCP tool by its full name, `mcp__server__tool`. Works only with servers that the CLI itself has connected. On request, the result of a failed tool is returned instead of an error. */
  callMcpTool(
    tool: string,
    args?: JsonInput,
    options?: CallMcpToolOptions,
  ): Promise<McpCallReply>;
  /** Reads a resource of an MCP server. The CLI accepts only `ui://` addresses. */
  readMcpResource(
    serverName: string,
    uri: string,
    options?: ControlOptions,
  ): Promise<ReadMcpResourceReply>;
  /** Returns the tokens in the context window, in total and by category. */
  contextUsage(options?: ContextUsageOptions): Promise<ContextUsage>;
  /** Returns the cost of the session so far, as text. */
  sessionCost(options?: ControlOptions): Promise<SessionCostReply>;
  /** Returns the usage of the session and the account's rate limits. */
  usage(options?: UsageOptions): Promise<UsageReply>;
  /** Lists the models that can be chosen. */
  listModels(options?: ControlOptions): Promise<ListModelsReply>;
  /** Returns the version of the CLI. */
  binaryVersion(options?: ControlOptions): Promise<BinaryVersionReply>;
  /** Suggests files of the project that match a text. */
  fileSuggestions(
    query: string,
    options?: ControlOptions,
  ): Promise<FileSuggestionsReply>;
  /** Reads a file. The CLI refuses files that the session may not read. */
  readFile(path: string, options?: ReadFileOptions): Promise<ReadFileReply>;
  /** Marks a file as read by the model. `mtime` is the modification time of the version that the model has read. */
  seedReadState(
    path: string,
    mtime: number,
    options?: ControlOptions,
  ): Promise<void>;
  /** Restores files to their state at a prompt. Needs `enableFileCheckpointing`, and prompts that were sent with a `uuid`. */
  rewindFiles(
    userMessageId: string,
    options?: RewindFilesOptions,
  ): Promise<RewindFilesReply>;
  /** Removes a queued prompt, identified by the `uuid` that it was sent with. */
  cancelQueued(
    messageUuid: string,
    options?: ControlOptions,
  ): Promise<CancelQueuedReply>;
  /** Changes settings for this session only. Other keys keep their values. */
  applySettings(
    settings: CliSettingsChange,
    options?: ControlOptions,
  ): Promise<void>;
  /** Returns the settings in force and their sources. */
  settings(options?: ControlOptions): Promise<SettingsReply>;
  /** Changes settings in a settings file. Other keys keep their values. The CLI accepts only two keys: `outputStyle` in local settings, and `effortLevel` in user settings. */
  updateSettings(
    source: "localSettings" | "userSettings",
    settings: CliSettingsChange,
    options?: ControlOptions,
  ): Promise<void>;
  /** Lists the hooks of all settings files. Callbacks are not listed. */
  hooksListing(options?: ControlOptions): Promise<HooksListing>;
  /** Lists the permission rules in force. */
  permissionRules(options?: ControlOptions): Promise<PermissionRulesReply>;
  /** Reloads plugins. */
  reloadPlugins(options?: ReloadPluginsOptions): Promise<ReloadPluginsReply>;
  /** Reloads skills. */
  reloadSkills(options?: ControlOptions): Promise<ReloadSkillsReply>;
  /** Reloads output styles. */
  reloadOutputStyles(
    options?: ControlOptions,
  ): Promise<ReloadOutputStylesReply>;
  /** Adds a directory, such as a new clone, as a repository root. The directory must be below `cwd` or `additionalDirectories`. */
  registerRepoRoot(
    directory: string,
    options?: RegisterRepoRootOptions,
  ): Promise<RegisterRepoRootReply>;
  /** Stops a background task or a subagent; an unknown id is not an error. */
  stopTask(taskId: string, options?: ControlOptions): Promise<void>;
  /** Moves running tool calls to the background: one call, or all. */
  backgroundTasks(
    toolUseId?: string,
    options?: ControlOptions,
  ): Promise<BackgroundTasksReply>;
  /** Returns the output of a background task. */
  taskOutput(
    taskId: string,
    options?: ControlOptions,
  ): Promise<TaskOutputReply>;
  /** Informs the CLI whether a person currently sees the output; null = unknown. Has an effect only if the environment variable `CLAUDE_CODE_STREAM_EVENT_HOLD_MS` is set. */
  setHasSubscribers(
    hasSubscribers: boolean | null,
    options?: ControlOptions,
  ): Promise<void>;
  /** Sets a stricter permission mode for the calls of one MCP server. With `"default"` the CLI asks; with `"auto"` a model of the CLI decides. Neither mode allows more calls than the mode of the session. With `null`, only the mode of the session applies. */
  setMcpPermissionModeOverride(
    serverName: string,
    mode: "default" | "auto" | null,
    options?: ControlOptions,
  ): Promise<McpPermissionModeReply>;
  /** Returns the commands from the reply to `initialize`, without a new request. */
  supportedCommands(options?: ControlOptions): Promise<readonly SlashCommand[]>;
  /** Returns the subagents from the reply to `initialize`, without a new request. */
  supportedAgents(options?: ControlOptions): Promise<readonly AgentInfo[]>;
  /** Returns the account from the reply to `initialize`, without a new request. */
  accountInfo(options?: ControlOptions): Promise<AccountInfo>;
  /**
   * Sends `initialize` again. Call it only after your own `transport` has lost lines.
   *
   * Pending questions (permissions, dialogs, elicitations) are repeated, and each is answered once. The CLI registers the
   * hooks again and abandons pending hook calls: a tool call that waits for its `PreToolUse` hook is denied, and the
   * model may try again.
   */
  reinitialize(options?: ControlOptions): Promise<SessionInfo>;
  /** Sends any other request by its subtype. Returns `{}` if the reply is empty. */
  request(
    subtype: string,
    fields?: JsonInput,
    options?: ControlOptions,
  ): Promise<JsonObject>;
}
