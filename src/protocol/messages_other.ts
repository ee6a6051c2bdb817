// Made from protocol/ by `npm run generate`; edit that.
import type { JsonObject } from "../types/json.ts";
import type { SystemMessage } from "./messages_system.ts";
import type {
  AssistantError,
  AssistantMessage,
  MessageIdentity,
  ResultMessage,
  StreamEventMessage,
  UserMessage,
  UserMessageReplay,
} from "./messages_turn.ts";

/** Whether a limit lets requests through. */
export type RateLimitStatus = "allowed" | "allowed_warning" | "rejected";

/** Kind of rate limit of an account. */
export type RateLimitType =
  | "five_hour"
  | "seven_day"
  | "seven_day_opus"
  | "seven_day_sonnet"
  | "seven_day_overage_included"
  | "overage";

/** Reason overage is not available. */
export type OverageDisabledReason =
  | "overage_not_provisioned"
  | "org_level_disabled"
  | "org_level_disabled_until"
  | "out_of_credits"
  | "seat_tier_level_disabled"
  | "member_level_disabled"
  | "seat_tier_zero_credit_limit"
  | "group_zero_credit_limit"
  | "member_zero_credit_limit"
  | "org_service_level_disabled"
  | "no_limits_configured"
  | "fetch_error"
  | "unknown";

/** State of the rate limits of an account. */
export interface RateLimitInfo {
  /** Whether requests go through. */
  readonly status: RateLimitStatus;
  /** Time of the reset, in the format of the API. */
  readonly resetsAt?: number;
  /** Kind of the limit. */
  readonly rateLimitType?: RateLimitType;
  /** Share of the limit that is used, in the format of the API. */
  readonly utilization?: number;
  /** Whether requests beyond the limit go through. */
  readonly overageStatus?: RateLimitStatus;
  /** Time the overage resets, in the format of the API. */
  readonly overageResetsAt?: number;
  /** Reason for having no overage. */
  readonly overageDisabledReason?: OverageDisabledReason;
  /** Whether this request counted as overage. */
  readonly isUsingOverage?: boolean;
  /** Whether overage is in use. */
  readonly overageInUse?: boolean;
  /** Whether overage is switched on. */
  readonly overageEnabled?: boolean;
  /** The warning threshold that was passed. */
  readonly surpassedThreshold?: number;
  /** Scope of the limit. */
  readonly limitScope?: "service" | "channel" | "group_pool";
  /** Error code of the API. */
  readonly errorCode?: "credits_required";
  /** Whether the user may buy credits. */
  readonly canUserPurchaseCredits?: boolean;
  /** Whether a payment method is saved. */
  readonly hasChargeableSavedPaymentMethod?: boolean;
}

/** A tool is still running. */
export interface ToolProgressMessage extends MessageIdentity {
  /** Discriminator. */
  readonly type: "tool_progress";
  /** Id of the call; heartbeats add a suffix to it. */
  readonly tool_use_id: string;
  /** Name of the tool. */
  readonly tool_name: string;
  /** The call this belongs to; null in the main conversation. */
  readonly parent_tool_use_id: string | null;
  /** Run time so far, in seconds. */
  readonly elapsed_time_seconds: number;
  /** Background task that the call has become. */
  readonly task_id?: string;
  /** A heartbeat without news. */
  readonly heartbeat?: boolean;
  /** Kind of the subagent that runs. */
  readonly subagent_type?: string;
  /** The subagent waits to repeat an API request. */
  readonly subagent_retry?: {
    /** Id of the subagent. */
    readonly agent_id: string;
    /** Number of the attempt, from 1. */
    readonly attempt: number;
    /** Maximum number of attempts. */
    readonly max_retries: number;
    /** Delay before the next attempt, in milliseconds. */
    readonly retry_delay_ms: number;
    /** HTTP status of the failure; null when there was no answer. */
    readonly error_status: number | null;
    /** Kind of failure. */
    readonly error_category: AssistantError | (string & Record<never, never>);
  };
}

