// Made from protocol/ by `deno task protocol`; edit that.
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { PermissionMode } from "./permissions.ts";
import type {
  AgentDefinition,
  AgentInfo,
  Effort,
  McpToolPolicy,
  ModelInfo,
  PluginConfig,
  ProxyMcpServerConfig,
  SlashCommand,
  WireMcpServerConfig,
} from "./session.ts";
import type { ContextCategoryKind, ExtraUsage, SessionUsage } from "./usage.ts";

/**
 * What an interrupt left.
 *
 * Source: protocol reference, sections Control requests (host to CLI) and Shapes.
 */
export interface InterruptReceipt {
  /** Uuids of the prompts that still wait. */
  readonly still_queued: readonly string[];
  /** Uuids of the prompts that were taken out of the queue. */
  readonly cancelled?: readonly string[];
  /** Uuids of the prompts that were put back; wire only. */
  readonly put_back?: readonly string[];
  /** What became of prompts that were to be sent at once; wire only. */
  readonly send_now?: "stopped" | "delivering" | "nothing_waiting";
  /** What became of the turn; wire only. */
  readonly turn?: "stopped" | "idle" | "spared";
}

/** The mode that holds now. */
export interface SetPermissionModeReply {
  /** The mode. */
  readonly mode?: PermissionMode;
}

/** The model that is used now. */
export interface SetModelReply {
  /** The model. */
  readonly model?: string;
}

/** How an MCP server of the CLI stands. */
export interface McpServerStatus {
  /** Its name. */
  readonly name: string;
  /** How it stands. */
  readonly status:
    | "connected"
    | "failed"
    | "needs-auth"
    | "pending"
    | "disabled";
  /** What it says of itself. */
  readonly serverInfo?: {
    /** Its own name. */
    readonly name: string;
    /** Its version. */
    readonly version: string;
  };
  /** Why it failed. */
  readonly error?: string;
  /** Its configuration in the wire's form; may hold secrets. */
  readonly config?: WireMcpServerConfig | ProxyMcpServerConfig;
  /** Where its configuration is kept. */
  readonly scope?: string;
  /** Where its configuration came from. */
  readonly source?: string;
  /** How it is reached; wire only. */
  readonly transport?: string;
  /** Its tools. */
  readonly tools?: readonly ({
    /** Name of the tool on the server. */
    readonly name: string;
    /** What it does. */
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
    /** What else the server says of it. */
    readonly _meta?: JsonObject;
  })[];
}

/** The MCP servers of the CLI. */
export interface McpStatusReply {
  /** Each server. */
  readonly mcpServers: readonly McpServerStatus[];
}

/** What became of a new set of MCP servers; a failing server is an entry in `errors`. */
export interface SetMcpServersReply {
  /** Names of the servers that were added. */
  readonly added: readonly string[];
  /** Names of the servers that were removed. */
  readonly removed: readonly string[];
  /** What went wrong, by server. */
  readonly errors: Readonly<Record<string, string>>;
}

/** What became of files that a tool call read and wrote on the lane of files. */
export type McpCallStaging = {
  /** All went well. */
  readonly ok: true;
  /** Files written. */
  readonly outputs: readonly ({
    /** Path on the lane. */
    readonly lane_path: string;
    /** Version of the file. */
    readonly etag: string;
    /** Its size. */
    readonly bytes: number;
  })[];
  /** Files read. */
  readonly inputs_used: readonly ({
    /** Path on the lane. */
    readonly lane_path: string;
    /** Version of the file. */
    readonly etag: string;
  })[];
} | {
  /** Something went wrong. */
  readonly ok: false;
  /** What. */
  readonly error_code:
    | "expired"
    | "input_missing"
    | "output_too_large"
    | "output_conflict"
    | "timeout"
    | "tool_error";
  /** In words. */
  readonly detail: string;
  /** Whether another try may help. */
  readonly retryable?: boolean;
  /** Too many refusals. */
  readonly refusal_limit?: true;
};

/** What a tool of an MCP server gave. */
export interface McpCallReply {
  /** The content, as the server sent it. */
  readonly content: JsonValue;
  /** The same as data. */
  readonly structuredContent?: JsonObject;
  /** What else the server says. */
  readonly _meta?: JsonObject;
  /** What became of files. */
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
    /** What else the server says of it. */
    readonly _meta?: JsonObject;
  })[];
}

/** Something named that takes room in the context window. */
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

