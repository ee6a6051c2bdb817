import {
  type Static,
  type TSchema,
  type TUnsafe,
  Type,
} from "@sinclair/typebox";
import { isObject } from "../errors/is_object.ts";
import { compileSchema, type SchemaCheck } from "../json_schema/compile.ts";
import type { ContentBlock } from "../protocol/content.ts";
import type {
  ContentBlockType,
  MessageOf,
  MessageType,
  SystemMessageOf,
  SystemSubtype,
} from "../types/message.ts";
import type { HookEvent } from "../protocol/hooks.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type {
  AssistantError,
  ResultFailure,
  ResultSuccess,
  UserMessage,
  UserMessageReplay,
} from "../protocol/messages_turn.ts";
import type { Usage } from "../protocol/usage.ts";
import { type BlockPlace, isArray, Problem } from "./fields.ts";

// The types of src/types as schemas; the last part of the file fails to compile when the two differ.

const text = Type.String();
const number = Type.Number();
const flag = Type.Boolean();
const literal = Type.Literal;
const union = Type.Union;
const shape = Type.Object;
const maybe = Type.Optional;
const yes = literal(true);
const object = Type.Unsafe<JsonObject>({ type: "object" });
const anything = Type.Unsafe<JsonValue>({});
const nothing = Type.Unsafe<undefined>({ not: {} });

const IDENTITY = {
  uuid: text,
  session_id: text,
};

const SUBAGENT_MARK = {
  agent_id: maybe(text),
  subagent_type: maybe(text),
  task_description: maybe(text),
};

const PROMPT_LINK = {
  user_message_uuid: maybe(text),
  user_message_uuids: maybe(list(text)),
  resume_reason: maybe(text),
};

const NESTED_BLOCK = Type.Unsafe<ContentBlock>(shape({ type: text }));

const IMAGE_SOURCE = union([
  shape({
    type: literal("base64"),
    media_type: text,
    data: text,
  }),
  shape({ type: literal("url"), url: text }),
  shape({ type: literal("file"), file_id: text }),
]);

const DOCUMENT_SOURCE = union([
  shape({
    type: oneOf("base64", "text"),
    media_type: text,
    data: text,
  }),
  shape({ type: literal("url"), url: text }),
  shape({ type: literal("file"), file_id: text }),
  shape({
    type: literal("content"),
    content: union([text, list(NESTED_BLOCK)]),
  }),
]);

const BLOCKS = {
  text: shape({
    type: literal("text"),
    text: text,
    citations: maybe(orNull(list(object))),
  }),
  thinking: shape({
    type: literal("thinking"),
    thinking: text,
    signature: text,
  }),
  redacted_thinking: shape({
    type: literal("redacted_thinking"),
    data: text,
  }),
  tool_use: shape({
    type: literal("tool_use"),
    id: text,
    name: text,
    input: object,
  }),
  tool_result: shape({
    type: literal("tool_result"),
    tool_use_id: text,
    content: maybe(union([text, list(NESTED_BLOCK)])),
    is_error: maybe(flag),
  }),
  image: shape({
    type: literal("image"),
    source: IMAGE_SOURCE,
  }),
  document: shape({
    type: literal("document"),
    source: DOCUMENT_SOURCE,
    title: maybe(orNull(text)),
    context: maybe(orNull(text)),
    citations: maybe(orNull(object)),
  }),
  server_tool_use: shape({
    type: literal("server_tool_use"),
    id: text,
    name: text,
    input: object,
  }),
  web_search_tool_result: shape({
    type: literal("web_search_tool_result"),
    tool_use_id: text,
    content: anything,
  }),
  mcp_tool_use: shape({
    type: literal("mcp_tool_use"),
    id: text,
    name: text,
    server_name: text,
    input: object,
  }),
  mcp_tool_result: shape({
    type: literal("mcp_tool_result"),
    tool_use_id: text,
    content: maybe(union([text, list(NESTED_BLOCK)])),
    is_error: maybe(flag),
  }),
  unknown: shape({
    type: literal("unknown"),
    originalType: text,
    raw: object,
  }),
};

// By hand, because a tool result holds blocks: below the first level they are only looked at by the parser.
const CONTENT_BLOCK = Type.Unsafe<ContentBlock>(
  union(Object.values<TSchema>(BLOCKS)),
);

const CONTENT = list(CONTENT_BLOCK);

const PERMISSION_MODE = oneOf(
  "default",
  "acceptEdits",
  "bypassPermissions",
  "plan",
  "dontAsk",
  "auto",
);

const API_KEY_SOURCE = oneOf(
  "ANTHROPIC_API_KEY",
  "apiKeyHelper",
  "/login managed key",
  "none",
  "user",
  "project",
  "org",
  "temporary",
  "oauth",
);

const LOADED_PLUGIN = shape({
  name: text,
  path: text,
  version: maybe(text),
  source: maybe(text),
});

const PLUGIN_ERROR = shape({
  plugin: text,
  type: text,
  message: text,
  path: maybe(text),
  managed_lock: maybe(shape({
    plugin_enabled: flag,
    name: text,
    marketplace: maybe(text),
  })),
});

