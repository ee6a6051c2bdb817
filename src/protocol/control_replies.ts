// Made from protocol/ by `npm run generate`; edit that.
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { PermissionMode } from "./permissions.ts";
import type {
  AgentInfo,
  Effort,
  ModelInfo,
  ProxyMcpServerConfig,
  SlashCommand,
  WireMcpServerConfig,
} from "./session.ts";
import type { ContextCategoryKind, ExtraUsage, SessionUsage } from "./usage.ts";

/** State after an interrupt. */
export interface InterruptReceipt {
  /** Uuids of the prompts still queued. */
  readonly still_queued: readonly string[];
  /** Uuids of the prompts that were removed from the queue. */
  readonly cancelled?: readonly string[];
  /** Uuids of the prompts that were put back; wire only. */
  readonly put_back?: readonly string[];
  /** Outcome of prompts that were to be sent at once; wire only. */
  readonly send_now?: "stopped" | "delivering" | "nothing_waiting";
  /** Outcome of the turn; wire only. */
  readonly turn?: "stopped" | "idle" | "spared";
}

/** State of an MCP server of the CLI. */
export interface McpServerStatus {
  /** Its name. */
  readonly name: string;
  /** State. */
  readonly status:
    | "connected"
    | "failed"
    | "needs-auth"
    | "pending"
    | "disabled";
  /** Its description of itself. */
  readonly serverInfo?: {
    /** Its own name. */
    readonly name: string;
    /** Its version. */
    readonly version: string;
  };
  /** Reason for the failure. */
  readonly error?: string;
  /** Its configuration in the wire's form; may hold secrets. */
  readonly config?: WireMcpServerConfig | ProxyMcpServerConfig;
  /** Location of its configuration. */
  readonly scope?: string;
  /** Origin of its configuration. */
  readonly source?: string;
  /** Transport of the connection; wire only. */
  readonly transport?: string;
  /** Its tools. */
  readonly tools?: readonly ({
    /** Name of the tool on the server. */
    readonly name: string;
    /** Description of the tool. */
    readonly description?: string;
    /** Hints of the server. */
    readonly annotations?: {
      /** It changes nothing. */
      readonly readOnly?: boolean;
      /** It may destroy something. */
      readonly destructive?: boolean;
      /** It touches the world outside. */
      readonly openWorld?: boolean;
    };
    /** Further facts of the server. */
    readonly _meta?: JsonObject;
  })[];
}

/** The MCP servers of the CLI. */
export interface McpStatusReply {
  /** Each server. */
  readonly mcpServers: readonly McpServerStatus[];
}

/** Outcome of a new set of MCP servers; a failing server is an entry in `errors`. */
export interface SetMcpServersReply {
  /** Names of the servers that were added. */
  readonly added: readonly string[];
  /** Names of the servers that were removed. */
  readonly removed: readonly string[];
  /** Errors by server. */
  readonly errors: Readonly<Record<string, string>>;
}

/** Input and output files of a tool call. */
export type McpCallStaging = {
  /** All went well. */
  readonly ok: true;
  /** Files written. */
  readonly outputs: readonly ({
    /** Path of the file in the exchange folder. */
    readonly lane_path: string;
    /** Version of the file. */
    readonly etag: string;
    /** Its size. */
    readonly bytes: number;
  })[];
  /** Files read. */
  readonly inputs_used: readonly ({
    /** Path of the file in the exchange folder. */
    readonly lane_path: string;
    /** Version of the file. */
    readonly etag: string;
  })[];
} | {
  /** Something went wrong. */
  readonly ok: false;
  /** Kind of failure. */
  readonly error_code:
    | "expired"
    | "input_missing"
    | "output_too_large"
    | "output_conflict"
    | "timeout"
    | "tool_error";
  /** Description of the failure. */
  readonly detail: string;
  /** Whether another try may help. */
  readonly retryable?: boolean;
  /** Too many refusals. */
  readonly refusal_limit?: true;
};

/** Result of a tool of an MCP server. */
export interface McpCallReply {
  /** The content, as the server sent it. */
  readonly content: JsonValue;
  /** Whether the tool failed; only with `soft_error_result`. */
  readonly isError?: boolean;
  /** The content as structured data. */
  readonly structuredContent?: JsonObject;
  /** Further facts of the server. */
  readonly _meta?: JsonObject;
  /** Outcome of `input_files` and `output_files`. */
  readonly staging?: McpCallStaging;
}