/** What fills the context window; in tokens unless the name says otherwise. */
export interface ContextUsage {
  /** Parts of the window. */
  readonly categories: readonly ({
    /** Which part. */
    readonly id?: ContextCategoryId;
    /** Name to show. */
    readonly name: string;
    /** Its tokens. */
    readonly tokens: number;
    /** Colour to show it in. */
    readonly color: string;
    /** Loaded only when needed. */
    readonly isDeferred?: boolean;
    /** What it is. */
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
    /** How full the square is, from 0 to 1. */
    readonly squareFullness: number;
  })[])[];
  /** The model. */
  readonly model: string;
  /** Memory files. */
  readonly memoryFiles: readonly ({
    /** The file. */
    readonly path: string;
    /** Whose it is. */
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
    /** Where it comes from. */
    readonly source: string;
    /** The plugin that brings it. */
    readonly pluginId?: string;
    /** Its file. */
    readonly path?: string;
    /** Its tokens. */
    readonly tokens: number;
  })[];
  /** Whether the context is compacted by itself. */
  readonly isAutoCompactEnabled: boolean;
  /** Numbers of the last API request; null before the first. */
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
  /** Where that number comes from; wire only. */
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
    /** How many there are. */
    readonly totalCommands: number;
    /** How many the model sees. */
    readonly includedCommands: number;
    /** Their tokens. */
    readonly tokens: number;
  };
  /** Skills. */
  readonly skills?: {
    /** How many there are. */
    readonly totalSkills: number;
    /** How many the model sees. */
    readonly includedSkills: number;
    /** Their tokens. */
    readonly tokens: number;
    /** Each skill. */
    readonly skillFrontmatter: readonly ({
      /** Name of the skill. */
      readonly name: string;
      /** Where it comes from. */
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
  /** What the messages are made of. */
  readonly messageBreakdown?: {
    /** Tool calls. */
    readonly toolCallTokens: number;
    /** Tool results. */
    readonly toolResultTokens: number;
    /** Attachments. */
    readonly attachmentTokens: number;
    /** What the model said. */
    readonly assistantMessageTokens: number;
    /** What the user said. */
    readonly userMessageTokens: number;
    /** Context that was led elsewhere. */
    readonly redirectedContextTokens: number;
    /** What belongs to none of these. */
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

/** What the session cost so far, as text for a person. */
export interface SessionCostReply {
  /** Several lines. */
  readonly text: string;
}

/** How much of one limit is used up. */
export interface RateLimitWindow {
  /** How much of it is used up, as the API tells it. */
  readonly utilization: number | null;
  /** When it starts anew. */
  readonly resets_at: string | null;
}

/** What used the account in a day or a week. */
export interface UsageBehaviors {
  /** API requests. */
  readonly request_count: number;
  /** Sessions. */
  readonly session_count: number;
  /** Ways of working, and their share. */
  readonly behaviors: readonly ({
    /** Which one. */
    readonly key: UsageBehavior | (string & Record<never, never>);
    /** Its share, in percent. */
    readonly pct: number;
    /** How often. */
    readonly count: number;
  })[];
  /** What would save. */
  readonly recommendations?: readonly ({
    /** Which one. */
    readonly key: string;
    /** Its share, in percent. */
    readonly pct: number;
    /** In a few words. */
    readonly title: string;
    /** In more words. */
    readonly detail?: string;
  })[];
  /** What would mend it, as the CLI tells it. */
  readonly fix?: {
    /** Which ways of working. */
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

/** A way of working that uses much. */
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

/** The share of something named. */
export interface UsageShare {
  /** Its name. */
  readonly name: string;
  /** Its share, in percent. */
  readonly pct: number;
}

/** What the session used, and how the account stands to its limits. */
export interface UsageReply {
  /** What the session used so far. */
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
      /** How much of it is used up, as the API tells it. */
      readonly utilization: number | null;
      /** When it starts anew. */
      readonly resets_at: string | null;
    })[];
    /** Use beyond the limits. */
    readonly extra_usage?: ExtraUsage | null;
  } | null;
  /** What used the account; null when it was not asked for or is unknown. */
  readonly behaviors: {
    /** In the last day. */
    readonly day: UsageBehaviors;
    /** In the last week. */
    readonly week: UsageBehaviors;
  } | null;
}

/** The models that can be chosen. */
export interface ListModelsReply {
  /** Each model. */
  readonly models: readonly ModelInfo[];
}

/** Which CLI this is. */
export interface BinaryVersionReply {
  /** Its version. */
  readonly version: string;
  /** When it was built, ISO 8601. */
  readonly buildTime?: string;
  /** The oldest desktop host it works with. */
  readonly oldestDesktopSdk?: string;
}

/** Files that fit a query. */
export interface FileSuggestionsReply {
  /** Best first. */
  readonly suggestions: readonly ({
    /** The file. */
    readonly path: string;
    /** How well it fits. */
    readonly score?: number;
  })[];
  /** The directory that paths are relative to. */
  readonly cwd?: string;
}

/** The content of a file. */
export interface ReadFileReply {
  /** Text, or base64. */
  readonly contents: string;
  /** Absolute path of the file. */
  readonly absPath: string;
  /** Whether it goes on. */
  readonly truncated?: boolean;
  /** Present when the content is base64. */
  readonly encoding?: "base64";
  /** Whether bytes were lost in the text. */
  readonly lossy?: boolean;
  /** The path asked for; wire only. */
  readonly requested_path?: string;
  /** Size of what was read; wire only. */
  readonly read_bytes?: number;
  /** Size of the file; wire only. */
  readonly total_bytes?: number;
  /** Version of the file; wire only. */
  readonly etag?: string;
}

/** What going back does, or did. */
export interface RewindFilesReply {
  /** Whether it is possible. */
  readonly canRewind: boolean;
  /** Why not. */
  readonly error?: string;
  /** Files that would change; of a dry run only. */
  readonly filesChanged?: readonly string[];
  /** Lines that would be added; of a dry run only. */
  readonly insertions?: number;
  /** Lines that would be removed; of a dry run only. */
  readonly deletions?: number;
  /** Links that were left alone. */
  readonly skippedLinks?: number;
}

/** What became of a prompt in the queue. */
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

/** Where settings are kept. */
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
  /** Each source that says something. */
  readonly sources: readonly ({
    /** Which one. */
    readonly source: SettingsSource;
    /** What it says. */
    readonly settings: JsonObject;
  })[];
  /** What holds in the running session, whatever the files say; further fields are kept. */
  readonly applied?: {
    /** The model. */
    readonly model: string;
    /** How hard it thinks; null = its default. */
    readonly effort: Effort | null;
    /** The model that is asked for advice; wire only. */
    readonly advisor?: string | null;
    /** Whether ultracode is on; wire only. */
    readonly ultracode?: boolean;
    /** Whether it was asked for; wire only. */
    readonly ultracodeRequested?: boolean;
    /** Whether it can be switched on; wire only. */
    readonly ultracodeAvailable?: boolean;
    /** Whether `ultrathink` can be typed; wire only. */
    readonly ultrathinkAvailable?: boolean;
    /** Whether file tools may not read outside the directories; wire only. */
    readonly outsideFileToolReadsBlocked?: boolean;
    /** Whether file tools may not write outside the directories; wire only. */
    readonly outsideFileToolWritesBlocked?: boolean;
    /** Whether only the directories of the start count for that; wire only. */
    readonly outsideBlocksCountLaunchFoldersOnly?: boolean;
    /** Whether the environment of the start kept the CLI's files; wire only. */
    readonly launchEnvLeftOwnFilesInPlace?: boolean;
  };
  /** Faults in the files. */
  readonly errors?: readonly SettingsParseError[];
  /** How settings of a server stand. */
  readonly served_settings_state?:
    | "ok"
    | "pending"
    | "stale_cache"
    | "failed"
    | "ineligible";
  /** Whether something is kept back. */
  readonly withheld?: boolean;
}

/** An event that hooks can be set for. */
export interface HookEventSummary {
  /** The event. */
  readonly name: string;
  /** When it happens. */
  readonly summary: string;
  /** Whether a matcher makes sense. */
  readonly supportsMatcher: boolean;
}

/** The hooks of all settings; callbacks are not among them. */
export interface HooksListing {
  /** Events with hooks. */
  readonly events: readonly (HookEventSummary & {
    /** How many. */
    readonly hookCount: number;
  })[];
  /** Each hook. */
  readonly hooks: readonly ({
    /** Its event. */
    readonly event: string;
    /** Its matcher. */
    readonly matcher: string;
    /** Where it is kept. */
    readonly source: string;
    /** The same to show. */
    readonly sourceLabel: string;
    /** The plugin that brings it. */
    readonly pluginName?: string;
    /** Kind of hook. */
    readonly type: string;
    /** In short. */
    readonly displayText: string;
    /** What it runs. */
    readonly commandText: string;
    /** What `commandText` is. */
    readonly contentLabel: string;
    /** When it runs. */
    readonly condition?: string;
    /** Its limit, in seconds. */
    readonly timeout?: number;
    /** What is shown while it runs. */
    readonly statusMessage?: string;
    /** Whether it runs once only. */
    readonly runsOnce?: boolean;
    /** Whether it runs in the background. */
    readonly runsInBackground?: boolean;
    /** It is switched off. */
    readonly disabled?: true;
    /** How to change it. */
    readonly editable?: {
      /** Its matcher. */
      readonly matcher: string;
      /** Its configuration. */
      readonly config: JsonObject;
      /** Headers were taken out of it. */
      readonly headersRedacted?: true;
    };
  })[];
  /** All events there are. */
  readonly eventCatalog: readonly HookEventSummary[];
  /** What the organization rules. */
  readonly policy: {
    /** Hooks are off. */
    readonly disabledByPolicy: boolean;
    /** Only the organization's hooks run. */
    readonly managedOnly: boolean;
    /** Only hooks of plugins run. */
    readonly pluginOnly: boolean;
    /** No hook runs. */
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
    /** How to leave it. */
    readonly exitHint: string;
  };
  /** The session runs in bare mode. */
  readonly bareMode?: {
    /** How to leave it. */
    readonly exitHint: string;
  };
  /** Faults in the files. */
  readonly errors?: readonly SettingsParseError[];
}

/** Where a permission rule comes from. */
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
    /** What it does. */
    readonly behavior: "allow" | "deny" | "ask";
    /** Where it comes from. */
    readonly source: PermissionRuleSource;
    /** The rule, such as `Bash(git:*)`. */
    readonly rule: string;
    /** The rule in words. */
    readonly description?: {
      /** What comes first. */
      readonly prefix: string;
      /** What matters. */
      readonly emphasis?: string;
      /** What comes last. */
      readonly suffix?: string;
    };
    /** Whether and for how long it can be changed. */
    readonly editability: "persistent" | "session" | "readonly";
    /** Whether another rule makes it void. */
    readonly notInEffect?: boolean;
  })[];
  /** Directories that tools may touch. */
  readonly workspaceDirectories: readonly ({
    /** The directory. */
    readonly path: string;
    /** Where it comes from. */
    readonly source: PermissionRuleSource | (string & Record<never, never>);
  })[];
  /** Working directory at the start. */
  readonly originalCwd: string;
  /** Whether only the organization's rules hold. */
  readonly managedOnly: boolean;
  /** Faults in the files. */
  readonly errors?: readonly SettingsParseError[];
  /** Whether something is kept back. */
  readonly withheld?: boolean;
}