const FAST_MODE_STATE = oneOf("off", "cooldown", "on");

const FAST_MODE_DISABLED_REASON = oneOf(
  "free",
  "preference",
  "extra_usage_disabled",
  "network_error",
  "unknown",
  "not_first_party",
  "disabled_by_env",
  "model_not_allowed",
  "sdk_opt_in_required",
  "pending",
);

const EFFORT = oneOf("low", "medium", "high", "xhigh", "max");

const SESSION_STATE = oneOf("idle", "running", "requires_action");

const ASSISTANT_ERROR = oneOf(
  "authentication_failed",
  "oauth_org_not_allowed",
  "account_on_hold",
  "verification_required",
  "billing_error",
  "rate_limit",
  "overloaded",
  "invalid_request",
  "model_not_found",
  "server_error",
  "unknown",
  "max_output_tokens",
  "cloud_credential_error",
);

const TASK_STATUS = oneOf(
  "pending",
  "running",
  "completed",
  "failed",
  "killed",
  "paused",
);

const TASK_USAGE = shape({
  total_tokens: number,
  tool_uses: number,
  duration_ms: number,
});

const MCP_RESOURCE_LINK = shape({
  uri: text,
  name: text,
  title: maybe(text),
  description: maybe(text),
  mimeType: maybe(text),
  size: maybe(number),
  annotations: maybe(object),
});

const SLASH_COMMAND = shape({
  name: text,
  description: text,
  argumentHint: text,
  aliases: maybe(list(text)),
  builtin: maybe(flag),
});

const CACHE_CREATION = shape({
  ephemeral_1h_input_tokens: number,
  ephemeral_5m_input_tokens: number,
});

const SERVER_TOOL_USAGE = shape({
  web_search_requests: number,
  web_fetch_requests: number,
});

const OUTPUT_TOKENS_DETAILS = shape({ thinking_tokens: number });

const USAGE_FIELDS = {
  input_tokens: number,
  output_tokens: number,
  cache_creation_input_tokens: maybe(orNull(number)),
  cache_read_input_tokens: maybe(orNull(number)),
  cache_creation: maybe(orNull(CACHE_CREATION)),
  server_tool_use: maybe(orNull(SERVER_TOOL_USAGE)),
  service_tier: maybe(orNull(text)),
  output_tokens_details: maybe(orNull(OUTPUT_TOKENS_DETAILS)),
  inference_geo: maybe(orNull(text)),
  speed: maybe(orNull(text)),
  iterations: maybe(orNull(list(anything))),
};

const USAGE = shape(USAGE_FIELDS);

const DELTA_USAGE = Type.Unsafe<Pick<Usage, "output_tokens"> & Partial<Usage>>({
  ...USAGE,
  required: ["output_tokens"],
});

const API_MESSAGE = shape({
  id: text,
  type: literal("message"),
  role: literal("assistant"),
  model: text,
  content: CONTENT,
  stop_reason: orNull(text),
  stop_sequence: orNull(text),
  usage: USAGE,
});

const CONTEXT_CATEGORY_KIND = oneOf("used", "free", "buffer", "deferred");

const CONTEXT_USAGE_SHORT = shape({
  model: text,
  total_tokens: number,
  raw_max_tokens: number,
  percentage: number,
  over_limit: maybe(shape({
    tokens_over: number,
    kind: oneOf("hard_limit", "compaction_window"),
  })),
  categories: list(shape({
    name: text,
    tokens: number,
    kind: CONTEXT_CATEGORY_KIND,
  })),
  mcp_tools: list(shape({ name: text, server_name: text, tokens: number })),
  memory_files: list(shape({ path: text, type: text, tokens: number })),
  agents: list(shape({ agent_type: text, source: text, tokens: number })),
  skills: maybe(list(shape({
    name: text,
    source: text,
    plugin_name: maybe(text),
    tokens: number,
  }))),
});

const MODEL_USAGE = shape({
  inputTokens: number,
  outputTokens: number,
  cacheReadInputTokens: number,
  cacheCreationInputTokens: number,
  webSearchRequests: number,
  costUSD: number,
  contextWindow: number,
  maxOutputTokens: number,
  thinkingTokens: maybe(number),
  cacheCreationEphemeral5mInputTokens: maybe(number),
  cacheCreationEphemeral1hInputTokens: maybe(number),
  canonicalModel: maybe(text),
  provider: maybe(text),
  costBasis: maybe(oneOf("list", "managed", "unknown")),
});

const SESSION_USAGE = shape({
  total_cost_usd: number,
  total_api_duration_ms: number,
  total_duration_ms: number,
  total_lines_added: number,
  total_lines_removed: number,
  model_usage: byName(MODEL_USAGE),
});

const USAGE_REPORT_LIMIT = shape({
  kind: text,
  group: text,
  percent: number,
  resets_at: orNull(text),
  scope: maybe(orNull(shape({
    model: maybe(orNull(shape({ display_name: text }))),
    surface: maybe(orNull(shape({ display_name: text }))),
  }))),
  severity: text,
  is_active: flag,
});

