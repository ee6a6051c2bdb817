/** A member of the options of a method. */
interface MethodOption {
  readonly description: string;
  readonly type: string;
}

/** A method of a conversation that asks the CLI for something, as far as the request that it sends does not say it. */
export interface HostMethod {
  readonly description: string;
  /** Subtype of the request. */
  readonly subtype?: string;
  /** The field of the reply to `initialize` that it gives instead. */
  readonly told?: string;
  /** Its parameters by name, each with its type; a name ends with "?" where it may be left out. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** What its options say beside limit and signal. */
  readonly options?: Readonly<Record<string, MethodOption>>;
  /** What else is to be said of them. */
  readonly about?: string;
  /** Fields of the request that are no parameter nor option of that name, in snake case: each with what it holds. */
  readonly fields?: Readonly<Record<string, string>>;
  /** What it resolves with, where no request says it. */
  readonly reply?: string;
}

const LANE_FILE = `
  /** Name of the tool's argument. */
  readonly name: string;
  /** Path on the lane of files. */
  readonly lanePath: string;`;

function option(description: string, type: string): MethodOption {
  return { description, type };
}

/** The methods by name; those that send nothing and tell nothing are written by hand. */
export const HOST_METHODS: Readonly<Record<string, HostMethod>> = {
  interrupt: {
    description:
      "Ends the running turn; its tools are stopped at once, and the session stays usable.\n\nThe turn still ends with a result (`error_during_execution`). When nothing runs, nothing happens",
    subtype: "interrupt",
    options: {
      cancelQueued: option(
        "Whether prompts that wait in the queue go as well; false",
        "boolean",
      ),
    },
  },
  setPermissionMode: {
    description:
      "Sets how tool calls are decided; `bypassPermissions` needs `permissions.allowBypass` at the start",
    subtype: "set_permission_mode",
    parameters: {
      mode: "PermissionMode",
    },
  },
  setMcpPermissionModeOverride: {
    description:
      'Decides calls to one MCP server more strictly than the mode of the session does: `"default"` asks, `"auto"` leaves them to the classifier, null takes that back. It never allows more',
    subtype: "set_mcp_permission_mode_override",
    parameters: {
      server: "string",
      mode: '"default" | "auto" | null',
    },
    fields: { serverName: "server" },
  },
  setModel: {
    description:
      "Sets the model; absent or null = the default. The CLI tries it with a small API request",
    subtype: "set_model",
    parameters: {
      "model?": "string | null",
    },
  },
  setMaxThinkingTokens: {
    description: "Sets the most tokens of thinking; null = the default",
    subtype: "set_max_thinking_tokens",
    parameters: {
      tokens: "number | null",
    },
    options: {
      display: option(
        "What is shown of the thinking; null = the default",
        '"summarized" | "omitted" | "highlights" | null',
      ),
    },
    fields: {
      max_thinking_tokens: "tokens",
      thinking_display: "options?.display",
    },
  },
  mcpStatus: {
    description:
      "Tells how the MCP servers stand, those of this package and those of the CLI",
    subtype: "mcp_status",
  },
  setMcpServers: {
    description:
      "Sets the whole new set of servers added at run time; those that are not named go",
    subtype: "mcp_set_servers",
    parameters: {
      servers: "Readonly<Record<string, McpServerInput>>",
    },
    // Its type says more than JSON does.
    fields: {
      servers:
        'wireServers(checkedServers(servers)) as McpSetServersRequest["servers"]',
    },
  },
  reconnectMcpServer: {
    description: "Connects a server anew",
    subtype: "mcp_reconnect",
    parameters: {
      name: "string",
    },
    fields: { serverName: "name" },
  },
  toggleMcpServer: {
    description: "Switches a server on or off",
    subtype: "mcp_toggle",
    parameters: {
      name: "string",
      enabled: "boolean",
    },
    fields: { serverName: "name" },
  },
  callMcpTool: {
    description:
      "Calls a tool by its full name, `mcp__server__tool`; only of servers that the CLI connected",
    subtype: "mcp_call",
    parameters: {
      tool: "string",
      "args?": "JsonInput",
    },
    options: {
      checkPermissions: option(
        "Whether the permission rules are asked first; false",
        "boolean",
      ),
      resultNotForModel: option(
        "Whether the model never sees the result; false",
        "boolean",
      ),
      expiresAt: option(
        "After this time it is not called any more; the CLI wants one with `outputFiles`",
        "Date",
      ),
      inputFiles: option(
        "Files for the tool to read",
        `readonly {${LANE_FILE}}[]`,
      ),
      outputFiles: option(
        "Files for the tool to write",
        `readonly {${LANE_FILE}
        /** Only if the file still has this version. */
        readonly ifMatch?: string | undefined;
      }[]`,
      ),
    },
    about: "`timeoutMs` is told to the CLI as well",
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
  readMcpResource: {
    description:
      "Reads a resource of a server; the CLI takes `ui://` addresses only",
    subtype: "mcp_read_resource",
    parameters: {
      server: "string",
      uri: "string",
    },
    fields: { serverName: "server" },
  },
  rewindFiles: {
    description:
      "Puts files back as they were at a prompt; needs `enableFileCheckpointing` and prompts with a `uuid`",
    subtype: "rewind_files",
    parameters: {
      userMessageId: "string",
    },
    options: {
      dryRun: option("Whether nothing is changed, only told; false", "boolean"),
    },
  },
  contextUsage: {
    description: "Tells what fills the context window",
    subtype: "get_context_usage",
    options: {
      detail: option(
        "How much is told; the CLI's default",
        '"summary" | "full"',
      ),
    },
  },
  sessionCost: {
    description: "Tells what the session cost so far, as text",
    subtype: "get_session_cost",
  },
  usage: {
    description:
      "Tells what the session used, and how the account stands to its limits",
    subtype: "get_usage",
    options: {
      skipBehaviors: option(
        "Whether `behaviors` is left out, which takes the CLI longest; false",
        "boolean",
      ),
    },
  },
  listModels: {
    description: "Lists the models that can be chosen",
    subtype: "list_models",
  },
  supportedCommands: {
    description: "Lists the commands of the `initialize` reply; sends nothing",
    told: "commands",
    reply: "readonly SlashCommand[]",
  },
  supportedAgents: {
    description: "Lists the subagents of the `initialize` reply; sends nothing",
    told: "agents",
    reply: "readonly AgentInfo[]",
  },
  accountInfo: {
    description: "Tells the account of the `initialize` reply; sends nothing",
    told: "account",
    reply: "AccountInfo",
  },
  settings: {
    description: "Tells the settings in force, and where they come from",
    subtype: "get_settings",
  },
  applySettings: {
    description:
      "Changes settings of this session only; keys that are not named stay",
    subtype: "apply_flag_settings",
    parameters: {
      settings: "CliSettingsChange",
    },
    fields: { settings: "settings as JsonObject" },
  },
  updateSettings: {
    description:
      "Changes settings in their file; keys that are not named stay. The CLI takes `outputStyle` of the local ones and `effortLevel` of the user's, and refuses the rest",
    subtype: "update_settings",
    parameters: {
      source: '"localSettings" | "userSettings"',
      settings: "CliSettingsChange",
    },
    fields: { settings: "settings as JsonObject" },
  },
  hooksListing: {
    description:
      "Lists the hooks of all settings; callbacks are not among them",
    subtype: "get_hooks_listing",
  },
  permissionRules: {
    description: "Lists the permission rules in force",
    subtype: "list_permission_rules",
  },
  renameSession: {
    description: "Gives the session a title",
    subtype: "rename_session",
    parameters: {
      title: "string",
    },
    options: {
      source: option("Who wanted it", '"remote" | "host"'),
      sessionId: option("Which session; the running one", "string"),
    },
  },
  fileSuggestions: {
    description: "Finds files of the project for a text that is being typed",
    subtype: "file_suggestions",
    parameters: {
      query: "string",
    },
  },
  readFile: {
    description: "Reads a file that the session may read; others are refused",
    subtype: "read_file",
    parameters: {
      path: "string",
    },
    options: {
      maxBytes: option("The most bytes to read; the CLI's default", "number"),
      encoding: option('Form of the content; `"utf-8"`', '"utf-8" | "base64"'),
    },
  },
  seedReadState: {
    description:
      "Tells the CLI that the model knows a file as it was at a time, in milliseconds since 1970",
    subtype: "seed_read_state",
    parameters: {
      path: "string",
      mtime: "number",
    },
  },
  reloadPlugins: {
    description: "Loads plugins anew",
    subtype: "reload_plugins",
    options: {
      holdOnCacheImpact: option(
        "Whether nothing is done if the prompt cache would be lost; false",
        "boolean",
      ),
      addPlugins: option("Plugins to add", "readonly PluginConfig[]"),
      refuseIfBusy: option(
        "Whether a running turn makes it fail; false",
        "boolean",
      ),
    },
    fields: {
      add_plugins: "options?.addPlugins?.map((plugin) => ({ ...plugin }))",
    },
  },
  reloadSkills: {
    description: "Loads skills anew",
    subtype: "reload_skills",
  },
  reloadOutputStyles: {
    description: "Loads output styles anew",
    subtype: "reload_output_styles",
  },
  registerRepoRoot: {
    description:
      "Lets tools work in a directory below `cwd` or below one of `additionalDirectories`, as in a repository that was just cloned there",
    subtype: "register_repo_root",
    parameters: {
      directory: "string",
    },
    options: {
      reloadClaudeMd: option(
        "Whether its `CLAUDE.md` is read; false",
        "boolean",
      ),
      reloadPlugins: option(
        "Whether plugins are loaded anew; false",
        "boolean",
      ),
      reloadSkills: option("Whether skills are loaded anew; false", "boolean"),
    },
  },
  stopTask: {
    description: "Stops a task; an unknown one is no error",
    subtype: "stop_task",
    parameters: {
      taskId: "string",
    },
  },
  backgroundTasks: {
    description:
      "Sends running tools to the background: one call, or all of them",
    subtype: "background_tasks",
    parameters: {
      "toolUseId?": "string",
    },
  },
  taskOutput: {
    description: "Reads what a background task printed",
    subtype: "get_task_output",
    parameters: {
      taskId: "string",
    },
  },
  cancelQueued: {
    description:
      "Takes a prompt out of the queue; it must have been sent with a `uuid`",
    subtype: "cancel_async_message",
    parameters: {
      messageUuid: "string",
    },
  },
  setHasSubscribers: {
    description:
      "Tells whether anybody watches the output, null = not known; it matters only where `CLAUDE_CODE_STREAM_EVENT_HOLD_MS` is set",
    subtype: "set_has_subscribers",
    parameters: {
      hasSubscribers: "boolean | null",
    },
  },
  binaryVersion: {
    description: "Tells which CLI this is",
    subtype: "get_binary_version",
  },
  reinitialize: {
    description:
      "Sends `initialize` once more, for a transport that lost lines: questions that the CLI still waits for (permissions, dialogs, elicitations) come again, and each is served once. `ready` stays what it was.\n\nThe CLI registers the hooks anew, and gives up those that it waits for: a tool call that waits for its `PreToolUse` hook is denied, and the model may try again",
    reply: "SessionInfo",
  },
  request: {
    description:
      "Sends any request by its subtype, for what is newer than this package; a void answer gives `{}`",
    parameters: {
      subtype: "string",
      "fields?": "JsonInput",
    },
    reply: "JsonObject",
  },
};
