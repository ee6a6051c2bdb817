/** Control requests of the host, and the replies of the CLI. */
import {
  anything,
  byName,
  type Control,
  controls,
  flag,
  known,
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
  request,
  seen,
  seenRequest,
  shape,
  text,
  type Topic,
  topic,
  union,
} from "./words.ts";

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
        byName(ref("SdkMcpServerSettings"), "What is known of them, by name"),
      ),
      sdkMcpServerManifests: maybe(
        byName(
          ref("SdkMcpManifest"),
          "What they would answer to the handshake, by name; saves it",
        ),
      ),
      sdkMcpServerManifestsOrigin: maybe(
        oneOf(
          ["host_per_send"],
          "Says that the manifests were made for this very request",
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
      planModeInstructions: maybe(text("What the model is told in plan mode")),
      toolAliases: maybe(byName(text(), "Other names of tools, by name")),
      excludeDynamicSections: maybe(
        flag(
          "Whether what changes from turn to turn stays out of the system prompt",
        ),
      ),
      agents: maybe(byName(ref("AgentDefinition"), "Subagents, by name")),
      title: maybe(text("Title of the session")),
      skills: maybe(
        list(text(), "Skills that can be used; absent = those of the settings"),
      ),
      promptSuggestions: maybe(
        flag("Whether `prompt_suggestion` messages come"),
      ),
      agentProgressSummaries: maybe(
        flag("Whether subagents sum up what they do"),
      ),
      forwardSubagentText: maybe(
        flag("Whether texts of subagents come as messages"),
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
        list(text(), "Rules of what may not be used; needs the same"),
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
    { source: "initialize" },
  ),
  interrupt: request("Ends the running turn", {
    cancel_queued: maybe(
      flag("Whether prompts that wait in the queue go as well; false"),
    ),
    reason: seen(text("Why")),
    send_now: seen(flag("Whether what waits is sent at once")),
    message_uuid: seen(text("Uuid of one prompt")),
    for_user_message_uuids: seen(
      list(text(), "Only if the turn answers these prompts"),
    ),
    spare_background_tasks: seen(flag("Whether background tasks go on")),
    worker_epoch: seen(number("The worker that is meant")),
  }, "InterruptReceipt"),
  set_permission_mode: request("Sets how tool calls are decided", {
    mode: ref("PermissionMode", "The mode"),
    ultraplan: seen(flag("Whether the plan is made elsewhere")),
    from_settings: seen(flag("Whether the mode comes from settings")),
  }, "SetPermissionModeReply"),
  set_model: request(
    "Sets the model; the CLI tries it with a small API request",
    {
      model: maybe(orNull(text("The model; absent or null = the default"))),
      system_prompt: seen(anything("System prompt from now on")),
      only_if_model_is_current: seen(
        text("Only if this model is the current one"),
      ),
    },
    "SetModelReply",
  ),
  set_max_thinking_tokens: request("Sets the most tokens of thinking", {
    max_thinking_tokens: maybe(
      orNull(number("The most tokens; null = the default")),
    ),
    thinking_display: maybe(
      orNull(
        oneOf(
          ["summarized", "omitted", "highlights"],
          "What is shown of the thinking; null = the default",
        ),
      ),
    ),
  }),
  rename_session: request("Gives the session a title", {
    title: text("The title"),
    source: maybe(oneOf(["remote", "host"], "Who wanted it")),
    session_id: maybe(text("Which session; the running one")),
    names_chrome_tab_group: seen(
      flag("Whether the group of browser tabs gets the title too"),
    ),
  }),
  set_color: request(
    "Sets the colour of the session; refused in sessions of hosts",
    { color: text("The colour") },
  ),
  mcp_status: request("Tells how the MCP servers stand", {
    liveReply: maybe(flag("Whether they are asked anew")),
  }, "McpStatusReply"),
  mcp_set_servers: request(
    "Sets the whole new set of MCP servers added at run time",
    {
      servers: byName(
        ref("WireMcpServerConfig"),
        "The servers, by name; those that are not named go",
      ),
      hint: seen(anything("Not known")),
      denied_tools: seen(anything("Tools that may not be used")),
    },
    "SetMcpServersReply",
  ),
  mcp_reconnect: request("Connects an MCP server anew", {
    serverName: text("Its name"),
  }),
  mcp_toggle: request("Switches an MCP server on or off", {
    serverName: text("Its name"),
    enabled: flag("Whether it is on"),
  }),
  mcp_call: request("Calls a tool of an MCP server that the CLI connected", {
    tool: text("Its full name, `mcp__server__tool`"),
    arguments: maybe(object("What it is called with")),
    expires_at: maybe(text("When the call is void, RFC 3339")),
    timeout_ms: maybe(number("Limit of the call, in milliseconds")),
    result_not_for_model: maybe(
      flag("Whether the model never sees the result; false"),
    ),
    check_permissions: maybe(
      flag("Whether the permission rules are asked first; false"),
    ),
    input_files: maybe(
      list(
        part({
          name: text("Name of the tool's argument"),
          lane_path: text("Path on the lane of files"),
        }),
        "Files for the tool to read",
      ),
    ),
    output_files: maybe(
      list(
        part({
          name: text("Name of the tool's argument"),
          lane_path: text("Path on the lane of files"),
          if_match: maybe(text("Only if the file still has this version")),
        }),
        "Files for the tool to write",
      ),
    ),
  }, "McpCallReply"),
  mcp_read_resource: request(
    "Reads a resource of an MCP server; `ui://` addresses only",
    { serverName: text("Its name"), uri: text("The resource") },
    "ReadMcpResourceReply",
  ),
  get_context_usage: request("Tells what fills the context window", {
    detail: maybe(oneOf(["summary", "full"], "How much is told")),
  }, "ContextUsage"),
  get_session_cost: request(
    "Tells what the session cost so far, as text",
    {},
    "SessionCostReply",
  ),
  get_usage: request(
    "Tells what the session used, and how the account stands to its limits",
    {
      skip_behaviors: maybe(
        flag(
          "Whether `behaviors` is left out, which takes the CLI longest; false",
        ),
      ),
    },
    "UsageReply",
  ),
  list_models: request(
    "Lists the models that can be chosen",
    {},
    "ListModelsReply",
  ),
  get_binary_version: request(
    "Tells which CLI this is",
    {},
    "BinaryVersionReply",
  ),
  file_suggestions: request(
    "Finds files of the project for a text that is being typed",
    { query: text("The text") },
    "FileSuggestionsReply",
  ),
  read_file: request("Reads a file that the session may read", {
    path: text("The file"),
    max_bytes: maybe(number("The most bytes to read")),
    encoding: maybe(oneOf(["utf-8", "base64"], "Form of the content; `utf-8`")),
    anchor: seen(anything("Where to begin")),
    offset: seen(number("Where to begin")),
    for_upload: seen(flag("Whether the file is to be sent away")),
    liveReply: seen(flag("Not known")),
  }, "ReadFileReply"),
  seed_read_state: request(
    "Tells the CLI that the model knows a file as it was at a time",
    {
      path: text("The file"),
      mtime: number("The time, in milliseconds since 1970"),
    },
  ),
  rewind_files: request("Puts files back as they were at a prompt", {
    user_message_id: text("Uuid of the prompt"),
    dry_run: maybe(flag("Whether nothing is changed, only told; false")),
  }, "RewindFilesReply"),
  cancel_async_message: request("Takes a prompt out of the queue", {
    message_uuid: text("Uuid of the prompt"),
  }, "CancelQueuedReply"),
  apply_flag_settings: request("Changes settings of this session only", {
    settings: object("Keys to change; those that are not named stay"),
  }),
  get_settings: request(
    "Tells the settings in force, and where they come from",
    {},
    "SettingsReply",
  ),
  update_settings: request("Changes settings in their file", {
    source: oneOf(["localSettings", "userSettings"], "Which file"),
    settings: object("Keys to change; those that are not named stay"),
  }),
  get_hooks_listing: request(
    "Lists the hooks of all settings",
    {},
    "HooksListing",
  ),
  list_permission_rules: request(
    "Lists the permission rules in force",
    {},
    "PermissionRulesReply",
  ),
  reload_plugins: request("Loads plugins anew", {
    hold_on_cache_impact: maybe(
      flag("Whether nothing is done if the prompt cache would be lost; false"),
    ),
    add_plugins: maybe(list(ref("PluginConfig"), "Plugins to add")),
    refuse_if_busy: maybe(flag("Whether a running turn makes it fail; false")),
  }, "ReloadPluginsReply"),
  reload_skills: request("Loads skills anew", {}, "ReloadSkillsReply"),
  reload_output_styles: request(
    "Loads output styles anew",
    {},
    "ReloadOutputStylesReply",
  ),
  register_repo_root: request(
    "Lets tools work in a further directory, as in a repository that was just cloned",
    {
      directory: text("The directory"),
      reload_claude_md: maybe(flag("Whether CLAUDE.md files are loaded anew")),
      reload_plugins: maybe(flag("Whether plugins are loaded anew")),
      reload_skills: maybe(flag("Whether skills are loaded anew")),
    },
    "RegisterRepoRootReply",
  ),
  stop_task: request("Stops a task; an unknown one is no error", {
    task_id: text("The task"),
  }),
  background_tasks: request("Sends running tools to the background", {
    tool_use_id: maybe(text("One call; absent = all")),
  }, "BackgroundTasksReply"),
  get_task_output: request("Reads what a background task printed", {
    task_id: text("The task"),
  }, "TaskOutputReply"),
  set_has_subscribers: request("Tells whether anybody watches the session", {
    has_subscribers: orNull(flag("Whether somebody does; null = not known")),
  }),
  end_session: seenRequest("Ends the session and the process"),
  side_question: seenRequest("Asks the model beside the conversation", {
    question: text("The question"),
    history: maybe(anything("What was asked before")),
  }, "SideAnswer"),
  generate_session_title: seenRequest("Makes a title", {
    description: text("What the session is about"),
    persist: maybe(flag("Whether it becomes the title of the session")),
  }, "GeneratedTitle"),
  mcp_authenticate: seenRequest("Signs in at an MCP server", {
    serverName: text("Its name"),
    redirectUri: maybe(text("Where the browser is sent back to")),
    redirectUriOnly: maybe(flag("Whether no other address will do")),
  }),
  mcp_clear_auth: seenRequest("Signs out of an MCP server", {
    serverName: text("Its name"),
  }),
  mcp_oauth_callback_url: seenRequest(
    "Hands over the address that the browser was sent back to",
    {
      serverName: text("Name of the MCP server"),
      callbackUrl: text("The address"),
    },
  ),
  set_mcp_permission_mode_override: seenRequest(
    "Sets how tool calls of one MCP server are decided, more strictly than the session does",
    {
      serverName: text("Its name"),
      mode: orNull(
        oneOf(
          ["default", "auto"],
          "Asks, or leaves it to the classifier; null takes that back",
        ),
      ),
    },
    "McpPermissionModeReply",
  ),
  ...Object.fromEntries(
    BY_NAME.map((name) => [name, seenRequest("Known by its name only")]),
  ),
});