const EXTRA_USAGE = shape({
  is_enabled: flag,
  monthly_limit: orNull(number),
  used_credits: orNull(number),
  utilization: orNull(number),
  currency: maybe(orNull(text)),
});

const USAGE_REPORT = shape({
  session: SESSION_USAGE,
  rate_limits: orNull(shape({
    limits: orNull(list(USAGE_REPORT_LIMIT)),
    extra_usage: maybe(orNull(EXTRA_USAGE)),
  })),
});

const TOOL_USE_META = shape({
  id: text,
  display_name: text,
  server_display_name: maybe(text),
  tool_name: maybe(text),
});

const CONTENT_DELTA = union([
  shape({ type: literal("text_delta"), text: text }),
  shape({
    type: literal("thinking_delta"),
    thinking: text,
  }),
  shape({
    type: literal("signature_delta"),
    signature: text,
  }),
  shape({
    type: literal("input_json_delta"),
    partial_json: text,
  }),
  shape({
    type: literal("citations_delta"),
    citation: object,
  }),
]);

const STREAM_EVENT = union([
  shape({
    type: literal("message_start"),
    message: API_MESSAGE,
  }),
  shape({
    type: literal("content_block_start"),
    index: number,
    content_block: CONTENT_BLOCK,
  }),
  shape({
    type: literal("content_block_delta"),
    index: number,
    delta: CONTENT_DELTA,
  }),
  shape({
    type: literal("content_block_stop"),
    index: number,
  }),
  shape({
    type: literal("message_delta"),
    delta: shape({
      stop_reason: orNull(text),
      stop_sequence: orNull(text),
    }),
    usage: DELTA_USAGE,
  }),
  shape({ type: oneOf("message_stop", "ping") }),
]);

const RATE_LIMIT_STATUS = oneOf("allowed", "allowed_warning", "rejected");

const RATE_LIMIT_TYPE = oneOf(
  "five_hour",
  "seven_day",
  "seven_day_opus",
  "seven_day_sonnet",
  "seven_day_overage_included",
  "overage",
);

const OVERAGE_DISABLED_REASON = oneOf(
  "overage_not_provisioned",
  "org_level_disabled",
  "org_level_disabled_until",
  "out_of_credits",
  "seat_tier_level_disabled",
  "member_level_disabled",
  "seat_tier_zero_credit_limit",
  "group_zero_credit_limit",
  "member_zero_credit_limit",
  "org_service_level_disabled",
  "no_limits_configured",
  "fetch_error",
  "unknown",
);

const RATE_LIMIT_INFO = shape({
  status: RATE_LIMIT_STATUS,
  resetsAt: maybe(number),
  rateLimitType: maybe(RATE_LIMIT_TYPE),
  utilization: maybe(number),
  overageStatus: maybe(RATE_LIMIT_STATUS),
  overageResetsAt: maybe(number),
  overageDisabledReason: maybe(OVERAGE_DISABLED_REASON),
  isUsingOverage: maybe(flag),
  overageInUse: maybe(flag),
  overageEnabled: maybe(flag),
  surpassedThreshold: maybe(number),
  limitScope: maybe(oneOf("service", "channel", "group_pool")),
  errorCode: maybe(literal("credits_required")),
  canUserPurchaseCredits: maybe(flag),
  hasChargeableSavedPaymentMethod: maybe(flag),
});

const QUEUE_PRIORITY = oneOf("now", "next", "later");

const MESSAGE_ORIGIN = union([
  shape({
    kind: oneOf(
      "human",
      "coordinator",
      "unclassified",
      "auto-continuation",
      "observer-activity",
    ),
  }),
  shape({ kind: literal("channel"), server: text }),
  shape({
    kind: literal("peer"),
    from: text,
    fromMode: maybe(oneOf("bypass", "prompting")),
    name: maybe(text),
    fromSession: maybe(text),
    senderTaskId: maybe(text),
    body: maybe(text),
    verifiedPeerPid: maybe(number),
  }),
  shape({
    kind: literal("task-notification"),
    subkind: maybe(
      oneOf(
        "scheduled-trigger",
        "peer-send-message",
        "projects-relay",
        "session-inbox",
        "external-event",
      ),
    ),
    fireReason: maybe(text),
    runId: maybe(text),
    producer: maybe(text),
  }),
  shape({
    kind: literal("observer"),
    from: text,
    senderTaskId: text,
  }),
]);

const TOOL_RESULT_META = shape({
  id: text,
  non_execution_kind: maybe(text),
  permission_decision: maybe(shape({
    decision: text,
    source: text,
    reason_type: maybe(text),
  })),
});

const USER_BASE = {
  ...SUBAGENT_MARK,
  type: literal("user"),
  message: shape({
    role: literal("user"),
    content: union([text, CONTENT]),
  }),
  parent_tool_use_id: orNull(text),
  isSynthetic: maybe(flag),
  tool_use_result: maybe(anything),
  priority: maybe(QUEUE_PRIORITY),
  origin: maybe(MESSAGE_ORIGIN),
  shouldQuery: maybe(flag),
  timestamp: maybe(text),
  client_composed: maybe(yes),
  pasted_content: maybe(list(anything)),
  inline_pastes: maybe(list(text)),
  tool_result_meta: maybe(list(TOOL_RESULT_META)),
  mcp_meta: maybe(anything),
  is_meta: maybe(flag),
  is_compact_summary: maybe(flag),
  permission_mode: maybe(text),
  refused_message_id: maybe(text),
};

