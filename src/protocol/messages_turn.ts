// Made from protocol/ by `npm run generate`; edit that.
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { ContentBlock } from "./content.ts";
import type { FastModeDisabledReason, FastModeState } from "./session.ts";
import type {
  ContextUsageShort,
  ModelUsage,
  ResultUsage,
  Usage,
  UsageReport,
} from "./usage.ts";

/** Common fields of every known message. */
export interface MessageIdentity {
  /** Id of this message. */
  readonly uuid: string;
  /** Session it belongs to; changes with `/clear`. */
  readonly session_id: string;
}

/** Fields of messages of a subagent. */
export interface SubagentMark {
  /** Id of the subagent. */
  readonly agent_id?: string;
  /** Kind of the subagent. */
  readonly subagent_type?: string;
  /** Task of the subagent, in short. */
  readonly task_description?: string;
}

/** The prompts that a message answers. */
export interface PromptLink {
  /** Uuid of the user line that this answers. */
  readonly user_message_uuid?: string;
  /** Uuids of all user lines merged into this turn. */
  readonly user_message_uuids?: readonly string[];
  /** Reason the turn was resumed, if it was. */
  readonly resume_reason?: string;
}

/** Reason a request to the API failed. */
export type AssistantError =
  | "authentication_failed"
  | "oauth_org_not_allowed"
  | "account_on_hold"
  | "verification_required"
  | "billing_error"
  | "rate_limit"
  | "overloaded"
  | "invalid_request"
  | "model_not_found"
  | "server_error"
  | "unknown"
  | "max_output_tokens"
  | "cloud_credential_error";

/** Place of a prompt in the queue. */
export type QueuePriority = "now" | "next" | "later";

/** Origin of a message, by `kind`. */
export type MessageOrigin = {
  /** A person; the team's coordinator; unknown; the CLI continuing on its own; an observer's activity. */
  readonly kind:
    | "human"
    | "coordinator"
    | "unclassified"
    | "auto-continuation"
    | "observer-activity";
} | {
  /** A channel, that is a server that sends prompts. */
  readonly kind: "channel";
  /** Name of the server. */
  readonly server: string;
} | {
  /** Another session. */
  readonly kind: "peer";
  /** Name of the sender. */
  readonly from: string;
  /** Permission mode of the sender. */
  readonly fromMode?: "bypass" | "prompting";
  /** Name to show. */
  readonly name?: string;
  /** Session id of the sender. */
  readonly fromSession?: string;
  /** Task of the sender. */
  readonly senderTaskId?: string;
  /** The text as it was sent. */
  readonly body?: string;
  /** Process id of the sender, verified. */
  readonly verifiedPeerPid?: number;
} | {
  /** The end of background work. */
  readonly kind: "task-notification";
  /** Kind of work. */
  readonly subkind?:
    | "scheduled-trigger"
    | "peer-send-message"
    | "projects-relay"
    | "session-inbox"
    | "external-event";
  /** Reason it fired. */
  readonly fireReason?: string;
  /** Run of the task. */
  readonly runId?: string;
  /** Source of the report; wire only. */
  readonly producer?: string;
} | {
  /** An observer of the session. */
  readonly kind: "observer";
  /** Name of the observer. */
  readonly from: string;
  /** Task of the observer. */
  readonly senderTaskId: string;
};

/** The message of the Messages API inside an assistant message. */
export interface ApiMessage {
  /** Id; all assistant lines of one API message share it. */
  readonly id: string;
  /** Always a message. */
  readonly type: "message";
  /** Always the assistant. */
  readonly role: "assistant";
  /** The model; `<synthetic>` for messages the CLI wrote itself. */
  readonly model: string;
  /** One block per line; empty in `message_start`. */
  readonly content: readonly ContentBlock[];
  /** Reason the model stopped; null here, the final one is in the result and in `message_delta`. */
  readonly stop_reason: string | null;
  /** The sequence that stopped the model, if one did. */
  readonly stop_sequence: string | null;
  /** Opening numbers, not final ones. */
  readonly usage: Usage;
  /** Details of the stop, unchanged from the API; wire only. */
  readonly stop_details?: JsonValue | null;
  /** Container of the API's own tools, unchanged from the API; wire only. */
  readonly container?: JsonValue | null;
  /** Edits of the context by the API; wire only. */
  readonly context_management?: JsonValue | null;
  /** Diagnostics of the API; wire only. */
  readonly diagnostics?: JsonValue | null;
}

