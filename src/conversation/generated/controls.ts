// Made from protocol/ by `npm run generate`; edit that.
import type { McpSetServersRequest } from "../../protocol/control_host.ts";
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
  SessionInfo,
  SlashCommand,
} from "../../protocol/session.ts";
import type { CliSettingsChange } from "../../types/cli_settings.ts";
import type { ControlOptions } from "../../types/controls.ts";
import type { JsonInput, JsonObject } from "../../types/json.ts";
import type { McpServerInput } from "../../types/mcp.ts";
import type {
  CallMcpToolOptions,
  ContextUsageOptions,
  Controls,
  InterruptOptions,
  MaxThinkingTokensOptions,
  ReadFileOptions,
  RegisterRepoRootOptions,
  ReloadPluginsOptions,
  RenameSessionOptions,
  RewindFilesOptions,
  UsageOptions,
} from "../../types/generated/controls.ts";
import { quiet } from "../../async/deferred.ts";
import { ask, know, tell } from "../ask.ts";
import { checkedServers, wireServers } from "../../options/server_configs.ts";

/**
 * Base class of clients and conversations: one method per published control request.
 *
 * @example Use the controls of a client
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
  /** The reply to `initialize`. */
  protected abstract sessionInfo(
    options?: ControlOptions,
  ): Promise<SessionInfo>;

  /** Calls a function; an error rejects the promise, which never causes an unhandled rejection. */
  protected called<T>(work: () => Promise<T>): Promise<T> {
    return quiet((async () => await work())());
  }

  /** See {@link Controls.interrupt}. */
  interrupt(options?: InterruptOptions): Promise<InterruptReceipt> {
    return ask(this, {
      subtype: "interrupt",
      cancel_queued: options?.cancelQueued,
    }, options);
  }

  /** See {@link Controls.setPermissionMode}. */
  setPermissionMode(
    mode: PermissionMode,
    options?: ControlOptions,
  ): Promise<SetPermissionModeReply> {
    return ask(this, { subtype: "set_permission_mode", mode }, options);
  }

  /** See {@link Controls.setModel}. */
  setModel(
    model?: string | null,
    options?: ControlOptions,
  ): Promise<SetModelReply> {
    return ask(this, { subtype: "set_model", model }, options);
  }

  /** See {@link Controls.setMaxThinkingTokens}. */
  setMaxThinkingTokens(
    tokens: number | null,
    options?: MaxThinkingTokensOptions,
  ): Promise<void> {
    return tell(this, {
      subtype: "set_max_thinking_tokens",
      max_thinking_tokens: tokens,
      thinking_display: options?.display,
    }, options);
  }

  /** See {@link Controls.renameSession}. */
  renameSession(title: string, options?: RenameSessionOptions): Promise<void> {
    return tell(this, {
      subtype: "rename_session",
      title,
      source: options?.source,
      session_id: options?.sessionId,
    }, options);
  }

  /** See {@link Controls.mcpStatus}. */
  mcpStatus(options?: ControlOptions): Promise<McpStatusReply> {
    return ask(this, { subtype: "mcp_status" }, options);
  }

  /** See {@link Controls.setMcpServers}. */
  setMcpServers(
    servers: Readonly<Record<string, McpServerInput>>,
    options?: ControlOptions,
  ): Promise<SetMcpServersReply> {
    return this.called(() =>
      ask(this, {
        subtype: "mcp_set_servers",
        servers: wireServers(
          checkedServers(servers),
        ) as McpSetServersRequest["servers"],
      }, options)
    );
  }

  /** See {@link Controls.reconnectMcpServer}. */
  reconnectMcpServer(
    serverName: string,
    options?: ControlOptions,
  ): Promise<void> {
    return tell(this, { subtype: "mcp_reconnect", serverName }, options);
  }

  /** See {@link Controls.toggleMcpServer}. */
  toggleMcpServer(
    serverName: string,
    enabled: boolean,
    options?: ControlOptions,
  ): Promise<void> {
    return tell(this, { subtype: "mcp_toggle", serverName, enabled }, options);
  }

  /** See {@link Controls.callMcpTool}. */
  callMcpTool(
    tool: string,
    args?: JsonInput,
    options?: CallMcpToolOptions,
  ): Promise<McpCallReply> {
    return ask(this, {
      subtype: "mcp_call",
      tool,
      check_permissions: options?.checkPermissions,
      soft_error_result: options?.softErrorResult,
      result_not_for_model: options?.resultNotForModel,
      arguments: args,
      expires_at: options?.expiresAt?.toISOString(),
      timeout_ms: options?.timeoutMs,
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
    serverName: string,
    uri: string,
    options?: ControlOptions,
  ): Promise<ReadMcpResourceReply> {
    return ask(
      this,
      { subtype: "mcp_read_resource", serverName, uri },
      options,
    );
  }

  /** See {@link Controls.contextUsage}. */
  contextUsage(options?: ContextUsageOptions): Promise<ContextUsage> {
    return ask(
      this,
      { subtype: "get_context_usage", detail: options?.detail },
      options,
    );
  }

  /** See {@link Controls.sessionCost}. */
  sessionCost(options?: ControlOptions): Promise<SessionCostReply> {
    return ask(this, { subtype: "get_session_cost" }, options);
  }

  /** See {@link Controls.usage}. */
  usage(options?: UsageOptions): Promise<UsageReply> {
    return ask(this, {
      subtype: "get_usage",
      skip_behaviors: options?.skipBehaviors,
    }, options);
  }

  /** See {@link Controls.listModels}. */
  listModels(options?: ControlOptions): Promise<ListModelsReply> {
    return ask(this, { subtype: "list_models" }, options);
  }

  /** See {@link Controls.binaryVersion}. */
  binaryVersion(options?: ControlOptions): Promise<BinaryVersionReply> {
    return ask(this, { subtype: "get_binary_version" }, options);
  }

  /** See {@link Controls.fileSuggestions}. */
  fileSuggestions(
    query: string,
    options?: ControlOptions,
  ): Promise<FileSuggestionsReply> {
    return ask(this, { subtype: "file_suggestions", query }, options);
  }

  /** See {@link Controls.readFile}. */
  readFile(path: string, options?: ReadFileOptions): Promise<ReadFileReply> {
    return ask(this, {
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
    return tell(this, { subtype: "seed_read_state", path, mtime }, options);
  }

  /** See {@link Controls.rewindFiles}. */
  rewindFiles(
    userMessageId: string,
    options?: RewindFilesOptions,
  ): Promise<RewindFilesReply> {
    return ask(this, {
      subtype: "rewind_files",
      user_message_id: userMessageId,
      dry_run: options?.dryRun,
    }, options);
  }

  /** See {@link Controls.cancelQueued}. */
  cancelQueued(
    messageUuid: string,
    options?: ControlOptions,
  ): Promise<CancelQueuedReply> {
    return ask(this, {
      subtype: "cancel_async_message",
      message_uuid: messageUuid,
    }, options);
  }

  /** See {@link Controls.applySettings}. */
  applySettings(
    settings: CliSettingsChange,
    options?: ControlOptions,
  ): Promise<void> {
    return tell(this, {
      subtype: "apply_flag_settings",
      settings: settings as JsonObject,
    }, options);
  }

  /** See {@link Controls.settings}. */
  settings(options?: ControlOptions): Promise<SettingsReply> {
    return ask(this, { subtype: "get_settings" }, options);
  }

  /** See {@link Controls.updateSettings}. */
  updateSettings(
    source: "localSettings" | "userSettings",
    settings: CliSettingsChange,
    options?: ControlOptions,
  ): Promise<void> {
    return tell(this, {
      subtype: "update_settings",
      source,
      settings: settings as JsonObject,
    }, options);
  }

  /** See {@link Controls.hooksListing}. */
  hooksListing(options?: ControlOptions): Promise<HooksListing> {
    return ask(this, { subtype: "get_hooks_listing" }, options);
  }

  /** See {@link Controls.permissionRules}. */
  permissionRules(options?: ControlOptions): Promise<PermissionRulesReply> {
    return ask(this, { subtype: "list_permission_rules" }, options);
  }

  /** See {@link Controls.reloadPlugins}. */
  reloadPlugins(options?: ReloadPluginsOptions): Promise<ReloadPluginsReply> {
    return ask(this, {
      subtype: "reload_plugins",
      hold_on_cache_impact: options?.holdOnCacheImpact,
      refuse_if_busy: options?.refuseIfBusy,
      add_plugins: options?.addPlugins?.map((plugin) => ({ ...plugin })),
    }, options);
  }

  /** See {@link Controls.reloadSkills}. */
  reloadSkills(options?: ControlOptions): Promise<ReloadSkillsReply> {
    return ask(this, { subtype: "reload_skills" }, options);
  }

  /** See {@link Controls.reloadOutputStyles}. */
  reloadOutputStyles(
    options?: ControlOptions,
  ): Promise<ReloadOutputStylesReply> {
    return ask(this, { subtype: "reload_output_styles" }, options);
  }

  /** See {@link Controls.registerRepoRoot}. */
  registerRepoRoot(
    directory: string,
    options?: RegisterRepoRootOptions,
  ): Promise<RegisterRepoRootReply> {
    return ask(this, {
      subtype: "register_repo_root",
      directory,
      reload_claude_md: options?.reloadClaudeMd,
      reload_plugins: options?.reloadPlugins,
      reload_skills: options?.reloadSkills,
    }, options);
  }

  /** See {@link Controls.stopTask}. */
  stopTask(taskId: string, options?: ControlOptions): Promise<void> {
    return tell(this, { subtype: "stop_task", task_id: taskId }, options);
  }

  /** See {@link Controls.backgroundTasks}. */
  backgroundTasks(
    toolUseId?: string,
    options?: ControlOptions,
  ): Promise<BackgroundTasksReply> {
    return ask(
      this,
      { subtype: "background_tasks", tool_use_id: toolUseId },
      options,
    );
  }

  /** See {@link Controls.taskOutput}. */
  taskOutput(
    taskId: string,
    options?: ControlOptions,
  ): Promise<TaskOutputReply> {
    return ask(this, { subtype: "get_task_output", task_id: taskId }, options);
  }

  /** See {@link Controls.setHasSubscribers}. */
  setHasSubscribers(
    hasSubscribers: boolean | null,
    options?: ControlOptions,
  ): Promise<void> {
    return tell(this, {
      subtype: "set_has_subscribers",
      has_subscribers: hasSubscribers,
    }, options);
  }

  /** See {@link Controls.setMcpPermissionModeOverride}. */
  setMcpPermissionModeOverride(
    serverName: string,
    mode: "default" | "auto" | null,
    options?: ControlOptions,
  ): Promise<McpPermissionModeReply> {
    return ask(this, {
      subtype: "set_mcp_permission_mode_override",
      serverName,
      mode,
    }, options);
  }

  /** See {@link Controls.supportedCommands}. */
  supportedCommands(
    options?: ControlOptions,
  ): Promise<readonly SlashCommand[]> {
    return know(this.sessionInfo(options), "commands");
  }

  /** See {@link Controls.supportedAgents}. */
  supportedAgents(options?: ControlOptions): Promise<readonly AgentInfo[]> {
    return know(this.sessionInfo(options), "agents");
  }

  /** See {@link Controls.accountInfo}. */
  accountInfo(options?: ControlOptions): Promise<AccountInfo> {
    return know(this.sessionInfo(options), "account");
  }

  /** See {@link Controls.reinitialize}. */
  abstract reinitialize(options?: ControlOptions): Promise<SessionInfo>;

  /** See {@link Controls.request}. */
  abstract request(
    subtype: string,
    fields?: JsonInput,
    options?: ControlOptions,
  ): Promise<JsonObject>;
}