/** A resource of an MCP server. */
export interface ReadMcpResourceReply {
  /** Its parts. */
  readonly contents: readonly ({
    /** Address of the part. */
    readonly uri: string;
    /** Its media type. */
    readonly mimeType?: string;
    /** Its text. */
    readonly text?: string;
    /** Its bytes in base64. */
    readonly blob?: string;
    /** Further facts of the server. */
    readonly _meta?: JsonObject;
  })[];
}

/** An item in the context window: its name and its size. */
export interface ContextItem {
  /** Its name. */
  readonly name: string;
  /** Its tokens. */
  readonly tokens: number;
}

/** Id of a part of the context window. */
export type ContextCategoryId =
  | "system_prompt"
  | "system_tools"
  | "mcp_tools"
  | "mcp_instructions"
  | "mcp_tools_deferred"
  | "system_tools_deferred"
  | "custom_agents"
  | "memory_files"
  | "skills"
  | "messages"
  | "autocompact_buffer"
  | "compact_buffer"
  | "free_space";

/** Content of the context window; numbers are tokens unless the name says otherwise. */
export interface ContextUsage {
  /** Parts of the window. */
  readonly categories: readonly ({
    /** Id of the part. */
    readonly id?: ContextCategoryId;
    /** Name to show. */
    readonly name: string;
    /** Its tokens. */
    readonly tokens: number;
    /** Colour to show it in. */
    readonly color: string;
    /** Loaded only when needed. */
    readonly isDeferred?: boolean;
    /** State of the part. */
    readonly kind: ContextCategoryKind;
  })[];
  /** Tokens in use. */
  readonly totalTokens: number;
  /** Tokens that may be used. */
  readonly maxTokens: number;
  /** Size of the model's window. */
  readonly rawMaxTokens: number;
  /** Share in use, in percent. */
  readonly percentage: number;
  /** The window as a picture, row by row. */
  readonly gridRows: readonly (readonly ({
    /** Colour of the square. */
    readonly color: string;
    /** Whether it is filled. */
    readonly isFilled: boolean;
    /** The part it belongs to. */
    readonly categoryName: string;
    /** Tokens of that part. */
    readonly tokens: number;
    /** Share of that part, in percent. */
    readonly percentage: number;
    /** Filled share of the square, from 0 to 1. */
    readonly squareFullness: number;
  })[])[];
  /** The model. */
  readonly model: string;
  /** Memory files. */
  readonly memoryFiles: readonly ({
    /** The file. */
    readonly path: string;
    /** Owner of the file. */
    readonly type: string;
    /** Its tokens. */
    readonly tokens: number;
  })[];
  /** Tools of MCP servers. */
  readonly mcpTools: readonly ({
    /** Name of the tool. */
    readonly name: string;
    /** Name of its server. */
    readonly serverName: string;
    /** Its tokens. */
    readonly tokens: number;
    /** Whether it is loaded. */
    readonly isLoaded?: boolean;
  })[];
  /** Subagents. */
  readonly agents: readonly ({
    /** Kind of the subagent. */
    readonly agentType: string;
    /** Source. */
    readonly source: string;
    /** The plugin that brings it. */
    readonly pluginId?: string;
    /** Its file. */
    readonly path?: string;
    /** Its tokens. */
    readonly tokens: number;
  })[];
  /** Whether the context is compacted automatically. */
  readonly isAutoCompactEnabled: boolean;
  /** Token counts of the last API request; null before the first. */
  readonly apiUsage: {
    /** Tokens read that no cache held. */
    readonly input_tokens: number;
    /** Tokens written. */
    readonly output_tokens: number;
    /** Tokens written to the cache. */
    readonly cache_creation_input_tokens: number;
    /** Tokens read from the cache. */
    readonly cache_read_input_tokens: number;
  } | null;
  /** Tokens at which the context is compacted. */
  readonly autoCompactThreshold?: number;
  /** Origin of that number; wire only. */
  readonly autocompactSource?: string;
  /** Instructions of MCP servers. */
  readonly mcpInstructions?: readonly ({
    /** Name of the server. */
    readonly serverName: string;
    /** Its tokens. */
    readonly tokens: number;
  })[];
  /** Built-in tools that are loaded only when needed. */
  readonly deferredBuiltinTools?: readonly ({
    /** Name of the tool. */
    readonly name: string;
    /** Its tokens. */
    readonly tokens: number;
    /** Whether it is loaded. */
    readonly isLoaded: boolean;
  })[];
  /** Built-in tools. */
  readonly systemTools?: readonly ContextItem[];
  /** Parts of the system prompt. */
  readonly systemPromptSections?: readonly ContextItem[];
  /** Commands. */
  readonly slashCommands?: {
    /** Number of commands. */
    readonly totalCommands: number;
    /** Number of commands the model sees. */
    readonly includedCommands: number;
    /** Their tokens. */
    readonly tokens: number;
  };
  /** Skills. */
  readonly skills?: {
    /** Number of skills. */
    readonly totalSkills: number;
    /** Number of skills the model sees. */
    readonly includedSkills: number;
    /** Their tokens. */
    readonly tokens: number;
    /** Each skill. */
    readonly skillFrontmatter: readonly ({
      /** Name of the skill. */
      readonly name: string;
      /** Source. */
      readonly source: string;
      /** Name of the plugin that brings it. */
      readonly pluginName?: string;
      /** Id of the plugin that brings it. */
      readonly pluginId?: string;
      /** Its file. */
      readonly path?: string;
      /** Its tokens. */
      readonly tokens: number;
    })[];
  };
  /** Breakdown of the messages. */
  readonly messageBreakdown?: {
    /** Tool calls. */
    readonly toolCallTokens: number;
    /** Tool results. */
    readonly toolResultTokens: number;
    /** Attachments. */
    readonly attachmentTokens: number;
    /** Messages of the assistant. */
    readonly assistantMessageTokens: number;
    /** Messages of the user. */
    readonly userMessageTokens: number;
    /** Redirected context. */
    readonly redirectedContextTokens: number;
    /** The rest. */
    readonly unattributedTokens: number;
    /** Tool calls and results, by tool. */
    readonly toolCallsByType: readonly ({
      /** Name of the tool. */
      readonly name: string;
      /** Tokens of the calls. */
      readonly callTokens: number;
      /** Tokens of the results. */
      readonly resultTokens: number;
    })[];
    /** Attachments, by kind. */
    readonly attachmentsByType: readonly ContextItem[];
  };
}

