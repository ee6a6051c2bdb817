// Made from protocol/ by `npm run generate`; edit that.
import type { Query, UndeclaredControls } from "./types.ts";
import { ask, type Asking, know, tell } from "../ask.ts";

/** Each method that is one request. */
export const REQUEST_CONTROLS:
  & Pick<
    Query,
    | "supportedModels"
    | "supportedAgents"
    | "accountInfo"
    | "usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET"
    | "reloadPlugins"
    | "backgroundTasks"
    | "setPermissionMode"
    | "setMcpPermissionModeOverride"
    | "setModel"
    | "setMaxThinkingTokens"
    | "applyFlagSettings"
    | "updateSettings"
    | "mcpServerStatus"
    | "getContextUsage"
    | "reloadSkills"
    | "reloadOutputStyles"
    | "rewindFiles"
    | "seedReadState"
    | "reconnectMcpServer"
    | "toggleMcpServer"
    | "readMcpResource"
    | "stopTask"
  >
  & UndeclaredControls
  & ThisType<Asking> = {
    supportedModels() {
      return know(this, "models");
    },
    supportedAgents() {
      return know(this, "agents");
    },
    accountInfo() {
      return know(this, "account");
    },
    usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(opts) {
      return ask(this, "get_usage", {
        ...opts?.skipBehaviors && { skip_behaviors: true },
      });
    },
    reloadPlugins(options) {
      return ask(this, "reload_plugins", {
        ...options?.holdOnCacheImpact && { hold_on_cache_impact: true },
        ...options?.addPlugins?.length && { add_plugins: options.addPlugins },
        ...options?.refuseIfBusy && { refuse_if_busy: true },
      });
    },
    async backgroundTasks(toolUseId) {
      return (await ask(this, "background_tasks", { tool_use_id: toolUseId }))
        .backgrounded !== false;
    },
    setPermissionMode(mode) {
      return ask(this, "set_permission_mode", { mode });
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