export const CONTROL_HOST: Topic = topic(
  "control_host",
  "Control requests (host to CLI)",
  {
    InterruptReceipt: shape("What an interrupt left", {
      still_queued: list(text(), "Uuids of the prompts that still wait"),
      cancelled: maybe(
        list(text(), "Uuids of the prompts that were taken out of the queue"),
      ),
      put_back: seen(list(text(), "Uuids of the prompts that were put back")),
      send_now: seen(
        oneOf(
          ["stopped", "delivering", "nothing_waiting"],
          "What became of prompts that were to be sent at once",
        ),
      ),
      turn: seen(
        oneOf(["stopped", "idle", "spared"], "What became of the turn"),
      ),
    }, { source: "Control requests (host to CLI) and Shapes" }),
    SetPermissionModeReply: shape("The mode that holds now", {
      mode: maybe(ref("PermissionMode", "The mode")),
    }),
    SetModelReply: shape("The model that is used now", {
      model: maybe(text("The model")),
    }),
    McpServerStatus: shape("How an MCP server of the CLI stands", {
      name: text("Its name"),
      status: oneOf([
        "connected",
        "failed",
        "needs-auth",
        "pending",
        "disabled",
      ], "How it stands"),
      serverInfo: maybe(
        shape("What it says of itself", {
          name: text("Its own name"),
          version: text("Its version"),
        }),
      ),
      error: maybe(text("Why it failed")),
      config: maybe(
        union([
          ref("WireMcpServerConfig"),
          ref("ProxyMcpServerConfig"),
        ], "Its configuration in the wire's form; may hold secrets"),
      ),
      scope: maybe(text("Where its configuration is kept")),
      source: maybe(text("Where its configuration came from")),
      transport: seen(text("How it is reached")),
      tools: maybe(
        list(
          part({
            name: text("Name of the tool on the server"),
            description: maybe(text("What it does")),
            annotations: maybe(
              shape("Hints of the server", {
                readOnly: maybe(flag("It changes nothing")),
                destructive: maybe(flag("It may destroy something")),
                openWorld: maybe(flag("It touches the world outside")),
              }),
            ),
            _meta: maybe(object("What else the server says of it")),
          }),
          "Its tools",
        ),
      ),
    }),
    McpStatusReply: shape("The MCP servers of the CLI", {
      mcpServers: list(ref("McpServerStatus"), "Each server"),
    }),
    SetMcpServersReply: shape(
      "What became of a new set of MCP servers; a failing server is an entry in `errors`",
      {
        added: list(text(), "Names of the servers that were added"),
        removed: list(text(), "Names of the servers that were removed"),
        errors: byName(text(), "What went wrong, by server"),
      },
    ),
    McpCallStaging: union(
      [
        part({
          ok: literal(true, "All went well"),
          outputs: list(
            part({
              lane_path: text("Path on the lane"),
              etag: text("Version of the file"),
              bytes: number("Its size"),
            }),
            "Files written",
          ),
          inputs_used: list(
            part({
              lane_path: text("Path on the lane"),
              etag: text("Version of the file"),
            }),
            "Files read",
          ),
        }),
        part({
          ok: literal(false, "Something went wrong"),
          error_code: oneOf([
            "expired",
            "input_missing",
            "output_too_large",
            "output_conflict",
            "timeout",
            "tool_error",
          ], "What"),
          detail: text("In words"),
          retryable: maybe(flag("Whether another try may help")),
          refusal_limit: maybe(literal(true, "Too many refusals")),
        }),
      ],
      "What became of files that a tool call read and wrote on the lane of files",
    ),
    McpCallReply: shape("What a tool of an MCP server gave", {
      content: anything("The content, as the server sent it"),
      structuredContent: maybe(object("The same as data")),
      _meta: maybe(object("What else the server says")),
      staging: maybe(ref("McpCallStaging", "What became of files")),
    }),
    ReadMcpResourceReply: shape("A resource of an MCP server", {
      contents: list(
        part({
          uri: text("Address of the part"),
          mimeType: maybe(text("Its media type")),
          text: maybe(text("Its text")),
          blob: maybe(text("Its bytes in base64")),
          _meta: maybe(object("What else the server says of it")),
        }),
        "Its parts",
      ),
    }),
    ContextItem: shape(
      "Something named that takes room in the context window",
      { name: text("Its name"), tokens: number("Its tokens") },
    ),
    ContextCategoryId: oneOf([
      "system_prompt",
      "system_tools",
      "mcp_tools",
      "mcp_instructions",
      "mcp_tools_deferred",
      "system_tools_deferred",
      "custom_agents",
      "memory_files",
      "skills",
      "messages",
      "autocompact_buffer",
      "compact_buffer",
      "free_space",
    ], "Id of a part of the context window"),
    ContextUsage: shape(
      "What fills the context window; in tokens unless the name says otherwise",
      {
        categories: list(
          part({
            id: maybe(ref("ContextCategoryId", "Which part")),
            name: text("Name to show"),
            tokens: number("Its tokens"),
            color: text("Colour to show it in"),
            isDeferred: maybe(flag("Loaded only when needed")),
            kind: ref("ContextCategoryKind", "What it is"),
          }),
          "Parts of the window",
        ),
        totalTokens: number("Tokens in use"),
        maxTokens: number("Tokens that may be used"),
        rawMaxTokens: number("Size of the model's window"),
        percentage: number("Share in use, in percent"),
        gridRows: list(
          list(
            part({
              color: text("Colour of the square"),
              isFilled: flag("Whether it is filled"),
              categoryName: text("The part it belongs to"),
              tokens: number("Tokens of that part"),
              percentage: number("Share of that part, in percent"),
              squareFullness: number("How full the square is, from 0 to 1"),
            }),
          ),
          "The window as a picture, row by row",
        ),
        model: text("The model"),
        memoryFiles: list(
          part({
            path: text("The file"),
            type: text("Whose it is"),
            tokens: number("Its tokens"),
          }),
          "Memory files",
        ),
        mcpTools: list(
          part({
            name: text("Name of the tool"),
            serverName: text("Name of its server"),
            tokens: number("Its tokens"),
            isLoaded: maybe(flag("Whether it is loaded")),
          }),
          "Tools of MCP servers",
        ),
        agents: list(
          part({
            agentType: text("Kind of the subagent"),
            source: text("Where it comes from"),
            pluginId: maybe(text("The plugin that brings it")),
            path: maybe(text("Its file")),
            tokens: number("Its tokens"),
          }),
          "Subagents",
        ),
        isAutoCompactEnabled: flag(
          "Whether the context is compacted by itself",
        ),
        apiUsage: orNull(
          shape("Numbers of the last API request; null before the first", {
            input_tokens: number("Tokens read that no cache held"),
            output_tokens: number("Tokens written"),
            cache_creation_input_tokens: number("Tokens written to the cache"),
            cache_read_input_tokens: number("Tokens read from the cache"),
          }),
        ),
        autoCompactThreshold: maybe(
          number("Tokens at which the context is compacted"),
        ),
        autocompactSource: seen(text("Where that number comes from")),
        mcpInstructions: maybe(
          list(
            part({
              serverName: text("Name of the server"),
              tokens: number("Its tokens"),
            }),
            "Instructions of MCP servers",
          ),
        ),
        deferredBuiltinTools: maybe(
          list(
            part({
              name: text("Name of the tool"),
              tokens: number("Its tokens"),
              isLoaded: flag("Whether it is loaded"),
            }),
            "Built-in tools that are loaded only when needed",
          ),
        ),
        systemTools: maybe(list(ref("ContextItem"), "Built-in tools")),
        systemPromptSections: maybe(
          list(ref("ContextItem"), "Parts of the system prompt"),
        ),
        slashCommands: maybe(
          shape("Commands", {
            totalCommands: number("How many there are"),
            includedCommands: number("How many the model sees"),
            tokens: number("Their tokens"),
          }),
        ),
        skills: maybe(
          shape("Skills", {
            totalSkills: number("How many there are"),
            includedSkills: number("How many the model sees"),
            tokens: number("Their tokens"),
            skillFrontmatter: list(
              part({
                name: text("Name of the skill"),
                source: text("Where it comes from"),
                pluginName: maybe(text("Name of the plugin that brings it")),
                pluginId: maybe(text("Id of the plugin that brings it")),
                path: maybe(text("Its file")),
                tokens: number("Its tokens"),
              }),
              "Each skill",
            ),
          }),
        ),
        messageBreakdown: maybe(
          shape("What the messages are made of", {
            toolCallTokens: number("Tool calls"),
            toolResultTokens: number("Tool results"),
            attachmentTokens: number("Attachments"),
            assistantMessageTokens: number("What the model said"),
            userMessageTokens: number("What the user said"),
            redirectedContextTokens: number("Context that was led elsewhere"),
            unattributedTokens: number("What belongs to none of these"),
            toolCallsByType: list(
              part({
                name: text("Name of the tool"),
                callTokens: number("Tokens of the calls"),
                resultTokens: number("Tokens of the results"),
              }),
              "Tool calls and results, by tool",
            ),
            attachmentsByType: list(ref("ContextItem"), "Attachments, by kind"),
          }),
        ),
      },
    ),
    SessionCostReply: shape(
      "What the session cost so far, as text for a person",
      { text: text("Several lines") },
    ),
    RateLimitWindow: shape("How much of one limit is used up", {
      utilization: orNull(
        number("How much of it is used up, as the API tells it"),
      ),
      resets_at: orNull(text("When it starts anew")),
    }),
    UsageBehaviors: shape("What used the account in a day or a week", {
      request_count: number("API requests"),
      session_count: number("Sessions"),
      behaviors: list(
        part({
          key: openText("UsageBehavior", "Which one"),
          pct: number("Its share, in percent"),
          count: number("How often"),
        }),
        "Ways of working, and their share",
      ),
      recommendations: maybe(
        list(
          part({
            key: text("Which one"),
            pct: number("Its share, in percent"),
            title: text("In a few words"),
            detail: maybe(text("In more words")),
          }),
          "What would save",
        ),
      ),
      fix: maybe(
        shape("What would mend it, as the CLI tells it", {
          keys: list(text(), "Which ways of working"),
          messages: list(text(), "Prompts to send, one after the other"),
        }),
      ),
      agents: list(ref("UsageShare"), "Share by subagent"),
      skills: list(ref("UsageShare"), "Share by skill"),
      plugins: list(ref("UsageShare"), "Share by plugin"),
      mcp_servers: list(ref("UsageShare"), "Share by MCP server"),
    }),
    UsageBehavior: oneOf([
      "cache_miss",
      "long_context",
      "subagent_heavy",
      "high_parallel",
      "cron",
      "max_effort",
      "workflow",
      "always_on_context",
      "large_tool_results",
    ], "A way of working that uses much"),
    UsageShare: shape("The share of something named", {
      name: text("Its name"),
      pct: number("Its share, in percent"),
    }),
    UsageReply: shape(
      "What the session used, and how the account stands to its limits",
      {
        session: ref("SessionUsage", "What the session used so far"),
        subscription_type: orNull(
          text("Kind of subscription; null without one"),
        ),
        rate_limits_available: flag("Whether the account has such limits"),
        rate_limits: orNull(
          shape("The limits; null when they are unknown", {
            five_hour: maybe(orNull(ref("RateLimitWindow", "Five hours"))),
            seven_day: maybe(orNull(ref("RateLimitWindow", "Seven days"))),
            seven_day_oauth_apps: maybe(
              orNull(ref("RateLimitWindow", "Seven days, other programs")),
            ),
            seven_day_opus: maybe(
              orNull(ref("RateLimitWindow", "Seven days, Opus models")),
            ),
            seven_day_sonnet: maybe(
              orNull(ref("RateLimitWindow", "Seven days, Sonnet models")),
            ),
            model_scoped: maybe(
              list(
                part({
                  display_name: text("Name of the model to show"),
                  utilization: orNull(
                    number("How much of it is used up, as the API tells it"),
                  ),
                  resets_at: orNull(text("When it starts anew")),
                }),
                "Limits of single models",
              ),
            ),
            extra_usage: maybe(
              orNull(ref("ExtraUsage", "Use beyond the limits")),
            ),
          }),
        ),
        behaviors: orNull(
          shape(
            "What used the account; null when it was not asked for or is unknown",
            {
              day: ref("UsageBehaviors", "In the last day"),
              week: ref("UsageBehaviors", "In the last week"),
            },
          ),
        ),
      },
    ),
    ListModelsReply: shape("The models that can be chosen", {
      models: list(ref("ModelInfo"), "Each model"),
    }),
    BinaryVersionReply: shape("Which CLI this is", {
      version: text("Its version"),
      buildTime: maybe(text("When it was built, ISO 8601")),
      oldestDesktopSdk: maybe(text("The oldest desktop host it works with")),
    }),
    FileSuggestionsReply: shape("Files that fit a query", {
      suggestions: list(
        part({
          path: text("The file"),
          score: maybe(number("How well it fits")),
        }),
        "Best first",
      ),
      cwd: maybe(text("The directory that paths are relative to")),
    }),
    ReadFileReply: shape("The content of a file", {
      contents: text("Text, or base64"),
      absPath: text("Absolute path of the file"),
      truncated: maybe(flag("Whether it goes on")),
      encoding: maybe(literal("base64", "Present when the content is base64")),
      lossy: maybe(flag("Whether bytes were lost in the text")),
      requested_path: seen(text("The path asked for")),
      read_bytes: seen(number("Size of what was read")),
      total_bytes: seen(number("Size of the file")),
      etag: seen(text("Version of the file")),
    }),
    RewindFilesReply: shape("What going back does, or did", {
      canRewind: flag("Whether it is possible"),
      error: maybe(text("Why not")),
      filesChanged: maybe(
        list(text(), "Files that would change; of a dry run only"),
      ),
      insertions: maybe(number("Lines that would be added; of a dry run only")),
      deletions: maybe(
        number("Lines that would be removed; of a dry run only"),
      ),
      skippedLinks: maybe(number("Links that were left alone")),
    }),
    CancelQueuedReply: shape("What became of a prompt in the queue", {
      cancelled: flag("Whether it was still there"),
      message_uuid: maybe(text("Uuid of the prompt")),
    }),
    SettingsParseError: shape("A fault in a settings file", {
      file: maybe(text("The file")),
      path: text("The key"),
      message: text("The fault in words"),
    }),
    SettingsSource: oneOf([
      "userSettings",
      "projectSettings",
      "localSettings",
      "flagSettings",
      "policySettings",
    ], "Where settings are kept"),
    SettingsReply: shape("The settings in force", {
      effective: object("All sources together"),
      sources: list(
        part({
          source: ref("SettingsSource", "Which one"),
          settings: object("What it says"),
        }),
        "Each source that says something",
      ),
      applied: maybe(
        shape(
          "What holds in the running session, whatever the files say; further fields are kept",
          {
            model: text("The model"),
            effort: orNull(
              ref("Effort", "How hard it thinks; null = its default"),
            ),
            advisor: seen(orNull(text("The model that is asked for advice"))),
            ultracode: seen(flag("Whether ultracode is on")),
            ultracodeRequested: seen(flag("Whether it was asked for")),
            ultracodeAvailable: seen(flag("Whether it can be switched on")),
            ultrathinkAvailable: seen(
              flag("Whether `ultrathink` can be typed"),
            ),
            outsideFileToolReadsBlocked: seen(
              flag("Whether file tools may not read outside the directories"),
            ),
            outsideFileToolWritesBlocked: seen(
              flag("Whether file tools may not write outside the directories"),
            ),
            outsideBlocksCountLaunchFoldersOnly: seen(
              flag("Whether only the directories of the start count for that"),
            ),
            launchEnvLeftOwnFilesInPlace: seen(
              flag("Whether the environment of the start kept the CLI's files"),
            ),
          },
        ),
      ),
      errors: maybe(list(ref("SettingsParseError"), "Faults in the files")),
      served_settings_state: maybe(
        oneOf(
          ["ok", "pending", "stale_cache", "failed", "ineligible"],
          "How settings of a server stand",
        ),
      ),
      withheld: maybe(flag("Whether something is kept back")),
    }),
    HookEventSummary: shape("An event that hooks can be set for", {
      name: text("The event"),
      summary: text("When it happens"),
      supportsMatcher: flag("Whether a matcher makes sense"),
    }),
    HooksListing: shape(
      "The hooks of all settings; callbacks are not among them",
      {
        events: list(
          part({ hookCount: number("How many") }, "HookEventSummary"),
          "Events with hooks",
        ),
        hooks: list(
          part({
            event: text("Its event"),
            matcher: text("Its matcher"),
            source: text("Where it is kept"),
            sourceLabel: text("The same to show"),
            pluginName: maybe(text("The plugin that brings it")),
            type: text("Kind of hook"),
            displayText: text("In short"),
            commandText: text("What it runs"),
            contentLabel: text("What `commandText` is"),
            condition: maybe(text("When it runs")),
            timeout: maybe(number("Its limit, in seconds")),
            statusMessage: maybe(text("What is shown while it runs")),
            runsOnce: maybe(flag("Whether it runs once only")),
            runsInBackground: maybe(flag("Whether it runs in the background")),
            disabled: maybe(literal(true, "It is switched off")),
            editable: maybe(
              shape("How to change it", {
                matcher: text("Its matcher"),
                config: object("Its configuration"),
                headersRedacted: maybe(
                  literal(true, "Headers were taken out of it"),
                ),
              }),
            ),
          }),
          "Each hook",
        ),
        eventCatalog: list(ref("HookEventSummary"), "All events there are"),
        policy: shape("What the organization rules", {
          disabledByPolicy: flag("Hooks are off"),
          managedOnly: flag("Only the organization's hooks run"),
          pluginOnly: flag("Only hooks of plugins run"),
          allDisabled: flag("No hook runs"),
          policyHookCount: number("Hooks of the organization"),
          policyUnreadable: maybe(literal(true, "The rules cannot be read")),
        }),
        safeMode: maybe(
          shape("The session runs in safe mode", {
            managedHooksStillApply: flag(
              "Whether the organization's hooks run all the same",
            ),
            exitHint: text("How to leave it"),
          }),
        ),
        bareMode: maybe(
          shape("The session runs in bare mode", {
            exitHint: text("How to leave it"),
          }),
        ),
        errors: maybe(list(ref("SettingsParseError"), "Faults in the files")),
      },
    ),
    PermissionRuleSource: union([
      ref("SettingsSource"),
      literal("cliArg"),
      literal("command"),
      literal("session"),
      literal("mcpMount"),
      literal("toolsNarrowing"),
      literal("mcpServerPolicy"),
      literal("hostCredential"),
    ], "Where a permission rule comes from"),
    PermissionRulesState: shape("The permission rules in force", {
      rules: list(
        part({
          behavior: oneOf(["allow", "deny", "ask"], "What it does"),
          source: ref("PermissionRuleSource", "Where it comes from"),
          rule: text("The rule, such as `Bash(git:*)`"),
          description: maybe(
            shape("The rule in words", {
              prefix: text("What comes first"),
              emphasis: maybe(text("What matters")),
              suffix: maybe(text("What comes last")),
            }),
          ),
          editability: oneOf(
            ["persistent", "session", "readonly"],
            "Whether and for how long it can be changed",
          ),
          notInEffect: maybe(flag("Whether another rule makes it void")),
        }),
        "Each rule",
      ),
      workspaceDirectories: list(
        part({
          path: text("The directory"),
          source: openText("PermissionRuleSource", "Where it comes from"),
        }),
        "Directories that tools may touch",
      ),
      originalCwd: text("Working directory at the start"),
      managedOnly: flag("Whether only the organization's rules hold"),
      errors: maybe(list(ref("SettingsParseError"), "Faults in the files")),
      withheld: maybe(flag("Whether something is kept back")),
    }),
    PermissionRulesReply: shape("The permission rules in force", {
      state: ref("PermissionRulesState", "The rules"),
    }),
    ReloadPluginsReply: shape("What is there after plugins were loaded anew", {
      commands: list(ref("SlashCommand"), "All commands"),
      agents: list(ref("AgentInfo"), "All subagents"),
      plugins: list(
        part({
          name: text("Its name"),
          path: text("Its directory, or `builtin`"),
          source: maybe(text("Its name and market")),
          version: maybe(text("Its version")),
        }),
        "All plugins",
      ),
      mcpServers: list(ref("McpServerStatus"), "All MCP servers"),
      error_count: number("Plugins that could not be loaded"),
      held: maybe(
        flag(
          "Whether nothing was done, because the cache would have been lost",
        ),
      ),
      cache_impact: maybe(
        shape("What the cache would lose by", {
          mcp_servers_added: list(text(), "MCP servers that would come"),
          mcp_servers_removed: list(text(), "MCP servers that would go"),
          lsp_tool_change: orNull(
            oneOf(
              ["adds", "may-add", "removes", "may-remove"],
              "What would become of the language server's tool",
            ),
          ),
        }),
      ),
    }),
    ReloadSkillsReply: shape("What is there after skills were loaded anew", {
      skills: list(ref("SlashCommand"), "All skills"),
    }),
    ReloadOutputStylesReply: shape(
      "What is there after output styles were loaded anew",
      { available_output_styles: list(text(), "All output styles") },
    ),
    BackgroundTasksReply: shape("What became of running tools", {
      backgrounded: maybe(flag("Whether any went to the background")),
    }),
    TaskOutputReply: shape("What a background task printed", {
      output: text("The text, perhaps only its end"),
      total_bytes: number("Size of all it printed"),
      truncated: flag("Whether something was left out"),
    }),
    HookRegistration: shape("Hooks of one event", {
      matcher: maybe(
        text(
          "A pattern of tool names such as `Bash|Edit`, or of what else the event goes by; absent = always",
        ),
      ),
      hookCallbackIds: list(
        text(),
        "Ids of the host, which `hook_callback` names",
      ),
      timeout: maybe(number("Limit of one call, in seconds")),
      onFailure: maybe(
        oneOf(["continue", "block"], "What a failing hook does"),
      ),
      whenUnanswered: seen(anything("What a hook does that is not answered")),
      contextOnly: seen(flag("Whether the hook decides nothing")),
      replacedByFrame: seen(anything("Not known")),
    }, { source: "Hooks", given: true }),
    SdkMcpServerSettings: shape(
      "What is known of an MCP server that the host answers for",
      {
        timeout: maybe(number("Limit of a call, in milliseconds")),
        tools: maybe(
          list(ref("McpToolPolicy"), "What the rules say about its tools"),
        ),
      },
      { source: "In-process MCP servers", given: true },
    ),
    SdkMcpManifest: shape(
      "What an MCP server of the host would answer to the handshake",
      {
        initializeResult: object("Its answer to `initialize`"),
        toolsListResult: maybe(object("Its answer to `tools/list`")),
      },
      { source: "In-process MCP servers", given: true },
    ),
    McpPermissionModeReply: shape(
      "What became of the permission mode of one MCP server",
      {
        warning: maybe(
          text("Why it may have no effect: no server of that name is known"),
        ),
      },
    ),
    RegisterRepoRootReply: shape(
      "What became of a directory that was made known",
      {
        directory: text("The directory, as the CLI resolved it"),
      },
    ),
    SideAnswer: shape(
      "What the model said beside the conversation",
      {
        response: orNull(text("The answer; null = none")),
        synthetic: maybe(flag("Whether the CLI made it up itself")),
      },
      { published: false },
    ),
    GeneratedTitle: shape(
      "A title that was made",
      { title: text("The title") },
      { published: false },
    ),
    ...REQUESTS.shapes,
  },
);

/** The requests by subtype. */
export const HOST_CONTROLS: readonly Control[] = REQUESTS.index;
