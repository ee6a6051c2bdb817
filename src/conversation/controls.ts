import { quiet } from "../async/deferred.ts";
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
  McpSetServersRequest,
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
} from "../protocol/control_host.ts";
import type { ControlRequestOfHost } from "../protocol/lines.ts";
import type {
  CallMcpToolOptions,
  ContextUsageOptions,
  ControlOptions,
  Controls,
  InterruptOptions,
  MaxThinkingTokensOptions,
  ReadFileOptions,
  RegisterRepoRootOptions,
  ReloadPluginsOptions,
  RenameSessionOptions,
  RewindFilesOptions,
  UsageOptions,
} from "../types/controls.ts";
import type { CliSettingsChange } from "../types/cli_settings.ts";
import type { JsonInput, JsonObject } from "../types/json.ts";
import type { McpServerInput } from "../types/mcp.ts";
import type { PermissionMode } from "../protocol/permissions.ts";
import type {
  AccountInfo,
  AgentInfo,
  SessionInfo,
  SlashCommand,
} from "../protocol/session.ts";
import { checkedServers, wireServers } from "../options/server_fields.ts";

/** A request as it is put together: what is not given is left out when it is written. */
type Sent<Request> = Request extends unknown ? {
    readonly [Key in keyof Request]:
      | Request[Key]
      | (object extends Pick<Request, Key> ? undefined : never);
  }
  : never;

/** What a method sends. */
type Body = Sent<ControlRequestOfHost>;

/**
 * One method per published control request, on top of one that sends.
 *
 * Source: protocol reference, section Control requests, host to CLI.
 *
 * @example A client and a conversation share them
 * ```ts
 * import { Client, ControlMethods } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli("Hello.");
 * await using client = new Client({ cliPath });
 * assert(client instanceof ControlMethods);
 * ```
 */
export abstract class ControlMethods implements Controls {
  /** Sends any control request; see {@link Controls.request}. */
  abstract request(
    subtype: string,
    fields?: JsonInput,
    options?: ControlOptions,
  ): Promise<JsonObject>;

  /** See {@link Controls.reinitialize}. */
  abstract reinitialize(options?: ControlOptions): Promise<SessionInfo>;

  /** The reply to `initialize`. */
  protected abstract sessionInfo(
    options?: ControlOptions,
  ): Promise<SessionInfo>;

  /** Calls something: whatever fails is told by the promise, which nobody has to look at. */
  protected called<T>(work: () => Promise<T>): Promise<T> {
    return quiet((async () => await work())());
  }

