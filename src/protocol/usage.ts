// Made from protocol/ by `npm run generate`; edit that.
import type { JsonValue } from "../types/json.ts";

/**
 * Tokens of one API message, in the form of the Messages API.
 *
 * In an assistant message these are opening values: final numbers are in the result and in `message_delta`.
 */
export interface Usage {
  /** Tokens read that no cache held. */
  readonly input_tokens: number;
  /** Tokens written. */
  readonly output_tokens: number;
  /** Tokens written to the cache. */
  readonly cache_creation_input_tokens?: number | null;
  /** Tokens read from the cache. */
  readonly cache_read_input_tokens?: number | null;
  /** Tokens written to the cache, by lifetime. */
  readonly cache_creation?: CacheCreation | null;
  /** Calls of tools that the API runs. */
  readonly server_tool_use?: ServerToolUsage | null;
  /** Tier that served the request. */
  readonly service_tier?: string | null;
  /** Breakdown of the output tokens. */
  readonly output_tokens_details?: OutputTokensDetails | null;
  /** Region of inference. */
  readonly inference_geo?: string | null;
  /** Speed that served the request. */
  readonly speed?: string | null;
  /** Credit for a fallback, unchanged from the API; wire only. */
  readonly fallback_credit?: JsonValue | null;
  /** Usage of each sampling iteration, unchanged from the API. */
  readonly iterations?: readonly JsonValue[] | null;
}

/** Tokens written to the cache, by lifetime. */
export interface CacheCreation {
  /** Tokens kept for an hour. */
  readonly ephemeral_1h_input_tokens: number;
  /** Tokens kept for five minutes. */
  readonly ephemeral_5m_input_tokens: number;
}

/** Calls of tools that the API runs. */
export interface ServerToolUsage {
  /** Web searches. */
  readonly web_search_requests: number;
  /** Web fetches. */
  readonly web_fetch_requests: number;
}

/** Breakdown of the output tokens. */
export interface OutputTokensDetails {
  /** Tokens of thinking. */
  readonly thinking_tokens: number;
}

/** Tokens of a whole turn, where the CLI fills in what the API left out. */
export interface ResultUsage extends Usage {
  /** Tokens written to the cache. */
  readonly cache_creation_input_tokens: number;
  /** Tokens read from the cache. */
  readonly cache_read_input_tokens: number;
  /** Tokens written to the cache, by lifetime. */
  readonly cache_creation: CacheCreation;
  /** Calls of tools that the API runs. */
  readonly server_tool_use: ServerToolUsage;
  /** Tier that served the requests. */
  readonly service_tier: string;
}

/** Usage of one model in a session. */
export interface ModelUsage {
  /** Tokens read that no cache held. */
  readonly inputTokens: number;
  /** Tokens written. */
  readonly outputTokens: number;
  /** Tokens read from the cache. */
  readonly cacheReadInputTokens: number;
  /** Tokens written to the cache. */
  readonly cacheCreationInputTokens: number;
  /** Web searches. */
  readonly webSearchRequests: number;
  /** Estimated cost in US dollars. */
  readonly costUSD: number;
  /** Size of the model's context window, in tokens. */
  readonly contextWindow: number;
  /** Maximum tokens in one message of the model. */
  readonly maxOutputTokens: number;
  /** Tokens of thinking. */
  readonly thinkingTokens?: number;
  /** Tokens written to the cache for five minutes. */
  readonly cacheCreationEphemeral5mInputTokens?: number;
  /** Tokens written to the cache for an hour. */
  readonly cacheCreationEphemeral1hInputTokens?: number;
  /** Name of the model without alias or suffix. */
  readonly canonicalModel?: string;
  /** Provider of the model. */
  readonly provider?: string;
  /** Source of the prices behind `costUSD`. */
  readonly costBasis?: "list" | "managed" | "unknown";
}