/** The permission rules in force. */
export interface PermissionRulesReply {
  /** The rules. */
  readonly state: PermissionRulesState;
}

/** What is there after plugins were loaded anew. */
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
  /** What the cache would lose by. */
  readonly cache_impact?: {
    /** MCP servers that would come. */
    readonly mcp_servers_added: readonly string[];
    /** MCP servers that would go. */
    readonly mcp_servers_removed: readonly string[];
    /** What would become of the language server's tool. */
    readonly lsp_tool_change:
      | "adds"
      | "may-add"
      | "removes"
      | "may-remove"
      | null;
  };
}

/** What is there after skills were loaded anew. */
export interface ReloadSkillsReply {
  /** All skills. */
  readonly skills: readonly SlashCommand[];
}

/** What is there after output styles were loaded anew. */
export interface ReloadOutputStylesReply {
  /** All output styles. */
  readonly available_output_styles: readonly string[];
}

/** What became of running tools. */
export interface BackgroundTasksReply {
  /** Whether any went to the background. */
  readonly backgrounded?: boolean;
}

/** What a background task printed. */
export interface TaskOutputReply {
  /** The text, perhaps only its end. */
  readonly output: string;
  /** Size of all it printed. */
  readonly total_bytes: number;
  /** Whether something was left out. */
  readonly truncated: boolean;
}

/**
 * Hooks of one event.
 *
 * Source: protocol reference, section Hooks.
 */