/** Several tool calls in a sentence. */
export interface ToolUseSummaryMessage extends MessageIdentity {
  /** Discriminator. */
  readonly type: "tool_use_summary";
  /** The sentence. */
  readonly summary: string;
  /** Ids of the calls it sums up. */
  readonly preceding_tool_use_ids: readonly string[];
  /** Time of the summary, ISO 8601; wire only. */
  readonly timestamp?: string;
}

/** Progress of a login. */
export interface AuthStatusMessage extends MessageIdentity {
  /** Discriminator. */
  readonly type: "auth_status";
  /** Whether the login is in progress. */
  readonly isAuthenticating: boolean;
  /** Lines to show. */
  readonly output: readonly string[];
  /** Reason for the failure. */
  readonly error?: string;
}

/** The account's limits changed. */
export interface RateLimitMessage extends MessageIdentity {
  /** Discriminator. */
  readonly type: "rate_limit_event";
  /** Rate limits of the account. */
  readonly rate_limit_info: RateLimitInfo;
}

/** A suggested next prompt; only with `promptSuggestions`. */
export interface PromptSuggestionMessage extends MessageIdentity {
  /** Discriminator. */
  readonly type: "prompt_suggestion";
  /** The suggested prompt. */
  readonly suggestion: string;
}

/** The conversation was emptied; a new session id follows. */
export interface ConversationResetMessage extends MessageIdentity {
  /** Discriminator. */
  readonly type: "conversation_reset";
  /** Id of the new conversation; not the new session id. */
  readonly new_conversation_id: string;
  /** Cause of the reset. */
  readonly trigger?:
    | "clear"
    | "plan_mode_exit"
    | "fresh_session"
    | "onboarding";
  /** Uuid of the prompt that requested it. */
  readonly user_message_uuid?: string;
  /** Time of the reset, ISO 8601. */
  readonly timestamp?: string;
}

/** The goal that the session works towards changed. */
export interface ActiveGoalMessage extends MessageIdentity {
  /** Discriminator. */
  readonly type: "active_goal";
  /** The goal; null when it is gone. */
  readonly value: {
    /** Condition. */
    readonly condition: string;
    /** Turns made towards it. */
    readonly iterations: number;
    /** Time it was set, in milliseconds since 1970. */
    readonly set_at: number;
    /** Tokens used before it was set. */
    readonly tokens_at_start: number;
    /** Reason it was not met last time. */
    readonly last_reason?: string;
  } | null;
}

/** State of a prompt that was sent with a `uuid`; wire only; since 2.1.206. */
export interface CommandLifecycleMessage extends MessageIdentity {
  /** Discriminator. */
  readonly type: "command_lifecycle";
  /** Uuid of the user line. */
  readonly command_uuid: string;
  /** State. */
  readonly state:
    | "queued"
    | "started"
    | "completed"
    | "cancelled"
    | "discarded"
    | "refused";
  /** Source of the wake-up. */
  readonly wakeup_source?: string;
  /** Planned time. */
  readonly scheduled_for?: string | number;
  /** Whether it overtook prompts before it. */
  readonly ran_ahead?: boolean;
}

/**
 * A message of a kind this package does not know.
 *
 * The CLI adds kinds at any time: this is never an error.
 */
export interface UnknownMessage {
  /** Discriminator. */
  readonly type: "unknown";
  /** The `type` on the wire. */
  readonly originalType: string;
  /** The `subtype` on the wire, if it is a string. */
  readonly originalSubtype?: string;
  /** The message as it came. */
  readonly raw: JsonObject;
}

/**
 * One message of the CLI: the wire object itself, distinguished by `type`, then `subtype`.
 *
 * Fields that this package does not know are kept at run time. Keep a `default` branch in a `switch`: the CLI adds
 * kinds, which come as {@link UnknownMessage}.
 */
export type Message =
  | AssistantMessage
  | UserMessage
  | UserMessageReplay
  | ResultMessage
  | StreamEventMessage
  | SystemMessage
  | ToolProgressMessage
  | ToolUseSummaryMessage
  | AuthStatusMessage
  | RateLimitMessage
  | PromptSuggestionMessage
  | ConversationResetMessage
  | ActiveGoalMessage
  | CommandLifecycleMessage
  | UnknownMessage;