/** Cost of the session so far, as text. */
export interface SessionCostReply {
  /** The text, in several lines. */
  readonly text: string;
}

/** Use of one rate limit. */
export interface RateLimitWindow {
  /** Share of the limit that is used, in the format of the API. */
  readonly utilization: number | null;
  /** Time of the reset. */
  readonly resets_at: string | null;
}

/** Usage of the account in a day or a week. */
export interface UsageBehaviors {
  /** API requests. */
  readonly request_count: number;
  /** Sessions. */
  readonly session_count: number;
  /** Behaviours and their share of the usage. */
  readonly behaviors: readonly ({
    /** Id. */
    readonly key: UsageBehavior | (string & Record<never, never>);
    /** Its share, in percent. */
    readonly pct: number;
    /** Number of occurrences. */
    readonly count: number;
  })[];
  /** Advice on saving tokens. */
  readonly recommendations?: readonly ({
    /** Id. */
    readonly key: string;
    /** Its share, in percent. */
    readonly pct: number;
    /** Short form. */
    readonly title: string;
    /** Long form. */
    readonly detail?: string;
  })[];
  /** Fix that the CLI suggests. */
  readonly fix?: {
    /** Behaviours it addresses. */
    readonly keys: readonly string[];
    /** Prompts to send, one after the other. */
    readonly messages: readonly string[];
  };
  /** Share by subagent. */
  readonly agents: readonly UsageShare[];
  /** Share by skill. */
  readonly skills: readonly UsageShare[];
  /** Share by plugin. */
  readonly plugins: readonly UsageShare[];
  /** Share by MCP server. */
  readonly mcp_servers: readonly UsageShare[];
}

/** A behaviour that uses many tokens. */
export type UsageBehavior =
  | "cache_miss"
  | "long_context"
  | "subagent_heavy"
  | "high_parallel"
  | "cron"
  | "max_effort"
  | "workflow"
  | "always_on_context"
  | "large_tool_results";

/** A name, and its share of the usage. */
export interface UsageShare {
  /** Its name. */
  readonly name: string;
  /** Its share, in percent. */
  readonly pct: number;
}

