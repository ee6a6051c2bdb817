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

/** Each method as the request that it sends. */
export function controlsOf(
  ask: Ask,
  session: Session,
  servers: SdkServers,
  initialized: () => Promise<JsonObject>,
  reinitialize: () => Promise<JsonObject>,
): Controls {
  const tell = async (subtype: string, fields?: object): Promise<void> => {
    await ask(subtype, fields);
  };
  return {
    async interrupt() {
      const { still_queued: queued, cancelled } = await ask("interrupt");
      if (!Array.isArray(queued)) return undefined;
      return {
        still_queued: texts(queued),
        ...Array.isArray(cancelled) && { cancelled: texts(cancelled) },
      };
    },
    setPermissionMode: (mode) => tell("set_permission_mode", { mode }),
    setMcpPermissionModeOverride: (serverName, mode) =>
      ask("set_mcp_permission_mode_override", { serverName, mode }),
    setModel: (model) => tell("set_model", { model }),
    setMaxThinkingTokens: (tokens, display) =>
      tell("set_max_thinking_tokens", {
        max_thinking_tokens: tokens,
        thinking_display: display,
      }),
    applyFlagSettings: (settings) => tell("apply_flag_settings", { settings }),
    updateSettings: (source, settings) =>
      tell("update_settings", { source, settings }),
    initializationResult: initialized as Query["initializationResult"],
    reinitialize: reinitialize as Query["reinitialize"],
    async supportedCommands() {
      const { commands } = await initialized();
      return (session.commands ?? commands) as never;
    },
    supportedModels: async () => (await initialized()).models as never,
    supportedAgents: async () => (await initialized()).agents as never,
    accountInfo: async () => (await initialized()).account as never,
    mcpServerStatus: async () => (await ask("mcp_status")).mcpServers,
    getContextUsage: (options) => ask("get_context_usage", options),
    usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET: (options) =>
      ask("get_usage", {
        ...options?.skipBehaviors && { skip_behaviors: true },
      }),
    // The official SDK tells no reason.
    readFile: (path, options) =>
      ask("read_file", {
        path,
        max_bytes: options?.maxBytes,
        encoding: options?.encoding,
      }).catch(() => null),
    reloadPlugins: ({ holdOnCacheImpact, addPlugins, refuseIfBusy } = {}) =>
      ask("reload_plugins", {
        ...holdOnCacheImpact && { hold_on_cache_impact: true },
        ...addPlugins?.length && { add_plugins: addPlugins },
        ...refuseIfBusy && { refuse_if_busy: true },
      }),
    reloadSkills: () => ask("reload_skills"),
    reloadOutputStyles: () => ask("reload_output_styles"),
    rewindFiles: (userMessageId, options) =>
      ask("rewind_files", {
        user_message_id: userMessageId,
        dry_run: options?.dryRun,
      }),
    seedReadState: (path, mtime) => tell("seed_read_state", { path, mtime }),
    reconnectMcpServer: (serverName) => tell("mcp_reconnect", { serverName }),
    toggleMcpServer: (serverName, enabled) =>
      tell("mcp_toggle", { serverName, enabled }),
    readMcpResource: (serverName, uri) =>
      ask("mcp_read_resource", { serverName, uri }),
    async setMcpServers(all) {
      const { own, outer } = ownServers(all);
      const told = await servers.replace(own);
      return await ask("mcp_set_servers", { servers: { ...outer, ...told } });
    },
    stopTask: (taskId) => tell("stop_task", { task_id: taskId }),
    async backgroundTasks(toolUseId) {
      const fields = { tool_use_id: toolUseId };
      return (await ask("background_tasks", fields)).backgrounded !== false;
    },
    enableRemoteControl: (enabled, name) =>
      ask("remote_control", { enabled, name }),
    getSettings: () => ask("get_settings"),
    cancelAsyncMessage: async (uuid) =>
      (await ask("cancel_async_message", { message_uuid: uuid })).cancelled,
    generateSessionTitle: async (description, options) =>
      (await ask("generate_session_title", {
        description,
        persist: options?.persist,
      })).title,
    renameSession: (title, sessionId) =>
      tell("rename_session", {
        title,
        source: "host",
        session_id: sessionId,
      }),
    mcpAuthenticate: (serverName, redirectUri, options) =>
      ask("mcp_authenticate", {
        serverName,
        redirectUri,
        redirectUriOnly: options?.redirectUriOnly,
      }),
  };
}

function texts(list: readonly JsonValue[]): string[] {
  return list.filter((one) => typeof one === "string");
}