const USER = shape({
  ...USER_BASE,
  uuid: maybe(text),
  session_id: maybe(text),
  isReplay: maybe(literal(false)),
});

const REPLAY = shape({
  ...USER_BASE,
  ...IDENTITY,
  isReplay: yes,
  file_attachments: maybe(list(anything)),
});

const RESULT_USAGE = shape({
  ...USAGE_FIELDS,
  cache_creation_input_tokens: number,
  cache_read_input_tokens: number,
  cache_creation: CACHE_CREATION,
  server_tool_use: SERVER_TOOL_USAGE,
  service_tier: text,
});

const PERMISSION_DENIAL = shape({
  tool_name: text,
  tool_use_id: text,
  tool_input: object,
});

const TERMINAL_REASON = oneOf(
  "completed",
  "max_turns",
  "budget_exhausted",
  "api_error",
  "model_error",
  "image_error",
  "prompt_too_long",
  "blocking_limit",
  "rapid_refill_breaker",
  "malformed_tool_use_exhausted",
  "aborted_streaming",
  "aborted_tools",
  "stop_hook_prevented",
  "hook_stopped",
  "tool_deferred",
  "tool_deferred_unavailable",
  "background_requested",
  "structured_output_retry_exhausted",
  "turn_setup_failed",
);

const SUBAGENT_STATS = shape({
  spawned: number,
  requested: shape({
    background: number,
    foreground: number,
    unset: number,
  }),
  started_in_background: number,
  max_depth: number,
  spawned_by_subagents: number,
  completed: number,
  failed: number,
  killed: shape({ parent: number, user: number, system: number }),
  refused: shape({
    depth_limit: number,
    concurrency_limit: number,
    budget: number,
  }),
  by_type: object,
});

const RESULT_BASE = {
  ...IDENTITY,
  ...PROMPT_LINK,
  type: literal("result"),
  duration_ms: number,
  duration_api_ms: number,
  is_error: flag,
  num_turns: number,
  stop_reason: orNull(text),
  total_cost_usd: number,
  usage: RESULT_USAGE,
  modelUsage: byName(MODEL_USAGE),
  permission_denials: list(PERMISSION_DENIAL),
  terminal_reason: maybe(TERMINAL_REASON),
  api_error_status: maybe(orNull(number)),
  queued_turn_count: maybe(number),
  result_index: maybe(number),
  local_command: maybe(text),
  origin: maybe(MESSAGE_ORIGIN),
  credential_expires_at: maybe(union([text, number])),
  fast_mode_state: maybe(FAST_MODE_STATE),
  fast_mode_disabled_reason: maybe(FAST_MODE_DISABLED_REASON),
  model_usage_since_last_result: maybe(byName(MODEL_USAGE)),
  subagent_stats: maybe(SUBAGENT_STATS),
  safety_stops: maybe(number),
  api_error: maybe(text),
  api_error_type: maybe(text),
};

const RESULT_SUCCESS = shape({
  ...RESULT_BASE,
  subtype: literal("success"),
  result: text,
  structured_output: maybe(anything),
  deferred_tool_use: maybe(shape({ id: text, name: text, input: object })),
  ttft_ms: maybe(number),
  ttft_stream_ms: maybe(number),
  time_to_request_ms: maybe(number),
  time_to_request_from_spawn_ms: maybe(number),
  request_sent_wall_ms: maybe(number),
  first_content_frame_ms: maybe(number),
  first_stream_post_ms: maybe(number),
  first_stream_post_ack_ms: maybe(number),
  first_stream_post_queue_wait_ms: maybe(number),
  first_stream_post_queued_behind: maybe(text),
  first_stream_post_wall_ms: maybe(number),
  first_text_post_ms: maybe(number),
  first_text_post_queue_wait_ms: maybe(number),
  first_text_post_queued_behind: maybe(text),
  first_text_post_wall_ms: maybe(number),
  warm_spare_claimed: maybe(flag),
  time_origin_ms: maybe(number),
  first_request_input_tokens: maybe(number),
  first_request_cache_read_input_tokens: maybe(number),
});

const FAILURE_SUBTYPES = [
  "error_during_execution",
  "error_max_turns",
  "error_max_budget_usd",
  "error_max_structured_output_retries",
] as const;

const STARTUP_FAILURE_REASON = oneOf(
  "org_pin_api_key_conflict",
  "provider_not_allowed",
  "org_verify_failed",
  "org_pin_mismatch",
  "managed_settings_invalid",
  "remote_settings_required_unavailable",
  "gateway_signin_required",
  "gateway_access_denied",
  "proxy_invalid",
  "temp_dir_unusable",
  "cwd_unavailable",
  "shell_tool_missing",
  "session_held_by_background",
  "worktree_resume_refused",
  "worktree_unverified",
  "cli_version_too_old",
  "bypass_root",
  "org_config_required_unavailable",
  "org_config_refused",
  "sandbox_required_unavailable",
  "initialize_not_first",
  "config_file_invalid",
  "managed_settings_not_delivered",
  "initialize_fields_not_delivered",
);