/** Usage of the session, and limits of the account. */
export interface UsageReply {
  /** Usage of the session so far. */
  readonly session: SessionUsage;
  /** Kind of subscription; null without one. */
  readonly subscription_type: string | null;
  /** Whether the account has such limits. */
  readonly rate_limits_available: boolean;
  /** The limits; null when they are unknown. */
  readonly rate_limits: {
    /** Five hours. */
    readonly five_hour?: RateLimitWindow | null;
    /** Seven days. */
    readonly seven_day?: RateLimitWindow | null;
    /** Seven days, other programs. */
    readonly seven_day_oauth_apps?: RateLimitWindow | null;
    /** Seven days, Opus models. */
    readonly seven_day_opus?: RateLimitWindow | null;
    /** Seven days, Sonnet models. */
    readonly seven_day_sonnet?: RateLimitWindow | null;
    /** Limits of single models. */
    readonly model_scoped?: readonly ({
      /** Name of the model to show. */
      readonly display_name: string;
      /** Share of the limit that is used, in the format of the API. */
      readonly utilization: number | null;
      /** Time of the reset. */
      readonly resets_at: string | null;
    })[];
    /** Use beyond the limits. */
    readonly extra_usage?: ExtraUsage | null;
  } | null;
  /** Usage of the account; null if it was not requested or is unknown. */
  readonly behaviors: {
    /** In the last day. */
    readonly day: UsageBehaviors;
    /** In the last week. */
    readonly week: UsageBehaviors;
  } | null;
}

/** Version of the CLI. */
export interface BinaryVersionReply {
  /** Its version. */
  readonly version: string;
  /** Time of the build, ISO 8601. */
  readonly buildTime?: string;
  /** Oldest compatible desktop host. */
  readonly oldestDesktopSdk?: string;
}

/** The content of a file. */
export interface ReadFileReply {
  /** Text, or base64. */
  readonly contents: string;
  /** Absolute path of the file. */
  readonly absPath: string;
  /** Whether the content was truncated. */
  readonly truncated?: boolean;
  /** Present when the content is base64. */
  readonly encoding?: "base64";
  /** Whether bytes were lost in the text. */
  readonly lossy?: boolean;
  /** The requested path; wire only. */
  readonly requested_path?: string;
  /** Number of bytes read; wire only. */
  readonly read_bytes?: number;
  /** Size of the file; wire only. */
  readonly total_bytes?: number;
  /** Version of the file; wire only. */
  readonly etag?: string;
}

/** Effect of a rewind. */
export interface RewindFilesReply {
  /** Whether it is possible. */
  readonly canRewind: boolean;
  /** Reason it is not possible. */
  readonly error?: string;
  /** Files that would change; only in a dry run. */
  readonly filesChanged?: readonly string[];
  /** Lines that would be added; only in a dry run. */
  readonly insertions?: number;
  /** Lines that would be removed; only in a dry run. */
  readonly deletions?: number;
  /** Links that were left alone. */
  readonly skippedLinks?: number;
}

/** Outcome of a prompt in the queue. */
export interface CancelQueuedReply {
  /** Whether it was still there. */
  readonly cancelled: boolean;
  /** Uuid of the prompt. */
  readonly message_uuid?: string;
}

/** A fault in a settings file. */
export interface SettingsParseError {
  /** The file. */
  readonly file?: string;
  /** The key. */
  readonly path: string;
  /** The fault in words. */
  readonly message: string;
}

/** Location of settings. */
export type SettingsSource =
  | "userSettings"
  | "projectSettings"
  | "localSettings"
  | "flagSettings"
  | "policySettings";