/** Output of the model: one content block of one API message. */
export interface AssistantMessage
  extends MessageIdentity, SubagentMark, PromptLink {
  /** Discriminator. */
  readonly type: "assistant";
  /** The message of the API; several lines share its `id`. */
  readonly message: ApiMessage;
  /** The tool call that started the subagent; null in the main conversation. */
  readonly parent_tool_use_id: string | null;
  /** Reason the request failed; the text describes it. */
  readonly error?: AssistantError;
  /** Id of the request at the API. */
  readonly request_id?: string;
  /** The turn resumed from thinking that was cut off. */
  readonly resumed_from_incomplete_thinking?: true;
  /** Uuids of messages that this one replaces. */
  readonly supersedes?: readonly string[];
  /** The message was cut off by an interrupt. */
  readonly aborted?: true;
  /** Time of arrival, ISO 8601. */
  readonly timestamp?: string;
  /** Content of the context window, for a local command that requested it. */
  readonly context_usage?: ContextUsageShort;
  /** Use of the account, for a local command that requested it. */
  readonly usage_report?: UsageReport;
  /** Names to show for tool calls; wire only. */
  readonly tool_use_meta?: readonly ToolUseMeta[];
  /** Thinking time of the model, in milliseconds; wire only. */
  readonly thinking_duration_ms?: number;
  /** Display of the thinking; wire only. */
  readonly thinking_display?: string;
  /** The text is the CLI's account of an API error; wire only. */
  readonly is_api_error_message?: boolean;
  /** Name of the API error; wire only. */
  readonly api_error?: string;
  /** HTTP status of the API error; wire only. */
  readonly api_error_status?: number | null;
  /** Type of the API error; wire only. */
  readonly api_error_type?: string;
  /** Facts of the API error; wire only. */
  readonly api_error_params?: JsonValue;
  /** Id of the API message with the refusal; wire only. */
  readonly refused_message_id?: string;
  /** Output of the local command behind this message; wire only. */
  readonly local_command_source?: string;
  /** The local command behind this message; wire only. */
  readonly local_command_run?: {
    /** Name without the slash. */
    readonly command: string;
    /** Arguments as they were typed. */
    readonly args: string;
  };
  /** The message comes from a resumed history; wire only. */
  readonly historical?: boolean;
}

/** Names to show for the call of an MCP tool. */
export interface ToolUseMeta {
  /** Id of the call. */
  readonly id: string;
  /** Name of the tool to show. */
  readonly display_name: string;
  /** Name of the server to show; absent for tools of the CLI. */
  readonly server_display_name?: string;
  /** Name of the tool on its server; absent for tools of the CLI. */
  readonly tool_name?: string;
}

/** Origin of the result of a tool call. */
export interface ToolResultMeta {
  /** Id of the call. */
  readonly id: string;
  /** Reason the tool did not run: `user-rejected`, `permission-rule`, ... */
  readonly non_execution_kind?: string;
  /** The permission decision about it. */
  readonly permission_decision?: {
    /** `accept` or `reject`. */
    readonly decision: string;
    /** `config`, `user_temporary`, ... */
    readonly source: string;
    /** The part of the configuration that decided. */
    readonly reason_type?: string;
  };
}

/** Common fields of both kinds of user message. */
export interface UserMessageFields extends SubagentMark {
  /** Discriminator: the type of the message. */
  readonly type: "user";
  /** The message of the API. */
  readonly message: {
    /** Always the user. */
    readonly role: "user";
    /** Text, or blocks; tool results are blocks. */
    readonly content: string | readonly ContentBlock[];
  };
  /** The tool call that started the subagent; null in the main conversation. */
  readonly parent_tool_use_id: string | null;
  /** Whether the CLI wrote it, not a person. */
  readonly isSynthetic?: boolean;
  /** Result of the tool, in its own form. */
  readonly tool_use_result?: JsonValue;
  /** Place in the queue. */
  readonly priority?: QueuePriority;
  /** Origin of the message. */
  readonly origin?: MessageOrigin;
  /** False when it did not start a turn. */
  readonly shouldQuery?: boolean;
  /** Time of writing, ISO 8601. */
  readonly timestamp?: string;
  /** A program wrote the text; the CLI takes it literally. */
  readonly client_composed?: true;
  /** Pasted blocks. */
  readonly pasted_content?: readonly JsonValue[];
  /** Pasted texts. */
  readonly inline_pastes?: readonly string[];
  /** Origin of each tool result in the message; wire only. */
  readonly tool_result_meta?: readonly ToolResultMeta[];
  /** Further facts of an MCP server (`_meta`); wire only. */
  readonly mcp_meta?: JsonValue;
  /** Whether it is for the model only; wire only. */
  readonly is_meta?: boolean;
  /** Whether it is the summary of a compaction; wire only. */
  readonly is_compact_summary?: boolean;
  /** Permission mode at the time; wire only. */
  readonly permission_mode?: string;
  /** Id of the API message with the refusal; wire only. */
  readonly refused_message_id?: string;
}