const RESULT_FAILURE = shape({
  ...RESULT_BASE,
  subtype: oneOf(...FAILURE_SUBTYPES),
  is_error: literal(true),
  result: maybe(nothing),
  errors: list(text),
  startup_failure_reason: maybe(STARTUP_FAILURE_REASON),
  invalid_config_file: maybe(shape({
    path: text,
    is_global: flag,
    backup_searched: anything,
    backup_path: maybe(text),
  })),
});

const SYSTEM_BASE = {
  ...IDENTITY,
  type: literal("system"),
};

const HOOK_RUN = {
  ...SYSTEM_BASE,
  hook_id: text,
  hook_name: text,
  hook_event: openText<HookEvent>(),
};

const TASK_BASE = {
  ...SYSTEM_BASE,
  task_id: text,
  run_id: maybe(text),
};

const SYSTEM = {
  init: shape({
    ...SYSTEM_BASE,
    subtype: literal("init"),
    cwd: text,
    tools: list(text),
    mcp_servers: list(shape({ name: text, status: text, source: maybe(text) })),
    model: text,
    permissionMode: PERMISSION_MODE,
    apiKeySource: API_KEY_SOURCE,
    claude_code_version: text,
    output_style: text,
    slash_commands: list(text),
    skills: list(text),
    plugins: list(LOADED_PLUGIN),
    agents: maybe(list(text)),
    betas: maybe(list(text)),
    terminal_slash_commands: maybe(list(text)),
    plugin_errors: maybe(list(PLUGIN_ERROR)),
    fast_mode_state: maybe(FAST_MODE_STATE),
    fast_mode_disabled_reason: maybe(FAST_MODE_DISABLED_REASON),
    effort: maybe(orNull(EFFORT)),
    view_mode: maybe(oneOf("focus", "default")),
    capabilities: maybe(list(text)),
    original_cwd: maybe(text),
    additional_directories: maybe(list(text)),
    memory_paths: maybe(shape({ auto: text })),
    messaging_socket_path: maybe(text),
    analytics_disabled: maybe(flag),
    product_feedback_disabled: maybe(flag),
    user_message_uuids: maybe(list(text)),
    plugin_warnings: maybe(anything),
    mcp_server_errors: maybe(anything),
    scratchpad_path: maybe(text),
  }),
  status: shape({
    ...SYSTEM_BASE,
    subtype: literal("status"),
    status: orNull(oneOf("compacting", "requesting")),
    permissionMode: maybe(PERMISSION_MODE),
    compact_result: maybe(oneOf("success", "failed")),
    compact_error: maybe(text),
  }),
  session_state_changed: shape({
    ...SYSTEM_BASE,
    subtype: literal("session_state_changed"),
    state: SESSION_STATE,
    sdk_host_only: maybe(yes),
  }),
  api_retry: shape({
    ...SYSTEM_BASE,
    subtype: literal("api_retry"),
    attempt: number,
    max_retries: number,
    retry_delay_ms: number,
    error_status: orNull(number),
    error: ASSISTANT_ERROR,
    no_response: maybe(shape({ waited_ms: number, retry_wait_ms: number })),
  }),
  control_request_progress: shape({
    ...SYSTEM_BASE,
    subtype: literal("control_request_progress"),
    request_id: text,
    status: oneOf("started", "api_retry"),
    attempt: maybe(number),
    max_retries: maybe(number),
    retry_delay_ms: maybe(number),
    error_status: maybe(orNull(number)),
  }),
  compact_boundary: shape({
    ...SYSTEM_BASE,
    subtype: literal("compact_boundary"),
    compact_metadata: shape({
      trigger: oneOf("manual", "auto"),
      pre_tokens: number,
      post_tokens: maybe(number),
      duration_ms: maybe(number),
      preserved_segment: maybe(shape({
        head_uuid: text,
        anchor_uuid: text,
        tail_uuid: text,
      })),
      preserved_messages: maybe(shape({
        anchor_uuid: text,
        uuids: list(text),
        all_uuids: maybe(list(text)),
      })),
      cumulative_dropped_tokens: maybe(number),
      user_context: maybe(text),
      messages_summarized: maybe(number),
    }),
    logical_parent_uuid: maybe(orNull(text)),
    historical: maybe(flag),
  }),
  informational: shape({
    ...SYSTEM_BASE,
    subtype: literal("informational"),
    content: text,
    level: oneOf("info", "notice", "suggestion", "warning"),
    tool_use_id: maybe(text),
    prevent_continuation: maybe(flag),
    tag: maybe(text),
    prompt_submit_outcome: maybe(object),
    model_restriction: maybe(shape({
      requested_model: text,
      effective_model: text,
      at: maybe(oneOf("start", "switch", "resume")),
    })),
    hook_no_verdict: maybe(shape({
      hook_event: text,
      tool_use_id: text,
      timed_out: flag,
      plugin_id: maybe(text),
      plugin_root: maybe(text),
    })),
    saved_files: maybe(
      list(shape({ line: anything, path: text, shown: anything })),
    ),
  }),
  notification: shape({
    ...SYSTEM_BASE,
    subtype: literal("notification"),
    key: text,
    text: text,
    priority: oneOf("low", "medium", "high", "immediate"),
    color: maybe(text),
    timeout_ms: maybe(number),
  }),
  local_command_output: shape({
    ...SYSTEM_BASE,
    subtype: literal("local_command_output"),
    content: text,
  }),
  permission_denied: shape({
    ...SYSTEM_BASE,
    subtype: literal("permission_denied"),
    tool_name: text,
    tool_use_id: text,
    agent_id: maybe(text),
    decision_reason_type: maybe(text),
    decision_reason: maybe(text),
    message: text,
    decision_reason_code: maybe(text),
  }),
  model_refusal_fallback: shape({
    ...SYSTEM_BASE,
    subtype: literal("model_refusal_fallback"),
    trigger: literal("refusal"),
    direction: oneOf("retry", "revert", "sticky"),
    scope: maybe(oneOf("session", "local")),
    original_model: text,
    fallback_model: text,
    request_id: orNull(text),
    api_refusal_category: maybe(orNull(text)),
    api_refusal_explanation: maybe(orNull(text)),
    retracted_message_uuids: maybe(list(text)),
    refused_user_message_uuid: maybe(orNull(text)),
    content: text,
  }),
  model_refusal_no_fallback: shape({
    ...SYSTEM_BASE,
    subtype: literal("model_refusal_no_fallback"),
    original_model: text,
    request_id: orNull(text),
    api_refusal_category: maybe(orNull(text)),
    api_refusal_explanation: maybe(orNull(text)),
    refused_user_message_uuid: maybe(orNull(text)),
    content: text,
  }),
  model_fallback: shape({
    ...SYSTEM_BASE,
    subtype: literal("model_fallback"),
    trigger: text,
    original_model: text,
    fallback_model: text,
    content: text,
  }),
  hook_started: shape({
    ...HOOK_RUN,
    subtype: literal("hook_started"),
    origin: maybe(text),
    label: maybe(text),
    plugin_name: maybe(text),
  }),
  hook_progress: shape({
    ...HOOK_RUN,
    subtype: literal("hook_progress"),
    stdout: text,
    stderr: text,
    output: text,
    backgrounded: maybe(yes),
  }),
  hook_response: shape({
    ...HOOK_RUN,
    subtype: literal("hook_response"),
    output: text,
    stdout: text,
    stderr: text,
    exit_code: maybe(number),
    outcome: oneOf("success", "error", "cancelled"),
  }),
  plugin_install: shape({
    ...SYSTEM_BASE,
    subtype: literal("plugin_install"),
    status: oneOf("started", "installed", "failed", "completed"),
    name: maybe(text),
    error: maybe(text),
  }),
  task_started: shape({
    ...TASK_BASE,
    subtype: literal("task_started"),
    tool_use_id: maybe(text),
    description: text,
    subagent_type: maybe(text),
    is_backgrounded: maybe(flag),
    spawn_depth: maybe(number),
    parent_task_id: maybe(text),
    task_type: maybe(text),
    workflow_name: maybe(text),
    prompt: maybe(text),
    skip_transcript: maybe(flag),
    ambient: maybe(flag),
    awaited: maybe(flag),
  }),
  task_updated: shape({
    ...TASK_BASE,
    subtype: literal("task_updated"),
    patch: shape({
      status: maybe(TASK_STATUS),
      description: maybe(text),
      end_time: maybe(number),
      total_paused_ms: maybe(number),
      error: maybe(text),
      is_backgrounded: maybe(flag),
    }),
  }),
  task_progress: shape({
    ...TASK_BASE,
    subtype: literal("task_progress"),
    tool_use_id: maybe(text),
    description: text,
    subagent_type: maybe(text),
    usage: TASK_USAGE,
    last_tool_name: maybe(text),
    summary: maybe(text),
  }),
  task_notification: shape({
    ...TASK_BASE,
    subtype: literal("task_notification"),
    tool_use_id: maybe(text),
    status: oneOf("completed", "failed", "stopped"),
    reason: maybe(literal("worker_restart")),
    output_file: text,
    summary: text,
    usage: maybe(TASK_USAGE),
    resource_links: maybe(list(MCP_RESOURCE_LINK)),
    skip_transcript: maybe(flag),
    ambient: maybe(flag),
    summary_is_report: maybe(flag),
    handback: maybe(oneOf("send", "flagged", "withheld")),
    handback_report: maybe(anything),
  }),
  background_tasks_changed: shape({
    ...SYSTEM_BASE,
    subtype: literal("background_tasks_changed"),
    tasks: list(shape({
      task_id: text,
      run_id: maybe(text),
      task_type: text,
      subagent_type: maybe(text),
      description: text,
      parent_task_id: maybe(text),
      ambient: maybe(flag),
      awaited: maybe(flag),
      off_host: maybe(flag),
    })),
  }),
  thinking_tokens: shape({
    ...SYSTEM_BASE,
    subtype: literal("thinking_tokens"),
    estimated_tokens: number,
    estimated_tokens_delta: number,
    user_message_uuid: maybe(text),
  }),
  commands_changed: shape({
    ...SYSTEM_BASE,
    subtype: literal("commands_changed"),
    commands: list(SLASH_COMMAND),
  }),
  files_persisted: shape({
    ...SYSTEM_BASE,
    subtype: literal("files_persisted"),
    files: list(shape({ filename: text, file_id: text })),
    failed: list(shape({ filename: text, error: text })),
    processed_at: text,
  }),
  memory_recall: shape({
    ...SYSTEM_BASE,
    subtype: literal("memory_recall"),
    mode: oneOf("select", "synthesize"),
    memories: list(shape({
      path: text,
      scope: oneOf("personal", "team", "organization"),
      content: maybe(text),
    })),
  }),
  elicitation_complete: shape({
    ...SYSTEM_BASE,
    subtype: literal("elicitation_complete"),
    mcp_server_name: text,
    elicitation_id: text,
  }),
  mirror_error: shape({
    ...SYSTEM_BASE,
    subtype: literal("mirror_error"),
    error: text,
    key: shape({
      projectKey: text,
      sessionId: text,
      subpath: maybe(text),
    }),
  }),
  session_writes_lost: shape({
    ...SYSTEM_BASE,
    subtype: literal("session_writes_lost"),
    error_code: oneOf("ENOSPC", "EDQUOT"),
    lost: list(oneOf("transcript", "global_config")),
    transcript_session_ids: maybe(list(text)),
  }),
  worker_shutting_down: shape({
    ...SYSTEM_BASE,
    subtype: literal("worker_shutting_down"),
    reason: text,
  }),
  session_title_changed: shape({
    ...SYSTEM_BASE,
    subtype: literal("session_title_changed"),
    title: text,
  }),
};