export interface HookRegistration {
  /** A pattern of tool names such as `Bash|Edit`, or of what else the event goes by; absent = always. */
  readonly matcher?: string | undefined;
  /** Ids of the host, which `hook_callback` names. */
  readonly hookCallbackIds: readonly string[];
  /** Limit of one call, in seconds. */
  readonly timeout?: number | undefined;
  /** What a failing hook does. */
  readonly onFailure?: "continue" | "block" | undefined;
  /** What a hook does that is not answered; wire only. */
  readonly whenUnanswered?: JsonValue | undefined;
  /** Whether the hook decides nothing; wire only. */
  readonly contextOnly?: boolean | undefined;
  /** Not known; wire only. */
  readonly replacedByFrame?: JsonValue | undefined;
}

/**
 * What is known of an MCP server that the host answers for.
 *
 * Source: protocol reference, section In-process MCP servers.
 */
export interface SdkMcpServerSettings {
  /** Limit of a call, in milliseconds. */
  readonly timeout?: number | undefined;
  /** What the rules say about its tools. */
  readonly tools?: readonly McpToolPolicy[] | undefined;
}

/**
 * What an MCP server of the host would answer to the handshake.
 *
 * Source: protocol reference, section In-process MCP servers.
 */
export interface SdkMcpManifest {
  /** Its answer to `initialize`. */
  readonly initializeResult: JsonObject;
  /** Its answer to `tools/list`. */
  readonly toolsListResult?: JsonObject | undefined;
}

/** What became of the permission mode of one MCP server. */
export interface McpPermissionModeReply {
  /** Why it may have no effect: no server of that name is known. */
  readonly warning?: string;
}

/** What became of a directory that was made known. */
export interface RegisterRepoRootReply {
  /** The directory, as the CLI resolved it. */
  readonly directory: string;
}

/** What the model said beside the conversation; wire only. */
export interface SideAnswer {
  /** The answer; null = none. */
  readonly response: string | null;
  /** Whether the CLI made it up itself. */
  readonly synthetic?: boolean;
}

/** A title that was made; wire only. */
export interface GeneratedTitle {
  /** The title. */
  readonly title: string;
}

/**
 * Sets the session up; the first line of stdin.
 *
 * Source: protocol reference, section initialize.
 */
export interface InitializeRequest {
  /** Discriminates. */
  readonly subtype: "initialize";
  /** Hooks to call, by event. */
  readonly hooks?:
    | Readonly<Record<string, readonly HookRegistration[]>>
    | undefined;
  /** Names of the MCP servers that the host answers for. */
  readonly sdkMcpServers?: readonly string[] | undefined;
  /** What is known of them, by name. */
  readonly sdkMcpServerConfigs?:
    | Readonly<Record<string, SdkMcpServerSettings>>
    | undefined;
  /** What they would answer to the handshake, by name; saves it. */
  readonly sdkMcpServerManifests?:
    | Readonly<Record<string, SdkMcpManifest>>
    | undefined;
  /** Says that the manifests were made for this very request. */
  readonly sdkMcpServerManifestsOrigin?: "host_per_send" | undefined;
  /** JSON Schema of the structured output. */
  readonly jsonSchema?: JsonObject | undefined;
  /** The system prompt; absent = the CLI's own for hosts; since 2.1.110. */
  readonly systemPrompt?: readonly string[] | undefined;
  /** Added to the system prompt of the product. */
  readonly appendSystemPrompt?: string | undefined;
  /** Whether the system prompt is kept as it is at the start. */
  readonly systemPromptSnapshot?: boolean | undefined;
  /** What the model is told in plan mode. */
  readonly planModeInstructions?: string | undefined;
  /** Other names of tools, by name. */
  readonly toolAliases?: Readonly<Record<string, string>> | undefined;
  /** Whether what changes from turn to turn stays out of the system prompt. */
  readonly excludeDynamicSections?: boolean | undefined;
  /** Subagents, by name. */
  readonly agents?: Readonly<Record<string, AgentDefinition>> | undefined;
  /** Title of the session. */
  readonly title?: string | undefined;
  /** Skills that can be used; absent = those of the settings. */
  readonly skills?: readonly string[] | undefined;
  /** Whether `prompt_suggestion` messages come. */
  readonly promptSuggestions?: boolean | undefined;
  /** Whether subagents sum up what they do. */
  readonly agentProgressSummaries?: boolean | undefined;
  /** Whether texts of subagents come as messages. */
  readonly forwardSubagentText?: boolean | undefined;
  /** Dialogs that the host can show. */
  readonly supportedDialogKinds?: readonly string[] | undefined;
  /** Whether the host can stop single tasks. */
  readonly perTaskStopAffordance?: boolean | undefined;
  /** Plugins to load; needs `--await-initialize`. */
  readonly plugins?: readonly PluginConfig[] | undefined;
  /** MCP servers that the CLI connects; needs `--await-initialize`; since 2.1.326. */
  readonly mcpServers?:
    | Readonly<Record<string, WireMcpServerConfig>>
    | undefined;
  /** Settings; needs `--await-initialize` and `--initialize-fields`; wire only; since 2.1.327. */
  readonly settings?: JsonObject | undefined;
  /** Rules of what may not be used; needs the same; wire only. */
  readonly disallowedTools?: readonly string[] | undefined;
  /** Settings of the organization; wire only. */
  readonly managedSettings?: JsonObject | undefined;
  /** Added to the system prompt of subagents; wire only. */
  readonly appendSubagentSystemPrompt?: string | undefined;
  /** MCP tools that run code; wire only. */
  readonly codeRunningMcpTools?: JsonValue | undefined;
  /** MCP servers that stay reachable while the web is searched; wire only. */
  readonly webSearchIsolationExemptMcpServers?: JsonValue | undefined;
  /** Whether the host shows the offer to set Chrome up; wire only. */
  readonly rendersChromeSetupOffer?: boolean | undefined;
  /** Whether tool calls of subagents of subagents come as messages; wire only. */
  readonly forwardNestedSubagentToolCalls?: boolean | undefined;
  /** Whether a prompt soon after another takes its place; wire only. */
  readonly rapidFollowupPreempt?: JsonValue | undefined;
  /** Not known; wire only. */
  readonly cloudEchoBeforeInit?: JsonValue | undefined;
  /** Not known; wire only. */
  readonly cloudStatusBeforeInit?: JsonValue | undefined;
  /** Whether the working directory is trusted; wire only. */
  readonly workspaceTrust?: JsonValue | undefined;
}