/** Input of the model: tool results and texts that the CLI wrote. */
export interface UserMessage extends UserMessageFields {
  /** Id of this message. */
  readonly uuid?: string;
  /** Session it belongs to. */
  readonly session_id?: string;
  /** Not an echo; wire only. */
  readonly isReplay?: false;
}

/** An echo of a user message: with `--replay-user-messages`, and for local commands. */
export interface UserMessageReplay extends UserMessageFields, MessageIdentity {
  /** An echo. */
  readonly isReplay: true;
  /** Files attached to it. */
  readonly file_attachments?: readonly JsonValue[];
}

/** A piece of a content block that is being written. */
export type ContentDelta = {
  /** More text. */
  readonly type: "text_delta";
  /** The text. */
  readonly text: string;
} | {
  /** More thinking. */
  readonly type: "thinking_delta";
  /** The thinking. */
  readonly thinking: string;
} | {
  /** The signature of the thinking. */
  readonly type: "signature_delta";
  /** The signature. */
  readonly signature: string;
} | {
  /** More of a tool's input. */
  readonly type: "input_json_delta";
  /** A piece of JSON text; only all pieces of a block together are valid JSON. */
  readonly partial_json: string;
} | {
  /** One more citation. */
  readonly type: "citations_delta";
  /** The citation, unchanged from the API. */
  readonly citation: JsonObject;
};

/** One event of the API's stream, as it came. */
export type StreamEvent = {
  /** A message begins. */
  readonly type: "message_start";
  /** The message, still without content. */
  readonly message: ApiMessage;
} | {
  /** A block begins. */
  readonly type: "content_block_start";
  /** Its place in the content. */
  readonly index: number;
  /** The block, still empty. */
  readonly content_block: ContentBlock;
} | {
  /** A block grows. */
  readonly type: "content_block_delta";
  /** Its place in the content. */
  readonly index: number;
  /** Additions. */
  readonly delta: ContentDelta;
} | {
  /** A block is complete. */
  readonly type: "content_block_stop";
  /** Its place in the content. */
  readonly index: number;
} | {
  /** The message is nearly complete. */
  readonly type: "message_delta";
  /** End of the message. */
  readonly delta: {
    /** Reason the model stopped. */
    readonly stop_reason: string | null;
    /** The sequence that stopped it, if one did. */
    readonly stop_sequence: string | null;
    /** Details of the stop, unchanged from the API; wire only. */
    readonly stop_details?: JsonValue | null;
    /** Container of the API's own tools, unchanged from the API; wire only. */
    readonly container?: JsonValue | null;
  };
  /** Edits of the context by the API; wire only. */
  readonly context_management?: JsonValue | null;
  /** Final numbers, as far as the API provides them. */
  readonly usage: Pick<Usage, "output_tokens"> & Partial<Usage>;
} | {
  /** The message is complete, or a heartbeat. */
  readonly type: "message_stop" | "ping";
};

/**
 * A piece of a message that is being written; only with `includePartialMessages`.
 *
 * The whole assistant message comes before the `content_block_stop` of its block.
 */
export interface StreamEventMessage extends MessageIdentity, PromptLink {
  /** Discriminator. */
  readonly type: "stream_event";
  /** The event of the API. */
  readonly event: StreamEvent;
  /** The tool call that started the subagent; null in the main conversation. */
  readonly parent_tool_use_id: string | null;
  /** Time to the first token, in milliseconds; with `message_start`. */
  readonly ttft_ms?: number;
  /** Display of the thinking; wire only. */
  readonly thinking_display?: string;
  /** Id of the API message being written; wire only. */
  readonly api_message_id?: string;
  /** Blocks written so far that will not be completed; wire only. */
  readonly abandoned_blocks?: {
    /** Id of the API message. */
    readonly api_message_id: string;
    /** Index of the first abandoned block. */
    readonly from_block_index: number;
  };
  /** Runs of text were joined; wire only. */
  readonly text_runs_joined?: true;
  /** Uuids of lines that are still to come; wire only. */
  readonly owed_rows?: readonly string[];
}

/** Reason a turn ended. */
export type TerminalReason =
  | "completed"
  | "max_turns"
  | "budget_exhausted"
  | "api_error"
  | "model_error"
  | "image_error"
  | "prompt_too_long"
  | "blocking_limit"
  | "rapid_refill_breaker"
  | "malformed_tool_use_exhausted"
  | "aborted_streaming"
  | "aborted_tools"
  | "stop_hook_prevented"
  | "hook_stopped"
  | "tool_deferred"
  | "tool_deferred_unavailable"
  | "background_requested"
  | "structured_output_retry_exhausted"
  | "turn_setup_failed";