const OTHERS = {
  assistant: shape({
    ...IDENTITY,
    ...SUBAGENT_MARK,
    ...PROMPT_LINK,
    type: literal("assistant"),
    message: API_MESSAGE,
    parent_tool_use_id: orNull(text),
    error: maybe(ASSISTANT_ERROR),
    request_id: maybe(text),
    resumed_from_incomplete_thinking: maybe(yes),
    supersedes: maybe(list(text)),
    aborted: maybe(yes),
    timestamp: maybe(text),
    context_usage: maybe(CONTEXT_USAGE_SHORT),
    usage_report: maybe(USAGE_REPORT),
    tool_use_meta: maybe(list(TOOL_USE_META)),
    thinking_duration_ms: maybe(number),
    thinking_display: maybe(text),
    is_api_error_message: maybe(flag),
    api_error: maybe(text),
    api_error_status: maybe(orNull(number)),
    api_error_type: maybe(text),
    api_error_params: maybe(anything),
    refused_message_id: maybe(text),
    local_command_source: maybe(text),
    local_command_run: maybe(shape({ command: text, args: text })),
    historical: maybe(flag),
  }),
  stream_event: shape({
    ...IDENTITY,
    ...PROMPT_LINK,
    type: literal("stream_event"),
    event: STREAM_EVENT,
    parent_tool_use_id: orNull(text),
    ttft_ms: maybe(number),
    thinking_display: maybe(text),
    api_message_id: maybe(text),
    abandoned_blocks: maybe(
      shape({ api_message_id: text, from_block_index: number }),
    ),
    text_runs_joined: maybe(yes),
  }),
  tool_progress: shape({
    ...IDENTITY,
    type: literal("tool_progress"),
    tool_use_id: text,
    tool_name: text,
    parent_tool_use_id: orNull(text),
    elapsed_time_seconds: number,
    task_id: maybe(text),
    heartbeat: maybe(flag),
    subagent_type: maybe(text),
    subagent_retry: maybe(shape({
      agent_id: text,
      attempt: number,
      max_retries: number,
      retry_delay_ms: number,
      error_status: orNull(number),
      error_category: openText<AssistantError>(),
    })),
  }),
  tool_use_summary: shape({
    ...IDENTITY,
    type: literal("tool_use_summary"),
    summary: text,
    preceding_tool_use_ids: list(text),
    timestamp: maybe(text),
  }),
  auth_status: shape({
    ...IDENTITY,
    type: literal("auth_status"),
    isAuthenticating: flag,
    output: list(text),
    error: maybe(text),
  }),
  rate_limit_event: shape({
    ...IDENTITY,
    type: literal("rate_limit_event"),
    rate_limit_info: RATE_LIMIT_INFO,
  }),
  prompt_suggestion: shape({
    ...IDENTITY,
    type: literal("prompt_suggestion"),
    suggestion: text,
  }),
  conversation_reset: shape({
    ...IDENTITY,
    type: literal("conversation_reset"),
    new_conversation_id: text,
    trigger: maybe(
      oneOf("clear", "plan_mode_exit", "fresh_session", "onboarding"),
    ),
    user_message_uuid: maybe(text),
    timestamp: maybe(text),
  }),
  active_goal: shape({
    ...IDENTITY,
    type: literal("active_goal"),
    value: orNull(shape({
      condition: text,
      iterations: number,
      set_at: union([text, number]),
      tokens_at_start: number,
      last_reason: maybe(text),
    })),
  }),
  command_lifecycle: shape({
    ...IDENTITY,
    type: literal("command_lifecycle"),
    command_uuid: text,
    state: oneOf(
      "queued",
      "started",
      "completed",
      "cancelled",
      "discarded",
      "refused",
    ),
    wakeup_source: maybe(text),
    scheduled_for: maybe(union([text, number])),
    ran_ahead: maybe(flag),
  }),
};

