import type { ContentBlock, JsonValue, Message } from "@sluice/agent";

export const IDENTITY = {
  uuid: "6f1c0b9e-7f0a-4b53-9c55-0d0f9a3c1e11",
  session_id: "5f0c4c1e-7a53-4a41-9c1b-0d7b0f6d1c11",
};

const USAGE = {
  input_tokens: 10,
  output_tokens: 5,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation: {
    ephemeral_1h_input_tokens: 0,
    ephemeral_5m_input_tokens: 0,
  },
  server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
  service_tier: "standard",
};

const RESULT = {
  ...IDENTITY,
  type: "result",
  duration_ms: 104,
  duration_api_ms: 29,
  is_error: false,
  num_turns: 1,
  stop_reason: "end_turn",
  total_cost_usd: 0.0008,
  usage: USAGE,
  modelUsage: {},
  permission_denials: [],
} as const;

const SYSTEM = { ...IDENTITY, type: "system" } as const;

const HOOK_RUN = {
  ...SYSTEM,
  hook_id: "h1",
  hook_name: "SessionStart:startup",
  hook_event: "SessionStart",
} as const;

const TASK = { ...SYSTEM, task_id: "t1" } as const;

const TASK_USAGE = { total_tokens: 12, tool_uses: 1, duration_ms: 900 };

/** An assistant message with this content. */
export function assistant(
  content: readonly ContentBlock[],
): Extract<Message, { type: "assistant" }> {
  return {
    ...IDENTITY,
    type: "assistant",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content,
      stop_reason: null,
      stop_sequence: null,
      usage: USAGE,
    },
    parent_tool_use_id: null,
  };
}

/** A user message with this content. */
export function user(
  content: string | readonly ContentBlock[],
): Extract<Message, { type: "user"; isReplay?: false }> {
  return {
    type: "user",
    message: { role: "user", content },
    parent_tool_use_id: null,
  };
}

