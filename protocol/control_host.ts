/** Control requests of the host: each with its fields, its reply and the method that sends it. */
import { REPLIES } from "./control_replies.ts";
import {
  anything,
  byName,
  type Control,
  controls,
  flag,
  known,
  list,
  maybe,
  number,
  object,
  oneOf,
  orNull,
  part,
  ref,
  request,
  seen,
  seenRequest,
  shape,
  text,
  type Topic,
  topic,
} from "./words.ts";

const LANE_FILE = `
  /** Name of the tool's argument. */
  readonly name: string;
  /** Path of the file in the exchange folder. */
  readonly lanePath: string;`;

/** Requests that are known by their name only. */
const BY_NAME = (
  "export_conversation get_plan list_directory get_workspace_diff set_cwd get_memory_dialog " +
  "get_skills_dialog get_chrome_dialog get_chrome_browsers select_chrome_browser get_sandbox_dialog get_status " +
  "list_cloud_sessions get_cloud_session get_cloud_session_transcript update_cloud_session reload_connectors set_chrome_browser_hints " +
  "set_prompt_suggestions_paused set_message_waiting prompt_draft_activity claim_session register_device_hooks upload_device_hook_template " +
  "message_rated start_shell_task submit_feedback submit_survey_feedback remote_tools_announce turn_handoff " +
  "comparison_fork ui_attach ui_detach ui_render ui_press ui_client_module " +
  "ui_client_press ui_message ui_client_fault ui_input ui_select ui_panes " +
  "ui_pane_show ui_pane_focus ui_close ui_scroll ui_focus ui_prompt_edit " +
  "ui_prompt_autocomplete remote_control channel_enable claude_authenticate claude_oauth_callback claude_oauth_wait_for_completion " +
  "ultrareview_launch add_directory fork_conversation rewind_conversation stage_file mcp_tasks_changed " +
  "poll_event set_proactivity_level"
).split(" ");