const MESSAGES: ReadonlyMap<string, TSchema> = new Map(
  Object.entries<TSchema>(OTHERS),
);
const SYSTEM_MESSAGES: ReadonlyMap<string, TSchema> = new Map(
  Object.entries<TSchema>(SYSTEM),
);
const RESULT_OF_NEW_KIND = shape(RESULT_BASE);

const CHECKS = new Map<TSchema, SchemaCheck>();

/** Compares a message with the type of its kind; empty when it fits, and for a kind that has none. */
export function deviations(message: JsonObject): readonly Problem[] {
  const kind = schemaOf(message);
  if (kind === undefined) return [];
  let check = CHECKS.get(kind);
  if (check === undefined) CHECKS.set(kind, check = compileSchema(kind));
  return (check(message) ?? []).map(({ path, message: fact }) =>
    new Problem(path, fact, blockAt(path, message))
  );
}

/** The content block of the message that a path leads into. */
function blockAt(
  path: string,
  { message }: JsonObject,
): BlockPlace | undefined {
  const index = Number(/^message\.content\[(\d+)\]/.exec(path)?.[1]);
  if (!isObject(message) || !isArray(message.content)) return undefined;
  const block = message.content[index];
  if (block === undefined) return undefined;
  const type = isObject(block) ? block.type : undefined;
  return { type: typeof type === "string" ? type : undefined, index };
}