/** Ends the running turn. */
export interface InterruptRequest {
  /** Discriminates. */
  readonly subtype: "interrupt";
  /** Whether prompts that wait in the queue go as well; false. */
  readonly cancel_queued?: boolean | undefined;
  /** Why; wire only. */
  readonly reason?: string | undefined;
  /** Whether what waits is sent at once; wire only. */
  readonly send_now?: boolean | undefined;
  /** Uuid of one prompt; wire only. */
  readonly message_uuid?: string | undefined;
  /** Only if the turn answers these prompts; wire only. */
  readonly for_user_message_uuids?: readonly string[] | undefined;
  /** Whether background tasks go on; wire only. */
  readonly spare_background_tasks?: boolean | undefined;
  /** The worker that is meant; wire only. */
  readonly worker_epoch?: number | undefined;
}

/** Sets how tool calls are decided. */
export interface SetPermissionModeRequest {
  /** Discriminates. */
  readonly subtype: "set_permission_mode";
  /** The mode. */
  readonly mode: PermissionMode;
  /** Whether the plan is made elsewhere; wire only. */
  readonly ultraplan?: boolean | undefined;
  /** Whether the mode comes from settings; wire only. */
  readonly from_settings?: boolean | undefined;
}

/** Sets the model; the CLI tries it with a small API request. */
export interface SetModelRequest {
  /** Discriminates. */
  readonly subtype: "set_model";
  /** The model; absent or null = the default. */
  readonly model?: string | null | undefined;
  /** System prompt from now on; wire only. */
  readonly system_prompt?: JsonValue | undefined;
  /** Only if this model is the current one; wire only. */
  readonly only_if_model_is_current?: string | undefined;
}

/** Sets the most tokens of thinking. */
export interface SetMaxThinkingTokensRequest {
  /** Discriminates. */
  readonly subtype: "set_max_thinking_tokens";
  /** The most tokens; null = the default. */
  readonly max_thinking_tokens?: number | null | undefined;
  /** What is shown of the thinking; null = the default. */
  readonly thinking_display?:
    | "summarized"
    | "omitted"
    | "highlights"
    | null
    | undefined;
}

/** Gives the session a title. */
export interface RenameSessionRequest {
  /** Discriminates. */
  readonly subtype: "rename_session";
  /** The title. */
  readonly title: string;
  /** Who wanted it. */
  readonly source?: "remote" | "host" | undefined;
  /** Which session; the running one. */
  readonly session_id?: string | undefined;
  /** Whether the group of browser tabs gets the title too; wire only. */
  readonly names_chrome_tab_group?: boolean | undefined;
}

/** Sets the colour of the session; refused in sessions of hosts. */
export interface SetColorRequest {
  /** Discriminates. */
  readonly subtype: "set_color";
  /** The colour. */
  readonly color: string;
}

/** Tells how the MCP servers stand. */
export interface McpStatusRequest {
  /** Discriminates. */
  readonly subtype: "mcp_status";
  /** Whether they are asked anew. */
  readonly liveReply?: boolean | undefined;
}

/** Sets the whole new set of MCP servers added at run time. */
export interface McpSetServersRequest {
  /** Discriminates. */
  readonly subtype: "mcp_set_servers";
  /** The servers, by name; those that are not named go. */
  readonly servers: Readonly<Record<string, WireMcpServerConfig>>;
  /** Not known; wire only. */
  readonly hint?: JsonValue | undefined;
  /** Tools that may not be used; wire only. */
  readonly denied_tools?: JsonValue | undefined;
}

/** Connects an MCP server anew. */
export interface McpReconnectRequest {
  /** Discriminates. */
  readonly subtype: "mcp_reconnect";
  /** Its name. */
  readonly serverName: string;
}

/** Switches an MCP server on or off. */
export interface McpToggleRequest {
  /** Discriminates. */
  readonly subtype: "mcp_toggle";
  /** Its name. */
  readonly serverName: string;
  /** Whether it is on. */
  readonly enabled: boolean;
}

/** Calls a tool of an MCP server that the CLI connected. */
export interface McpCallRequest {
  /** Discriminates. */
  readonly subtype: "mcp_call";
  /** Its full name, `mcp__server__tool`. */
  readonly tool: string;
  /** What it is called with. */
  readonly arguments?: JsonObject | undefined;
  /** When the call is void, RFC 3339. */
  readonly expires_at?: string | undefined;
  /** Limit of the call, in milliseconds. */
  readonly timeout_ms?: number | undefined;
  /** Whether the model never sees the result; false. */
  readonly result_not_for_model?: boolean | undefined;
  /** Whether the permission rules are asked first; false. */
  readonly check_permissions?: boolean | undefined;
  /** Files for the tool to read. */
  readonly input_files?:
    | readonly ({
      /** Name of the tool's argument. */
      readonly name: string;
      /** Path on the lane of files. */
      readonly lane_path: string;
    })[]
    | undefined;
  /** Files for the tool to write. */
  readonly output_files?:
    | readonly ({
      /** Name of the tool's argument. */
      readonly name: string;
      /** Path on the lane of files. */
      readonly lane_path: string;
      /** Only if the file still has this version. */
      readonly if_match?: string | undefined;
    })[]
    | undefined;
}

/** Reads a resource of an MCP server; `ui://` addresses only. */
export interface McpReadResourceRequest {
  /** Discriminates. */
  readonly subtype: "mcp_read_resource";
  /** Its name. */
  readonly serverName: string;
  /** The resource. */
  readonly uri: string;
}

