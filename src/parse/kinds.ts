import type { MessageType } from "../types/message.ts";
import type { SystemSubtype } from "../types/message_system.ts";
import type { ResultSubtype } from "../types/message_turn.ts";
import type { Field, FieldType } from "./fields.ts";

type Fields = Readonly<Record<string, FieldType>>;

const IDENTITY: Fields = { uuid: "string", session_id: "string" };

/** Kinds that may lack the identity: in `user` it is optional, `system` goes by its subtype, the others are wire only. */
const WITHOUT_IDENTITY: ReadonlySet<string> = new Set<
  MessageType | SystemSubtype
>([
  "user",
  "system",
  "command_lifecycle",
  "session_title_changed",
  "model_fallback",
]);

const HOOK_RUN: Fields = {
  hook_id: "string",
  hook_name: "string",
  hook_event: "string",
};

const RESULT: Fields = {
  subtype: "string",
  duration_ms: "number",
  duration_api_ms: "number",
  is_error: "boolean",
  num_turns: "number",
  stop_reason: "string or null",
  total_cost_usd: "number",
  usage: "object",
  modelUsage: "object",
  permission_denials: "array",
};

const FAILURE: Fields = { errors: "array" };

/**
 * What each kind of message must have, by `type`.
 *
 * Source of all tables: protocol reference, section Messages on stdout; what is not marked optional there.
 * Content blocks are checked apart from this. `system` and `result` go by their `subtype` as well.
 */
export const KINDS: ReadonlyMap<string, readonly Field[]> = toTable<
  Exclude<MessageType, "unknown">
>({
  assistant: { message: "object", parent_tool_use_id: "string or null" },
  stream_event: { event: "object", parent_tool_use_id: "string or null" },
  result: RESULT,
  tool_progress: {
    tool_use_id: "string",
    tool_name: "string",
    parent_tool_use_id: "string or null",
    elapsed_time_seconds: "number",
  },
  tool_use_summary: { summary: "string", preceding_tool_use_ids: "array" },
  auth_status: { isAuthenticating: "boolean", output: "array" },
  rate_limit_event: { rate_limit_info: "object" },
  prompt_suggestion: { suggestion: "string" },
  conversation_reset: { new_conversation_id: "string" },
  active_goal: { value: "object or null" },
  user: { message: "object", parent_tool_use_id: "string or null" },
  command_lifecycle: { command_uuid: "string", state: "string" },
  system: { subtype: "string" },
});

/** A user line that is an echo: unlike the others it must say who it is. */
export const REPLAY: readonly Field[] = Object.entries({
  message: "object",
  parent_tool_use_id: "string or null",
  ...IDENTITY,
});

/** What a result must have beyond that, by `subtype`; one that is not here stays a result. */
export const RESULT_KINDS: ReadonlyMap<string, readonly Field[]> = toTable<
  ResultSubtype
>({
  success: { result: "string" },
  error_during_execution: FAILURE,
  error_max_turns: FAILURE,
  error_max_budget_usd: FAILURE,
  error_max_structured_output_retries: FAILURE,
});

/** What each system message must have, by `subtype`; one that is not here is unknown. */
export const SYSTEM_KINDS: ReadonlyMap<string, readonly Field[]> = toTable<
  SystemSubtype
>({
  init: {
    cwd: "string",
    tools: "array",
    mcp_servers: "array",
    model: "string",
    permissionMode: "string",
    apiKeySource: "string",
    claude_code_version: "string",
    output_style: "string",
    slash_commands: "array",
    skills: "array",
    plugins: "array",
  },
  status: { status: "string or null" },
  session_state_changed: { state: "string" },
  api_retry: {
    attempt: "number",
    max_retries: "number",
    retry_delay_ms: "number",
    error_status: "number or null",
    error: "string",
  },
  control_request_progress: { request_id: "string", status: "string" },
  compact_boundary: { compact_metadata: "object" },
  informational: { content: "string", level: "string" },
  notification: { key: "string", text: "string", priority: "string" },
  local_command_output: { content: "string" },
  permission_denied: {
    tool_name: "string",
    tool_use_id: "string",
    message: "string",
  },
  model_refusal_fallback: {
    trigger: "string",
    direction: "string",
    original_model: "string",
    fallback_model: "string",
    request_id: "string or null",
    content: "string",
  },
  model_refusal_no_fallback: {
    original_model: "string",
    request_id: "string or null",
    content: "string",
  },
  hook_started: HOOK_RUN,
  hook_progress: {
    ...HOOK_RUN,
    stdout: "string",
    stderr: "string",
    output: "string",
  },
  hook_response: {
    ...HOOK_RUN,
    output: "string",
    stdout: "string",
    stderr: "string",
    outcome: "string",
  },
  plugin_install: { status: "string" },
  task_started: { task_id: "string", description: "string" },
  task_updated: { task_id: "string", patch: "object" },
  task_progress: {
    task_id: "string",
    description: "string",
    usage: "object",
  },
  task_notification: {
    task_id: "string",
    status: "string",
    output_file: "string",
    summary: "string",
  },
  background_tasks_changed: { tasks: "array" },
  thinking_tokens: {
    estimated_tokens: "number",
    estimated_tokens_delta: "number",
  },
  commands_changed: { commands: "array" },
  files_persisted: { files: "array", failed: "array", processed_at: "string" },
  memory_recall: { mode: "string", memories: "array" },
  elicitation_complete: { mcp_server_name: "string", elicitation_id: "string" },
  mirror_error: { error: "string", key: "object" },
  session_writes_lost: { error_code: "string", lost: "array" },
  worker_shutting_down: { reason: "string" },
  session_title_changed: { title: "string" },
  model_fallback: {
    trigger: "string",
    original_model: "string",
    fallback_model: "string",
    content: "string",
  },
});

/** The type argument makes sure that no kind of the union is forgotten. */
function toTable<Kind extends string>(
  rows: Readonly<Record<Kind, Fields>>,
): ReadonlyMap<string, readonly Field[]> {
  return new Map(
    Object.entries<Fields>(rows).map(([kind, fields]) => [
      kind,
      Object.entries(
        WITHOUT_IDENTITY.has(kind) ? fields : { ...fields, ...IDENTITY },
      ),
    ]),
  );
}