  /** See {@link Controls.interrupt}. */
  interrupt(options?: InterruptOptions): Promise<InterruptReceipt> {
    return this.#ask({
      subtype: "interrupt",
      cancel_queued: options?.cancelQueued,
    }, options);
  }

  /** See {@link Controls.setPermissionMode}. */
  setPermissionMode(
    mode: PermissionMode,
    options?: ControlOptions,
  ): Promise<SetPermissionModeReply> {
    return this.#ask({ subtype: "set_permission_mode", mode }, options);
  }

  /** See {@link Controls.setMcpPermissionModeOverride}. */
  setMcpPermissionModeOverride(
    server: string,
    mode: "default" | "auto" | null,
    options?: ControlOptions,
  ): Promise<McpPermissionModeReply> {
    return this.#ask({
      subtype: "set_mcp_permission_mode_override",
      serverName: server,
      mode,
    }, options);
  }

  /** See {@link Controls.setModel}. */
  setModel(
    model?: string | null,
    options?: ControlOptions,
  ): Promise<SetModelReply> {
    return this.#ask({ subtype: "set_model", model }, options);
  }

  /** See {@link Controls.setMaxThinkingTokens}. */
  setMaxThinkingTokens(
    tokens: number | null,
    options?: MaxThinkingTokensOptions,
  ): Promise<void> {
    return this.#tell({
      subtype: "set_max_thinking_tokens",
      max_thinking_tokens: tokens,
      thinking_display: options?.display,
    }, options);
  }

  /** See {@link Controls.mcpStatus}. */
  mcpStatus(options?: ControlOptions): Promise<McpStatusReply> {
    return this.#ask({ subtype: "mcp_status" }, options);
  }

  /** See {@link Controls.setMcpServers}. */
  setMcpServers(
    servers: Readonly<Record<string, McpServerInput>>,
    options?: ControlOptions,
  ): Promise<SetMcpServersReply> {
    return this.called(() =>
      this.#ask({
        subtype: "mcp_set_servers",
        // Its type says more than JSON does.
        servers: wireServers(
          checkedServers(servers),
        ) as McpSetServersRequest["servers"],
      }, options)
    );
  }

  /** See {@link Controls.reconnectMcpServer}. */
  reconnectMcpServer(name: string, options?: ControlOptions): Promise<void> {
    return this.#tell({ subtype: "mcp_reconnect", serverName: name }, options);
  }

  /** See {@link Controls.toggleMcpServer}. */
  toggleMcpServer(
    name: string,
    enabled: boolean,
    options?: ControlOptions,
  ): Promise<void> {
    return this.#tell(
      { subtype: "mcp_toggle", serverName: name, enabled },
      options,
    );
  }

  /** See {@link Controls.callMcpTool}. */
  callMcpTool(
    tool: string,
    args?: JsonInput,
    options?: CallMcpToolOptions,
  ): Promise<McpCallReply> {
    return this.#ask({
      subtype: "mcp_call",
      tool,
      arguments: args,
      expires_at: options?.expiresAt?.toISOString(),
      timeout_ms: options?.timeoutMs,
      check_permissions: options?.checkPermissions,
      result_not_for_model: options?.resultNotForModel,
      input_files: options?.inputFiles?.map(({ name, lanePath }) => ({
        name,
        lane_path: lanePath,
      })),
      output_files: options?.outputFiles?.map((
        { name, lanePath, ifMatch },
      ) => ({ name, lane_path: lanePath, if_match: ifMatch })),
    }, options);
  }

  /** See {@link Controls.readMcpResource}. */
  readMcpResource(
    server: string,
    uri: string,
    options?: ControlOptions,
  ): Promise<ReadMcpResourceReply> {
    return this.#ask(
      { subtype: "mcp_read_resource", serverName: server, uri },
      options,
    );
  }

  /** See {@link Controls.rewindFiles}. */
  rewindFiles(
    userMessageId: string,
    options?: RewindFilesOptions,
  ): Promise<RewindFilesReply> {
    return this.#ask({
      subtype: "rewind_files",
      user_message_id: userMessageId,
      dry_run: options?.dryRun,
    }, options);
  }

  /** See {@link Controls.contextUsage}. */
  contextUsage(options?: ContextUsageOptions): Promise<ContextUsage> {
    return this.#ask(
      { subtype: "get_context_usage", detail: options?.detail },
      options,
    );
  }

  /** See {@link Controls.sessionCost}. */
  sessionCost(options?: ControlOptions): Promise<SessionCostReply> {
    return this.#ask({ subtype: "get_session_cost" }, options);
  }

  /** See {@link Controls.usage}. */
  usage(options?: UsageOptions): Promise<UsageReply> {
    return this.#ask({
      subtype: "get_usage",
      skip_behaviors: options?.skipBehaviors,
    }, options);
  }

  /** See {@link Controls.listModels}. */
  listModels(options?: ControlOptions): Promise<ListModelsReply> {
    return this.#ask({ subtype: "list_models" }, options);
  }

  /** See {@link Controls.settings}. */
  settings(options?: ControlOptions): Promise<SettingsReply> {
    return this.#ask({ subtype: "get_settings" }, options);
  }

  /** See {@link Controls.applySettings}. */
  applySettings(
    settings: CliSettingsChange,
    options?: ControlOptions,
  ): Promise<void> {
    return this.#tell({
      subtype: "apply_flag_settings",
      settings: settings as JsonObject,
    }, options);
  }

  /** See {@link Controls.updateSettings}. */
  updateSettings(
    source: "localSettings" | "userSettings",
    settings: CliSettingsChange,
    options?: ControlOptions,
  ): Promise<void> {
    return this.#tell({
      subtype: "update_settings",
      source,
      settings: settings as JsonObject,
    }, options);
  }

  /** See {@link Controls.hooksListing}. */
  hooksListing(options?: ControlOptions): Promise<HooksListing> {
    return this.#ask({ subtype: "get_hooks_listing" }, options);
  }

  /** See {@link Controls.permissionRules}. */
  permissionRules(options?: ControlOptions): Promise<PermissionRulesReply> {
    return this.#ask({ subtype: "list_permission_rules" }, options);
  }

  /** See {@link Controls.renameSession}. */
  renameSession(title: string, options?: RenameSessionOptions): Promise<void> {
    return this.#tell({
      subtype: "rename_session",
      title,
      source: options?.source,
      session_id: options?.sessionId,
    }, options);
  }

  /** See {@link Controls.fileSuggestions}. */
  fileSuggestions(
    query: string,
    options?: ControlOptions,
  ): Promise<FileSuggestionsReply> {
    return this.#ask({ subtype: "file_suggestions", query }, options);
  }

  /** See {@link Controls.readFile}. */
  readFile(path: string, options?: ReadFileOptions): Promise<ReadFileReply> {
    return this.#ask({
      subtype: "read_file",
      path,
      max_bytes: options?.maxBytes,
      encoding: options?.encoding,
    }, options);
  }

  /** See {@link Controls.seedReadState}. */
  seedReadState(
    path: string,
    mtime: number,
    options?: ControlOptions,
  ): Promise<void> {
    return this.#tell({ subtype: "seed_read_state", path, mtime }, options);
  }

  /** See {@link Controls.reloadPlugins}. */
  reloadPlugins(options?: ReloadPluginsOptions): Promise<ReloadPluginsReply> {
    return this.#ask({
      subtype: "reload_plugins",
      hold_on_cache_impact: options?.holdOnCacheImpact,
      add_plugins: options?.addPlugins?.map((plugin) => ({ ...plugin })),
      refuse_if_busy: options?.refuseIfBusy,
    }, options);
  }

  /** See {@link Controls.reloadSkills}. */
  reloadSkills(options?: ControlOptions): Promise<ReloadSkillsReply> {
    return this.#ask({ subtype: "reload_skills" }, options);
  }

  /** See {@link Controls.reloadOutputStyles}. */
  reloadOutputStyles(
    options?: ControlOptions,
  ): Promise<ReloadOutputStylesReply> {
    return this.#ask({ subtype: "reload_output_styles" }, options);
  }

  /** See {@link Controls.registerRepoRoot}. */
  registerRepoRoot(
    directory: string,
    options?: RegisterRepoRootOptions,
  ): Promise<RegisterRepoRootReply> {
    return this.#ask({
      subtype: "register_repo_root",
      directory,
      reload_claude_md: options?.reloadClaudeMd,
      reload_plugins: options?.reloadPlugins,
      reload_skills: options?.reloadSkills,
    }, options);
  }

  /** See {@link Controls.stopTask}. */
  stopTask(taskId: string, options?: ControlOptions): Promise<void> {
    return this.#tell({ subtype: "stop_task", task_id: taskId }, options);
  }

  /** See {@link Controls.backgroundTasks}. */
  backgroundTasks(
    toolUseId?: string,
    options?: ControlOptions,
  ): Promise<BackgroundTasksReply> {
    return this.#ask(
      { subtype: "background_tasks", tool_use_id: toolUseId },
      options,
    );
  }

  /** See {@link Controls.taskOutput}. */
  taskOutput(
    taskId: string,
    options?: ControlOptions,
  ): Promise<TaskOutputReply> {
    return this.#ask({ subtype: "get_task_output", task_id: taskId }, options);
  }

  /** See {@link Controls.cancelQueued}. */
  cancelQueued(
    messageUuid: string,
    options?: ControlOptions,
  ): Promise<CancelQueuedReply> {
    return this.#ask({
      subtype: "cancel_async_message",
      message_uuid: messageUuid,
    }, options);
  }

  /** See {@link Controls.setHasSubscribers}. */
  setHasSubscribers(
    hasSubscribers: boolean | null,
    options?: ControlOptions,
  ): Promise<void> {
    return this.#tell({
      subtype: "set_has_subscribers",
      has_subscribers: hasSubscribers,
    }, options);
  }

  /** See {@link Controls.binaryVersion}. */
  binaryVersion(options?: ControlOptions): Promise<BinaryVersionReply> {
    return this.#ask({ subtype: "get_binary_version" }, options);
  }

  /** See {@link Controls.supportedCommands}. */
  supportedCommands(
    options?: ControlOptions,
  ): Promise<readonly SlashCommand[]> {
    return this.#know(options, ({ commands }) => commands);
  }

  /** See {@link Controls.supportedAgents}. */
  supportedAgents(options?: ControlOptions): Promise<readonly AgentInfo[]> {
    return this.#know(options, ({ agents }) => agents);
  }

  /** See {@link Controls.accountInfo}. */
  accountInfo(options?: ControlOptions): Promise<AccountInfo> {
    return this.#know(options, ({ account }) => account);
  }

  /** The reply is the CLI's own: its published shape is taken at its word. */
  #ask<Reply>(
    { subtype, ...fields }: Body,
    options?: ControlOptions,
  ): Promise<Reply> {
    const reply: Promise<unknown> = this.request(
      subtype,
      fields as JsonObject,
      options,
    );
    return reply as Promise<Reply>;
  }

  /** For requests whose answer says nothing. */
  #tell(body: Body, options?: ControlOptions): Promise<void> {
    return quiet(this.#ask(body, options).then(() => {}));
  }

  /** For what the reply to `initialize` said. */
  #know<T>(
    options: ControlOptions | undefined,
    pick: (info: SessionInfo) => T,
  ): Promise<T> {
    return quiet(this.sessionInfo(options).then(pick));
  }
}
