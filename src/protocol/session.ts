// Made from protocol/ by `npm run generate`; edit that.
import type { JsonObject } from "../types/json.ts";
import type { PermissionMode } from "./permissions.ts";

/** Thinking effort of the model. */
export type Effort = "low" | "medium" | "high" | "xhigh" | "max";

/** Whether a session is running, waits for the host, or is idle. */
export type SessionState = "idle" | "running" | "requires_action";

/** Whether the model answers in fast mode. */
export type FastModeState = "off" | "cooldown" | "on";

/** Reason fast mode is off. */
export type FastModeDisabledReason =
  | "free"
  | "preference"
  | "extra_usage_disabled"
  | "network_error"
  | "unknown"
  | "not_first_party"
  | "disabled_by_env"
  | "model_not_allowed"
  | "sdk_opt_in_required"
  | "pending";

/** A command that a prompt may begin with. */
export interface SlashCommand {
  /** Name without the slash. */
  readonly name: string;
  /** Description of the command. */
  readonly description: string;
  /** Hint for its arguments; empty if it has none. */
  readonly argumentHint: string;
  /** Other names. */
  readonly aliases?: readonly string[];
  /** Whether it is built into the CLI. */
  readonly builtin?: boolean;
}

/** A subagent that can be called. */
export interface AgentInfo {
  /** Its name. */
  readonly name: string;
  /** Occasions to call it. */
  readonly description: string;
  /** The model it runs on; absent = that of the session. */
  readonly model?: string;
}

/** A subagent as the host defines it. */
export interface AgentDefinition {
  /** Occasions for the model to call it. */
  readonly description: string;
  /** Its system prompt. */
  readonly prompt: string;
  /** Tools it may use; absent = all of the session. */
  readonly tools?: readonly string[] | undefined;
  /** Tools it may not use. */
  readonly disallowedTools?: readonly string[] | undefined;
  /** Its model: a name or an alias; absent = that of the session. */
  readonly model?: string | undefined;
  /** Its MCP servers: names of servers of the session, or configurations in the wire's form; none in-process. */
  readonly mcpServers?:
    | readonly (string | Readonly<Record<string, WireMcpServerConfig>>)[]
    | undefined;
  /** Skills it may use. */
  readonly skills?: readonly string[] | undefined;
  /** Prompt that it starts with when it is the main agent. */
  readonly initialPrompt?: string | undefined;
  /** Maximum API round trips of one call. */
  readonly maxTurns?: number | undefined;
  /** Tokens at which its context is compacted. */
  readonly autoCompactWindow?: number | undefined;
  /** Whether it runs in the background even if the model asks for its report at once. */
  readonly background?: boolean | undefined;
  /** Whether the project's CLAUDE.md is omitted. */
  readonly omitClaudeMd?: boolean | undefined;
  /** Scope of the memory it reads and writes. */
  readonly memory?: "user" | "project" | "local" | undefined;
  /** Thinking effort: a level, or a number. */
  readonly effort?: Effort | number | undefined;
  /** The permission mode it runs in. */
  readonly permissionMode?: PermissionMode | undefined;
  /** Name of the agent that observes it. */
  readonly observer?: string | undefined;
  /** Message to the observer. */
  readonly observerMessage?: string | undefined;
  /** Reminder added to every turn; may change or be removed. */
  readonly criticalSystemReminder_EXPERIMENTAL?: string | undefined;
}

/** A model that can be chosen. */
export interface ModelInfo {
  /** Value for `setModel()`. */
  readonly value: string;
  /** Name to show. */
  readonly displayName: string;
  /** Description, with purpose and price. */
  readonly description: string;
  /** The model that an alias stands for. */
  readonly resolvedModel?: string;
  /** Whether `effort` changes anything. */
  readonly supportsEffort?: boolean;
  /** The efforts it knows. */
  readonly supportedEffortLevels?: readonly Effort[];
  /** Whether it supports adaptive thinking: it decides how long to think. */
  readonly supportsAdaptiveThinking?: boolean;
  /** Whether it has a fast mode. */
  readonly supportsFastMode?: boolean;
  /** Whether permission mode `auto` works with it. */
  readonly supportsAutoMode?: boolean;
  /** Whether thinking can be switched off; wire only. */
  readonly supportsThinkingOff?: boolean;
}

/** The account that is used. */
export interface AccountInfo {
  /** E-mail address. */
  readonly email?: string;
  /** Organization. */
  readonly organization?: string;
  /** Kind of subscription. */
  readonly subscriptionType?: string;
  /** Source of the token. */
  readonly tokenSource?: string;
  /** Source of the API key. */
  readonly apiKeySource?: string;
  /** Provider of the model. */
  readonly apiProvider?:
    | "firstParty"
    | "bedrock"
    | "vertex"
    | "foundry"
    | "anthropicAws"
    | "anthropicGoogleCloud"
    | "mantle"
    | "gateway";
}

/** A plugin to load. */
export interface PluginConfig {
  /** Always a local directory. */
  readonly type: "local";
  /** The directory. */
  readonly path: string;
  /** Whether its MCP servers are left out; default: false. */
  readonly skipMcpDiscovery?: boolean | undefined;
}

/** Rules for one tool of an MCP server. */
export interface McpToolPolicy {
  /** Name of the tool on its server. */
  readonly name: string;
  /** Whether its calls need a permission. */
  readonly permission_policy?: "always_allow" | "always_ask" | "always_deny";
  /** Highest permission the organization allows. */
  readonly org_max_permission?: "allow" | "ask" | "blocked";
}

