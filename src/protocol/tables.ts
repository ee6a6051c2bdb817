// Made from protocol/ by `npm run generate`; edit that.
/** The type of a field. */
export type FieldType =
  | "string"
  | "number"
  | "boolean"
  | "object"
  | "array"
  | "string or array"
  | "string or null"
  | "number or null"
  | "object or null";

/** A field and the type it must have. */
export type Field = readonly [name: string, type: FieldType];

/** Required fields of each kind of message, by `type`; `system` and `result` also depend on their `subtype`. */
export const KINDS: ReadonlyMap<string, readonly Field[]> = new Map<
  string,
  readonly Field[]
>([
  ["assistant", [
    ["message", "object"],
    ["parent_tool_use_id", "string or null"],
    ["uuid", "string"],
    ["session_id", "string"],
  ]],
  ["user", [["message", "object"], ["parent_tool_use_id", "string or null"]]],
  ["result", [
    ["subtype", "string"],
    ["duration_ms", "number"],
    ["duration_api_ms", "number"],
    ["is_error", "boolean"],
    ["num_turns", "number"],
    ["stop_reason", "string or null"],
    ["total_cost_usd", "number"],
    ["usage", "object"],
    ["modelUsage", "object"],
    ["permission_denials", "array"],
    ["uuid", "string"],
    ["session_id", "string"],
  ]],
  ["stream_event", [
    ["event", "object"],
    ["parent_tool_use_id", "string or null"],
    ["uuid", "string"],
    ["session_id", "string"],
  ]],
  ["system", [["subtype", "string"]]],
  ["tool_progress", [
    ["tool_use_id", "string"],
    ["tool_name", "string"],
    ["parent_tool_use_id", "string or null"],
    ["elapsed_time_seconds", "number"],
    ["uuid", "string"],
    ["session_id", "string"],
  ]],
  ["tool_use_summary", [
    ["summary", "string"],
    ["preceding_tool_use_ids", "array"],
    ["uuid", "string"],
    ["session_id", "string"],
  ]],
  ["auth_status", [["isAuthenticating", "boolean"], ["output", "array"], [
    "uuid",
    "string",
  ], ["session_id", "string"]]],
  ["rate_limit_event", [["rate_limit_info", "object"], ["uuid", "string"], [
    "session_id",
    "string",
  ]]],
  ["prompt_suggestion", [["suggestion", "string"], ["uuid", "string"], [
    "session_id",
    "string",
  ]]],
  ["conversation_reset", [
    ["new_conversation_id", "string"],
    ["uuid", "string"],
    ["session_id", "string"],
  ]],
  ["active_goal", [["value", "object or null"], ["uuid", "string"], [
    "session_id",
    "string",
  ]]],
  ["command_lifecycle", [["command_uuid", "string"], ["state", "string"]]],
]);

/** A user line that is an echo: unlike the others it must say who it is. */
export const REPLAY: readonly Field[] = [
  ["message", "object"],
  ["parent_tool_use_id", "string or null"],
  ["uuid", "string"],
  ["session_id", "string"],
];

/** Further required fields of a result, by `subtype`; an unlisted one stays a result. */
export const RESULT_KINDS: ReadonlyMap<string, readonly Field[]> = new Map<
  string,
  readonly Field[]
>([
  ["success", [["result", "string"]]],
  ["error_during_execution", [["errors", "array"]]],
  ["error_max_turns", [["errors", "array"]]],
  ["error_max_budget_usd", [["errors", "array"]]],
  ["error_max_structured_output_retries", [["errors", "array"]]],
]);

/** Required fields of each system message, by `subtype`; an unlisted one is unknown. */
export const SYSTEM_KINDS: ReadonlyMap<string, readonly Field[]> = new Map<
  string,
  readonly Field[]