/** Usage of a session so far. */
export interface SessionUsage {
  /** Estimated cost in US dollars. */
  readonly total_cost_usd: number;
  /** Time spent in API requests, in milliseconds. */
  readonly total_api_duration_ms: number;
  /** Time since the start, in milliseconds. */
  readonly total_duration_ms: number;
  /** Lines of code added. */
  readonly total_lines_added: number;
  /** Lines of code removed. */
  readonly total_lines_removed: number;
  /** Use by model. */
  readonly model_usage: Readonly<Record<string, ModelUsage>>;
}

/** Paid use beyond the limits of a subscription. */
export interface ExtraUsage {
  /** Whether it is switched on. */
  readonly is_enabled: boolean;
  /** Limit per month; null = none. */
  readonly monthly_limit: number | null;
  /** Usage of this month. */
  readonly used_credits: number | null;
  /** Share of the limit that is used, in the format of the API. */
  readonly utilization: number | null;
  /** Currency of the amounts. */
  readonly currency?: string | null;
}

/** Use of the account, as a local command reports it. */
export interface UsageReport {
  /** Usage of the session so far. */
  readonly session: SessionUsage;
  /** The limits of the account; null when they are unknown. */
  readonly rate_limits: {
    /** Each limit. */
    readonly limits: readonly UsageReportLimit[] | null;
    /** Use beyond the limits. */
    readonly extra_usage?: ExtraUsage | null;
  } | null;
}

/** One limit of a {@link UsageReport}. */
export interface UsageReportLimit {
  /** Kind of the limit. */
  readonly kind: string;
  /** Group of the limit. */
  readonly group: string;
  /** Share of the limit that is used, in percent. */
  readonly percent: number;
  /** Time of the reset. */
  readonly resets_at: string | null;
  /** Scope of the limit; absent = everything. */
  readonly scope?: {
    /** The model. */
    readonly model?: {
      /** Name to show. */
      readonly display_name: string;
    } | null;
    /** The product. */
    readonly surface?: {
      /** Name to show. */
      readonly display_name: string;
    } | null;
  } | null;
  /** Severity. */
  readonly severity: string;
  /** Whether it applies right now. */
  readonly is_active: boolean;
}

/** State of a part of the context window: filled, free, reserved, or loaded on demand. */
export type ContextCategoryKind = "used" | "free" | "buffer" | "deferred";

/** Summary of the context window, in tokens. */
export interface ContextUsageShort {
  /** The model. */
  readonly model: string;
  /** Tokens in use. */
  readonly total_tokens: number;
  /** Size of the window. */
  readonly raw_max_tokens: number;
  /** Share in use, in percent. */
  readonly percentage: number;
  /** Excess over the limit of the window. */
  readonly over_limit?: {
    /** Tokens over the limit. */
    readonly tokens_over: number;
    /** The exceeded limit. */
    readonly kind: "hard_limit" | "compaction_window";
  };
  /** Parts of the window. */
  readonly categories: readonly ({
    /** Name to show. */
    readonly name: string;
    /** Its tokens. */
    readonly tokens: number;
    /** State of the part. */
    readonly kind: ContextCategoryKind;
  })[];
  /** Tools of MCP servers. */
  readonly mcp_tools: readonly ({
    /** Name of the tool. */
    readonly name: string;
    /** Name of its server. */
    readonly server_name: string;
    /** Its tokens. */
    readonly tokens: number;
  })[];
  /** Memory files. */
  readonly memory_files: readonly ({
    /** The file. */
    readonly path: string;
    /** Owner of the file. */
    readonly type: string;
    /** Its tokens. */
    readonly tokens: number;
  })[];
  /** Subagents. */
  readonly agents: readonly ({
    /** Kind of the subagent. */
    readonly agent_type: string;
    /** Source. */
    readonly source: string;
    /** Its tokens. */
    readonly tokens: number;
  })[];
  /** Skills. */
  readonly skills?: readonly ({
    /** Name of the skill. */
    readonly name: string;
    /** Source. */
    readonly source: string;
    /** The plugin that brings it. */
    readonly plugin_name?: string;
    /** Its tokens. */
    readonly tokens: number;
  })[];
}
