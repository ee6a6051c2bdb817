/** A method of a running query in the official SDK; one without `subtype` and `told` is written by hand. */
export interface OfficialControl {
  readonly description: string;
  /** Subtype of the request that it is. */
  readonly subtype?: string;
  /** The field of the answer to `initialize` that it resolves with instead. */
  readonly told?: string;
  /** Its parameters by name, each with its type; a name ends with "?" where it may be left out. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Fields of the request, each with its value as code; unset = the parameters. A text: that object of fields. */
  readonly fields?: string | Readonly<Record<string, string>>;
  /** Type of the resolved value; unset = nothing. */
  readonly reply?: string;
  /** The field of the answer that holds the reply, perhaps with a comparison; unset = the whole answer. */
  readonly from?: string;
  /** The official package does not declare it, and wrappers call it all the same. */
  readonly undeclared?: true;
}

/** The methods by name; Source: `sdk.d.ts` 0.3.332. */
export const OFFICIAL_CONTROLS: Readonly<Record<string, OfficialControl>> = {
  interrupt: {
    description: "Ends the running turn",
    reply: "SDKControlInterruptResponse | undefined",
  },
  initializationResult: {
    description: "Reply of the CLI to `initialize`",
    reply: "SDKControlInitializeResponse",
  },
  reinitialize: {
    description: "Sends `initialize` again",
    reply: "SDKControlInitializeResponse",
  },
  supportedCommands: {
    description: "Commands that a prompt may begin with",
    reply: "SlashCommand[]",
  },
  supportedModels: {
    description: "Models to choose from",
    told: "models",
    reply: "ModelInfo[]",
  },
  supportedAgents: {
    description: "Agents that the model can delegate work to",
    told: "agents",
    reply: "AgentInfo[]",
  },
  accountInfo: {
    description: "The account that is signed in",
    told: "account",
    reply: "AccountInfo",
  },
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET: {
    description: "Usage of the plan",
    subtype: "get_usage",
    parameters: {
      "opts?": `{
        /** Whether the behaviours are left out, which take the CLI longest; false. */
        skipBehaviors?: boolean;
      }`,
    },
    fields: "{ ...opts?.skipBehaviors && { skip_behaviors: true } }",
    reply: "SDKControlGetUsageResponse",
  },
  readFile: {
    description: "Reads a file; `null` if it cannot be read",
    parameters: {
      path: "string",
      "options?": `{
        /** Maximum bytes to read; the CLI's default. */
        maxBytes?: number;
        /** Form of the content; \`"utf-8"\`. */
        encoding?: "utf-8" | "base64";
      }`,
    },
    reply: "SDKControlReadFileResponse | null",
  },
  reloadPlugins: {
    description: "Reloads the plugins",
    subtype: "reload_plugins",
    parameters: {
      "options?": `{
        /** Whether nothing is done if the prompt cache would be lost; false. */
        holdOnCacheImpact?: boolean;
        /** Plugins to add. */
        addPlugins?: SdkPluginConfig[];
        /** Whether a running turn makes it fail; false. */
        refuseIfBusy?: boolean;
      }`,
    },
    fields:
      "{ ...options?.holdOnCacheImpact && { hold_on_cache_impact: true }, ...options?.addPlugins?.length && { add_plugins: options.addPlugins }, ...options?.refuseIfBusy && { refuse_if_busy: true } }",
    reply: "SDKControlReloadPluginsResponse",
  },
  setMcpServers: {
    description: "Replaces the MCP servers that were added to the session",
    parameters: { servers: "Record<string, McpServerConfig>" },
    reply: "McpSetServersResult",
  },
  streamInput: {
    description:
      "Sends prompts as they arrive, and ends the input after the last",
    parameters: { stream: "AsyncIterable<SDKUserMessage>" },
  },
  backgroundTasks: {
    description: "Moves running work into the background",
    subtype: "background_tasks",
    parameters: { "toolUseId?": "string" },
    fields: { tool_use_id: "toolUseId" },
    reply: "boolean",
    from: "backgrounded !== false",
  },
  setPermissionMode: {
    description: "Sets the permission mode",
    subtype: "set_permission_mode",
    parameters: { mode: "PermissionMode" },
    reply: "SDKControlSetPermissionModeResponse | undefined",
  },
  setMcpPermissionModeOverride: {
    description: "Sets the permission mode for the tools of one MCP server",
    subtype: "set_mcp_permission_mode_override",
    parameters: { serverName: "string", mode: '"default" | "auto" | null' },
    reply: `{
      /** Warning that it may have no effect: no server of that name is known. */
      warning?: string;
    }`,
  },
  setModel: {
    description: "Changes the model; unset = the default one",
    subtype: "set_model",
    parameters: { "model?": "string" },
  },
  setMaxThinkingTokens: {
    description: "Changes the thinking budget of the model",
    subtype: "set_max_thinking_tokens",
    parameters: {
      maxThinkingTokens: "number | null",
      "thinkingDisplay?": '"summarized" | "omitted" | "highlights" | null',
    },
    fields: {
      max_thinking_tokens: "maxThinkingTokens",
      thinking_display: "thinkingDisplay",
    },
  },
  applyFlagSettings: {
    description: "Overrides settings for this session",
    subtype: "apply_flag_settings",
    parameters: { settings: "FlagSettings" },
  },
  updateSettings: {
    description: "Changes settings in their file",
    subtype: "update_settings",
    parameters: {
      source: '"localSettings" | "userSettings"',
      settings: "Record<string, unknown>",
    },
  },
  mcpServerStatus: {
    description: "Status of the MCP servers",
    subtype: "mcp_status",
    reply: "McpServerStatus[]",
    from: "mcpServers",
  },
  getContextUsage: {
    description: "Content of the context",
    subtype: "get_context_usage",
    parameters: {
      "options?": `{
        /** Level of detail; the CLI's default. */
        detail?: "summary" | "full";
      }`,
    },
    fields: "options",
    reply: "SDKControlGetContextUsageResponse",
  },
  reloadSkills: {
    description: "Reloads the skills",
    subtype: "reload_skills",
    reply: "SDKControlReloadSkillsResponse",
  },
  reloadOutputStyles: {
    description: "Reloads the output styles",
    subtype: "reload_output_styles",
    reply: "SDKControlReloadOutputStylesResponse",
  },
  rewindFiles: {
    description: "Restores files to their state at a prompt",
    subtype: "rewind_files",
    parameters: {
      userMessageId: "string",
      "options?": `{
        /** Whether to report the changes without making them; false. */
        dryRun?: boolean;
      }`,
    },
    fields: { user_message_id: "userMessageId", dry_run: "options?.dryRun" },
    reply: "RewindFilesResult",
  },
  seedReadState: {
    description: "Marks a file as read",
    subtype: "seed_read_state",
    parameters: { path: "string", mtime: "number" },
  },
  reconnectMcpServer: {
    description: "Reconnects an MCP server",
    subtype: "mcp_reconnect",
    parameters: { serverName: "string" },
  },
  toggleMcpServer: {
    description: "Switches an MCP server on or off",
    subtype: "mcp_toggle",
    parameters: { serverName: "string", enabled: "boolean" },
  },
  readMcpResource: {
    description: "Reads a resource of an MCP server",
    subtype: "mcp_read_resource",
    parameters: { serverName: "string", uri: "string" },
    reply: "SDKControlMcpReadResourceResponse",
  },
  stopTask: {
    description: "Stops a task in the background",
    subtype: "stop_task",
    parameters: { taskId: "string" },
    fields: { task_id: "taskId" },
  },
  enableRemoteControl: {
    description:
      "Enables remote control of the session by claude.ai, if the CLI allows it",
    subtype: "remote_control",
    parameters: { enabled: "boolean", "name?": "string" },
    reply: "JsonObject",
    undeclared: true,
  },
  getSettings: {
    description: "Returns the settings in force and their sources",
    subtype: "get_settings",
    reply: "JsonObject",
    undeclared: true,
  },
  cancelAsyncMessage: {
    description: "Cancels a queued prompt; returns whether it was still queued",
    subtype: "cancel_async_message",
    parameters: { uuid: "string" },
    fields: { message_uuid: "uuid" },
    reply: "boolean",
    from: "cancelled",
    undeclared: true,
  },
  generateSessionTitle: {
    description: "Generates a title for the session by the model",
    subtype: "generate_session_title",
    parameters: {
      description: "string",
      "options?": `{
        /** Whether it becomes the title of the session. */
        persist?: boolean;
      }`,
    },
    fields: { description: "description", persist: "options?.persist" },
    reply: "string | null",
    from: "title",
    undeclared: true,
  },
  renameSession: {
    description: "Sets the title of the session",
    subtype: "rename_session",
    parameters: { title: "string", "sessionId?": "string" },
    fields: { title: "title", source: '"host"', session_id: "sessionId" },
    undeclared: true,
  },
  mcpAuthenticate: {
    description: "Starts the sign-in at an MCP server",
    subtype: "mcp_authenticate",
    parameters: {
      serverName: "string",
      "redirectUri?": "string",
      "options?": `{
        /** Whether only that address is allowed. */
        redirectUriOnly?: boolean;
      }`,
    },
    fields: {
      serverName: "serverName",
      redirectUri: "redirectUri",
      redirectUriOnly: "options?.redirectUriOnly",
    },
    reply: "JsonObject",
    undeclared: true,
  },
};