/** Reason a session could not start. */
export type StartupFailureReason =
  | "org_pin_api_key_conflict"
  | "provider_not_allowed"
  | "org_verify_failed"
  | "org_pin_mismatch"
  | "managed_settings_invalid"
  | "remote_settings_required_unavailable"
  | "gateway_signin_required"
  | "gateway_access_denied"
  | "proxy_invalid"
  | "temp_dir_unusable"
  | "cwd_unavailable"
  | "shell_tool_missing"
  | "session_held_by_background"
  | "worktree_resume_refused"
  | "worktree_unverified"
  | "cli_version_too_old"
  | "bypass_root"
  | "org_config_required_unavailable"
  | "org_config_refused"
  | "sandbox_required_unavailable"
  | "initialize_not_first"
  | "config_file_invalid"
  | "managed_settings_not_delivered"
  | "initialize_fields_not_delivered"
  | "sideload_flags_disabled";

/** A tool call that was denied. */
export interface PermissionDenial {
  /** Name of the tool. */
  readonly tool_name: string;
  /** Id of the call. */
  readonly tool_use_id: string;
  /** Input of the call. */
  readonly tool_input: JsonObject;
}

/** Statistics of the subagents of a session; wire only. */
export interface SubagentStats {
  /** Subagents started. */
  readonly spawned: number;
  /** Subagents started, by where they were asked to run. */
  readonly requested: {
    /** In the background. */
    readonly background: number;
    /** In the foreground. */
    readonly foreground: number;
    /** Not specified. */
    readonly unset: number;
  };
  /** Subagents that began in the background. */
  readonly started_in_background: number;
  /** Deepest nesting. */
  readonly max_depth: number;
  /** Subagents started by subagents. */
  readonly spawned_by_subagents: number;
  /** Subagents that completed. */
  readonly completed: number;
  /** Subagents that failed. */
  readonly failed: number;
  /** Subagents stopped, by initiator. */
  readonly killed: {
    /** By their parent. */
    readonly parent: number;
    /** By the user. */
    readonly user: number;
    /** By the system. */
    readonly system: number;
  };
  /** Starts refused, by reason. */
  readonly refused: {
    /** Too deep. */
    readonly depth_limit: number;
    /** Too many at once. */
    readonly concurrency_limit: number;
    /** Too expensive. */
    readonly budget: number;
  };
  /** Subagents by kind. */
  readonly by_type: JsonObject;
}

/** Common fields of every result. */
export interface ResultFields extends MessageIdentity, PromptLink {
  /** Discriminator: the type of the message. */
  readonly type: "result";
  /** Time of the turn, in milliseconds. */
  readonly duration_ms: number;
  /** Time of the turn spent in API requests, in milliseconds. */
  readonly duration_api_ms: number;
  /** Whether the turn failed; decisive, whatever the `subtype`. */
  readonly is_error: boolean;
  /** API round trips of the turn. */
  readonly num_turns: number;
  /** Reason the model stopped; since 2.1.31. */
  readonly stop_reason: string | null;
  /** Estimated cost of the session so far, in US dollars. */
  readonly total_cost_usd: number;
  /** Tokens of the turn. */
  readonly usage: ResultUsage;
  /** Use of the session so far, by model. */
  readonly modelUsage: Readonly<Record<string, ModelUsage>>;
  /** Tool calls that were denied. */
  readonly permission_denials: readonly PermissionDenial[];
  /** Reason the turn ended. */
  readonly terminal_reason?: TerminalReason;
  /** HTTP status of the API error, null when there was none. */
  readonly api_error_status?: number | null;
  /** Prompts still queued. */
  readonly queued_turn_count?: number;
  /** Number of the result in this run, from 0. */
  readonly result_index?: number;
  /** The local command that this answers, without the slash. */
  readonly local_command?: string;
  /** Cause of the turn. */
  readonly origin?: MessageOrigin;
  /** Expiry of the credentials, ISO 8601. */
  readonly credential_expires_at?: string;
  /** Whether fast mode is on. */
  readonly fast_mode_state?: FastModeState;
  /** Reason fast mode is off. */
  readonly fast_mode_disabled_reason?: FastModeDisabledReason;
  /** Use since the result before, by model; wire only. */
  readonly model_usage_since_last_result?: Readonly<Record<string, ModelUsage>>;
  /** Statistics of subagents; wire only. */
  readonly subagent_stats?: SubagentStats;
  /** Stops for safety; wire only. */
  readonly safety_stops?: number;
  /** Name of the API error; wire only. */
  readonly api_error?: string;
  /** Type of the API error; wire only. */
  readonly api_error_type?: string;
  /** Ids of the messages of the API that were begun; wire only. */
  readonly begun_message_ids?: readonly string[];
}