/** Each request by its subtype. */
const REQUESTS = controls("host-to-cli", {
  initialize: request(
    "Sets the session up; the first line of stdin",
    {
      hooks: maybe(
        byName(list(ref("HookRegistration")), "Hooks to call, by event"),
      ),
      sdkMcpServers: maybe(
        list(text(), "Names of the MCP servers that the host answers for"),
      ),
      sdkMcpServerConfigs: maybe(
        byName(ref("SdkMcpServerSettings"), "Settings by name"),
      ),
      sdkMcpServerManifests: maybe(
        byName(
          ref("SdkMcpManifest"),
          "Their replies to the handshake, by name; the CLI then needs no handshake",
        ),
      ),
      sdkMcpServerManifestsOrigin: maybe(
        oneOf(
          ["host_per_send"],
          "Marks the manifests as made for this very request",
        ),
      ),
      jsonSchema: maybe(object("JSON Schema of the structured output")),
      systemPrompt: known(
        maybe(
          list(text(), "The system prompt; absent = the CLI's own for hosts"),
        ),
        { since: "2.1.110" },
      ),
      appendSystemPrompt: maybe(
        text("Added to the system prompt of the product"),
      ),
      systemPromptSnapshot: maybe(
        flag("Whether the system prompt is kept as it is at the start"),
      ),
      planModeInstructions: maybe(
        text("Instructions for the model in plan mode"),
      ),
      toolAliases: maybe(
        byName(
          text(),
          "Tools that run in place of other tools, by the name of the replaced tool",
        ),
      ),
      excludeDynamicSections: maybe(
        flag(
          "Whether sections that change per turn stay out of the system prompt",
        ),
      ),
      agents: maybe(byName(ref("AgentDefinition"), "Subagents, by name")),
      title: maybe(text("Title of the session")),
      skills: maybe(
        list(text(), "Skills that can be used; absent = those of the settings"),
      ),
      promptSuggestions: maybe(
        flag("Whether `prompt_suggestion` messages are delivered"),
      ),
      agentProgressSummaries: maybe(
        flag("Whether subagents report progress summaries"),
      ),
      forwardSubagentText: maybe(
        flag("Whether texts of subagents are delivered as messages"),
      ),
      supportedDialogKinds: maybe(
        list(text(), "Dialogs that the host can show"),
      ),
      perTaskStopAffordance: maybe(
        flag("Whether the host can stop single tasks"),
      ),
      plugins: maybe(
        list(
          ref("PluginConfig"),
          "Plugins to load; needs `--await-initialize`",
        ),
      ),
      mcpServers: known(
        maybe(
          byName(
            ref("WireMcpServerConfig"),
            "MCP servers that the CLI connects; needs `--await-initialize`",
          ),
        ),
        { since: "2.1.326" },
      ),
      settings: known(
        seen(
          object(
            "Settings; needs `--await-initialize` and `--initialize-fields`",
          ),
        ),
        { since: "2.1.327" },
      ),
      disallowedTools: seen(
        list(
          text(),
          "Deny rules for tools; needs `--await-initialize` and `--initialize-fields`",
        ),
      ),
      managedSettings: seen(object("Settings of the organization")),
      appendSubagentSystemPrompt: seen(
        text("Added to the system prompt of subagents"),
      ),
      codeRunningMcpTools: seen(anything("MCP tools that run code")),
      webSearchIsolationExemptMcpServers: seen(
        anything("MCP servers that stay reachable while the web is searched"),
      ),
      rendersChromeSetupOffer: seen(
        flag("Whether the host shows the offer to set Chrome up"),
      ),
      forwardNestedSubagentToolCalls: seen(
        flag("Whether tool calls of subagents of subagents come as messages"),
      ),
      rapidFollowupPreempt: seen(
        anything("Whether a prompt soon after another takes its place"),
      ),
      cloudEchoBeforeInit: seen(anything("Not known")),
      cloudStatusBeforeInit: seen(anything("Not known")),
      workspaceTrust: seen(
        anything("Whether the working directory is trusted"),
      ),
    },
    "SessionInfo",
    {
      source: "initialize",
      note:
        "sent at the start; `reinitialize()` sends it [again](#reconnect-a-transport)",
    },
  ),
  interrupt: request(
    "Interrupts the running turn and stops its tools; the session stays usable.\n\nThe turn ends with a result (`error_during_execution`). Has no effect when nothing runs",
    {
      cancel_queued: maybe(
        flag("Whether queued prompts are cancelled too; default: false"),
      ),
      reason: seen(text("Reason")),
      send_now: seen(flag("Whether queued prompts are sent at once")),
      message_uuid: seen(text("Uuid of one prompt")),
      for_user_message_uuids: seen(
        list(text(), "Only if the turn answers these prompts"),
      ),
      spare_background_tasks: seen(flag("Whether background tasks continue")),
      worker_epoch: seen(number("The worker that is meant")),
    },
    "InterruptReceipt",
    { method: "interrupt", group: "the turn" },
  ),
  set_permission_mode: request(
    "Sets the permission mode; `bypassPermissions` needs the option `permissions.allowBypass`",
    {
      mode: ref("PermissionMode", "The mode"),
      ultraplan: seen(flag("Whether the plan is made elsewhere")),
      from_settings: seen(flag("Whether the mode comes from settings")),
    },
    shape("The mode in force", {
      mode: maybe(ref("PermissionMode", "The mode")),
    }),
    { method: "setPermissionMode", group: "the turn" },
  ),
  set_model: request(
    "Sets the model; absent or null = the default model. The CLI tests the model with a small API request",
    {
      model: maybe(orNull(text("The model; absent or null = the default"))),
      system_prompt: seen(anything("System prompt from now on")),
      only_if_model_is_current: seen(
        text("Only if this model is the current one"),
      ),
    },
    shape("The model that is used now", {
      model: maybe(text("The model")),
    }),
    { method: "setModel", group: "the turn", parameters: ["model?"] },
  ),
  set_max_thinking_tokens: request(
    "Sets the maximum number of thinking tokens; null = the default",
    {
      max_thinking_tokens: maybe(
        orNull(number("Maximum tokens; null = the default")),
      ),
      thinking_display: maybe(
        orNull(
          oneOf(
            ["summarized", "omitted", "highlights"],
            "Display of the thinking; null = the default",
          ),
        ),
      ),
    },
    null,
    {
      method: "setMaxThinkingTokens",
      group: "the turn",
      parameters: { tokens: "number | null" },
      options: {
        display: [
          "Display of the thinking; null = the default",
          '"summarized" | "omitted" | "highlights" | null',
        ],
      },
      fields: {
        max_thinking_tokens: "tokens",
        thinking_display: "options?.display",
      },
    },
  ),
  rename_session: request(
    "Sets the title of the session",
    {
      title: text("The title"),
      source: maybe(
        oneOf(["remote", "host"], "Side that requested the change"),
      ),
      session_id: maybe(
        text("Id of the session; default: the running session"),
      ),
      names_chrome_tab_group: seen(
        flag("Whether the group of browser tabs gets the title too"),
      ),
    },
    null,
    { method: "renameSession", group: "the session" },
  ),
  set_color: request(
    "Sets the colour of the session; a session of an SDK refuses it",
    { color: text("The colour") },
    null,
    {
      note: "no method: the CLI refuses it outside of its own terminal",
    },
  ),
  mcp_status: request(
    "Returns the state of all MCP servers, also of those that Sluice serves",
    {
      liveReply: maybe(flag("Whether the state is queried again")),
    },
    "McpStatusReply",
    { method: "mcpStatus", group: "MCP servers", options: {} },
  ),
  mcp_set_servers: request(
    'Replaces the MCP servers. Servers of settings files stay. Servers with `via: "cli"` that you passed at the start stay too',
    {
      servers: byName(
        ref("WireMcpServerConfig"),
        "The servers, by name; others are removed",
      ),
      hint: seen(anything("Not known")),
      denied_tools: seen(anything("Tools that may not be used")),
    },
    "SetMcpServersReply",
    {
      method: "setMcpServers",
      group: "MCP servers",
      parameters: { servers: "Readonly<Record<string, McpServerInput>>" },
      // Its type is narrower than JSON.
      fields: {
        servers:
          'wireServers(checkedServers(servers)) as McpSetServersRequest["servers"]',
      },
    },
  ),
  mcp_reconnect: request(
    "Reconnects an MCP server",
    {
      serverName: text("Its name"),
    },
    null,
    { method: "reconnectMcpServer", group: "MCP servers" },
  ),
  mcp_toggle: request(
    "Switches an MCP server on or off",
    {
      serverName: text("Its name"),
      enabled: flag("Whether it is on"),
    },
    null,
    { method: "toggleMcpServer", group: "MCP servers" },
  ),
  mcp_call: request(
    "Calls an MCP tool by its full name, `mcp__server__tool`. Works only with servers that the CLI itself has connected. On request, the result of a failed tool is returned instead of an error",
    {
      tool: text("Its full name, `mcp__server__tool`"),
      arguments: maybe(object("Its arguments")),
      expires_at: maybe(text("Expiry of the call, RFC 3339")),
      timeout_ms: maybe(number("Timeout of the call, in milliseconds")),
      result_not_for_model: maybe(
        flag("Whether the model never sees the result; default: false"),
      ),
      check_permissions: maybe(
        flag("Whether the permission rules are checked first; default: false"),
      ),
      soft_error_result: maybe(
        flag(
          "Whether the result of a tool that failed is returned instead of an error; default: false",
        ),
      ),
      input_files: maybe(
        list(
          part({
            name: text("Name of the tool's argument"),
            lane_path: text("Path of the file in the exchange folder"),
          }),
          "Files for the tool to read",
        ),
      ),
      output_files: maybe(
        list(
          part({
            name: text("Name of the tool's argument"),
            lane_path: text("Path of the file in the exchange folder"),
            if_match: maybe(text("Only if the file still has this version")),
          }),
          "Files for the tool to write",
        ),
      ),
    },
    "McpCallReply",
    {
      method: "callMcpTool",
      group: "MCP servers",
      parameters: { tool: "string", "args?": "JsonInput" },
      options: {
        checkPermissions: [
          "Whether the permission rules are checked first; default: false",
          "boolean",
        ],
        softErrorResult: [
          "Whether the result of a tool that failed is returned instead of an error; default: false",
          "boolean",
        ],
        resultNotForModel: [
          "Whether the model never sees the result; default: false",
          "boolean",
        ],
        expiresAt: [
          "Expiry of the call; required by the CLI with `outputFiles`",
          "Date",
        ],
        inputFiles: [
          "Files for the tool to read",
          `readonly {${LANE_FILE}}[]`,
        ],
        outputFiles: [
          "Files for the tool to write",
          `readonly {${LANE_FILE}
        /** Only if the file still has this version. */
        readonly ifMatch?: string | undefined;
      }[]`,
        ],
      },
      aboutOptions: "`timeoutMs` is sent to the CLI as well",
      fields: {
        arguments: "args",
        expires_at: "options?.expiresAt?.toISOString()",
        timeout_ms: "options?.timeoutMs",
        input_files:
          "options?.inputFiles?.map(({ name, lanePath }) => ({ name, lane_path: lanePath }))",
        output_files:
          "options?.outputFiles?.map(({ name, lanePath, ifMatch }) => ({ name, lane_path: lanePath, if_match: ifMatch }))",
      },
    },
  ),
  mcp_read_resource: request(
    "Reads a resource of an MCP server. The CLI accepts only `ui://` addresses",
    { serverName: text("Its name"), uri: text("The resource") },
    "ReadMcpResourceReply",
    { method: "readMcpResource", group: "MCP servers" },
  ),
  get_context_usage: request(
    "Returns the tokens in the context window, in total and by category",
    {
      detail: maybe(
        oneOf(["summary", "full"], "Level of detail; the CLI has a default"),
      ),
    },
    "ContextUsage",
    { method: "contextUsage", group: "usage and cost" },
  ),
  get_session_cost: request(
    "Returns the cost of the session so far, as text",
    {},
    "SessionCostReply",
    { method: "sessionCost", group: "usage and cost" },
  ),
  get_usage: request(
    "Returns the usage of the session and the account's rate limits",
    {
      skip_behaviors: maybe(
        flag(
          "Whether to leave out `behaviors`, the slowest part; default: false",
        ),
      ),
    },
    "UsageReply",
    { method: "usage", group: "usage and cost" },
  ),
  list_models: request(
    "Lists the models that can be chosen",
    {},
    shape("The models that can be chosen", {
      models: list(ref("ModelInfo"), "Each model"),
    }),
    { method: "listModels", group: "models, commands, account" },
  ),
  get_binary_version: request(
    "Returns the version of the CLI",
    {},
    "BinaryVersionReply",
    { method: "binaryVersion", group: "models, commands, account" },
  ),
  file_suggestions: request(
    "Suggests files of the project that match a text",
    { query: text("The text") },
    shape("Files that fit a query", {
      suggestions: list(
        part({
          path: text("The file"),
          score: maybe(number("Score of the match")),
        }),
        "Best first",
      ),
      cwd: maybe(text("The directory that paths are relative to")),
    }),
    { method: "fileSuggestions", group: "files" },
  ),
  read_file: request(
    "Reads a file. The CLI refuses files that the session may not read",
    {
      path: text("The file"),
      max_bytes: maybe(number("Maximum bytes to read; the CLI has a default")),
      encoding: maybe(
        oneOf(["utf-8", "base64"], 'Form of the content; default: `"utf-8"`'),
      ),
      anchor: seen(anything("Anchor to start at")),
      offset: seen(number("Offset to start at")),
      for_upload: seen(flag("Whether the file is to be uploaded")),
      liveReply: seen(flag("Not known")),
    },
    "ReadFileReply",
    { method: "readFile", group: "files" },
  ),
  seed_read_state: request(
    "Marks a file as read by the model. `mtime` is the modification time of the version that the model has read",
    {
      path: text("The file"),
      mtime: number("The time, in milliseconds since 1970"),
    },
    null,
    { method: "seedReadState", group: "files" },
  ),
  rewind_files: request(
    "Restores files to their state at a prompt. Needs `enableFileCheckpointing`, and prompts that were sent with a `uuid`",
    {
      user_message_id: text("Uuid of the prompt"),
      dry_run: maybe(
        flag(
          "Whether to report the changes without making them; default: false",
        ),
      ),
    },
    "RewindFilesReply",
    { method: "rewindFiles", group: "files" },
  ),
  cancel_async_message: request(
    "Removes a queued prompt, identified by the `uuid` that it was sent with",
    {
      message_uuid: text("Uuid of the prompt"),
    },
    "CancelQueuedReply",
    { method: "cancelQueued", group: "the turn" },
  ),
  apply_flag_settings: request(
    "Changes settings for this session only. Other keys keep their values",
    {
      settings: object("Keys to change; those that are not named stay"),
    },
    null,
    {
      method: "applySettings",
      group: "settings",
      parameters: { settings: "CliSettingsChange" },
      fields: { settings: "settings as JsonObject" },
    },
  ),
  get_settings: request(
    "Returns the settings in force and their sources",
    {},
    "SettingsReply",
    { method: "settings", group: "settings" },
  ),
  update_settings: request(
    "Changes settings in a settings file. Other keys keep their values. The CLI accepts only two keys: `outputStyle` in local settings, and `effortLevel` in user settings",
    {
      source: oneOf(["localSettings", "userSettings"], "Settings file"),
      settings: object("Keys to change; those that are not named stay"),
    },
    null,
    {
      method: "updateSettings",
      group: "settings",
      parameters: {
        source: '"localSettings" | "userSettings"',
        settings: "CliSettingsChange",
      },
      fields: { settings: "settings as JsonObject" },
    },
  ),
  get_hooks_listing: request(
    "Lists the hooks of all settings files. Callbacks are not listed",
    {},
    "HooksListing",
    { method: "hooksListing", group: "settings" },
  ),
  list_permission_rules: request(
    "Lists the permission rules in force",
    {},
    "PermissionRulesReply",
    { method: "permissionRules", group: "settings" },
  ),
  reload_plugins: request(
    "Reloads plugins",
    {
      hold_on_cache_impact: maybe(
        flag(
          "Whether to do nothing if the prompt cache would be lost; default: false",
        ),
      ),
      add_plugins: maybe(list(ref("PluginConfig"), "Plugins to add")),
      refuse_if_busy: maybe(
        flag("Whether a running turn makes it fail; default: false"),
      ),
    },
    "ReloadPluginsReply",
    {
      method: "reloadPlugins",
      group: "reload plugins, skills, output styles",
      fields: {
        add_plugins: "options?.addPlugins?.map((plugin) => ({ ...plugin }))",
      },
    },
  ),
  reload_skills: request(
    "Reloads skills",
    {},
    shape("State after skills were reloaded", {
      skills: list(ref("SlashCommand"), "All skills"),
    }),
    { method: "reloadSkills", group: "reload plugins, skills, output styles" },
  ),
  reload_output_styles: request(
    "Reloads output styles",
    {},
    shape(
      "State after output styles were reloaded",
      { available_output_styles: list(text(), "All output styles") },
    ),
    {
      method: "reloadOutputStyles",
      group: "reload plugins, skills, output styles",
    },
  ),
  register_repo_root: request(
    "Adds a directory, such as a new clone, as a repository root. The directory must be below `cwd` or `additionalDirectories`",
    {
      directory: text("The directory"),
      reload_claude_md: maybe(
        flag("Whether its `CLAUDE.md` is read; default: false"),
      ),
      reload_plugins: maybe(
        flag("Whether plugins are reloaded; default: false"),
      ),
      reload_skills: maybe(flag("Whether skills are reloaded; default: false")),
    },
    shape(
      "Outcome of registering a directory",
      {
        directory: text("The directory, as the CLI resolved it"),
      },
    ),
    { method: "registerRepoRoot", group: "files" },
  ),
  stop_task: request(
    "Stops a background task or a subagent; an unknown id is not an error",
    {
      task_id: text("The task"),
    },
    null,
    { method: "stopTask", group: "background tasks" },
  ),
  background_tasks: request(
    "Moves running tool calls to the background: one call, or all",
    {
      tool_use_id: maybe(text("One call; absent = all")),
    },
    shape("Whether tool calls were moved to the background", {
      backgrounded: maybe(flag("Whether any went to the background")),
    }),
    {
      method: "backgroundTasks",
      group: "background tasks",
      parameters: ["toolUseId?"],
    },
  ),
  get_task_output: request(
    "Returns the output of a background task",
    {
      task_id: text("The task"),
    },
    "TaskOutputReply",
    { method: "taskOutput", group: "background tasks" },
  ),
  set_has_subscribers: request(
    "Informs the CLI whether a person currently sees the output; null = unknown. Has an effect only if the environment variable `CLAUDE_CODE_STREAM_EVENT_HOLD_MS` is set",
    {
      has_subscribers: orNull(flag("Whether there are any; null = unknown")),
    },
    null,
    { method: "setHasSubscribers", group: "the session" },
  ),
  end_session: seenRequest("Ends the session and the process"),
  side_question: seenRequest(
    "Asks the model a question outside of the conversation",
    {
      question: text("The question"),
      history: maybe(anything("Earlier questions")),
    },
    "SideAnswer",
  ),
  generate_session_title: seenRequest("Generates a title", {
    description: text("Subject of the session"),
    persist: maybe(flag("Whether it becomes the title of the session")),
  }, "GeneratedTitle"),
  mcp_authenticate: seenRequest("Signs in at an MCP server", {
    serverName: text("Its name"),
    redirectUri: maybe(text("Redirect address for the browser")),
    redirectUriOnly: maybe(flag("Whether only that address is allowed")),
  }),
  mcp_clear_auth: seenRequest("Signs out of an MCP server", {
    serverName: text("Its name"),
  }),
  mcp_oauth_callback_url: seenRequest(
    "Ends an OAuth sign-in with the URL that the browser was sent to",
    {
      serverName: text("Name of the MCP server"),
      callbackUrl: text("The address"),
    },
  ),
  set_mcp_permission_mode_override: seenRequest(
    'Sets a stricter permission mode for the calls of one MCP server. With `"default"` the CLI asks; with `"auto"` a model of the CLI decides. Neither mode allows more calls than the mode of the session. With `null`, only the mode of the session applies',
    {
      serverName: text("Its name"),
      mode: orNull(
        oneOf(
          ["default", "auto"],
          "Asks, or leaves it to the classifier; null removes the override",
        ),
      ),
    },
    "McpPermissionModeReply",
    { method: "setMcpPermissionModeOverride", group: "MCP servers" },
  ),
  ...Object.fromEntries(
    BY_NAME.map((
      name,
    ) => [name, seenRequest("Only the name of the request is known")]),
  ),
});