/** Every kind of message of the protocol reference with nothing but what it must have. */
export const SAMPLES: Readonly<Record<string, Message>> = {
  "assistant": assistant([]),
  "user": user("Say hello"),
  "user replay": { ...user("Say hello"), ...IDENTITY, isReplay: true },
  "stream_event": {
    ...IDENTITY,
    type: "stream_event",
    event: { type: "message_stop" },
    parent_tool_use_id: null,
  },
  "result/success": { ...RESULT, subtype: "success", result: "Hello" },
  "result/error_during_execution": {
    ...RESULT,
    is_error: true,
    subtype: "error_during_execution",
    errors: [],
  },
  "result/error_max_turns": {
    ...RESULT,
    is_error: true,
    subtype: "error_max_turns",
    errors: [],
  },
  "result/error_max_budget_usd": {
    ...RESULT,
    is_error: true,
    subtype: "error_max_budget_usd",
    errors: [],
  },
  "result/error_max_structured_output_retries": {
    ...RESULT,
    is_error: true,
    subtype: "error_max_structured_output_retries",
    errors: [],
  },
  "system/init": {
    ...SYSTEM,
    subtype: "init",
    cwd: "/home/user/project",
    tools: ["Bash"],
    mcp_servers: [],
    model: "claude-sonnet-4-5",
    permissionMode: "default",
    apiKeySource: "none",
    claude_code_version: "2.1.328",
    output_style: "default",
    slash_commands: [],
    skills: [],
    plugins: [],
  },
  "system/status": { ...SYSTEM, subtype: "status", status: "compacting" },
  "system/session_state_changed": {
    ...SYSTEM,
    subtype: "session_state_changed",
    state: "idle",
  },
  "system/api_retry": {
    ...SYSTEM,
    subtype: "api_retry",
    attempt: 1,
    max_retries: 10,
    retry_delay_ms: 500,
    error_status: 529,
    error: "overloaded",
  },
  "system/control_request_progress": {
    ...SYSTEM,
    subtype: "control_request_progress",
    request_id: "r1",
    status: "started",
  },
  "system/compact_boundary": {
    ...SYSTEM,
    subtype: "compact_boundary",
    compact_metadata: { trigger: "manual", pre_tokens: 1200 },
  },
  "conversation_reset": {
    ...IDENTITY,
    type: "conversation_reset",
    new_conversation_id: "c2",
  },
  "system/informational": {
    ...SYSTEM,
    subtype: "informational",
    content: "Hook failed",
    level: "warning",
  },
  "system/notification": {
    ...SYSTEM,
    subtype: "notification",
    key: "k",
    text: "Look",
    priority: "low",
  },
  "system/local_command_output": {
    ...SYSTEM,
    subtype: "local_command_output",
    content: "Total cost: $0.01",
  },
  "system/permission_denied": {
    ...SYSTEM,
    subtype: "permission_denied",
    tool_name: "Bash",
    tool_use_id: "toolu_1",
    message: "Denied by a rule",
  },
  "system/model_refusal_fallback": {
    ...SYSTEM,
    subtype: "model_refusal_fallback",
    trigger: "refusal",
    direction: "retry",
    original_model: "a",
    fallback_model: "b",
    request_id: "req_1",
    content: "Trying another model",
  },
  "system/model_refusal_no_fallback": {
    ...SYSTEM,
    subtype: "model_refusal_no_fallback",
    original_model: "a",
    request_id: "req_1",
    content: "",
  },
  "system/hook_started": { ...HOOK_RUN, subtype: "hook_started" },
  "system/hook_progress": {
    ...HOOK_RUN,
    subtype: "hook_progress",
    stdout: "",
    stderr: "",
    output: "",
  },
  "system/hook_response": {
    ...HOOK_RUN,
    subtype: "hook_response",
    output: "",
    stdout: "",
    stderr: "",
    outcome: "success",
  },
  "system/plugin_install": {
    ...SYSTEM,
    subtype: "plugin_install",
    status: "started",
  },
  "tool_progress": {
    ...IDENTITY,
    type: "tool_progress",
    tool_use_id: "toolu_1",
    tool_name: "Bash",
    parent_tool_use_id: "toolu_0",
    elapsed_time_seconds: 31,
  },
  "tool_use_summary": {
    ...IDENTITY,
    type: "tool_use_summary",
    summary: "Read 3 files",
    preceding_tool_use_ids: ["toolu_1"],
  },
  "auth_status": {
    ...IDENTITY,
    type: "auth_status",
    isAuthenticating: true,
    output: [],
  },
  "system/task_started": {
    ...TASK,
    subtype: "task_started",
    description: "Look around",
  },
  "system/task_updated": { ...TASK, subtype: "task_updated", patch: {} },
  "system/task_progress": {
    ...TASK,
    subtype: "task_progress",
    description: "Reading",
    usage: TASK_USAGE,
  },
  "system/task_notification": {
    ...TASK,
    subtype: "task_notification",
    status: "completed",
    output_file: "/home/user/tmp/out.txt",
    summary: "Done",
  },
  "system/background_tasks_changed": {
    ...SYSTEM,
    subtype: "background_tasks_changed",
    tasks: [],
  },
  "system/thinking_tokens": {
    ...SYSTEM,
    subtype: "thinking_tokens",
    estimated_tokens: 50,
    estimated_tokens_delta: 10,
  },
  "system/commands_changed": {
    ...SYSTEM,
    subtype: "commands_changed",
    commands: [],
  },
  "system/files_persisted": {
    ...SYSTEM,
    subtype: "files_persisted",
    files: [],
    failed: [],
    processed_at: "2026-01-01T00:00:00Z",
  },
  "system/memory_recall": {
    ...SYSTEM,
    subtype: "memory_recall",
    mode: "select",
    memories: [],
  },
  "system/elicitation_complete": {
    ...SYSTEM,
    subtype: "elicitation_complete",
    mcp_server_name: "docs",
    elicitation_id: "e1",
  },
  "system/mirror_error": {
    ...SYSTEM,
    subtype: "mirror_error",
    error: "Store is full",
    key: { projectKey: "p", sessionId: "s" },
  },
  "system/session_writes_lost": {
    ...SYSTEM,
    subtype: "session_writes_lost",
    error_code: "ENOSPC",
    lost: ["transcript"],
  },
  "system/worker_shutting_down": {
    ...SYSTEM,
    subtype: "worker_shutting_down",
    reason: "restart",
  },
  "rate_limit_event": {
    ...IDENTITY,
    type: "rate_limit_event",
    rate_limit_info: { status: "allowed" },
  },
  "prompt_suggestion": {
    ...IDENTITY,
    type: "prompt_suggestion",
    suggestion: "Run the tests",
  },
  "active_goal": {
    ...IDENTITY,
    type: "active_goal",
    value: {
      condition: "All tests pass",
      iterations: 1,
      set_at: 1_767_225_600_000,
      tokens_at_start: 100,
    },
  },
  "command_lifecycle": {
    ...IDENTITY,
    type: "command_lifecycle",
    command_uuid: "p1",
    state: "queued",
  },
  "system/session_title_changed": {
    ...SYSTEM,
    subtype: "session_title_changed",
    title: "Hello",
  },
  "system/model_fallback": {
    ...SYSTEM,
    subtype: "model_fallback",
    trigger: "overloaded",
    original_model: "a",
    fallback_model: "b",
    content: "Using another model",
  },
};

/** Every content block with documented fields, with nothing but what it must have. */
export const BLOCK_SAMPLES: Readonly<Record<string, ContentBlock>> = {
  text: { type: "text", text: "Hello" },
  thinking: { type: "thinking", thinking: "Hm", signature: "sig" },
  redacted_thinking: { type: "redacted_thinking", data: "EmwK" },
  tool_use: { type: "tool_use", id: "toolu_1", name: "Bash", input: {} },
  tool_result: { type: "tool_result", tool_use_id: "toolu_1" },
  image: {
    type: "image",
    source: { type: "base64", media_type: "image/png", data: "iVBO" },
  },
  document: {
    type: "document",
    source: { type: "text", media_type: "text/plain", data: "Read me" },
  },
};

/** One value of each JSON type. */
export const JSON_TYPES: Readonly<Record<string, JsonValue>> = {
  null: null,
  boolean: true,
  number: 7,
  string: "x",
  array: [],
  object: {},
};
