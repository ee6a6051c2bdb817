/** Messages of a turn: text, stream events and the result. */
import {
  anything,
  byName,
  flag,
  known,
  list,
  literal,
  maybe,
  nothing,
  number,
  object,
  oneOf,
  openText,
  orNull,
  part,
  partOf,
  ref,
  seen,
  shape,
  tag,
  text,
  type Topic,
  topic,
  union,
} from "./words.ts";

export const MESSAGES_TURN: Topic = topic("messages_turn", "Conversation", {
  MessageIdentity: shape("Common fields of every known message", {
    uuid: text("Id of this message"),
    session_id: text("Session it belongs to; changes with `/clear`"),
  }),
  SubagentMark: shape(
    "Fields of messages of a subagent",
    {
      agent_id: maybe(text("Id of the subagent")),
      subagent_type: maybe(text("Kind of the subagent")),
      task_description: maybe(
        text("Task of the subagent, in short"),
      ),
    },
  ),
  PromptLink: shape("The prompts that a message answers", {
    user_message_uuid: maybe(text("Uuid of the user line that this answers")),
    user_message_uuids: maybe(
      list(text(), "Uuids of all user lines merged into this turn"),
    ),
    resume_reason: maybe(text("Reason the turn was resumed, if it was")),
  }),
  AssistantError: known(
    oneOf([
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
    ], "Reason a request to the API failed"),
    { source: "Shapes" },
  ),
  QueuePriority: oneOf(
    ["now", "next", "later"],
    "Place of a prompt in the queue",
  ),
  MessageOrigin: known(
    union([
      part({
        kind: oneOf(
          [
            "human",
            "coordinator",
            "unclassified",
            "auto-continuation",
            "observer-activity",
          ],
          "A person; the team's coordinator; unknown; the CLI continuing on its own; an observer's activity",
        ),
      }),
      part({
        kind: literal(
          "channel",
          "A channel, that is a server that sends prompts",
        ),
        server: text("Name of the server"),
      }),
      part({
        kind: literal("peer", "Another session"),
        from: text("Name of the sender"),
        fromMode: maybe(
          oneOf(["bypass", "prompting"], "Permission mode of the sender"),
        ),
        name: maybe(text("Name to show")),
        fromSession: maybe(text("Session id of the sender")),
        senderTaskId: maybe(text("Task of the sender")),
        body: maybe(text("The text as it was sent")),
        verifiedPeerPid: maybe(number("Process id of the sender, verified")),
      }),
      part({
        kind: literal("task-notification", "The end of background work"),
        subkind: maybe(
          oneOf([
            "scheduled-trigger",
            "peer-send-message",
            "projects-relay",
            "session-inbox",
            "external-event",
          ], "Kind of work"),
        ),
        fireReason: maybe(text("Reason it fired")),
        runId: maybe(text("Run of the task")),
        producer: seen(text("Source of the report")),
      }),
      part({
        kind: literal("observer", "An observer of the session"),
        from: text("Name of the observer"),
        senderTaskId: text("Task of the observer"),
      }),
    ], "Origin of a message, by `kind`"),
    { source: "Shapes" },
  ),
  ApiMessage: shape(
    "The message of the Messages API inside an assistant message",
    {
      id: text("Id; all assistant lines of one API message share it"),
      type: literal("message", "Always a message"),
      role: literal("assistant", "Always the assistant"),
      model: text("The model; `<synthetic>` for messages the CLI wrote itself"),
      content: list(
        ref("ContentBlock"),
        "One block per line; empty in `message_start`",
      ),
      stop_reason: orNull(
        text(
          "Reason the model stopped; null here, the final one is in the result and in `message_delta`",
        ),
      ),
      stop_sequence: orNull(
        text("The sequence that stopped the model, if one did"),
      ),
      usage: ref("Usage", "Opening numbers, not final ones"),
      stop_details: seen(
        orNull(anything("Details of the stop, unchanged from the API")),
      ),
      container: seen(
        orNull(
          anything("Container of the API's own tools, unchanged from the API"),
        ),
      ),
      context_management: seen(
        orNull(anything("Edits of the context by the API")),
      ),
      diagnostics: seen(orNull(anything("Diagnostics of the API"))),
    },
  ),
  AssistantMessage: shape(
    "Output of the model: one content block of one API message",
    {
      type: tag("assistant"),
      message: ref(
        "ApiMessage",
        "The message of the API; several lines share its `id`",
      ),
      parent_tool_use_id: orNull(
        text(
          "The tool call that started the subagent; null in the main conversation",
        ),
      ),
      error: maybe(
        ref(
          "AssistantError",
          "Reason the request failed; the text describes it",
        ),
      ),
      request_id: maybe(text("Id of the request at the API")),
      resumed_from_incomplete_thinking: maybe(
        literal(true, "The turn resumed from thinking that was cut off"),
      ),
      supersedes: maybe(
        list(text(), "Uuids of messages that this one replaces"),
      ),
      aborted: maybe(literal(true, "The message was cut off by an interrupt")),
      timestamp: maybe(text("Time of arrival, ISO 8601")),
      context_usage: maybe(
        ref(
          "ContextUsageShort",
          "Content of the context window, for a local command that requested it",
        ),
      ),
      usage_report: maybe(
        ref(
          "UsageReport",
          "Use of the account, for a local command that requested it",
        ),
      ),
      tool_use_meta: seen(
        list(ref("ToolUseMeta"), "Names to show for tool calls"),
      ),
      thinking_duration_ms: seen(
        number("Thinking time of the model, in milliseconds"),
      ),
      thinking_display: seen(text("Display of the thinking")),
      is_api_error_message: seen(
        flag("The text is the CLI's account of an API error"),
      ),
      api_error: seen(text("Name of the API error")),
      api_error_status: seen(orNull(number("HTTP status of the API error"))),
      api_error_type: seen(text("Type of the API error")),
      api_error_params: seen(anything("Facts of the API error")),
      refused_message_id: seen(
        text("Id of the API message with the refusal"),
      ),
      local_command_source: seen(
        text("Output of the local command behind this message"),
      ),
      local_command_run: seen(
        shape("The local command behind this message", {
          command: text("Name without the slash"),
          args: text("Arguments as they were typed"),
        }),
      ),
      historical: seen(flag("The message comes from a resumed history")),
    },
    {
      source: "Conversation",
      extends: ["MessageIdentity", "SubagentMark", "PromptLink"],
    },
  ),
  ToolUseMeta: shape("Names to show for the call of an MCP tool", {
    id: text("Id of the call"),
    display_name: text("Name of the tool to show"),
    server_display_name: maybe(
      text("Name of the server to show; absent for tools of the CLI"),
    ),
    tool_name: maybe(
      text("Name of the tool on its server; absent for tools of the CLI"),
    ),
  }),
  ToolResultMeta: shape("Origin of the result of a tool call", {
    id: text("Id of the call"),
    non_execution_kind: maybe(
      text(
        "Reason the tool did not run: `user-rejected`, `permission-rule`, ...",
      ),
    ),
    permission_decision: maybe(
      shape("The permission decision about it", {
        decision: text("`accept` or `reject`"),
        source: text("`config`, `user_temporary`, ..."),
        reason_type: maybe(text("The part of the configuration that decided")),
      }),
    ),
  }),
  UserMessageFields: shape("Common fields of both kinds of user message", {
    type: literal("user", "Discriminator: the type of the message"),
    message: shape("The message of the API", {
      role: literal("user", "Always the user"),
      content: union(
        [text(), list(ref("ContentBlock"))],
        "Text, or blocks; tool results are blocks",
      ),
    }),
    parent_tool_use_id: orNull(
      text(
        "The tool call that started the subagent; null in the main conversation",
      ),
    ),
    isSynthetic: maybe(flag("Whether the CLI wrote it, not a person")),
    tool_use_result: maybe(anything("Result of the tool, in its own form")),
    priority: maybe(ref("QueuePriority", "Place in the queue")),
    origin: maybe(ref("MessageOrigin", "Origin of the message")),
    shouldQuery: maybe(flag("False when it did not start a turn")),
    timestamp: maybe(text("Time of writing, ISO 8601")),
    client_composed: maybe(
      literal(true, "A program wrote the text; the CLI takes it literally"),
    ),
    pasted_content: maybe(list(anything(), "Pasted blocks")),
    inline_pastes: maybe(list(text(), "Pasted texts")),
    tool_result_meta: seen(
      list(
        ref("ToolResultMeta"),
        "Origin of each tool result in the message",
      ),
    ),
    mcp_meta: seen(anything("Further facts of an MCP server (`_meta`)")),
    is_meta: seen(flag("Whether it is for the model only")),
    is_compact_summary: seen(flag("Whether it is the summary of a compaction")),
    permission_mode: seen(text("Permission mode at the time")),
    refused_message_id: seen(
      text("Id of the API message with the refusal"),
    ),
  }, { extends: ["SubagentMark"] }),
  UserMessage: shape(
    "Input of the model: tool results and texts that the CLI wrote",
    {
      uuid: maybe(text("Id of this message")),
      session_id: maybe(text("Session it belongs to")),
      isReplay: seen(literal(false, "Not an echo")),
    },
    { source: "Conversation", extends: ["UserMessageFields"] },
  ),
  UserMessageReplay: shape(
    "An echo of a user message: with `--replay-user-messages`, and for local commands",
    {
      isReplay: literal(true, "An echo"),
      file_attachments: maybe(list(anything(), "Files attached to it")),
    },
    { extends: ["UserMessageFields", "MessageIdentity"] },
  ),
  ContentDelta: union([
    part({ type: literal("text_delta", "More text"), text: text("The text") }),
    part({
      type: literal("thinking_delta", "More thinking"),
      thinking: text("The thinking"),
    }),
    part({
      type: literal("signature_delta", "The signature of the thinking"),
      signature: text("The signature"),
    }),
    part({
      type: literal("input_json_delta", "More of a tool's input"),
      partial_json: text(
        "A piece of JSON text; only all pieces of a block together are valid JSON",
      ),
    }),
    part({
      type: literal("citations_delta", "One more citation"),
      citation: object("The citation, unchanged from the API"),
    }),
  ], "A piece of a content block that is being written"),
  StreamEvent: known(
    union([
      part({
        type: literal("message_start", "A message begins"),
        message: ref("ApiMessage", "The message, still without content"),
      }),
      part({
        type: literal("content_block_start", "A block begins"),
        index: number("Its place in the content"),
        content_block: ref("ContentBlock", "The block, still empty"),
      }),
      part({
        type: literal("content_block_delta", "A block grows"),
        index: number("Its place in the content"),
        delta: ref("ContentDelta", "Additions"),
      }),
      part({
        type: literal("content_block_stop", "A block is complete"),
        index: number("Its place in the content"),
      }),
      part({
        type: literal("message_delta", "The message is nearly complete"),
        delta: shape("End of the message", {
          stop_reason: orNull(text("Reason the model stopped")),
          stop_sequence: orNull(
            text("The sequence that stopped it, if one did"),
          ),
          stop_details: seen(
            orNull(
              anything("Details of the stop, unchanged from the API"),
            ),
          ),
          container: seen(
            orNull(
              anything(
                "Container of the API's own tools, unchanged from the API",
              ),
            ),
          ),
        }),
        context_management: seen(
          orNull(anything("Edits of the context by the API")),
        ),
        usage: partOf(
          "Usage",
          ["output_tokens"],
          "Final numbers, as far as the API provides them",
        ),
      }),
      part({
        type: oneOf(
          ["message_stop", "ping"],
          "The message is complete, or a heartbeat",
        ),
      }),
    ], "One event of the API's stream, as it came"),
    { source: "Conversation" },
  ),
  StreamEventMessage: shape(
    "A piece of a message that is being written; only with `includePartialMessages`.\n\nThe whole assistant message comes before the `content_block_stop` of its block",
    {
      type: tag("stream_event"),
      event: ref("StreamEvent", "The event of the API"),
      parent_tool_use_id: orNull(
        text(
          "The tool call that started the subagent; null in the main conversation",
        ),
      ),
      ttft_ms: maybe(
        number(
          "Time to the first token, in milliseconds; with `message_start`",
        ),
      ),
      thinking_display: seen(text("Display of the thinking")),
      api_message_id: seen(text("Id of the API message being written")),
      abandoned_blocks: seen(
        shape("Blocks written so far that will not be completed", {
          api_message_id: text("Id of the API message"),
          from_block_index: number("Index of the first abandoned block"),
        }),
      ),
      text_runs_joined: seen(literal(true, "Runs of text were joined")),
      owed_rows: seen(list(text(), "Uuids of lines that are still to come")),
    },
    { source: "Conversation", extends: ["MessageIdentity", "PromptLink"] },
  ),
  TerminalReason: known(
    oneOf([
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
    ], "Reason a turn ended"),
    { source: "Shapes" },
  ),
  StartupFailureReason: known(
    oneOf([
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
      "sideload_flags_disabled",
    ], "Reason a session could not start"),
    { source: "Shapes" },
  ),
  PermissionDenial: shape("A tool call that was denied", {
    tool_name: text("Name of the tool"),
    tool_use_id: text("Id of the call"),
    tool_input: object("Input of the call"),
  }),
  SubagentStats: shape("Statistics of the subagents of a session", {
    spawned: number("Subagents started"),
    requested: shape("Subagents started, by where they were asked to run", {
      background: number("In the background"),
      foreground: number("In the foreground"),
      unset: number("Not specified"),
    }),
    started_in_background: number("Subagents that began in the background"),
    max_depth: number("Deepest nesting"),
    spawned_by_subagents: number("Subagents started by subagents"),
    completed: number("Subagents that completed"),
    failed: number("Subagents that failed"),
    killed: shape("Subagents stopped, by initiator", {
      parent: number("By their parent"),
      user: number("By the user"),
      system: number("By the system"),
    }),
    refused: shape("Starts refused, by reason", {
      depth_limit: number("Too deep"),
      concurrency_limit: number("Too many at once"),
      budget: number("Too expensive"),
    }),
    by_type: object("Subagents by kind"),
  }, { published: false }),
  ResultFields: shape("Common fields of every result", {
    type: literal("result", "Discriminator: the type of the message"),
    duration_ms: number("Time of the turn, in milliseconds"),
    duration_api_ms: number(
      "Time of the turn spent in API requests, in milliseconds",
    ),
    is_error: flag(
      "Whether the turn failed; decisive, whatever the `subtype`",
    ),
    num_turns: number("API round trips of the turn"),
    stop_reason: known(orNull(text("Reason the model stopped")), {
      since: "2.1.31",
    }),
    total_cost_usd: number(
      "Estimated cost of the session so far, in US dollars",
    ),
    usage: ref("ResultUsage", "Tokens of the turn"),
    modelUsage: byName(
      ref("ModelUsage"),
      "Use of the session so far, by model",
    ),
    permission_denials: list(
      ref("PermissionDenial"),
      "Tool calls that were denied",
    ),
    terminal_reason: maybe(ref("TerminalReason", "Reason the turn ended")),
    api_error_status: maybe(
      orNull(number("HTTP status of the API error, null when there was none")),
    ),
    queued_turn_count: maybe(number("Prompts still queued")),
    result_index: maybe(number("Number of the result in this run, from 0")),
    local_command: maybe(
      text("The local command that this answers, without the slash"),
    ),
    origin: maybe(ref("MessageOrigin", "Cause of the turn")),
    credential_expires_at: maybe(
      text("Expiry of the credentials, ISO 8601"),
    ),
    fast_mode_state: maybe(ref("FastModeState", "Whether fast mode is on")),
    fast_mode_disabled_reason: maybe(
      ref("FastModeDisabledReason", "Reason fast mode is off"),
    ),
    model_usage_since_last_result: seen(
      byName(ref("ModelUsage"), "Use since the result before, by model"),
    ),
    subagent_stats: seen(ref("SubagentStats", "Statistics of subagents")),
    safety_stops: seen(number("Stops for safety")),
    api_error: seen(text("Name of the API error")),
    api_error_type: seen(text("Type of the API error")),
    begun_message_ids: seen(
      list(text(), "Ids of the messages of the API that were begun"),
    ),
  }, { extends: ["MessageIdentity", "PromptLink"] }),
  ResultSuccess: shape(
    "The end of a turn that ran to completion; may still be an error: check `is_error`",
    {
      subtype: tag("success"),
      result: text("The final text; for an error its description"),
      structured_output: maybe(
        anything(
          "The value that fits the output schema; may be missing although a schema was given",
        ),
      ),
      deferred_tool_use: maybe(
        shape("The tool call that the host is to run", {
          id: text("Id of the call"),
          name: text("Name of the tool"),
          input: object("Its arguments"),
        }),
      ),
      ttft_ms: maybe(
        number("From the prompt to the first token, in milliseconds"),
      ),
      ttft_stream_ms: maybe(
        number(
          "From the prompt to the first piece of the stream, in milliseconds",
        ),
      ),
      time_to_request_ms: maybe(
        number("From the prompt to the first API request, in milliseconds"),
      ),
      time_to_request_from_spawn_ms: maybe(
        number("From the spawn to the first API request, in milliseconds"),
      ),
      request_sent_wall_ms: maybe(
        number(
          "Wall clock at the first API request, in milliseconds since 1970",
        ),
      ),
      first_content_frame_ms: maybe(
        number(
          "From the prompt to the first frame with content, in milliseconds",
        ),
      ),
      first_stream_post_ms: maybe(
        number(
          "From the prompt to the first piece handed out, in milliseconds",
        ),
      ),
      first_stream_post_ack_ms: maybe(
        number(
          "From the prompt to the acknowledgement of that piece, in milliseconds",
        ),
      ),
      first_stream_post_queue_wait_ms: maybe(
        number("Queue time of that piece, in milliseconds"),
      ),
      first_stream_post_queued_behind: maybe(
        openText("QueuedBehind", "Items ahead of that piece in the queue"),
      ),
      first_stream_post_wall_ms: maybe(
        number("Wall clock at that piece, in milliseconds since 1970"),
      ),
      first_text_post_ms: maybe(
        number("From the prompt to the first text handed out, in milliseconds"),
      ),
      first_text_post_queue_wait_ms: maybe(
        number("Queue time of that text, in milliseconds"),
      ),
      first_text_post_queued_behind: maybe(
        openText("QueuedBehind", "Items ahead of that text in the queue"),
      ),
      first_text_post_wall_ms: maybe(
        number("Wall clock at that text, in milliseconds since 1970"),
      ),
      warm_spare_claimed: maybe(
        flag("Whether a process that was started in advance ran the session"),
      ),
      time_origin_ms: maybe(
        number(
          "Wall clock that the timings count from, in milliseconds since 1970",
        ),
      ),
      first_request_input_tokens: seen(
        number("Tokens read by the first API request"),
      ),
      first_request_cache_read_input_tokens: seen(
        number("Tokens of the first API request that came from the cache"),
      ),
    },
    { source: "Conversation", extends: ["ResultFields"] },
  ),
  QueuedBehind: oneOf([
    "durable_post",
    "ephemeral_post",
    "retry_backoff",
    "hold",
    "none",
  ], "Items ahead of a piece of the stream in the queue"),
  ResultFailureSubtype: oneOf([
    "error_during_execution",
    "error_max_turns",
    "error_max_budget_usd",
    "error_max_structured_output_retries",
  ], "Known kinds of failed turns"),
  ResultFailure: shape("The end of a turn that did not run to completion", {
    subtype: ref("ResultFailureSubtype", "Discriminator"),
    is_error: literal(true, "Always true for a failure"),
    result: maybe(nothing("Absent: see `errors`")),
    errors: list(text(), "Errors"),
    startup_failure_reason: maybe(
      ref(
        "StartupFailureReason",
        "Reason the session could not start, if it could not",
      ),
    ),
    invalid_config_file: maybe(
      shape("The configuration file that cannot be read", {
        path: text("The file"),
        is_global: flag("Whether it is the global one"),
        backup_searched: flag("Whether a backup was searched for"),
        backup_path: maybe(text("The backup, if there is one")),
      }),
    ),
  }, { source: "Conversation", extends: ["ResultFields"] }),
  ResultMessage: union(
    [ref("ResultSuccess"), ref("ResultFailure")],
    "The end of a turn; several in one run are normal.\n\nA newer CLI can send a `subtype` that is not in these types. So decide by `is_error`, and keep a `default` branch",
  ),
});