/** An MCP server in the CLI's form. */
export type WireMcpServerConfig = {
  /** A child process of the CLI. */
  readonly type?: "stdio";
  /** The program. */
  readonly command: string;
  /** Its arguments; always set them, the CLI reports an error without. */
  readonly args?: readonly string[];
  /** Its environment, merged over the CLI's. */
  readonly env?: Readonly<Record<string, string>>;
  /** Timeout of a call, in milliseconds. */
  readonly timeout?: number;
  /** Whether its tools are always shown to the model. */
  readonly alwaysLoad?: boolean;
} | {
  /** A server that is reached by HTTP. */
  readonly type: "http" | "sse";
  /** Its address. */
  readonly url: string;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Rules for its tools. */
  readonly tools?: readonly McpToolPolicy[];
  /** Timeout of a call, in milliseconds. */
  readonly timeout?: number;
  /** Whether its tools are always shown to the model. */
  readonly alwaysLoad?: boolean;
} | {
  /** A server that the host answers for. */
  readonly type: "sdk";
  /** Its name in `mcp_message` requests. */
  readonly name: string;
  /** Timeout of a call, in milliseconds. */
  readonly timeout?: number;
  /** Rules for its tools. */
  readonly tools?: readonly McpToolPolicy[];
};

/** An MCP server of claude.ai, as `mcpStatus()` returns it. */
export interface ProxyMcpServerConfig {
  /** A server behind claude.ai. */
  readonly type: "claudeai-proxy";
  /** Its address. */
  readonly url: string;
  /** Its id. */
  readonly id: string;
  /** Timeout of a call, in milliseconds. */
  readonly timeout?: number;
}

/** Outcome of a tool list that was sent with `initialize`. */
export type ManifestOutcome =
  | "parked"
  | "already_connected"
  | "protocol_version_mismatch"
  | "malformed"
  | "not_honoured";

/**
 * Facts about the CLI at the start of a session.
 *
 * Unknown fields are kept and have the type `unknown`.
 */
export interface SessionInfo {
  /** Commands that a prompt may begin with. */
  readonly commands: readonly SlashCommand[];
  /** Subagents that can be called. */
  readonly agents: readonly AgentInfo[];
  /** Models that can be chosen. */
  readonly models: readonly ModelInfo[];
  /** The account that is used. */
  readonly account: AccountInfo;
  /** The output style in use. */
  readonly output_style: string;
  /** The output styles there are. */
  readonly available_output_styles: readonly string[];
  /** Version of the CLI. */
  readonly claude_code_version?: string;
  /** Whether fast mode is on. */
  readonly fast_mode_state?: FastModeState;
  /** Reason fast mode is off. */
  readonly fast_mode_disabled_reason?: FastModeDisabledReason;
  /** Whether the hooks were accepted. */
  readonly hooks_applied?: boolean;
  /** Whether the plugins were accepted. */
  readonly plugins_applied?: boolean;
  /** Whether the MCP servers were accepted. */
  readonly mcp_servers_applied?: boolean;
  /** Whether the CLI honours `onFailure` of a hook. */
  readonly hook_on_failure_supported?: boolean;
  /** Outcome of each tool list that was sent along, by server. */
  readonly sdk_mcp_manifests_parked?: Readonly<Record<string, ManifestOutcome>>;
  /** Process id of the CLI; wire only. */
  readonly pid?: number;
  /** The permission mode; wire only. */
  readonly current_permission_mode?: PermissionMode;
  /** State of the session; wire only. */
  readonly session_state?: SessionState;
  /** Whether commands run in a sandbox; wire only. */
  readonly sandbox_enabled?: boolean;
  /** Names of this CLI's capabilities; wire only. */
  readonly capabilities?: readonly string[];
  /** Directory of the output styles that the user made; wire only. */
  readonly user_output_styles_dir?: string;
  /** Number of hooks with an accepted setting for a missing answer; wire only. */
  readonly hooks_when_unanswered_kept?: number;
  /** Whether another hook's `ask` outranks the host; wire only. */
  readonly other_hook_ask_outranks_host?: boolean;
  /** Mode of feedback; wire only. */
  readonly feedback_mode?: {
    /** Kind of feedback. */
    readonly kind: string;
  };
  /** Whether analytics are off; wire only. */
  readonly analytics_disabled?: boolean;
  /** Whether remote control switches itself on; wire only. */
  readonly remote_control_auto_enable?: boolean;
  /** Whether it connects automatically by default; wire only. */
  readonly remote_control_auto_connect_default?: boolean;
  /** Whether there is remote control; wire only. */
  readonly remote_control_available?: boolean;
  /** Whether it is on by default; wire only. */
  readonly remote_control_auto_on_by_default?: boolean;
  /** Whether an editor may switch it on; wire only. */
  readonly ide_rc_auto_enable_gate?: boolean;
  /** The model in use; wire only. */
  readonly current_model?: string;
  /** Models that cannot be chosen, in the format of the CLI; wire only. */
  readonly unavailable_models?: JsonObject | readonly JsonObject[];
  /** Two credentials that contradict each other; wire only. */
  readonly auth_conflict?: {
    /** Source of the token. */
    readonly token_source: string;
    /** Source of the API key. */
    readonly api_key_source: string;
  };
  /** Whether `settings` was accepted; wire only. */
  readonly settings_applied?: boolean;
  /** Whether `disallowedTools` was accepted; wire only. */
  readonly disallowed_tools_applied?: boolean;
  /** Whether `managedSettings` was accepted; wire only. */
  readonly managed_settings_applied?: boolean;
  /** A field that this package does not know. */
  readonly [field: string]: unknown;
}
