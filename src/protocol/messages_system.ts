// Made from protocol/ by `npm run generate`; edit that.
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { HookEvent } from "./hooks.ts";
import type { AssistantError, MessageIdentity } from "./messages_turn.ts";
import type { PermissionMode } from "./permissions.ts";
import type {
  Effort,
  FastModeDisabledReason,
  FastModeState,
  SessionState,
  SlashCommand,
} from "./session.ts";

/** Common fields of messages of type `system`. */
export interface SystemFields extends MessageIdentity {
  /** Discriminator: the type of the message. */
  readonly type: "system";
}

/** Source of the API key. */
export type ApiKeySource =
  | "ANTHROPIC_API_KEY"
  | "apiKeyHelper"
  | "/login managed key"
  | "none"
  | "user"
  | "project"
  | "org"
  | "temporary"
  | "oauth";

/** A plugin that is loaded. */
export interface LoadedPlugin {
  /** Its name. */
  readonly name: string;
  /** Its directory, or `builtin`. */
  readonly path: string;
  /** Its version. */
  readonly version?: string;
  /** Its name and market; wire only. */
  readonly source?: string;
}

/** A plugin that could not be loaded. */
export interface PluginError {
  /** The plugin. */
  readonly plugin: string;
  /** Kind of failure. */
  readonly type: string;
  /** The failure in words. */
  readonly message: string;
  /** The file that failed. */
  readonly path?: string;
  /** The organization's rule that blocks it. */
  readonly managed_lock?: {
    /** Whether the rule wants the plugin on. */
    readonly plugin_enabled: boolean;
    /** Name of the plugin. */
    readonly name: string;
    /** Market it comes from. */
    readonly marketplace?: string;
  };
}

/** Common fields of messages about one run of a settings hook; only with `includeHookEvents`. */
export interface HookRunFields extends SystemFields {
  /** Id of the run. */
  readonly hook_id: string;
  /** Event and matcher, such as `PreToolUse:Bash`. */
  readonly hook_name: string;
  /** The event. */
  readonly hook_event: HookEvent | (string & Record<never, never>);
}

/** Usage of a task so far. */
export interface TaskUsage {
  /** Tokens read and written. */
  readonly total_tokens: number;
  /** Tool calls. */
  readonly tool_uses: number;
  /** Run time, in milliseconds. */
  readonly duration_ms: number;
}

/** Common fields of messages about one task. */
export interface TaskFields extends SystemFields {
  /** Id of the task: handle for `stopTask()` and `taskOutput()`. */
  readonly task_id: string;
  /** Id of this run of the task. */
  readonly run_id?: string;
}

/** State of a task. */
export type TaskStatus =
  | "pending"
  | "running"
  | "completed"
  | "failed"
  | "killed"
  | "paused";

/** A resource of an MCP server, as a link. */
export interface McpResourceLink {
  /** Its address. */
  readonly uri: string;
  /** Its name. */
  readonly name: string;
  /** Name to show. */
  readonly title?: string;
  /** Description of the resource. */
  readonly description?: string;
  /** Its media type. */
  readonly mimeType?: string;
  /** Its size in bytes. */
  readonly size?: number;
  /** Description by the server. */
  readonly annotations?: JsonObject;
}

