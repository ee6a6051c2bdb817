/** Kind of value that an option may have at run time. */
export type OptionKind =
  | "string"
  | "number"
  | "boolean"
  | "function"
  | "object"
  | "list";

/** One option of the official SDK. */
export interface OfficialOption {
  readonly description: string;
  /** Its type in the official declarations. */
  readonly type: string;
  readonly kinds: readonly OptionKind[];
}

/** The options by name; Source: `sdk.d.ts` 0.3.332. */
export const OFFICIAL_OPTIONS: Readonly<Record<string, OfficialOption>> = {
  abortController: object("Cancels everything", "AbortController"),
  additionalDirectories: list("Further directories that tools may touch"),
  projectConfigRoot: text("Directory with the project's configuration"),
  agent: text("The agent that runs the main thread"),
  agents: object(
    "Agents that the model can delegate work to, by name",
    "Record<string, AgentDefinition>",
  ),
  allowedTools: list(
    "Tools that are auto-allowed; other tools are not restricted",
  ),
  canUseTool: callback(
    "Decides tool calls that no rule covers",
    "CanUseTool",
  ),
  continue: flag(
    "Whether to continue the newest session of the working directory",
  ),
  cwd: text("Working directory; that of this program"),
  disallowedTools: list("Tools that may not be used"),
  toolAliases: object(
    "Names by which the model calls tools, each with the real one",
    "Record<string, string>",
  ),
  tools: {
    description: "Built-in tools that exist",
    type: `string[] | {
      /** All of the CLI's own. */
      type: "preset";
      /** Name of the preset. */
      preset: "claude_code";
    }`,
    kinds: ["list", "object"],
  },
  env: object(
    "The whole environment of the CLI; unset = that of this program",
    "{ [envVar: string]: string | undefined }",
  ),
  executable: text(
    "Runtime of a CLI that is a script",
    '"bun" | "deno" | "node"',
  ),
  executableArgs: list("Arguments before those of the CLI"),
  extraArgs: object(
    "Further flags of the CLI, `null` for one without a value",
    "Record<string, string | null>",
  ),
  fallbackModel: text("The model to fall back to"),
  enableFileCheckpointing: flag(
    "Whether the CLI keeps copies of changed files, for `rewindFiles()`",
  ),
  toolConfig: object("Settings of built-in tools", "ToolConfig"),
  forkSession: flag(
    "With `resume`: whether the session continues under a new id",
  ),
  betas: list("Beta features of the API", "SdkBeta[]"),
  hooks: object(
    "Callbacks by event; one that throws stops nothing",
    "Partial<Record<HookEvent, HookCallbackMatcher[]>>",
  ),
  onElicitation: callback(
    "Answers questions of MCP servers; unset = declined",
    "OnElicitation",
  ),
  onUserDialog: callback("Shows dialogs of the CLI", "OnUserDialog"),
  supportedDialogKinds: list(
    "Dialogs that can be shown; needs `onUserDialog`",
  ),
  perTaskStopAffordance: flag("Whether the host can stop single tasks"),
  persistSession: flag("Whether the CLI writes the session to disk; true"),
  sessionStore: object("A store that also gets the session", "SessionStore"),
  sessionStoreFlush: text(
    'Frequency of writes to the store; `"batched"`',
    "SessionStoreFlush",
  ),
  loadTimeoutMs: count(
    "Timeout of one read from the store, in milliseconds; 60 000",
  ),
  includeHookEvents: flag("Whether messages about command hooks are delivered"),
  includePartialMessages: flag("Whether `stream_event` messages are delivered"),
  forwardSubagentText: flag("Whether texts of subagents are delivered"),
  verbatimPrompts: flag(
    "Whether prompts are sent verbatim, without expanding commands",
  ),
  thinking: object("Whether and how much the model thinks", "ThinkingConfig"),
  effort: text("Effort of the model", "EffortLevel"),
  maxThinkingTokens: count("Maximum thinking tokens; 0 = no thinking"),
  maxTurns: count("Maximum number of model turns"),
  maxBudgetUsd: count("Budget in US dollars"),
  taskBudget: object(
    "Token budget of the task, shown to the model",
    `{
      /** Tokens of the whole task. */
      total: number;
    }`,
  ),
  mcpServers: object("MCP servers by name", "Record<string, McpServerConfig>"),
  mcpServersDelivery: text(
    'Way of passing them to the CLI; `"argv"`, which other users of the machine can read',
    '"argv" | "initialize"',
  ),
  model: text("The model"),
  outputFormat: object("Structured output", "OutputFormat"),
  pathToClaudeCodeExecutable: text("Path of the CLI; unset = searched for"),
  permissionMode: text(
    "Permission mode: which calls run without prompting",
    "PermissionMode",
  ),
  planModeInstructions: text("Instructions for the model in plan mode"),
  allowDangerouslySkipPermissions: flag(
    'Whether `"bypassPermissions"` may be chosen',
  ),
  permissionPromptToolName: text(
    "An MCP tool that decides; not together with `canUseTool`",
  ),
  permissionPrompts: text(
    "Recipient of permission prompts",
    '"host" | "none"',
  ),
  plugins: list("Plugins on this disk", "SdkPluginConfig[]"),
  pluginDelivery: text(
    'Way of passing them to the CLI; `"argv"`',
    '"argv" | "initialize"',
  ),
  promptSuggestions: flag("Whether `prompt_suggestion` messages are delivered"),
  agentProgressSummaries: flag(
    "Whether progress summaries of subagents are delivered",
  ),
  resume: text("Id of the session to resume"),
  sessionId: text("Id of the new session, a UUID"),
  resumeSessionAt: text("With `resume`: drops everything after this message"),
  resumeDropsTurn: text("With `resume`: drops this turn"),
  sandbox: object("Sandbox for the commands of tools", "SandboxSettings"),
  settings: {
    description: "Settings: an object, its JSON text, or the path of a file",
    type: "string | Settings",
    kinds: ["string", "object"],
  },
  managedSettings: object(
    "Managed settings, which override all others",
    "Settings",
  ),
  settingSources: list("Settings files to read; all", "SettingSource[]"),
  skills: {
    description: "Skills that may be used",
    type: 'string[] | "all"',
    kinds: ["list", "string"],
  },
  debug: flag("Whether the CLI writes debug output to stderr"),
  debugFile: text("File for the debug output"),
  stderr: callback("Called with the stderr output", "(data: string) => void"),
  strictMcpConfig: flag("Whether only the MCP servers given here exist"),
  systemPrompt: {
    description: "System prompt; unset = a minimal one",
    type: `string | string[] | {
      /** A prompt of your own. */
      type: "custom";
      /** The prompt. */
      prompt: string | string[];
      /** Whether the prompt is kept as it is at the start. */
      snapshot?: boolean;
    } | {
      /** The prompt of the CLI. */
      type: "preset";
      /** Name of the preset. */
      preset: "claude_code";
      /** Text added to the prompt. */
      append?: string;
      /** Whether sections that change per turn stay out of the prompt. */
      excludeDynamicSections?: boolean;
      /** Whether the prompt is kept as it is at the start. */
      snapshot?: boolean;
    }`,
    kinds: ["string", "list", "object"],
  },
  title: text("Title of the session"),
  spawnClaudeCodeProcess: callback(
    "Custom function that starts the CLI",
    "(options: SpawnOptions) => SpawnedProcess",
  ),
};

