import type { JsonObject, JsonValue } from "../types/json.ts";
import { ownServers } from "./launch.ts";
import type { SdkServers } from "./sdk_servers.ts";
import type { Session } from "./session.ts";
import type { Query } from "./types_query.ts";

/** Sends a request; gives the CLI's answer as it is, of which each method says what it holds. */
// deno-lint-ignore no-explicit-any -- as the official declarations have it
export type Ask = (subtype: string, fields?: object) => Promise<any>;

/** What can be done with a running query; the last ones are not declared by the official package, and called all the same. */
export type Controls =
  & Omit<Query, keyof AsyncGenerator | "close" | "streamInput">
  & {
    /** Lets claude.ai steer the session, which is for the CLI to allow. */
    enableRemoteControl(enabled: boolean, name?: string): Promise<JsonObject>;
    /** What the settings are, and what became of them. */
    getSettings(): Promise<JsonObject>;
    /** Takes a prompt back that has not begun; whether it was there. */
    cancelAsyncMessage(uuid: string): Promise<boolean>;
    /** Has the model find a title for the session. */
    generateSessionTitle(
      description: string,
      options?: { persist?: boolean },
    ): Promise<string | null>;
    /** Gives the session a title. */
    renameSession(title: string, sessionId?: string): Promise<void>;
    /** Begins to sign in at an MCP server. */
    mcpAuthenticate(
      serverName: string,
      redirectUri?: string,
      options?: { redirectUriOnly?: boolean },
    ): Promise<JsonObject>;
  };

/** What {@link CONTROLS} work with. */
export interface ControlParts {
  readonly ask: Ask;
  readonly session: Session;
  readonly servers: SdkServers;
  /** The answer to the last `initialize`. */
  initialized: Promise<JsonObject>;
  /** Sends `initialize` again. */
  readonly reinitialize: () => Promise<JsonObject>;
}

interface Controlled {
  readonly parts: ControlParts;
}

/** Each method as the request that it sends. */
export const CONTROLS: Controls & ThisType<Controlled> = {
  async interrupt() {
    const { still_queued: queued, cancelled } = await ask(this, "interrupt");
    if (!Array.isArray(queued)) return undefined;
    return {
      still_queued: texts(queued),
      ...Array.isArray(cancelled) && { cancelled: texts(cancelled) },
    };
  },
  setPermissionMode(mode) {
    return tell(this, "set_permission_mode", { mode });
  },
  setMcpPermissionModeOverride(serverName, mode) {
    return ask(this, "set_mcp_permission_mode_override", { serverName, mode });
  },
  setModel(model) {
    return tell(this, "set_model", { model });
  },
  setMaxThinkingTokens(tokens, display) {
    return tell(this, "set_max_thinking_tokens", {
      max_thinking_tokens: tokens,
      thinking_display: display,
    });
  },
  applyFlagSettings(settings) {
    return tell(this, "apply_flag_settings", { settings });
  },
  updateSettings(source, settings) {
    return tell(this, "update_settings", { source, settings });
  },
  initializationResult() {
    return this.parts.initialized as never;
  },
  reinitialize() {
    return this.parts.reinitialize() as never;
  },
  async supportedCommands() {
    const { initialized, session } = this.parts;
    const { commands } = await initialized;
    return (session.commands ?? commands) as never;
  },
  async supportedModels() {
    return (await this.parts.initialized).models as never;
  },
  async supportedAgents() {
    return (await this.parts.initialized).agents as never;
  },
  async accountInfo() {
    return (await this.parts.initialized).account as never;
  },
  async mcpServerStatus() {
    return (await ask(this, "mcp_status")).mcpServers;
  },
  getContextUsage(options) {
    return ask(this, "get_context_usage", options);
  },
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(options) {
    return ask(this, "get_usage", {
      ...options?.skipBehaviors && { skip_behaviors: true },
    });
  },
  // The official SDK tells no reason.
  readFile(path, options) {
    return ask(this, "read_file", {
      path,
      max_bytes: options?.maxBytes,
      encoding: options?.encoding,
    }).catch(() => null);
  },
  reloadPlugins({ holdOnCacheImpact, addPlugins, refuseIfBusy } = {}) {
    return ask(this, "reload_plugins", {
      ...holdOnCacheImpact && { hold_on_cache_impact: true },
      ...addPlugins?.length && { add_plugins: addPlugins },
      ...refuseIfBusy && { refuse_if_busy: true },
    });
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
  async setMcpServers(all) {
    const { own, outer } = ownServers(all);
    const told = await this.parts.servers.replace(own);
    return await ask(this, "mcp_set_servers", {
      servers: { ...outer, ...told },
    });
  },
  stopTask(taskId) {
    return tell(this, "stop_task", { task_id: taskId });
  },
  async backgroundTasks(toolUseId) {
    const fields = { tool_use_id: toolUseId };
    return (await ask(this, "background_tasks", fields)).backgrounded !== false;
  },
  enableRemoteControl(enabled, name) {
    return ask(this, "remote_control", { enabled, name });
  },
  getSettings() {
    return ask(this, "get_settings");
  },
  async cancelAsyncMessage(uuid) {
    const fields = { message_uuid: uuid };
    return (await ask(this, "cancel_async_message", fields)).cancelled;
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

function ask(
  { parts }: Controlled,
  ...request: Parameters<Ask>
): ReturnType<Ask> {
  return parts.ask(...request);
}

async function tell(
  query: Controlled,
  ...request: Parameters<Ask>
): Promise<void> {
  await ask(query, ...request);
}

function texts(list: readonly JsonValue[]): string[] {
  return list.filter((one) => typeof one === "string");
}