function schemaOf(message: JsonObject): TSchema | undefined {
  switch (message.type) {
    case "user":
      return message.isReplay === true ? REPLAY : USER;
    case "result":
      if (message.subtype === "success") return RESULT_SUCCESS;
      return FAILURE_SUBTYPES.some((one) => one === message.subtype)
        ? RESULT_FAILURE
        : RESULT_OF_NEW_KIND;
    case "system":
      return SYSTEM_MESSAGES.get(String(message.subtype));
    default:
      return MESSAGES.get(String(message.type));
  }
}

function list<S extends TSchema>(item: S): TUnsafe<readonly Static<S>[]> {
  return Type.Unsafe(Type.Array(item));
}

function byName<S extends TSchema>(
  value: S,
): TUnsafe<Readonly<Record<string, Static<S>>>> {
  return Type.Unsafe({ type: "object", additionalProperties: value });
}

function orNull<S extends TSchema>(schema: S): TUnsafe<Static<S> | null> {
  return Type.Unsafe(Type.Union([schema, Type.Null()]));
}

function oneOf<const V extends string>(...values: readonly V[]): TUnsafe<V> {
  return Type.Unsafe({ enum: values });
}

/** Known words, and any other. */
function openText<V extends string>(): TUnsafe<
  V | (string & Record<never, never>)
> {
  return Type.Unsafe(Type.String());
}

/** The same without `readonly`, so that two types can be compared. */
type Plain<T> = T extends readonly (infer Item)[] ? Plain<Item>[]
  : T extends object ? { -readonly [Key in keyof T]: Plain<T[Key]> }
  : T;

type Same<A, B> = (<T>() => T extends Plain<A> ? 1 : 2) extends
  (<T>() => T extends Plain<B> ? 1 : 2) ? true : false;

/** Fails to compile when one of the comparisons is false. */
type InStep<Comparisons extends Readonly<Record<string, true>>> = Comparisons;

type _Blocks = InStep<
  {
    [K in ContentBlockType]: Same<
      Static<(typeof BLOCKS)[K]>,
      Extract<ContentBlock, { readonly type: K }>
    >;
  }
>;

type _System = InStep<
  {
    [K in SystemSubtype]: Same<
      Static<(typeof SYSTEM)[K]>,
      SystemMessageOf<K>
    >;
  }
>;

type _Others = InStep<
  {
    [K in Exclude<MessageType, "user" | "result" | "system" | "unknown">]: Same<
      Static<(typeof OTHERS)[K]>,
      MessageOf<K>
    >;
  }
>;

type _Rest = InStep<{
  user: Same<Static<typeof USER>, UserMessage>;
  replay: Same<Static<typeof REPLAY>, UserMessageReplay>;
  success: Same<Static<typeof RESULT_SUCCESS>, ResultSuccess>;
  failure: Same<Static<typeof RESULT_FAILURE>, ResultFailure>;
}>;