/** A turn begins, with the setup in force for it; once per turn, never before the first prompt. */
export interface InitMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "init";
  /** Working directory. */
  readonly cwd: string;
  /** Names of the tools there are. */
  readonly tools: readonly string[];
  /** MCP servers and their state: `connected`, `failed`, `needs-auth`, `pending`, `disabled`. */
  readonly mcp_servers: readonly ({
    /** Name of the server. */
    readonly name: string;
    /** State. */
    readonly status: string;
    /** Origin of its configuration. */
    readonly source?: string;
  })[];
  /** The model. */
  readonly model: string;
  /** The permission mode. */
  readonly permissionMode: PermissionMode;
  /** Source of the API key. */
  readonly apiKeySource: ApiKeySource;
  /** Version of the CLI. */
  readonly claude_code_version: string;
  /** The output style. */
  readonly output_style: string;
  /** Names of the commands, without the slash. */
  readonly slash_commands: readonly string[];
  /** Names of the skills. */
  readonly skills: readonly string[];
  /** Plugins that are loaded. */
  readonly plugins: readonly LoadedPlugin[];
  /** Names of the subagents. */
  readonly agents?: readonly string[];
  /** Beta features of the API in use. */
  readonly betas?: readonly string[];
  /** Commands that work in a terminal only. */
  readonly terminal_slash_commands?: readonly string[];
  /** Plugins that could not be loaded. */
  readonly plugin_errors?: readonly PluginError[];
  /** Whether fast mode is on. */
  readonly fast_mode_state?: FastModeState;
  /** Reason fast mode is off. */
  readonly fast_mode_disabled_reason?: FastModeDisabledReason;
  /** Thinking effort; null = the model's default. */
  readonly effort?: Effort | null;
  /** View of the session in a terminal. */
  readonly view_mode?: "focus" | "default";
  /** Names of this CLI's capabilities. */
  readonly capabilities?: readonly string[];
  /** Whether commands run in a sandbox; wire only. */
  readonly sandbox_enabled?: boolean;
  /** Working directory at the start; wire only. */
  readonly original_cwd?: string;
  /** Further directories that tools may touch; wire only. */
  readonly additional_directories?: readonly string[];
  /** Directories of memories; wire only. */
  readonly memory_paths?: {
    /** Directory of memories that the model writes. */
    readonly auto: string;
  };
  /** Socket for messages of other sessions; wire only. */
  readonly messaging_socket_path?: string;
  /** Whether analytics are off; wire only. */
  readonly analytics_disabled?: boolean;
  /** Whether feedback is off; wire only. */
  readonly product_feedback_disabled?: boolean;
  /** Whether Anthropic's own API serves the model; wire only. */
  readonly served_by_anthropic?: boolean;
  /** Whether the effort can change from turn to turn; wire only. */
  readonly per_turn_effort_active?: boolean;
  /** Whether `ultrathink` can be typed; wire only. */
  readonly ultrathink_available?: boolean;
  /** Whether typing it raises the effort; wire only. */
  readonly ultrathink_typed_raises?: boolean;
  /** Prompts that the turn answers; wire only. */
  readonly user_message_uuids?: readonly string[];
  /** Plugins with warnings; wire only. */
  readonly plugin_warnings?: JsonValue;
  /** MCP servers with a bad configuration; wire only. */
  readonly mcp_server_errors?: JsonValue;
  /** Directory for scratch files; wire only. */
  readonly scratchpad_path?: string;
}

/** The CLI is compacting the context, waiting for the API, or neither (null). */
export interface StatusMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "status";
  /** Activity; null = neither of these. */
  readonly status: "compacting" | "requesting" | null;
  /** The permission mode, when it changed. */
  readonly permissionMode?: PermissionMode;
  /** Outcome of the compaction. */
  readonly compact_result?: "success" | "failed";
  /** Reason the compaction failed. */
  readonly compact_error?: string;
  /** Uuids of the user lines that are worked on; wire only. */
  readonly user_message_uuids?: readonly string[];
}

/** The session became running, waiting or idle. Sluice does not deliver a message with `sdk_host_only`. */
export interface SessionStateMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "session_state_changed";
  /** Current state. */
  readonly state: SessionState;
  /** Meant for the client library, not for the program that uses it; wire only. */
  readonly sdk_host_only?: true;
}

/** An API request failed and will be repeated. */
export interface ApiRetryMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "api_retry";
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Maximum number of attempts. */
  readonly max_retries: number;
  /** Delay before the next attempt, in milliseconds. */
  readonly retry_delay_ms: number;
  /** HTTP status of the failure; null when there was no answer. */
  readonly error_status: number | null;
  /** Kind of failure. */
  readonly error: AssistantError;
  /** The API did not respond at all. */
  readonly no_response?: {
    /** Time the CLI waited, in milliseconds. */
    readonly waited_ms: number;
    /** Time the CLI will wait for the next attempt, in milliseconds. */
    readonly retry_wait_ms: number;
  };
}

