// Made from protocol/ by `deno task protocol`; edit that.
import { ask, type Asking, tell } from "../ask.ts";
import type {
  McpServerStatus,
  PermissionMode,
  RewindFilesResult,
  SDKControlGetContextUsageResponse,
  SDKControlMcpReadResourceResponse,
  SDKControlReloadOutputStylesResponse,
  SDKControlReloadSkillsResponse,
} from "./official.ts";
import type { FlagSettings } from "../types_mcp.ts";
import type { JsonObject } from "../../types/json.ts";

/** Methods of a running query that are one request each. */
export interface RequestControls {
  /** Changes what runs without a question. */
  setPermissionMode(mode: PermissionMode): Promise<void>;

  /** Changes that for the tools of one server. */
  setMcpPermissionModeOverride(
    serverName: string,
    mode: "default" | "auto" | null,
  ): Promise<{ warning?: string }>;

  /** Changes the model; unset = the default one. */
  setModel(model?: string): Promise<void>;

  /** Changes how much the model thinks. */
  setMaxThinkingTokens(
    maxThinkingTokens: number | null,
    thinkingDisplay?: "summarized" | "omitted" | "highlights" | null,
  ): Promise<void>;

  /** Lays settings over all others of this session. */
  applyFlagSettings(settings: FlagSettings): Promise<void>;

  /** Writes into a file of settings. */
  updateSettings(
    source: "localSettings" | "userSettings",
    settings: Record<string, unknown>,
  ): Promise<void>;

  /** Status of the MCP servers. */
  mcpServerStatus(): Promise<McpServerStatus[]>;

  /** What fills the context. */
  getContextUsage(
    options?: { detail?: "summary" | "full" },
  ): Promise<SDKControlGetContextUsageResponse>;

  /** Reads the skills again. */
  reloadSkills(): Promise<SDKControlReloadSkillsResponse>;

  /** Reads the output styles again. */
  reloadOutputStyles(): Promise<SDKControlReloadOutputStylesResponse>;

  /** Restores files to their state at a prompt. */
  rewindFiles(
    userMessageId: string,
    options?: { dryRun?: boolean },
  ): Promise<RewindFilesResult>;

  /** Marks a file as read. */
  seedReadState(path: string, mtime: number): Promise<void>;

  /** Connects an MCP server again. */
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
}

/** Those that the official package does not declare, and that wrappers call all the same. */
export interface UndeclaredControls {
  /** Lets claude.ai steer the session, if the CLI allows it. */
  enableRemoteControl(enabled: boolean, name?: string): Promise<JsonObject>;

  /** Settings, and what became of them. */
  getSettings(): Promise<JsonObject>;

  /** Takes back a prompt that has not begun; whether it was there. */
  cancelAsyncMessage(uuid: string): Promise<boolean>;

  /** Has the model find a title for the session. */
  generateSessionTitle(
    description: string,
    options?: { persist?: boolean },
  ): Promise<string | null>;

  /** Gives the session a title. */
  renameSession(title: string, sessionId?: string): Promise<void>;

  /** Starts the sign-in at an MCP server. */
  mcpAuthenticate(
    serverName: string,
    redirectUri?: string,
    options?: { redirectUriOnly?: boolean },
  ): Promise<JsonObject>;
}

/** Each method as the request that it sends. */
export const REQUEST_CONTROLS:
  & RequestControls
  & UndeclaredControls
  & ThisType<Asking> = {
    setPermissionMode(mode) {
      return tell(this, "set_permission_mode", { mode });
    },
    setMcpPermissionModeOverride(serverName, mode) {
      return ask(this, "set_mcp_permission_mode_override", {
        serverName,
        mode,
      });
    },
    setModel(model) {
      return tell(this, "set_model", { model });
    },
    setMaxThinkingTokens(maxThinkingTokens, thinkingDisplay) {
      return tell(this, "set_max_thinking_tokens", {
        max_thinking_tokens: maxThinkingTokens,
        thinking_display: thinkingDisplay,
      });
    },
    applyFlagSettings(settings) {
      return tell(this, "apply_flag_settings", { settings });
    },
    updateSettings(source, settings) {
      return tell(this, "update_settings", { source, settings });
    },
    async mcpServerStatus() {
      return (await ask(this, "mcp_status")).mcpServers;
    },
    getContextUsage(options) {
      return ask(this, "get_context_usage", options);
    },
    reloadSkills() {
      return ask(this, "reload_skills");
    },
    reloadOutputStyles() {
      return ask(this, "reload_output_styles");
    },
    rewindFiles(userMessageId, options) {
      return ask(this, "rewind_files", {
        user_message_id: userMessageId,
        dry_run: options?.dryRun,
      });
    },
    seedReadState(path, mtime) {
      return tell(this, "seed_read_state", { path, mtime });
    },
    reconnectMcpServer(serverName) {
      return tell(this, "mcp_reconnect", { serverName });
    },
    toggleMcpServer(serverName, enabled) {
      return tell(this, "mcp_toggle", { serverName, enabled });
    },
    readMcpResource(serverName, uri) {
      return ask(this, "mcp_read_resource", { serverName, uri });
    },
    stopTask(taskId) {
      return tell(this, "stop_task", { task_id: taskId });
    },
    enableRemoteControl(enabled, name) {
      return ask(this, "remote_control", { enabled, name });
    },
    getSettings() {
      return ask(this, "get_settings");
    },
    async cancelAsyncMessage(uuid) {
      return (await ask(this, "cancel_async_message", { message_uuid: uuid }))
        .cancelled;
    },
    async generateSessionTitle(description, options) {
      return (await ask(this, "generate_session_title", {
        description,
        persist: options?.persist,
      })).title;
    },
    renameSession(title, sessionId) {
      return tell(this, "rename_session", {
        title,
        source: "host",
        session_id: sessionId,
      });
    },
    mcpAuthenticate(serverName, redirectUri, options) {
      return ask(this, "mcp_authenticate", {
        serverName,
        redirectUri,
        redirectUriOnly: options?.redirectUriOnly,
      });
    },
  };