/** The end of a turn that ran to completion; may still be an error: check `is_error`. */
export interface ResultSuccess extends ResultFields {
  /** Discriminator. */
  readonly subtype: "success";
  /** The final text; for an error its description. */
  readonly result: string;
  /** The value that fits the output schema; may be missing although a schema was given. */
  readonly structured_output?: JsonValue;
  /** The tool call that the host is to run. */
  readonly deferred_tool_use?: {
    /** Id of the call. */
    readonly id: string;
    /** Name of the tool. */
    readonly name: string;
    /** Its arguments. */
    readonly input: JsonObject;
  };
  /** From the prompt to the first token, in milliseconds. */
  readonly ttft_ms?: number;
  /** From the prompt to the first piece of the stream, in milliseconds. */
  readonly ttft_stream_ms?: number;
  /** From the prompt to the first API request, in milliseconds. */
  readonly time_to_request_ms?: number;
  /** From the spawn to the first API request, in milliseconds. */
  readonly time_to_request_from_spawn_ms?: number;
  /** Wall clock at the first API request, in milliseconds since 1970. */
  readonly request_sent_wall_ms?: number;
  /** From the prompt to the first frame with content, in milliseconds. */
  readonly first_content_frame_ms?: number;
  /** From the prompt to the first piece handed out, in milliseconds. */
  readonly first_stream_post_ms?: number;
  /** From the prompt to the acknowledgement of that piece, in milliseconds. */
  readonly first_stream_post_ack_ms?: number;
  /** Queue time of that piece, in milliseconds. */
  readonly first_stream_post_queue_wait_ms?: number;
  /** Items ahead of that piece in the queue. */
  readonly first_stream_post_queued_behind?:
    | QueuedBehind
    | (string & Record<never, never>);
  /** Wall clock at that piece, in milliseconds since 1970. */
  readonly first_stream_post_wall_ms?: number;
  /** From the prompt to the first text handed out, in milliseconds. */
  readonly first_text_post_ms?: number;
  /** Queue time of that text, in milliseconds. */
  readonly first_text_post_queue_wait_ms?: number;
  /** Items ahead of that text in the queue. */
  readonly first_text_post_queued_behind?:
    | QueuedBehind
    | (string & Record<never, never>);
  /** Wall clock at that text, in milliseconds since 1970. */
  readonly first_text_post_wall_ms?: number;
  /** Whether a process that was started in advance ran the session. */
  readonly warm_spare_claimed?: boolean;
  /** Wall clock that the timings count from, in milliseconds since 1970. */
  readonly time_origin_ms?: number;
  /** Tokens read by the first API request; wire only. */
  readonly first_request_input_tokens?: number;
  /** Tokens of the first API request that came from the cache; wire only. */
  readonly first_request_cache_read_input_tokens?: number;
}

/** Items ahead of a piece of the stream in the queue. */
export type QueuedBehind =
  | "durable_post"
  | "ephemeral_post"
  | "retry_backoff"
  | "hold"
  | "none";

/** Known kinds of failed turns. */
export type ResultFailureSubtype =
  | "error_during_execution"
  | "error_max_turns"
  | "error_max_budget_usd"
  | "error_max_structured_output_retries";

/** The end of a turn that did not run to completion. */
export interface ResultFailure extends ResultFields {
  /** Discriminator. */
  readonly subtype: ResultFailureSubtype;
  /** Always true for a failure. */
  readonly is_error: true;
  /** Absent: see `errors`. */
  readonly result?: undefined;
  /** Errors. */
  readonly errors: readonly string[];
  /** Reason the session could not start, if it could not. */
  readonly startup_failure_reason?: StartupFailureReason;
  /** The configuration file that cannot be read. */
  readonly invalid_config_file?: {
    /** The file. */
    readonly path: string;
    /** Whether it is the global one. */
    readonly is_global: boolean;
    /** Whether a backup was searched for. */
    readonly backup_searched: boolean;
    /** The backup, if there is one. */
    readonly backup_path?: string;
  };
}

/**
 * The end of a turn; several in one run are normal.
 *
 * A newer CLI can send a `subtype` that is not in these types. So decide by `is_error`, and keep a `default` branch.
 */
export type ResultMessage = ResultSuccess | ResultFailure;