/** Tells what fills the context window. */
export interface GetContextUsageRequest {
  /** Discriminates. */
  readonly subtype: "get_context_usage";
  /** How much is told. */
  readonly detail?: "summary" | "full" | undefined;
}

/** Tells what the session cost so far, as text. */
export interface GetSessionCostRequest {
  /** Discriminates. */
  readonly subtype: "get_session_cost";
}

/** Tells what the session used, and how the account stands to its limits. */
export interface GetUsageRequest {
  /** Discriminates. */
  readonly subtype: "get_usage";
  /** Whether `behaviors` is left out, which takes the CLI longest; false. */
  readonly skip_behaviors?: boolean | undefined;
}

/** Lists the models that can be chosen. */
export interface ListModelsRequest {
  /** Discriminates. */
  readonly subtype: "list_models";
}

/** Tells which CLI this is. */
export interface GetBinaryVersionRequest {
  /** Discriminates. */
  readonly subtype: "get_binary_version";
}

/** Finds files of the project for a text that is being typed. */
export interface FileSuggestionsRequest {
  /** Discriminates. */
  readonly subtype: "file_suggestions";
  /** The text. */
  readonly query: string;
}

/** Reads a file that the session may read. */
export interface ReadFileRequest {
  /** Discriminates. */
  readonly subtype: "read_file";
  /** The file. */
  readonly path: string;
  /** The most bytes to read. */
  readonly max_bytes?: number | undefined;
  /** Form of the content; `utf-8`. */
  readonly encoding?: "utf-8" | "base64" | undefined;
  /** Where to begin; wire only. */
  readonly anchor?: JsonValue | undefined;
  /** Where to begin; wire only. */
  readonly offset?: number | undefined;
  /** Whether the file is to be sent away; wire only. */
  readonly for_upload?: boolean | undefined;
  /** Not known; wire only. */
  readonly liveReply?: boolean | undefined;
}

/** Tells the CLI that the model knows a file as it was at a time. */
export interface SeedReadStateRequest {
  /** Discriminates. */
  readonly subtype: "seed_read_state";
  /** The file. */
  readonly path: string;
  /** The time, in milliseconds since 1970. */
  readonly mtime: number;
}

/** Puts files back as they were at a prompt. */
export interface RewindFilesRequest {
  /** Discriminates. */
  readonly subtype: "rewind_files";
  /** Uuid of the prompt. */
  readonly user_message_id: string;
  /** Whether nothing is changed, only told; false. */
  readonly dry_run?: boolean | undefined;
}

/** Takes a prompt out of the queue. */
export interface CancelAsyncMessageRequest {
  /** Discriminates. */
  readonly subtype: "cancel_async_message";
  /** Uuid of the prompt. */
  readonly message_uuid: string;
}

/** Changes settings of this session only. */
export interface ApplyFlagSettingsRequest {
  /** Discriminates. */
  readonly subtype: "apply_flag_settings";
  /** Keys to change; those that are not named stay. */
  readonly settings: JsonObject;
}

/** Tells the settings in force, and where they come from. */
export interface GetSettingsRequest {
  /** Discriminates. */
  readonly subtype: "get_settings";
}

/** Changes settings in their file. */
export interface UpdateSettingsRequest {
  /** Discriminates. */
  readonly subtype: "update_settings";
  /** Which file. */
  readonly source: "localSettings" | "userSettings";
  /** Keys to change; those that are not named stay. */
  readonly settings: JsonObject;
}

/** Lists the hooks of all settings. */
export interface GetHooksListingRequest {
  /** Discriminates. */
  readonly subtype: "get_hooks_listing";
}

/** Lists the permission rules in force. */
export interface ListPermissionRulesRequest {
  /** Discriminates. */
  readonly subtype: "list_permission_rules";
}

/** Loads plugins anew. */
export interface ReloadPluginsRequest {
  /** Discriminates. */
  readonly subtype: "reload_plugins";
  /** Whether nothing is done if the prompt cache would be lost; false. */
  readonly hold_on_cache_impact?: boolean | undefined;
  /** Plugins to add. */
  readonly add_plugins?: readonly PluginConfig[] | undefined;
  /** Whether a running turn makes it fail; false. */
  readonly refuse_if_busy?: boolean | undefined;
}

/** Loads skills anew. */
export interface ReloadSkillsRequest {
  /** Discriminates. */
  readonly subtype: "reload_skills";
}

/** Loads output styles anew. */
export interface ReloadOutputStylesRequest {
  /** Discriminates. */
  readonly subtype: "reload_output_styles";
}

/** Lets tools work in a further directory, as in a repository that was just cloned. */
export interface RegisterRepoRootRequest {
  /** Discriminates. */
  readonly subtype: "register_repo_root";
  /** The directory. */
  readonly directory: string;
  /** Whether CLAUDE.md files are loaded anew. */
  readonly reload_claude_md?: boolean | undefined;
  /** Whether plugins are loaded anew. */
  readonly reload_plugins?: boolean | undefined;
  /** Whether skills are loaded anew. */
  readonly reload_skills?: boolean | undefined;
}

/** Stops a task; an unknown one is no error. */
export interface StopTaskRequest {
  /** Discriminates. */
  readonly subtype: "stop_task";
  /** The task. */
  readonly task_id: string;
}

/** Sends running tools to the background. */
export interface BackgroundTasksRequest {
  /** Discriminates. */
  readonly subtype: "background_tasks";
  /** One call; absent = all. */
  readonly tool_use_id?: string | undefined;
}

/** Reads what a background task printed. */
export interface GetTaskOutputRequest {
  /** Discriminates. */
  readonly subtype: "get_task_output";
  /** The task. */
  readonly task_id: string;
}