/** The settings in force. */
export interface SettingsReply {
  /** All sources together. */
  readonly effective: JsonObject;
  /** Each source with settings. */
  readonly sources: readonly ({
    /** Id. */
    readonly source: SettingsSource;
    /** Its settings. */
    readonly settings: JsonObject;
  })[];
  /** Effective settings of the running session. */
  readonly applied?: {
    /** The model. */
    readonly model: string;
    /** Thinking effort; null = the model's default. */
    readonly effort: Effort | null;
    /** The advisor model; wire only. */
    readonly advisor?: string | null;
    /** Whether ultracode is on; wire only. */
    readonly ultracode?: boolean;
    /** Whether it was requested; wire only. */
    readonly ultracodeRequested?: boolean;
    /** Whether it can be switched on; wire only. */
    readonly ultracodeAvailable?: boolean;
    /** Whether `ultrathink` can be typed; wire only. */
    readonly ultrathinkAvailable?: boolean;
    /** Whether file tools may not read outside the directories; wire only. */
    readonly outsideFileToolReadsBlocked?: boolean;
    /** Whether file tools may not write outside the directories; wire only. */
    readonly outsideFileToolWritesBlocked?: boolean;
    /** Whether only directories given at the start count as inside; wire only. */
    readonly outsideBlocksCountLaunchFoldersOnly?: boolean;
    /** Whether no environment variable moved the CLI's own files; wire only. */
    readonly launchEnvLeftOwnFilesInPlace?: boolean;
  };
  /** Faults in the files. */
  readonly errors?: readonly SettingsParseError[];
  /** State of settings from a server. */
  readonly served_settings_state?:
    | "ok"
    | "pending"
    | "stale_cache"
    | "failed"
    | "ineligible";
  /** Whether parts are withheld. */
  readonly withheld?: boolean;
}

/** An event that hooks can be set for. */
export interface HookEventSummary {
  /** The event. */
  readonly name: string;
  /** Occasion of the event. */
  readonly summary: string;
  /** Whether a matcher makes sense. */
  readonly supportsMatcher: boolean;
}

/** The hooks of all settings; callbacks are not among them. */
export interface HooksListing {
  /** Events with hooks. */
  readonly events: readonly (HookEventSummary & {
    /** Number of hooks. */
    readonly hookCount: number;
  })[];
  /** Each hook. */
  readonly hooks: readonly ({
    /** Its event. */
    readonly event: string;
    /** Its matcher. */
    readonly matcher: string;
    /** Location of the hook. */
    readonly source: string;
    /** The location, for display. */
    readonly sourceLabel: string;
    /** The plugin that brings it. */
    readonly pluginName?: string;
    /** Kind of hook. */
    readonly type: string;
    /** Short text for display. */
    readonly displayText: string;
    /** Command it runs. */
    readonly commandText: string;
    /** Kind of `commandText`. */
    readonly contentLabel: string;
    /** Condition for running. */
    readonly condition?: string;
    /** Timeout, in seconds. */
    readonly timeout?: number;
    /** Text while it runs. */
    readonly statusMessage?: string;
    /** Whether it runs once only. */
    readonly runsOnce?: boolean;
    /** Whether it runs in the background. */
    readonly runsInBackground?: boolean;
    /** It is switched off. */
    readonly disabled?: true;
    /** Data for changing it. */
    readonly editable?: {
      /** Its matcher. */
      readonly matcher: string;
      /** Its configuration. */
      readonly config: JsonObject;
      /** Its headers are redacted. */
      readonly headersRedacted?: true;
    };
  })[];
  /** All events there are. */
  readonly eventCatalog: readonly HookEventSummary[];
  /** Rule of the organization. */
  readonly policy: {
    /** The organization switched all hooks off. */
    readonly disabledByPolicy: boolean;
    /** Only the organization's hooks run. */
    readonly managedOnly: boolean;
    /** Only hooks of plugins run. */
    readonly pluginOnly: boolean;
    /** All hooks are off, for any reason. */
    readonly allDisabled: boolean;
    /** Hooks of the organization. */
    readonly policyHookCount: number;
    /** The rules cannot be read. */
    readonly policyUnreadable?: true;
  };
  /** The session runs in safe mode. */
  readonly safeMode?: {
    /** Whether the organization's hooks run all the same. */
    readonly managedHooksStillApply: boolean;
    /** Instruction for leaving the mode. */
    readonly exitHint: string;
  };
  /** The session runs in bare mode. */
  readonly bareMode?: {
    /** Instruction for leaving the mode. */
    readonly exitHint: string;
  };
  /** Faults in the files. */
  readonly errors?: readonly SettingsParseError[];
}

/** Source of a permission rule. */
export type PermissionRuleSource =
  | SettingsSource
  | "cliArg"
  | "command"
  | "session"
  | "mcpMount"
  | "toolsNarrowing"
  | "mcpServerPolicy"
  | "hostCredential";

