/** Messages of type `system`. */
import {
  anything,
  type Fields,
  flag,
  list,
  literal,
  maybe,
  number,
  object,
  oneOf,
  openText,
  orNull,
  part,
  ref,
  seen,
  shape,
  type ShapeFacts,
  tag,
  text,
  type Topic,
  topic,
  union,
} from "./words.ts";

/** Each kind; all are members of {@link MESSAGES_SYSTEM}'s union. */
const KINDS: Fields = {
  InitMessage: system(
    "init",
    "A turn begins, with the setup in force for it; once per turn, never before the first prompt",
    {
      cwd: text("Working directory"),
      tools: list(text(), "Names of the tools there are"),
      mcp_servers: list(
        part({
          name: text("Name of the server"),
          status: text("State"),
          source: maybe(text("Origin of its configuration")),
        }),
        "MCP servers and their state: `connected`, `failed`, `needs-auth`, `pending`, `disabled`",
      ),
      model: text("The model"),
      permissionMode: ref("PermissionMode", "The permission mode"),
      apiKeySource: ref("ApiKeySource", "Source of the API key"),
      claude_code_version: text("Version of the CLI"),
      output_style: text("The output style"),
      slash_commands: list(text(), "Names of the commands, without the slash"),
      skills: list(text(), "Names of the skills"),
      plugins: list(ref("LoadedPlugin"), "Plugins that are loaded"),
      agents: maybe(list(text(), "Names of the subagents")),
      betas: maybe(list(text(), "Beta features of the API in use")),
      terminal_slash_commands: maybe(
        list(text(), "Commands that work in a terminal only"),
      ),
      plugin_errors: maybe(
        list(ref("PluginError"), "Plugins that could not be loaded"),
      ),
      fast_mode_state: maybe(ref("FastModeState", "Whether fast mode is on")),
      fast_mode_disabled_reason: maybe(
        ref("FastModeDisabledReason", "Reason fast mode is off"),
      ),
      effort: maybe(
        orNull(ref("Effort", "Thinking effort; null = the model's default")),
      ),
      view_mode: maybe(
        oneOf(["focus", "default"], "View of the session in a terminal"),
      ),
      capabilities: maybe(list(text(), "Names of this CLI's capabilities")),
      sandbox_enabled: seen(flag("Whether commands run in a sandbox")),
      original_cwd: seen(text("Working directory at the start")),
      additional_directories: seen(
        list(text(), "Further directories that tools may touch"),
      ),
      memory_paths: seen(
        shape("Directories of memories", {
          auto: text("Directory of memories that the model writes"),
        }),
      ),
      messaging_socket_path: seen(
        text("Socket for messages of other sessions"),
      ),
      analytics_disabled: seen(flag("Whether analytics are off")),
      product_feedback_disabled: seen(flag("Whether feedback is off")),
      served_by_anthropic: seen(
        flag("Whether Anthropic's own API serves the model"),
      ),
      per_turn_effort_active: seen(
        flag("Whether the effort can change from turn to turn"),
      ),
      ultrathink_available: seen(flag("Whether `ultrathink` can be typed")),
      ultrathink_typed_raises: seen(
        flag("Whether typing it raises the effort"),
      ),
      user_message_uuids: seen(list(text(), "Prompts that the turn answers")),
      plugin_warnings: seen(anything("Plugins with warnings")),
      mcp_server_errors: seen(anything("MCP servers with a bad configuration")),
      scratchpad_path: seen(text("Directory for scratch files")),
    },
    { source: "Conversation" },
  ),
  StatusMessage: system(
    "status",
    "The CLI is compacting the context, waiting for the API, or neither (null)",
    {
      status: orNull(
        oneOf(
          ["compacting", "requesting"],
          "Activity; null = neither of these",
        ),
      ),
      permissionMode: maybe(
        ref("PermissionMode", "The permission mode, when it changed"),
      ),
      compact_result: maybe(
        oneOf(["success", "failed"], "Outcome of the compaction"),
      ),
      compact_error: maybe(text("Reason the compaction failed")),
      user_message_uuids: seen(
        list(text(), "Uuids of the user lines that are worked on"),
      ),
    },
    { source: "Everything else" },
  ),
  SessionStateMessage: system(
    "session_state_changed",
    "The session became running, waiting or idle. Sluice does not deliver a message with `sdk_host_only`",
    {
      state: ref("SessionState", "Current state"),
      sdk_host_only: seen(
        literal(
          true,
          "Meant for the client library, not for the program that uses it",
        ),
      ),
    },
  ),
  ApiRetryMessage: system(
    "api_retry",
    "An API request failed and will be repeated",
    {
      attempt: number("Number of the attempt, from 1"),
      max_retries: number("Maximum number of attempts"),
      retry_delay_ms: number("Delay before the next attempt, in milliseconds"),
      error_status: orNull(
        number("HTTP status of the failure; null when there was no answer"),
      ),
      error: ref("AssistantError", "Kind of failure"),
      no_response: maybe(
        shape("The API did not respond at all", {
          waited_ms: number("Time the CLI waited, in milliseconds"),
          retry_wait_ms: number(
            "Time the CLI will wait for the next attempt, in milliseconds",
          ),
        }),
      ),
    },
  ),
  ControlRequestProgressMessage: system(
    "control_request_progress",
    "Progress of a control request that takes long",
    {
      request_id: text("Id of the request"),
      status: oneOf(
        ["started", "api_retry"],
        "It was begun, or waits to repeat an API request",
      ),
      attempt: maybe(number("Number of the attempt, from 1")),
      max_retries: maybe(number("Maximum number of attempts")),
      retry_delay_ms: maybe(
        number("Delay before the next attempt, in milliseconds"),
      ),
      error_status: maybe(
        orNull(
          number("HTTP status of the failure; null when there was no answer"),
        ),
      ),
    },
  ),
  CompactBoundaryMessage: system(
    "compact_boundary",
    "The history before this was replaced by a summary",
    {
      compact_metadata: shape("Details of the compaction", {
        trigger: oneOf(["manual", "auto"], "Trigger of the compaction"),
        pre_tokens: number("Tokens of the context before"),
        post_tokens: maybe(number("Tokens of the context after")),
        duration_ms: maybe(number("Duration, in milliseconds")),
        preserved_segment: maybe(
          shape("The run of messages that was kept", {
            head_uuid: text("Its first message"),
            anchor_uuid: text("The message that precedes it"),
            tail_uuid: text("Its last message"),
          }),
        ),
        preserved_messages: maybe(
          shape("The messages that were kept", {
            anchor_uuid: text("The message that precedes them"),
            uuids: list(text(), "Their uuids"),
            all_uuids: seen(
              list(text(), "Their uuids, those of their parts included"),
            ),
          }),
        ),
        cumulative_dropped_tokens: seen(
          number("Tokens dropped by all compactions"),
        ),
        user_context: seen(text("Instructions of the user on what to keep")),
        messages_summarized: seen(number("Messages in the summary")),
      }),
      logical_parent_uuid: seen(orNull(text("The message before it"))),
      historical: seen(flag("It comes from a resumed history")),
    },
  ),
  InformationalMessage: system(
    "informational",
    "Information for the user",
    {
      content: text("The text"),
      level: oneOf(
        ["info", "notice", "suggestion", "warning"],
        "Severity",
      ),
      tool_use_id: maybe(text("Tool call concerned")),
      prevent_continuation: maybe(flag("The turn does not continue")),
      tag: maybe(text("Kind of text, such as `hook_callback_failed`")),
      prompt_submit_outcome: seen(object("Outcome of hooks on a prompt")),
      model_restriction: seen(
        shape("The requested model is not allowed", {
          requested_model: text("The requested model"),
          effective_model: text("The model used"),
          at: maybe(
            oneOf(["start", "switch", "resume"], "Time of the request"),
          ),
        }),
      ),
      hook_no_verdict: seen(
        shape("A hook returned no decision", {
          hook_event: text("Its event"),
          tool_use_id: text("Tool call concerned"),
          timed_out: flag("Whether it was too slow"),
          plugin_id: maybe(text("The plugin it comes from")),
          plugin_root: maybe(text("Directory of that plugin")),
        }),
      ),
      saved_files: seen(
        list(
          part({
            line: anything("Line of the text"),
            path: text("The file"),
            shown: anything("Visible part"),
          }),
          "Files for content that is too long for the text",
        ),
      ),
    },
  ),
  NotificationMessage: system(
    "notification",
    "A short notification for the screen",
    {
      key: text("Kind of text; a newer one of the same key replaces it"),
      text: text("The text"),
      priority: oneOf(
        ["low", "medium", "high", "immediate"],
        "Severity",
      ),
      color: maybe(text("Colour to show it in")),
      timeout_ms: maybe(number("Display time, in milliseconds")),
    },
  ),
  LocalCommandOutputMessage: system(
    "local_command_output",
    "Output of a command that ran without the model",
    { content: text("The output") },
  ),
  PermissionDeniedMessage: system(
    "permission_denied",
    "A tool call was denied without asking the host",
    {
      tool_name: text("Name of the tool"),
      tool_use_id: text("Id of the call"),
      agent_id: maybe(text("The subagent that wanted it")),
      decision_reason_type: maybe(text("Reason of the decision")),
      decision_reason: maybe(text("Reason, for a person")),
      message: text("Reason given to the model"),
      decision_reason_code: seen(text("Reason, as a code")),
    },
  ),
  ModelRefusalFallbackMessage: system(
    "model_refusal_fallback",
    "The model refused, and another one took over",
    {
      trigger: literal("refusal", "Always a refusal"),
      direction: oneOf(
        ["retry", "revert", "sticky"],
        "This request is repeated, the old model is back, or the new one stays",
      ),
      scope: maybe(oneOf(["session", "local"], "Scope of the change")),
      original_model: text("The model that refused"),
      fallback_model: text("The model that took over"),
      request_id: orNull(text("Id of the request at the API")),
      api_refusal_category: maybe(orNull(text("Kind of refusal"))),
      api_refusal_explanation: maybe(orNull(text("Reason, in words"))),
      retracted_message_uuids: maybe(
        list(text(), "Messages that no longer count"),
      ),
      refused_user_message_uuid: maybe(
        orNull(text("The prompt that was refused")),
      ),
      content: text("The text for the user"),
    },
  ),
  ModelRefusalNoFallbackMessage: system(
    "model_refusal_no_fallback",
    "The model refused, and no other one took over",
    {
      original_model: text("The model that refused"),
      request_id: orNull(text("Id of the request at the API")),
      api_refusal_category: maybe(orNull(text("Kind of refusal"))),
      api_refusal_explanation: maybe(orNull(text("Reason, in words"))),
      refused_user_message_uuid: maybe(
        orNull(text("The prompt that was refused")),
      ),
      content: text("The text for the user; may be empty"),
    },
  ),
  ModelFallbackMessage: system(
    "model_fallback",
    "The model could not be used, and the fallback took over",
    {
      trigger: text("Cause, such as `overloaded`"),
      original_model: text("The requested model"),
      fallback_model: text("The model that took over"),
      content: text("The text for the user"),
    },
    { published: false },
  ),
  HookStartedMessage: system(
    "hook_started",
    "A command hook of the settings began; callbacks are never reported",
    {
      origin: seen(text("Origin of the hook")),
      label: seen(text("Name to show")),
      plugin_name: seen(text("The plugin it comes from")),
    },
    { extends: ["HookRunFields"] },
  ),
  HookProgressMessage: system(
    "hook_progress",
    "A command hook of the settings produced output",
    {
      stdout: text("Output so far"),
      stderr: text("Output on stderr so far"),
      output: text("Both"),
      backgrounded: seen(literal(true, "It continues in the background")),
    },
    { extends: ["HookRunFields"] },
  ),
  HookResponseMessage: system(
    "hook_response",
    "A command hook of the settings ended",
    {
      output: text("Output, stdout and stderr"),
      stdout: text("Output"),
      stderr: text("Output on stderr"),
      exit_code: maybe(number("Its exit code")),
      outcome: oneOf(["success", "error", "cancelled"], "Outcome"),
    },
    { extends: ["HookRunFields"] },
  ),
  PluginInstallMessage: system(
    "plugin_install",
    "A plugin is being installed",
    {
      status: oneOf(
        ["started", "installed", "failed", "completed"],
        "Progress; `completed` ends the whole round",
      ),
      name: maybe(text("The plugin")),
      error: maybe(text("Reason for the failure")),
    },
  ),
  TaskStartedMessage: system(
    "task_started",
    "A subagent, a background command or a workflow began",
    {
      tool_use_id: maybe(text("The tool call that began it")),
      description: text("Its action, in short"),
      subagent_type: maybe(text("Kind of the subagent")),
      is_backgrounded: maybe(flag("Whether it runs in the background")),
      spawn_depth: maybe(number("Depth of nesting")),
      parent_task_id: maybe(text("The task that began it")),
      task_type: maybe(text("Kind of task, such as `local_bash`")),
      workflow_name: maybe(text("Name of the workflow")),
      prompt: maybe(text("Prompt of the subagent")),
      skip_transcript: maybe(flag("Not part of the transcript")),
      ambient: maybe(flag("Runs beside the session, not for a prompt")),
      awaited: seen(flag("The turn waits for it")),
    },
    { extends: ["TaskFields"] },
  ),
  TaskUpdatedMessage: system("task_updated", "The state of a task changed", {
    patch: shape("Changed fields", {
      status: maybe(ref("TaskStatus", "State")),
      description: maybe(text("Its action, in short")),
      end_time: maybe(number("Time of the end, in milliseconds since 1970")),
      total_paused_ms: maybe(number("Length of the pauses, in milliseconds")),
      error: maybe(text("Reason for the failure")),
      is_backgrounded: maybe(flag("Whether it runs in the background")),
    }),
  }, { extends: ["TaskFields"] }),
  TaskProgressMessage: system("task_progress", "Progress of a task", {
    tool_use_id: maybe(text("The tool call that began it")),
    description: text("Current action"),
    subagent_type: maybe(text("Kind of the subagent")),
    usage: ref("TaskUsage", "Usage so far"),
    last_tool_name: maybe(text("The tool it used last")),
    summary: maybe(text("Summary so far")),
  }, { extends: ["TaskFields"] }),
  TaskNotificationMessage: system(
    "task_notification",
    "A task ended; a turn of its own may follow, without any prompt",
    {
      tool_use_id: maybe(text("The tool call that began it")),
      status: oneOf(["completed", "failed", "stopped"], "Outcome"),
      reason: maybe(literal("worker_restart", "Reason for the end")),
      output_file: text("File that holds its output"),
      summary: text("Summary"),
      usage: maybe(ref("TaskUsage", "Usage")),
      resource_links: maybe(
        list(ref("McpResourceLink"), "Resources that it returned"),
      ),
      skip_transcript: maybe(flag("Not part of the transcript")),
      ambient: maybe(flag("Ran beside the session, not for a prompt")),
      summary_is_report: seen(flag("`summary` is the report of a subagent")),
      handback: seen(
        oneOf(
          ["send", "flagged", "withheld"],
          "Whether its report was sent, flagged or withheld",
        ),
      ),
      handback_report: seen(anything("Its report")),
    },
    { extends: ["TaskFields"] },
  ),
  BackgroundTasksChangedMessage: system(
    "background_tasks_changed",
    "The whole list of background tasks, after a change",
    {
      tasks: list(
        part({
          task_id: text("Id of the task"),
          run_id: maybe(text("Id of this run of the task")),
          task_type: text("Kind of task"),
          subagent_type: maybe(text("Kind of the subagent")),
          description: text("Its action, in short"),
          parent_task_id: maybe(text("The task that began it")),
          ambient: maybe(flag("Runs beside the session, not for a prompt")),
          awaited: seen(flag("The turn waits for it")),
          off_host: seen(flag("It runs elsewhere")),
        }),
        "All tasks; empty when none is left",
      ),
    },
  ),
  ThinkingTokensMessage: system(
    "thinking_tokens",
    "The model is thinking; also without partial messages",
    {
      estimated_tokens: number("Tokens of thinking so far, estimated"),
      estimated_tokens_delta: number(
        "Tokens since the last such message, estimated",
      ),
      user_message_uuid: maybe(text("Uuid of the user line that this answers")),
    },
  ),
  CommandsChangedMessage: system(
    "commands_changed",
    "The whole list of commands, after a change",
    { commands: list(ref("SlashCommand"), "All commands") },
  ),
  FilesPersistedMessage: system("files_persisted", "Files were stored", {
    files: list(
      part({
        filename: text("Name of the file"),
        file_id: text("Its id from now on"),
      }),
      "Stored files",
    ),
    failed: list(
      part({
        filename: text("Name of the file"),
        error: text("Reason for the failure"),
      }),
      "Files that could not be stored",
    ),
    processed_at: text("Time of storage"),
  }),
  MemoryRecallMessage: system("memory_recall", "Memories were read", {
    mode: oneOf(
      ["select", "synthesize"],
      "Taken as they are, or made into one text",
    ),
    memories: list(
      part({
        path: text("Location of the memory"),
        scope: oneOf(
          ["personal", "team", "organization"],
          "Owner of the memory",
        ),
        content: maybe(text("Its text")),
      }),
      "The memories",
    ),
  }),
  ElicitationCompleteMessage: system(
    "elicitation_complete",
    "A question of an MCP server was answered elsewhere",
    {
      mcp_server_name: text("Name of the server"),
      elicitation_id: text("Id of the question"),
    },
  ),
  MirrorErrorMessage: system(
    "mirror_error",
    "A copy of the transcript could not be stored. The CLI never sends this message; Sluice makes it",
    {
      error: text("The error in words"),
      key: shape("Key of the lost entries", {
        projectKey: text("The project"),
        sessionId: text("The session"),
        subpath: maybe(text("File within the session")),
      }),
    },
  ),
  SessionWritesLostMessage: system(
    "session_writes_lost",
    "The CLI could not write session files",
    {
      error_code: oneOf(["ENOSPC", "EDQUOT"], "No space, or no quota"),
      lost: list(oneOf(["transcript", "global_config"]), "Lost data"),
      transcript_session_ids: maybe(
        list(text(), "Sessions whose transcript has a hole"),
      ),
    },
  ),
  WorkerShuttingDownMessage: system(
    "worker_shutting_down",
    "The process that runs the session is about to end",
    { reason: text("Reason") },
  ),
  SessionTitleChangedMessage: system(
    "session_title_changed",
    "The session got another title",
    { title: text("The title") },
    { published: false },
  ),
  UiInvalidateMessage: system(
    "ui_invalidate",
    "A remote surface should redraw its view of the session",
    {
      event: text(
        "Event that the surface should request again, such as `ui.render`",
      ),
    },
    { published: false },
  ),
};