/** Progress of a control request that takes long. */
export interface ControlRequestProgressMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "control_request_progress";
  /** Id of the request. */
  readonly request_id: string;
  /** It was begun, or waits to repeat an API request. */
  readonly status: "started" | "api_retry";
  /** Number of the attempt, from 1. */
  readonly attempt?: number;
  /** Maximum number of attempts. */
  readonly max_retries?: number;
  /** Delay before the next attempt, in milliseconds. */
  readonly retry_delay_ms?: number;
  /** HTTP status of the failure; null when there was no answer. */
  readonly error_status?: number | null;
}

/** The history before this was replaced by a summary. */
export interface CompactBoundaryMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "compact_boundary";
  /** Details of the compaction. */
  readonly compact_metadata: {
    /** Trigger of the compaction. */
    readonly trigger: "manual" | "auto";
    /** Tokens of the context before. */
    readonly pre_tokens: number;
    /** Tokens of the context after. */
    readonly post_tokens?: number;
    /** Duration, in milliseconds. */
    readonly duration_ms?: number;
    /** The run of messages that was kept. */
    readonly preserved_segment?: {
      /** Its first message. */
      readonly head_uuid: string;
      /** The message that precedes it. */
      readonly anchor_uuid: string;
      /** Its last message. */
      readonly tail_uuid: string;
    };
    /** The messages that were kept. */
    readonly preserved_messages?: {
      /** The message that precedes them. */
      readonly anchor_uuid: string;
      /** Their uuids. */
      readonly uuids: readonly string[];
      /** Their uuids, those of their parts included; wire only. */
      readonly all_uuids?: readonly string[];
    };
    /** Tokens dropped by all compactions; wire only. */
    readonly cumulative_dropped_tokens?: number;
    /** Instructions of the user on what to keep; wire only. */
    readonly user_context?: string;
    /** Messages in the summary; wire only. */
    readonly messages_summarized?: number;
  };
  /** The message before it; wire only. */
  readonly logical_parent_uuid?: string | null;
  /** It comes from a resumed history; wire only. */
  readonly historical?: boolean;
}

/** Information for the user. */
export interface InformationalMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "informational";
  /** The text. */
  readonly content: string;
  /** Severity. */
  readonly level: "info" | "notice" | "suggestion" | "warning";
  /** Tool call concerned. */
  readonly tool_use_id?: string;
  /** The turn does not continue. */
  readonly prevent_continuation?: boolean;
  /** Kind of text, such as `hook_callback_failed`. */
  readonly tag?: string;
  /** Outcome of hooks on a prompt; wire only. */
  readonly prompt_submit_outcome?: JsonObject;
  /** The requested model is not allowed; wire only. */
  readonly model_restriction?: {
    /** The requested model. */
    readonly requested_model: string;
    /** The model used. */
    readonly effective_model: string;
    /** Time of the request. */
    readonly at?: "start" | "switch" | "resume";
  };
  /** A hook returned no decision; wire only. */
  readonly hook_no_verdict?: {
    /** Its event. */
    readonly hook_event: string;
    /** Tool call concerned. */
    readonly tool_use_id: string;
    /** Whether it was too slow. */
    readonly timed_out: boolean;
    /** The plugin it comes from. */
    readonly plugin_id?: string;
    /** Directory of that plugin. */
    readonly plugin_root?: string;
  };
  /** Files for content that is too long for the text; wire only. */
  readonly saved_files?: readonly ({
    /** Line of the text. */
    readonly line: JsonValue;
    /** The file. */
    readonly path: string;
    /** Visible part. */
    readonly shown: JsonValue;
  })[];
}

/** A short notification for the screen. */
export interface NotificationMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "notification";
  /** Kind of text; a newer one of the same key replaces it. */
  readonly key: string;
  /** The text. */
  readonly text: string;
  /** Severity. */
  readonly priority: "low" | "medium" | "high" | "immediate";
  /** Colour to show it in. */
  readonly color?: string;
  /** Display time, in milliseconds. */
  readonly timeout_ms?: number;
}

/** Output of a command that ran without the model. */
export interface LocalCommandOutputMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "local_command_output";
  /** The output. */
  readonly content: string;
}