/** Tells whether anybody watches the session. */
export interface SetHasSubscribersRequest {
  /** Discriminates. */
  readonly subtype: "set_has_subscribers";
  /** Whether somebody does; null = not known. */
  readonly has_subscribers: boolean | null;
}

/** Ends the session and the process; wire only. */
export interface EndSessionRequest {
  /** Discriminates. */
  readonly subtype: "end_session";
}

/** Asks the model beside the conversation; wire only. */
export interface SideQuestionRequest {
  /** Discriminates. */
  readonly subtype: "side_question";
  /** The question. */
  readonly question: string;
  /** What was asked before. */
  readonly history?: JsonValue | undefined;
}

/** Makes a title; wire only. */
export interface GenerateSessionTitleRequest {
  /** Discriminates. */
  readonly subtype: "generate_session_title";
  /** What the session is about. */
  readonly description: string;
  /** Whether it becomes the title of the session. */
  readonly persist?: boolean | undefined;
}

/** Signs in at an MCP server; wire only. */
export interface McpAuthenticateRequest {
  /** Discriminates. */
  readonly subtype: "mcp_authenticate";
  /** Its name. */
  readonly serverName: string;
  /** Where the browser is sent back to. */
  readonly redirectUri?: string | undefined;
  /** Whether no other address will do. */
  readonly redirectUriOnly?: boolean | undefined;
}

/** Signs out of an MCP server; wire only. */
export interface McpClearAuthRequest {
  /** Discriminates. */
  readonly subtype: "mcp_clear_auth";
  /** Its name. */
  readonly serverName: string;
}

/** Hands over the address that the browser was sent back to; wire only. */
export interface McpOauthCallbackUrlRequest {
  /** Discriminates. */
  readonly subtype: "mcp_oauth_callback_url";
  /** Name of the MCP server. */
  readonly serverName: string;
  /** The address. */
  readonly callbackUrl: string;
}

/** Sets how tool calls of one MCP server are decided, more strictly than the session does; wire only. */
export interface SetMcpPermissionModeOverrideRequest {
  /** Discriminates. */
  readonly subtype: "set_mcp_permission_mode_override";
  /** Its name. */
  readonly serverName: string;
  /** Asks, or leaves it to the classifier; null takes that back. */
  readonly mode: "default" | "auto" | null;
}

/** Known by its name only; wire only. */
export interface ExportConversationRequest {
  /** Discriminates. */
  readonly subtype: "export_conversation";
}

/** Known by its name only; wire only. */
export interface GetPlanRequest {
  /** Discriminates. */
  readonly subtype: "get_plan";
}

/** Known by its name only; wire only. */
export interface ListDirectoryRequest {
  /** Discriminates. */
  readonly subtype: "list_directory";
}

/** Known by its name only; wire only. */
export interface GetWorkspaceDiffRequest {
  /** Discriminates. */
  readonly subtype: "get_workspace_diff";
}

/** Known by its name only; wire only. */
export interface SetCwdRequest {
  /** Discriminates. */
  readonly subtype: "set_cwd";
}

/** Known by its name only; wire only. */
export interface GetMemoryDialogRequest {
  /** Discriminates. */
  readonly subtype: "get_memory_dialog";
}

/** Known by its name only; wire only. */
export interface GetSkillsDialogRequest {
  /** Discriminates. */
  readonly subtype: "get_skills_dialog";
}

/** Known by its name only; wire only. */
export interface GetChromeDialogRequest {
  /** Discriminates. */
  readonly subtype: "get_chrome_dialog";
}

/** Known by its name only; wire only. */
export interface GetChromeBrowsersRequest {
  /** Discriminates. */
  readonly subtype: "get_chrome_browsers";
}

/** Known by its name only; wire only. */
export interface SelectChromeBrowserRequest {
  /** Discriminates. */
  readonly subtype: "select_chrome_browser";
}

/** Known by its name only; wire only. */
export interface GetSandboxDialogRequest {
  /** Discriminates. */
  readonly subtype: "get_sandbox_dialog";
}

/** Known by its name only; wire only. */
export interface GetStatusRequest {
  /** Discriminates. */
  readonly subtype: "get_status";
}

/** Known by its name only; wire only. */
export interface ListCloudSessionsRequest {
  /** Discriminates. */
  readonly subtype: "list_cloud_sessions";
}

/** Known by its name only; wire only. */
export interface GetCloudSessionRequest {
  /** Discriminates. */
  readonly subtype: "get_cloud_session";
}

/** Known by its name only; wire only. */
export interface GetCloudSessionTranscriptRequest {
  /** Discriminates. */
  readonly subtype: "get_cloud_session_transcript";
}

/** Known by its name only; wire only. */
export interface UpdateCloudSessionRequest {
  /** Discriminates. */
  readonly subtype: "update_cloud_session";
}

/** Known by its name only; wire only. */
export interface ReloadConnectorsRequest {
  /** Discriminates. */
  readonly subtype: "reload_connectors";
}

/** Known by its name only; wire only. */
export interface SetChromeBrowserHintsRequest {
  /** Discriminates. */
  readonly subtype: "set_chrome_browser_hints";
}

/** Known by its name only; wire only. */
export interface SetPromptSuggestionsPausedRequest {
  /** Discriminates. */
  readonly subtype: "set_prompt_suggestions_paused";
}

/** Known by its name only; wire only. */
export interface SetMessageWaitingRequest {
  /** Discriminates. */
  readonly subtype: "set_message_waiting";
}

/** Known by its name only; wire only. */
export interface PromptDraftActivityRequest {
  /** Discriminates. */
  readonly subtype: "prompt_draft_activity";
}

/** Known by its name only; wire only. */
export interface ClaimSessionRequest {
  /** Discriminates. */
  readonly subtype: "claim_session";
}

/** Known by its name only; wire only. */
export interface RegisterDeviceHooksRequest {
  /** Discriminates. */
  readonly subtype: "register_device_hooks";
}

