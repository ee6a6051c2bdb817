/** Larger replies to control requests of the host; small ones stand at their request. */
import {
  anything,
  byName,
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
  text,
  union,
} from "./words.ts";

export const REPLIES: Fields = {
  InterruptReceipt: shape("State after an interrupt", {
    still_queued: list(text(), "Uuids of the prompts still queued"),
    cancelled: maybe(
      list(text(), "Uuids of the prompts that were removed from the queue"),
    ),
    put_back: seen(list(text(), "Uuids of the prompts that were put back")),
    send_now: seen(
      oneOf(
        ["stopped", "delivering", "nothing_waiting"],
        "Outcome of prompts that were to be sent at once",
      ),
    ),
    turn: seen(
      oneOf(["stopped", "idle", "spared"], "Outcome of the turn"),
    ),
  }, { source: "Control requests (host to CLI) and Shapes" }),
  McpServerStatus: shape("State of an MCP server of the CLI", {
    name: text("Its name"),
    status: oneOf([
      "connected",
      "failed",
      "needs-auth",
      "pending",
      "disabled",
    ], "State"),
    serverInfo: maybe(
      shape("Its description of itself", {
        name: text("Its own name"),
        version: text("Its version"),
      }),
    ),
    error: maybe(text("Reason for the failure")),
    config: maybe(
      union([
        ref("WireMcpServerConfig"),
        ref("ProxyMcpServerConfig"),
      ], "Its configuration in the wire's form; may hold secrets"),
    ),
    scope: maybe(text("Location of its configuration")),
    source: maybe(text("Origin of its configuration")),
    transport: seen(text("Transport of the connection")),
    tools: maybe(
      list(
        part({
          name: text("Name of the tool on the server"),
          description: maybe(text("Description of the tool")),
          annotations: maybe(
            shape("Hints of the server", {
              readOnly: maybe(flag("It changes nothing")),
              destructive: maybe(flag("It may destroy something")),
              openWorld: maybe(flag("It touches the world outside")),
            }),
          ),
          _meta: maybe(object("Further facts of the server")),
        }),
        "Its tools",
      ),
    ),
  }),
  McpStatusReply: shape("The MCP servers of the CLI", {
    mcpServers: list(ref("McpServerStatus"), "Each server"),
  }),
  SetMcpServersReply: shape(
    "Outcome of a new set of MCP servers; a failing server is an entry in `errors`",
    {
      added: list(text(), "Names of the servers that were added"),
      removed: list(text(), "Names of the servers that were removed"),
      errors: byName(text(), "Errors by server"),
    },
  ),
  McpCallStaging: union(
    [
      part({
        ok: literal(true, "All went well"),
        outputs: list(
          part({
            lane_path: text("Path of the file in the exchange folder"),
            etag: text("Version of the file"),
            bytes: number("Its size"),
          }),
          "Files written",
        ),
        inputs_used: list(
          part({
            lane_path: text("Path of the file in the exchange folder"),
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
        ], "Kind of failure"),
        detail: text("Description of the failure"),
        retryable: maybe(flag("Whether another try may help")),
        refusal_limit: maybe(literal(true, "Too many refusals")),
      }),
    ],
    "Input and output files of a tool call",
  ),
  McpCallReply: shape("Result of a tool of an MCP server", {
    content: anything("The content, as the server sent it"),
    isError: maybe(
      flag("Whether the tool failed; only with `soft_error_result`"),
    ),
    structuredContent: maybe(object("The content as structured data")),
    _meta: maybe(object("Further facts of the server")),
    staging: maybe(
      ref("McpCallStaging", "Outcome of `input_files` and `output_files`"),
    ),
  }),
  ReadMcpResourceReply: shape("A resource of an MCP server", {
    contents: list(
      part({
        uri: text("Address of the part"),
        mimeType: maybe(text("Its media type")),
        text: maybe(text("Its text")),
        blob: maybe(text("Its bytes in base64")),
        _meta: maybe(object("Further facts of the server")),
      }),
      "Its parts",
    ),
  }),
  ContextItem: shape(
    "An item in the context window: its name and its size",
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
    "Content of the context window; numbers are tokens unless the name says otherwise",
    {
      categories: list(
        part({
          id: maybe(ref("ContextCategoryId", "Id of the part")),
          name: text("Name to show"),
          tokens: number("Its tokens"),
          color: text("Colour to show it in"),
          isDeferred: maybe(flag("Loaded only when needed")),
          kind: ref("ContextCategoryKind", "State of the part"),
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
            squareFullness: number("Filled share of the square, from 0 to 1"),
          }),
        ),
        "The window as a picture, row by row",
      ),
      model: text("The model"),
      memoryFiles: list(
        part({
          path: text("The file"),
          type: text("Owner of the file"),
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
          source: text("Source"),
          pluginId: maybe(text("The plugin that brings it")),
          path: maybe(text("Its file")),
          tokens: number("Its tokens"),
        }),
        "Subagents",
      ),
      isAutoCompactEnabled: flag(
        "Whether the context is compacted automatically",
      ),
      apiUsage: orNull(
        shape("Token counts of the last API request; null before the first", {
          input_tokens: number("Tokens read that no cache held"),
          output_tokens: number("Tokens written"),
          cache_creation_input_tokens: number("Tokens written to the cache"),
          cache_read_input_tokens: number("Tokens read from the cache"),
        }),
      ),
      autoCompactThreshold: maybe(
        number("Tokens at which the context is compacted"),
      ),
      autocompactSource: seen(text("Origin of that number")),
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
          totalCommands: number("Number of commands"),
          includedCommands: number("Number of commands the model sees"),
          tokens: number("Their tokens"),
        }),
      ),
      skills: maybe(
        shape("Skills", {
          totalSkills: number("Number of skills"),
          includedSkills: number("Number of skills the model sees"),
          tokens: number("Their tokens"),
          skillFrontmatter: list(
            part({
              name: text("Name of the skill"),
              source: text("Source"),
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
        shape("Breakdown of the messages", {
          toolCallTokens: number("Tool calls"),
          toolResultTokens: number("Tool results"),
          attachmentTokens: number("Attachments"),
          assistantMessageTokens: number("Messages of the assistant"),
          userMessageTokens: number("Messages of the user"),
          redirectedContextTokens: number("Redirected context"),
          unattributedTokens: number("The rest"),
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
    "Cost of the session so far, as text",
    { text: text("The text, in several lines") },
  ),
  RateLimitWindow: shape("Use of one rate limit", {
    utilization: orNull(
      number("Share of the limit that is used, in the format of the API"),
    ),
    resets_at: orNull(text("Time of the reset")),
  }),
  UsageBehaviors: shape("Usage of the account in a day or a week", {
    request_count: number("API requests"),
    session_count: number("Sessions"),
    behaviors: list(
      part({
        key: openText("UsageBehavior", "Id"),
        pct: number("Its share, in percent"),
        count: number("Number of occurrences"),
      }),
      "Behaviours and their share of the usage",
    ),
    recommendations: maybe(
      list(
        part({
          key: text("Id"),
          pct: number("Its share, in percent"),
          title: text("Short form"),
          detail: maybe(text("Long form")),
        }),
        "Advice on saving tokens",
      ),
    ),
    fix: maybe(
      shape("Fix that the CLI suggests", {
        keys: list(text(), "Behaviours it addresses"),
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
  ], "A behaviour that uses many tokens"),
  UsageShare: shape("A name, and its share of the usage", {
    name: text("Its name"),
    pct: number("Its share, in percent"),
  }),
  UsageReply: shape(
    "Usage of the session, and limits of the account",
    {
      session: ref("SessionUsage", "Usage of the session so far"),
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
                  number(
                    "Share of the limit that is used, in the format of the API",
                  ),
                ),
                resets_at: orNull(text("Time of the reset")),
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
          "Usage of the account; null if it was not requested or is unknown",
          {
            day: ref("UsageBehaviors", "In the last day"),
            week: ref("UsageBehaviors", "In the last week"),
          },
        ),
      ),
    },
  ),
  BinaryVersionReply: shape("Version of the CLI", {
    version: text("Its version"),
    buildTime: maybe(text("Time of the build, ISO 8601")),
    oldestDesktopSdk: maybe(text("Oldest compatible desktop host")),
  }),
  ReadFileReply: shape("The content of a file", {
    contents: text("Text, or base64"),
    absPath: text("Absolute path of the file"),
    truncated: maybe(flag("Whether the content was truncated")),
    encoding: maybe(literal("base64", "Present when the content is base64")),
    lossy: maybe(flag("Whether bytes were lost in the text")),
    requested_path: seen(text("The requested path")),
    read_bytes: seen(number("Number of bytes read")),
    total_bytes: seen(number("Size of the file")),
    etag: seen(text("Version of the file")),
  }),
  RewindFilesReply: shape("Effect of a rewind", {
    canRewind: flag("Whether it is possible"),
    error: maybe(text("Reason it is not possible")),
    filesChanged: maybe(
      list(text(), "Files that would change; only in a dry run"),
    ),
    insertions: maybe(number("Lines that would be added; only in a dry run")),
    deletions: maybe(
      number("Lines that would be removed; only in a dry run"),
    ),
    skippedLinks: maybe(number("Links that were left alone")),
  }),
  CancelQueuedReply: shape("Outcome of a prompt in the queue", {
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
  ], "Location of settings"),
  SettingsReply: shape("The settings in force", {
    effective: object("All sources together"),
    sources: list(
      part({
        source: ref("SettingsSource", "Id"),
        settings: object("Its settings"),
      }),
      "Each source with settings",
    ),
    applied: maybe(
      shape(
        "Effective settings of the running session",
        {
          model: text("The model"),
          effort: orNull(
            ref("Effort", "Thinking effort; null = the model's default"),
          ),
          advisor: seen(orNull(text("The advisor model"))),
          ultracode: seen(flag("Whether ultracode is on")),
          ultracodeRequested: seen(flag("Whether it was requested")),
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
            flag("Whether only directories given at the start count as inside"),
          ),
          launchEnvLeftOwnFilesInPlace: seen(
            flag("Whether no environment variable moved the CLI's own files"),
          ),
        },
      ),
    ),
    errors: maybe(list(ref("SettingsParseError"), "Faults in the files")),
    served_settings_state: maybe(
      oneOf(
        ["ok", "pending", "stale_cache", "failed", "ineligible"],
        "State of settings from a server",
      ),
    ),
    withheld: maybe(flag("Whether parts are withheld")),
  }),
  HookEventSummary: shape("An event that hooks can be set for", {
    name: text("The event"),
    summary: text("Occasion of the event"),
    supportsMatcher: flag("Whether a matcher makes sense"),
  }),
  HooksListing: shape(
    "The hooks of all settings; callbacks are not among them",
    {
      events: list(
        part({ hookCount: number("Number of hooks") }, "HookEventSummary"),
        "Events with hooks",
      ),
      hooks: list(
        part({
          event: text("Its event"),
          matcher: text("Its matcher"),
          source: text("Location of the hook"),
          sourceLabel: text("The location, for display"),
          pluginName: maybe(text("The plugin that brings it")),
          type: text("Kind of hook"),
          displayText: text("Short text for display"),
          commandText: text("Command it runs"),
          contentLabel: text("Kind of `commandText`"),
          condition: maybe(text("Condition for running")),
          timeout: maybe(number("Timeout, in seconds")),
          statusMessage: maybe(text("Text while it runs")),
          runsOnce: maybe(flag("Whether it runs once only")),
          runsInBackground: maybe(flag("Whether it runs in the background")),
          disabled: maybe(literal(true, "It is switched off")),
          editable: maybe(
            shape("Data for changing it", {
              matcher: text("Its matcher"),
              config: object("Its configuration"),
              headersRedacted: maybe(
                literal(true, "Its headers are redacted"),
              ),
            }),
          ),
        }),
        "Each hook",
      ),
      eventCatalog: list(ref("HookEventSummary"), "All events there are"),
      policy: shape("Rule of the organization", {
        disabledByPolicy: flag("The organization switched all hooks off"),
        managedOnly: flag("Only the organization's hooks run"),
        pluginOnly: flag("Only hooks of plugins run"),
        allDisabled: flag("All hooks are off, for any reason"),
        policyHookCount: number("Hooks of the organization"),
        policyUnreadable: maybe(literal(true, "The rules cannot be read")),
      }),
      safeMode: maybe(
        shape("The session runs in safe mode", {
          managedHooksStillApply: flag(
            "Whether the organization's hooks run all the same",
          ),
          exitHint: text("Instruction for leaving the mode"),
        }),
      ),
      bareMode: maybe(
        shape("The session runs in bare mode", {
          exitHint: text("Instruction for leaving the mode"),
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
  ], "Source of a permission rule"),
  PermissionRulesState: shape("The permission rules in force", {
    rules: list(
      part({
        behavior: oneOf(["allow", "deny", "ask"], "Effect of the rule"),
        source: ref("PermissionRuleSource", "Source"),
        rule: text("The rule, such as `Bash(git:*)`"),
        description: maybe(
          shape("The rule in words", {
            prefix: text("Start of the text"),
            emphasis: maybe(text("Emphasized part")),
            suffix: maybe(text("End of the text")),
          }),
        ),
        editability: oneOf(
          ["persistent", "session", "readonly"],
          "Whether and for how long it can be changed",
        ),
        notInEffect: maybe(flag("Whether another rule overrides it")),
      }),
      "Each rule",
    ),
    workspaceDirectories: list(
      part({
        path: text("The directory"),
        source: openText("PermissionRuleSource", "Source"),
      }),
      "Directories that tools may touch",
    ),
    originalCwd: text("Working directory at the start"),
    managedOnly: flag("Whether only the organization's rules hold"),
    errors: maybe(list(ref("SettingsParseError"), "Faults in the files")),
    withheld: maybe(flag("Whether parts are withheld")),
  }),
  PermissionRulesReply: shape("The permission rules in force", {
    state: ref("PermissionRulesState", "The rules"),
  }),
  ReloadPluginsReply: shape("State after plugins were reloaded", {
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
      shape("Cost to the cache", {
        mcp_servers_added: list(text(), "MCP servers that would be added"),
        mcp_servers_removed: list(text(), "MCP servers that would be removed"),
        lsp_tool_change: orNull(
          oneOf(
            ["adds", "may-add", "removes", "may-remove"],
            "Effect on the tool of the language server",
          ),
        ),
      }),
    ),
  }),
  TaskOutputReply: shape("Output of a background task", {
    output: text("The text, perhaps only its end"),
    total_bytes: number("Size of the whole output"),
    truncated: flag("Whether the output is truncated"),
  }),
  McpPermissionModeReply: shape(
    "Outcome of the permission mode of one MCP server",
    {
      warning: maybe(
        text(
          "Warning that it may have no effect: no server of that name is known",
        ),
      ),
    },
  ),
};