/** A tool call was denied without asking the host. */
export interface PermissionDeniedMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "permission_denied";
  /** Name of the tool. */
  readonly tool_name: string;
  /** Id of the call. */
  readonly tool_use_id: string;
  /** The subagent that wanted it. */
  readonly agent_id?: string;
  /** Reason of the decision. */
  readonly decision_reason_type?: string;
  /** Reason, for a person. */
  readonly decision_reason?: string;
  /** Reason given to the model. */
  readonly message: string;
  /** Reason, as a code; wire only. */
  readonly decision_reason_code?: string;
}

/** The model refused, and another one took over. */
export interface ModelRefusalFallbackMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "model_refusal_fallback";
  /** Always a refusal. */
  readonly trigger: "refusal";
  /** This request is repeated, the old model is back, or the new one stays. */
  readonly direction: "retry" | "revert" | "sticky";
  /** Scope of the change. */
  readonly scope?: "session" | "local";
  /** The model that refused. */
  readonly original_model: string;
  /** The model that took over. */
  readonly fallback_model: string;
  /** Id of the request at the API. */
  readonly request_id: string | null;
  /** Kind of refusal. */
  readonly api_refusal_category?: string | null;
  /** Reason, in words. */
  readonly api_refusal_explanation?: string | null;
  /** Messages that no longer count. */
  readonly retracted_message_uuids?: readonly string[];
  /** The prompt that was refused. */
  readonly refused_user_message_uuid?: string | null;
  /** The text for the user. */
  readonly content: string;
}

/** The model refused, and no other one took over. */
export interface ModelRefusalNoFallbackMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "model_refusal_no_fallback";
  /** The model that refused. */
  readonly original_model: string;
  /** Id of the request at the API. */
  readonly request_id: string | null;
  /** Kind of refusal. */
  readonly api_refusal_category?: string | null;
  /** Reason, in words. */
  readonly api_refusal_explanation?: string | null;
  /** The prompt that was refused. */
  readonly refused_user_message_uuid?: string | null;
  /** The text for the user; may be empty. */
  readonly content: string;
}

/** The model could not be used, and the fallback took over; wire only. */
export interface ModelFallbackMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "model_fallback";
  /** Cause, such as `overloaded`. */
  readonly trigger: string;
  /** The requested model. */
  readonly original_model: string;
  /** The model that took over. */
  readonly fallback_model: string;
  /** The text for the user. */
  readonly content: string;
}

/** A command hook of the settings began; callbacks are never reported. */
export interface HookStartedMessage extends HookRunFields {
  /** Discriminator. */
  readonly subtype: "hook_started";
  /** Origin of the hook; wire only. */
  readonly origin?: string;
  /** Name to show; wire only. */
  readonly label?: string;
  /** The plugin it comes from; wire only. */
  readonly plugin_name?: string;
}

/** A command hook of the settings produced output. */
export interface HookProgressMessage extends HookRunFields {
  /** Discriminator. */
  readonly subtype: "hook_progress";
  /** Output so far. */
  readonly stdout: string;
  /** Output on stderr so far. */
  readonly stderr: string;
  /** Both. */
  readonly output: string;
  /** It continues in the background; wire only. */
  readonly backgrounded?: true;
}

/** A command hook of the settings ended. */
export interface HookResponseMessage extends HookRunFields {
  /** Discriminator. */
  readonly subtype: "hook_response";
  /** Output, stdout and stderr. */
  readonly output: string;
  /** Output. */
  readonly stdout: string;
  /** Output on stderr. */
  readonly stderr: string;
  /** Its exit code. */
  readonly exit_code?: number;
  /** Outcome. */
  readonly outcome: "success" | "error" | "cancelled";
}

/** A plugin is being installed. */
export interface PluginInstallMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "plugin_install";
  /** Progress; `completed` ends the whole round. */
  readonly status: "started" | "installed" | "failed" | "completed";
  /** The plugin. */
  readonly name?: string;
  /** Reason for the failure. */
  readonly error?: string;
}