/** Known by its name only; wire only. */
export interface UploadDeviceHookTemplateRequest {
  /** Discriminates. */
  readonly subtype: "upload_device_hook_template";
}

/** Known by its name only; wire only. */
export interface MessageRatedRequest {
  /** Discriminates. */
  readonly subtype: "message_rated";
}

/** Known by its name only; wire only. */
export interface StartShellTaskRequest {
  /** Discriminates. */
  readonly subtype: "start_shell_task";
}

/** Known by its name only; wire only. */
export interface SubmitFeedbackRequest {
  /** Discriminates. */
  readonly subtype: "submit_feedback";
}

/** Known by its name only; wire only. */
export interface SubmitSurveyFeedbackRequest {
  /** Discriminates. */
  readonly subtype: "submit_survey_feedback";
}

/** Known by its name only; wire only. */
export interface RemoteToolsAnnounceRequest {
  /** Discriminates. */
  readonly subtype: "remote_tools_announce";
}

/** Known by its name only; wire only. */
export interface TurnHandoffRequest {
  /** Discriminates. */
  readonly subtype: "turn_handoff";
}

/** Known by its name only; wire only. */
export interface ComparisonForkRequest {
  /** Discriminates. */
  readonly subtype: "comparison_fork";
}

/** Known by its name only; wire only. */
export interface UiAttachRequest {
  /** Discriminates. */
  readonly subtype: "ui_attach";
}

/** Known by its name only; wire only. */
export interface UiDetachRequest {
  /** Discriminates. */
  readonly subtype: "ui_detach";
}

/** Known by its name only; wire only. */
export interface UiRenderRequest {
  /** Discriminates. */
  readonly subtype: "ui_render";
}

/** Known by its name only; wire only. */
export interface UiPressRequest {
  /** Discriminates. */
  readonly subtype: "ui_press";
}

/** Known by its name only; wire only. */
export interface UiClientModuleRequest {
  /** Discriminates. */
  readonly subtype: "ui_client_module";
}

/** Known by its name only; wire only. */
export interface UiClientPressRequest {
  /** Discriminates. */
  readonly subtype: "ui_client_press";
}

/** Known by its name only; wire only. */
export interface UiMessageRequest {
  /** Discriminates. */
  readonly subtype: "ui_message";
}

/** Known by its name only; wire only. */
export interface UiClientFaultRequest {
  /** Discriminates. */
  readonly subtype: "ui_client_fault";
}

/** Known by its name only; wire only. */
export interface UiInputRequest {
  /** Discriminates. */
  readonly subtype: "ui_input";
}

/** Known by its name only; wire only. */
export interface UiSelectRequest {
  /** Discriminates. */
  readonly subtype: "ui_select";
}

/** Known by its name only; wire only. */
export interface UiPanesRequest {
  /** Discriminates. */
  readonly subtype: "ui_panes";
}

/** Known by its name only; wire only. */
export interface UiPaneShowRequest {
  /** Discriminates. */
  readonly subtype: "ui_pane_show";
}

/** Known by its name only; wire only. */
export interface UiPaneFocusRequest {
  /** Discriminates. */
  readonly subtype: "ui_pane_focus";
}

/** Known by its name only; wire only. */
export interface UiCloseRequest {
  /** Discriminates. */
  readonly subtype: "ui_close";
}

/** Known by its name only; wire only. */
export interface UiScrollRequest {
  /** Discriminates. */
  readonly subtype: "ui_scroll";
}

/** Known by its name only; wire only. */
export interface UiFocusRequest {
  /** Discriminates. */
  readonly subtype: "ui_focus";
}

/** Known by its name only; wire only. */
export interface UiPromptEditRequest {
  /** Discriminates. */
  readonly subtype: "ui_prompt_edit";
}

/** Known by its name only; wire only. */
export interface UiPromptAutocompleteRequest {
  /** Discriminates. */
  readonly subtype: "ui_prompt_autocomplete";
}

/** Known by its name only; wire only. */
export interface RemoteControlRequest {
  /** Discriminates. */
  readonly subtype: "remote_control";
}

/** Known by its name only; wire only. */
export interface ChannelEnableRequest {
  /** Discriminates. */
  readonly subtype: "channel_enable";
}

/** Known by its name only; wire only. */
export interface ClaudeAuthenticateRequest {
  /** Discriminates. */
  readonly subtype: "claude_authenticate";
}

/** Known by its name only; wire only. */
export interface ClaudeOauthCallbackRequest {
  /** Discriminates. */
  readonly subtype: "claude_oauth_callback";
}

/** Known by its name only; wire only. */
export interface ClaudeOauthWaitForCompletionRequest {
  /** Discriminates. */
  readonly subtype: "claude_oauth_wait_for_completion";
}

/** Known by its name only; wire only. */
export interface UltrareviewLaunchRequest {
  /** Discriminates. */
  readonly subtype: "ultrareview_launch";
}

/** Known by its name only; wire only. */
export interface AddDirectoryRequest {
  /** Discriminates. */
  readonly subtype: "add_directory";
}

/** Known by its name only; wire only. */
export interface ForkConversationRequest {
  /** Discriminates. */
  readonly subtype: "fork_conversation";
}

/** Known by its name only; wire only. */
export interface RewindConversationRequest {
  /** Discriminates. */
  readonly subtype: "rewind_conversation";
}

/** Known by its name only; wire only. */
export interface StageFileRequest {
  /** Discriminates. */
  readonly subtype: "stage_file";
}

/** Known by its name only; wire only. */
export interface McpTasksChangedRequest {
  /** Discriminates. */
  readonly subtype: "mcp_tasks_changed";
}

/** Known by its name only; wire only. */
export interface PollEventRequest {
  /** Discriminates. */
  readonly subtype: "poll_event";
}

/** Known by its name only; wire only. */
export interface SetProactivityLevelRequest {
  /** Discriminates. */
  readonly subtype: "set_proactivity_level";
}