export const MESSAGES_SYSTEM: Topic = topic(
  "messages_system",
  "Everything else",
  {
    SystemFields: shape("Common fields of messages of type `system`", {
      type: literal("system", "Discriminator: the type of the message"),
    }, { extends: ["MessageIdentity"] }),
    ApiKeySource: oneOf([
      "ANTHROPIC_API_KEY",
      "apiKeyHelper",
      "/login managed key",
      "none",
      "user",
      "project",
      "org",
      "temporary",
      "oauth",
    ], "Source of the API key"),
    LoadedPlugin: shape("A plugin that is loaded", {
      name: text("Its name"),
      path: text("Its directory, or `builtin`"),
      version: maybe(text("Its version")),
      source: seen(text("Its name and market")),
    }),
    PluginError: shape("A plugin that could not be loaded", {
      plugin: text("The plugin"),
      type: text("Kind of failure"),
      message: text("The failure in words"),
      path: maybe(text("The file that failed")),
      managed_lock: maybe(
        shape("The organization's rule that blocks it", {
          plugin_enabled: flag("Whether the rule wants the plugin on"),
          name: text("Name of the plugin"),
          marketplace: maybe(text("Market it comes from")),
        }),
      ),
    }),
    HookRunFields: shape(
      "Common fields of messages about one run of a settings hook; only with `includeHookEvents`",
      {
        hook_id: text("Id of the run"),
        hook_name: text("Event and matcher, such as `PreToolUse:Bash`"),
        hook_event: openText("HookEvent", "The event"),
      },
      { extends: ["SystemFields"] },
    ),
    TaskUsage: shape("Usage of a task so far", {
      total_tokens: number("Tokens read and written"),
      tool_uses: number("Tool calls"),
      duration_ms: number("Run time, in milliseconds"),
    }),
    TaskFields: shape("Common fields of messages about one task", {
      task_id: text(
        "Id of the task: handle for `stopTask()` and `taskOutput()`",
      ),
      run_id: maybe(text("Id of this run of the task")),
    }, { extends: ["SystemFields"] }),
    TaskStatus: oneOf([
      "pending",
      "running",
      "completed",
      "failed",
      "killed",
      "paused",
    ], "State of a task"),
    McpResourceLink: shape("A resource of an MCP server, as a link", {
      uri: text("Its address"),
      name: text("Its name"),
      title: maybe(text("Name to show")),
      description: maybe(text("Description of the resource")),
      mimeType: maybe(text("Its media type")),
      size: maybe(number("Its size in bytes")),
      annotations: maybe(object("Description by the server")),
    }),
    ...KINDS,
    SystemMessage: union(
      Object.keys(KINDS).map((name) => ref(name)),
      "A message of type `system`, distinguished by `subtype`",
    ),
  },
);

function system(
  subtype: string,
  about: string,
  fields: Fields,
  facts: ShapeFacts = {},
) {
  return shape(about, { subtype: tag(subtype), ...fields }, {
    extends: ["SystemFields"],
    ...facts,
  });
}