>([
  ["init", [
    ["cwd", "string"],
    ["tools", "array"],
    ["mcp_servers", "array"],
    ["model", "string"],
    ["permissionMode", "string"],
    ["apiKeySource", "string"],
    ["claude_code_version", "string"],
    ["output_style", "string"],
    ["slash_commands", "array"],
    ["skills", "array"],
    ["plugins", "array"],
    ["uuid", "string"],
    ["session_id", "string"],
  ]],
  ["status", [["status", "string or null"], ["uuid", "string"], [
    "session_id",
    "string",
  ]]],
  ["session_state_changed", [["state", "string"], ["uuid", "string"], [
    "session_id",
    "string",
  ]]],
  ["api_retry", [
    ["attempt", "number"],
    ["max_retries", "number"],
    ["retry_delay_ms", "number"],
    ["error_status", "number or null"],
    ["error", "string"],
    ["uuid", "string"],
    ["session_id", "string"],
  ]],
  ["control_request_progress", [
    ["request_id", "string"],
    ["status", "string"],
    ["uuid", "string"],
    ["session_id", "string"],
  ]],
  ["compact_boundary", [["compact_metadata", "object"], ["uuid", "string"], [
    "session_id",
    "string",
  ]]],
  ["informational", [["content", "string"], ["level", "string"], [
    "uuid",
    "string",
  ], ["session_id", "string"]]],
  ["notification", [
    ["key", "string"],
    ["text", "string"],
    ["priority", "string"],
    ["uuid", "string"],
    ["session_id", "string"],
  ]],
  ["local_command_output", [["content", "string"], ["uuid", "string"], [
    "session_id",
    "string",
  ]]],
  ["permission_denied", [
    ["tool_name", "string"],
    ["tool_use_id", "string"],
    ["message", "string"],
    ["uuid", "string"],
    ["session_id", "string"],
  ]],
  ["model_refusal_fallback", [
    ["trigger", "string"],
    ["direction", "string"],
    ["original_model", "string"],
    ["fallback_model", "string"],
    ["request_id", "string or null"],
    ["content", "string"],
    ["uuid", "string"],
    ["session_id", "string"],
  ]],
  ["model_refusal_no_fallback", [
    ["original_model", "string"],
    ["request_id", "string or null"],
    ["content", "string"],
    ["uuid", "string"],
    ["session_id", "string"],
  ]],
  ["model_fallback", [["trigger", "string"], ["original_model", "string"], [
    "fallback_model",
    "string",
  ], ["content", "string"]]],
  ["hook_started", [
    ["hook_id", "string"],
    ["hook_name", "string"],
    ["hook_event", "string"],
    ["uuid", "string"],
    ["session_id", "string"],
  ]],
  ["hook_progress", [
    ["hook_id", "string"],
    ["hook_name", "string"],
    ["hook_event", "string"],
    ["stdout", "string"],
    ["stderr", "string"],
    ["output", "string"],
    ["uuid", "string"],
    ["session_id", "string"],
  ]],
  ["hook_response", [
    ["hook_id", "string"],
    ["hook_name", "string"],
    ["hook_event", "string"],
    ["output", "string"],
    ["stdout", "string"],
    ["stderr", "string"],
    ["outcome", "string"],
    ["uuid", "string"],
    ["session_id", "string"],
  ]],
  ["plugin_install", [["status", "string"], ["uuid", "string"], [
    "session_id",
    "string",
  ]]],
  ["task_started", [["task_id", "string"], ["description", "string"], [
    "uuid",
    "string",
  ], ["session_id", "string"]]],
  ["task_updated", [["task_id", "string"], ["patch", "object"], [
    "uuid",
    "string",
  ], ["session_id", "string"]]],
  ["task_progress", [
    ["task_id", "string"],
    ["description", "string"],
    ["usage", "object"],
    ["uuid", "string"],
    ["session_id", "string"],
  ]],
  ["task_notification", [
    ["task_id", "string"],
    ["status", "string"],
    ["output_file", "string"],
    ["summary", "string"],
    ["uuid", "string"],
    ["session_id", "string"],
  ]],
  ["background_tasks_changed", [["tasks", "array"], ["uuid", "string"], [
    "session_id",
    "string",
  ]]],
  ["thinking_tokens", [
    ["estimated_tokens", "number"],
    ["estimated_tokens_delta", "number"],
    ["uuid", "string"],
    ["session_id", "string"],
  ]],
  ["commands_changed", [["commands", "array"], ["uuid", "string"], [
    "session_id",
    "string",
  ]]],
  ["files_persisted", [
    ["files", "array"],
    ["failed", "array"],
    ["processed_at", "string"],
    ["uuid", "string"],
    ["session_id", "string"],
  ]],
  ["memory_recall", [["mode", "string"], ["memories", "array"], [
    "uuid",
    "string",
  ], ["session_id", "string"]]],
  ["elicitation_complete", [
    ["mcp_server_name", "string"],
    ["elicitation_id", "string"],
    ["uuid", "string"],
    ["session_id", "string"],
  ]],
  ["mirror_error", [
    ["error", "string"],
    ["key", "object"],
    ["uuid", "string"],
    ["session_id", "string"],
  ]],
  ["session_writes_lost", [["error_code", "string"], ["lost", "array"], [
    "uuid",
    "string",
  ], ["session_id", "string"]]],
  ["worker_shutting_down", [["reason", "string"], ["uuid", "string"], [
    "session_id",
    "string",
  ]]],
  ["session_title_changed", [["title", "string"]]],
  ["ui_invalidate", [["event", "string"]]],
]);

/** Required fields of each known content block, by `type`; any other block is unknown. */
export const BLOCKS: ReadonlyMap<string, readonly Field[]> = new Map<
  string,
  readonly Field[]
>([
  ["text", [["text", "string"]]],
  ["thinking", [["thinking", "string"], ["signature", "string"]]],
  ["redacted_thinking", [["data", "string"]]],
  ["tool_use", [["id", "string"], ["name", "string"], ["input", "object"]]],
  ["tool_result", [["tool_use_id", "string"]]],
  ["image", [["source", "object"]]],
  ["document", [["source", "object"]]],
  ["server_tool_use", []],
  ["web_search_tool_result", []],
  ["mcp_tool_use", []],
  ["mcp_tool_result", []],
]);

/** The fields of each known content block in the order in which the API writes them, by `type`. */
export const BLOCK_FIELDS: ReadonlyMap<string, readonly string[]> = new Map<
  string,
  readonly string[]
>([
  ["text", ["type", "text", "citations"]],
  ["thinking", ["type", "thinking", "signature"]],
  ["redacted_thinking", ["type", "data"]],
  ["tool_use", ["type", "id", "name", "input"]],
  ["tool_result", ["type", "tool_use_id", "content", "is_error"]],
  ["image", ["type", "source"]],
  ["document", ["type", "source", "title", "context", "citations"]],
  ["server_tool_use", ["type", "id", "name", "input"]],
  ["web_search_tool_result", ["type", "tool_use_id", "content"]],
  ["mcp_tool_use", ["type", "id", "name", "server_name", "input"]],
  ["mcp_tool_result", ["type", "tool_use_id", "content", "is_error"]],
]);