/** A subagent, a background command or a workflow began. */
export interface TaskStartedMessage extends TaskFields {
  /** Discriminator. */
  readonly subtype: "task_started";
  /** The tool call that began it. */
  readonly tool_use_id?: string;
  /** Its action, in short. */
  readonly description: string;
  /** Kind of the subagent. */
  readonly subagent_type?: string;
  /** Whether it runs in the background. */
  readonly is_backgrounded?: boolean;
  /** Depth of nesting. */
  readonly spawn_depth?: number;
  /** The task that began it. */
  readonly parent_task_id?: string;
  /** Kind of task, such as `local_bash`. */
  readonly task_type?: string;
  /** Name of the workflow. */
  readonly workflow_name?: string;
  /** Prompt of the subagent. */
  readonly prompt?: string;
  /** Not part of the transcript. */
  readonly skip_transcript?: boolean;
  /** Runs beside the session, not for a prompt. */
  readonly ambient?: boolean;
  /** The turn waits for it; wire only. */
  readonly awaited?: boolean;
}

/** The state of a task changed. */
export interface TaskUpdatedMessage extends TaskFields {
  /** Discriminator. */
  readonly subtype: "task_updated";
  /** Changed fields. */
  readonly patch: {
    /** State. */
    readonly status?: TaskStatus;
    /** Its action, in short. */
    readonly description?: string;
    /** Time of the end, in milliseconds since 1970. */
    readonly end_time?: number;
    /** Length of the pauses, in milliseconds. */
    readonly total_paused_ms?: number;
    /** Reason for the failure. */
    readonly error?: string;
    /** Whether it runs in the background. */
    readonly is_backgrounded?: boolean;
  };
}

/** Progress of a task. */
export interface TaskProgressMessage extends TaskFields {
  /** Discriminator. */
  readonly subtype: "task_progress";
  /** The tool call that began it. */
  readonly tool_use_id?: string;
  /** Current action. */
  readonly description: string;
  /** Kind of the subagent. */
  readonly subagent_type?: string;
  /** Usage so far. */
  readonly usage: TaskUsage;
  /** The tool it used last. */
  readonly last_tool_name?: string;
  /** Summary so far. */
  readonly summary?: string;
}

/** A task ended; a turn of its own may follow, without any prompt. */
export interface TaskNotificationMessage extends TaskFields {
  /** Discriminator. */
  readonly subtype: "task_notification";
  /** The tool call that began it. */
  readonly tool_use_id?: string;
  /** Outcome. */
  readonly status: "completed" | "failed" | "stopped";
  /** Reason for the end. */
  readonly reason?: "worker_restart";
  /** File that holds its output. */
  readonly output_file: string;
  /** Summary. */
  readonly summary: string;
  /** Usage. */
  readonly usage?: TaskUsage;
  /** Resources that it returned. */
  readonly resource_links?: readonly McpResourceLink[];
  /** Not part of the transcript. */
  readonly skip_transcript?: boolean;
  /** Ran beside the session, not for a prompt. */
  readonly ambient?: boolean;
  /** `summary` is the report of a subagent; wire only. */
  readonly summary_is_report?: boolean;
  /** Whether its report was sent, flagged or withheld; wire only. */
  readonly handback?: "send" | "flagged" | "withheld";
  /** Its report; wire only. */
  readonly handback_report?: JsonValue;
}

/** The whole list of background tasks, after a change. */
export interface BackgroundTasksChangedMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "background_tasks_changed";
  /** All tasks; empty when none is left. */
  readonly tasks: readonly ({
    /** Id of the task. */
    readonly task_id: string;
    /** Id of this run of the task. */
    readonly run_id?: string;
    /** Kind of task. */
    readonly task_type: string;
    /** Kind of the subagent. */
    readonly subagent_type?: string;
    /** Its action, in short. */
    readonly description: string;
    /** The task that began it. */
    readonly parent_task_id?: string;
    /** Runs beside the session, not for a prompt. */
    readonly ambient?: boolean;
    /** The turn waits for it; wire only. */
    readonly awaited?: boolean;
    /** It runs elsewhere; wire only. */
    readonly off_host?: boolean;
  })[];
}