export const CONTROL_HOST: Topic = topic(
  "control_host",
  "Control requests (host to CLI)",
  {
    HookRegistration: shape("Hooks of one event", {
      matcher: maybe(
        text(
          "A pattern of tool names such as `Bash|Edit`, or of the value that the event is matched by; absent = always",
        ),
      ),
      hookCallbackIds: list(
        text(),
        "Ids that the host chose for its hooks; `hook_callback` sends them back",
      ),
      timeout: maybe(number("Timeout of one call, in seconds")),
      onFailure: maybe(
        oneOf(["continue", "block"], "Effect of a failing hook"),
      ),
      whenUnanswered: seen(anything("Effect of a hook without an answer")),
      contextOnly: seen(flag("Whether the hook decides nothing")),
      replacedByFrame: seen(anything("Not known")),
    }, { source: "Hooks", given: true }),
    SdkMcpServerSettings: shape(
      "Settings of an MCP server in the host",
      {
        timeout: maybe(number("Timeout of a call, in milliseconds")),
        tools: maybe(
          list(ref("McpToolPolicy"), "Rules for its tools"),
        ),
      },
      { source: "In-process MCP servers", given: true },
    ),
    SdkMcpManifest: shape(
      "Reply of an MCP server in the host to the handshake",
      {
        initializeResult: object("Its answer to `initialize`"),
        toolsListResult: maybe(object("Its answer to `tools/list`")),
      },
      { source: "In-process MCP servers", given: true },
    ),
    SideAnswer: shape(
      "Answer of the model outside of the conversation",
      {
        response: orNull(text("The answer; null = none")),
        synthetic: maybe(flag("Whether the CLI generated it itself")),
      },
      { published: false },
    ),
    GeneratedTitle: shape(
      "A generated title",
      { title: text("The title") },
      { published: false },
    ),
    ...REQUESTS.shapes,
  },
);

/** Replies, and the parts that they are made of. */
export const CONTROL_REPLIES: Topic = topic(
  "control_replies",
  "Control requests (host to CLI)",
  { ...REPLIES, ...REQUESTS.replies },
);

/** The requests by subtype. */
export const HOST_CONTROLS: readonly Control[] = REQUESTS.index;