function text(description: string, type = "string"): OfficialOption {
  return { description, type, kinds: ["string"] };
}

function flag(description: string): OfficialOption {
  return { description, type: "boolean", kinds: ["boolean"] };
}

function count(description: string): OfficialOption {
  return { description, type: "number", kinds: ["number"] };
}

function list(description: string, type = "string[]"): OfficialOption {
  return { description, type, kinds: ["list"] };
}

function object(description: string, type: string): OfficialOption {
  return { description, type, kinds: ["object"] };
}

function callback(description: string, type: string): OfficialOption {
  return { description, type, kinds: ["function"] };
}

/** Flags of the CLI in the order in which the official SDK writes them; Source: `sdk.mjs` 0.3.332. */
export const OFFICIAL_FLAGS: readonly string[] = (
  "max-thinking-tokens thinking thinking-display effort max-turns max-budget-usd task-budget model agent betas json-schema " +
  "debug debug-file permission-prompt-tool permission-prompts continue resume allowedTools disallowedTools tools mcp-config " +
  "setting-sources strict-mcp-config permission-mode allow-dangerously-skip-permissions fallback-model include-hook-events " +
  "include-partial-messages session-mirror project-config-root add-dir plugin-dir plugin-dir-no-mcp fork-session " +
  "resume-session-at resume-drops-turn session-id no-session-persistence managed-settings-in-initialize managed-settings " +
  "initialize-fields settings"
).split(" ");