/** The model is thinking; also without partial messages. */
export interface ThinkingTokensMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "thinking_tokens";
  /** Tokens of thinking so far, estimated. */
  readonly estimated_tokens: number;
  /** Tokens since the last such message, estimated. */
  readonly estimated_tokens_delta: number;
  /** Uuid of the user line that this answers. */
  readonly user_message_uuid?: string;
}

/** The whole list of commands, after a change. */
export interface CommandsChangedMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "commands_changed";
  /** All commands. */
  readonly commands: readonly SlashCommand[];
}

/** Files were stored. */
export interface FilesPersistedMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "files_persisted";
  /** Stored files. */
  readonly files: readonly ({
    /** Name of the file. */
    readonly filename: string;
    /** Its id from now on. */
    readonly file_id: string;
  })[];
  /** Files that could not be stored. */
  readonly failed: readonly ({
    /** Name of the file. */
    readonly filename: string;
    /** Reason for the failure. */
    readonly error: string;
  })[];
  /** Time of storage. */
  readonly processed_at: string;
}

/** Memories were read. */
export interface MemoryRecallMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "memory_recall";
  /** Taken as they are, or made into one text. */
  readonly mode: "select" | "synthesize";
  /** The memories. */
  readonly memories: readonly ({
    /** Location of the memory. */
    readonly path: string;
    /** Owner of the memory. */
    readonly scope: "personal" | "team" | "organization";
    /** Its text. */
    readonly content?: string;
  })[];
}

/** A question of an MCP server was answered elsewhere. */
export interface ElicitationCompleteMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "elicitation_complete";
  /** Name of the server. */
  readonly mcp_server_name: string;
  /** Id of the question. */
  readonly elicitation_id: string;
}

/** A copy of the transcript could not be stored. The CLI never sends this message; Sluice makes it. */
export interface MirrorErrorMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "mirror_error";
  /** The error in words. */
  readonly error: string;
  /** Key of the lost entries. */
  readonly key: {
    /** The project. */
    readonly projectKey: string;
    /** The session. */
    readonly sessionId: string;
    /** File within the session. */
    readonly subpath?: string;
  };
}

/** The CLI could not write session files. */
export interface SessionWritesLostMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "session_writes_lost";
  /** No space, or no quota. */
  readonly error_code: "ENOSPC" | "EDQUOT";
  /** Lost data. */
  readonly lost: readonly ("transcript" | "global_config")[];
  /** Sessions whose transcript has a hole. */
  readonly transcript_session_ids?: readonly string[];
}

/** The process that runs the session is about to end. */
export interface WorkerShuttingDownMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "worker_shutting_down";
  /** Reason. */
  readonly reason: string;
}

/** The session got another title; wire only. */
export interface SessionTitleChangedMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "session_title_changed";
  /** The title. */
  readonly title: string;
}

/** A remote surface should redraw its view of the session; wire only. */
export interface UiInvalidateMessage extends SystemFields {
  /** Discriminator. */
  readonly subtype: "ui_invalidate";
  /** Event that the surface should request again, such as `ui.render`. */
  readonly event: string;
}

/** A message of type `system`, distinguished by `subtype`. */
export type SystemMessage =
  | InitMessage
  | StatusMessage
  | SessionStateMessage
  | ApiRetryMessage
  | ControlRequestProgressMessage
  | CompactBoundaryMessage
  | InformationalMessage
  | NotificationMessage
  | LocalCommandOutputMessage
  | PermissionDeniedMessage
  | ModelRefusalFallbackMessage
  | ModelRefusalNoFallbackMessage
  | ModelFallbackMessage
  | HookStartedMessage
  | HookProgressMessage
  | HookResponseMessage
  | PluginInstallMessage
  | TaskStartedMessage
  | TaskUpdatedMessage
  | TaskProgressMessage
  | TaskNotificationMessage
  | BackgroundTasksChangedMessage
  | ThinkingTokensMessage
  | CommandsChangedMessage
  | FilesPersistedMessage
  | MemoryRecallMessage
  | ElicitationCompleteMessage
  | MirrorErrorMessage
  | SessionWritesLostMessage
  | WorkerShuttingDownMessage
  | SessionTitleChangedMessage
  | UiInvalidateMessage;