/** The permission rules in force. */
export interface PermissionRulesState {
  /** Each rule. */
  readonly rules: readonly ({
    /** Effect of the rule. */
    readonly behavior: "allow" | "deny" | "ask";
    /** Source. */
    readonly source: PermissionRuleSource;
    /** The rule, such as `Bash(git:*)`. */
    readonly rule: string;
    /** The rule in words. */
    readonly description?: {
      /** Start of the text. */
      readonly prefix: string;
      /** Emphasized part. */
      readonly emphasis?: string;
      /** End of the text. */
      readonly suffix?: string;
    };
    /** Whether and for how long it can be changed. */
    readonly editability: "persistent" | "session" | "readonly";
    /** Whether another rule overrides it. */
    readonly notInEffect?: boolean;
  })[];
  /** Directories that tools may touch. */
  readonly workspaceDirectories: readonly ({
    /** The directory. */
    readonly path: string;
    /** Source. */
    readonly source: PermissionRuleSource | (string & Record<never, never>);
  })[];
  /** Working directory at the start. */
  readonly originalCwd: string;
  /** Whether only the organization's rules hold. */
  readonly managedOnly: boolean;
  /** Faults in the files. */
  readonly errors?: readonly SettingsParseError[];
  /** Whether parts are withheld. */
  readonly withheld?: boolean;
}

/** The permission rules in force. */
export interface PermissionRulesReply {
  /** The rules. */
  readonly state: PermissionRulesState;
}

/** State after plugins were reloaded. */
export interface ReloadPluginsReply {
  /** All commands. */
  readonly commands: readonly SlashCommand[];
  /** All subagents. */
  readonly agents: readonly AgentInfo[];
  /** All plugins. */
  readonly plugins: readonly ({
    /** Its name. */
    readonly name: string;
    /** Its directory, or `builtin`. */
    readonly path: string;
    /** Its name and market. */
    readonly source?: string;
    /** Its version. */
    readonly version?: string;
  })[];
  /** All MCP servers. */
  readonly mcpServers: readonly McpServerStatus[];
  /** Plugins that could not be loaded. */
  readonly error_count: number;
  /** Whether nothing was done, because the cache would have been lost. */
  readonly held?: boolean;
  /** Cost to the cache. */
  readonly cache_impact?: {
    /** MCP servers that would be added. */
    readonly mcp_servers_added: readonly string[];
    /** MCP servers that would be removed. */
    readonly mcp_servers_removed: readonly string[];
    /** Effect on the tool of the language server. */
    readonly lsp_tool_change:
      | "adds"
      | "may-add"
      | "removes"
      | "may-remove"
      | null;
  };
}

/** Output of a background task. */
export interface TaskOutputReply {
  /** The text, perhaps only its end. */
  readonly output: string;
  /** Size of the whole output. */
  readonly total_bytes: number;
  /** Whether the output is truncated. */
  readonly truncated: boolean;
}

/** Outcome of the permission mode of one MCP server. */
export interface McpPermissionModeReply {
  /** Warning that it may have no effect: no server of that name is known. */
  readonly warning?: string;
}

/** The mode in force. */
export interface SetPermissionModeReply {
  /** The mode. */
  readonly mode?: PermissionMode;
}

/** The model that is used now. */
export interface SetModelReply {
  /** The model. */
  readonly model?: string;
}

/** The models that can be chosen. */
export interface ListModelsReply {
  /** Each model. */
  readonly models: readonly ModelInfo[];
}

/** Files that fit a query. */
export interface FileSuggestionsReply {
  /** Best first. */
  readonly suggestions: readonly ({
    /** The file. */
    readonly path: string;
    /** Score of the match. */
    readonly score?: number;
  })[];
  /** The directory that paths are relative to. */
  readonly cwd?: string;
}

/** State after skills were reloaded. */
export interface ReloadSkillsReply {
  /** All skills. */
  readonly skills: readonly SlashCommand[];
}

/** State after output styles were reloaded. */
export interface ReloadOutputStylesReply {
  /** All output styles. */
  readonly available_output_styles: readonly string[];
}

/** Outcome of registering a directory. */
export interface RegisterRepoRootReply {
  /** The directory, as the CLI resolved it. */
  readonly directory: string;
}

/** Whether tool calls were moved to the background. */
export interface BackgroundTasksReply {
  /** Whether any went to the background. */
  readonly backgrounded?: boolean;
}
