// Made from src/options/ by `npm run generate`; edit that.
import type { Clock } from "../ports/clock.ts";
import type { Transport } from "../ports/transport.ts";
import type { HookEvent } from "../protocol/hooks.ts";
import type { PermissionMode } from "../protocol/permissions.ts";
import type {
  AgentDefinition,
  Effort,
  PluginConfig,
} from "../protocol/session.ts";
import type { TranscriptOptions } from "../transcripts/store.ts";
import type { CliSandboxSettings, CliSettings } from "./cli_settings.ts";
import type { HookMatcher } from "./hooks.ts";
import type { McpServerInput } from "./mcp.ts";
import type { Logger, Metrics } from "./observe.ts";
import type {
  CallbackContext,
  ElicitationRequest,
  ElicitationResult,
  SystemPromptOptions,
  SystemPromptText,
  ThinkingOptions,
  ToolConfig,
  UserDialogRequest,
  UserDialogResult,
} from "./option_values.ts";
import type { ApprovalOptions, CanUseTool } from "./permissions.ts";
import type { Schema } from "./schema.ts";

/** Decisions about tool calls; unset = the CLI's own rules, and nothing more is granted. */
export interface PermissionOptions {
  /** The mode to start in; default: that of the CLI. `"bypassPermissions"` needs `allowBypass`. With `"auto"` a model of the CLI decides calls that no rule covers. */
  readonly mode?: PermissionMode | undefined;
  /** Whether the mode `"bypassPermissions"` can be set; default: false. */
  readonly allowBypass?: boolean | undefined;
  /** Tool calls that skip the permission prompt. Entries are rules such as `"Read"` or `"Bash(git:*)"`. */
  readonly approve?: readonly string[] | undefined;
  /** Decides tool calls that no rule or mode decides. */
  readonly canUseTool?: CanUseTool | undefined;
  /** Tool calls that wait for a decision in a store. The decision comes from the store, not from the mode, allow rules or `canUseTool`. Deny rules can still refuse an approved call. */
  readonly approvals?: ApprovalOptions | undefined;
  /** Recipient of permission prompts; default: `"host"`. With `"host"`, this program answers. `"none"` informs the model that no person can answer, and removes the tools that ask a person. `"none"` cannot be combined with `canUseTool`. */
  readonly prompts?: "host" | "none" | undefined;
  /** Timeout of one `canUseTool` call, in milliseconds; default: `timeouts.permissionMs`. Callbacks of `promptPerson()` and `permissionQueue()` have no timeout by default. `Infinity` = no timeout. */
  readonly timeoutMs?: number | undefined;
}

/** Timeouts, in milliseconds. */
export interface TimeoutOptions {
  /** Timeout of the start, until the CLI answers `initialize`; default: 30 000. MCP servers have their own `connectTimeoutMs`. */
  readonly connectMs?: number | undefined;
  /** Timeout of one write to stdin; default: 5 000. */
  readonly writeMs?: number | undefined;
  /** Timeout of one control request to the CLI; default: 60 000. */
  readonly controlMs?: number | undefined;
  /** Timeout of one hook callback; default: 30 000. `timeoutMs` of the hook's matcher overrides this value. */
  readonly hookMs?: number | undefined;
  /** Timeout of `canUseTool`, `onElicitation`, `onUserDialog`; default: 120 000. */
  readonly permissionMs?: number | undefined;
  /** Timeout of one call of an MCP tool; default: 45 000. `callTimeoutMs` of the server overrides this value. */
  readonly mcpMs?: number | undefined;
  /** Age at which Sluice warns that a timed-out request has no reply; default: 300 000. */
  readonly abandonedMs?: number | undefined;
}

/** Shutdown of the CLI. */
export interface ShutdownOptions {
  /** Time from closing stdin to SIGTERM, in milliseconds; default: 10 000. */
  readonly graceMs?: number | undefined;
  /** Time from closing stdin to SIGKILL, in milliseconds; default: 15 000. After an abort Sluice sends SIGTERM at once, and SIGKILL `killMs - graceMs` later (by default 5 s). */
  readonly killMs?: number | undefined;
  /** Whether signals of this program reach the CLI; default: true. The signals are SIGINT, SIGTERM, SIGHUP and SIGQUIT. */
  readonly forwardSignals?: boolean | undefined;
  /** Whether the CLI has its own process group; default: false. If true, a terminal sends Ctrl-C only to this program. With `forwardSignals: true`, Sluice then forwards Ctrl-C to the CLI. Rejected on Windows. */
  readonly ownProcessGroup?: boolean | undefined;
  /** Whether a watchdog runs; default: true. The watchdog is a small shell. It ends the CLI and its tools if this program is killed. */
  readonly guardProcess?: boolean | undefined;
}

/** Limits on sizes, in bytes unless the name says otherwise. */
export interface LimitOptions {
  /** Maximum size of one line of stdout; default: 32 MiB. A longer line is skipped and reported as `MessageTooLargeError`. */
  readonly maxMessageBytes?: number | undefined;
  /** Size of unread messages at which Sluice stops reading; default: 8 MiB. While a control request is pending, Sluice reads more, up to `maxBufferedBytes`. */
  readonly readAheadBytes?: number | undefined;
  /** Size of unread messages at which control requests fail; default: 64 MiB. */
  readonly maxBufferedBytes?: number | undefined;
  /** Size of the stderr tail that is kept for errors; default: 256 KiB. */
  readonly stderrTailBytes?: number | undefined;
  /** Lines per second above which `onStderr` skips lines; default: 100. */
  readonly stderrLinesPerSecond?: number | undefined;
  /** Size of stderr after which a warning is logged; default: 10 MiB. */
  readonly stderrWarnBytes?: number | undefined;
}

/** The watch over silent turns. */
export interface HealthOptions {
  /** Interval of the checks for stalls, in milliseconds; default: 30 000. */
  readonly checkMs?: number | undefined;
  /** Silence of the CLI that counts as a stall, in milliseconds; default: 120 000. While a tool of the CLI runs, ten times this silence counts as a stall. */
  readonly idleMs?: number | undefined;
  /** Effect of a stall; default: `"warn"`. `"warn"` reports the stall on `errors`. `"fail"` ends the conversation with `CliStalledError`. */
  readonly onIdle?: "warn" | "fail" | undefined;
}

/**
 * Everything that can be set; every key is optional.
 *
 * An unknown key, a wrong type, a value out of range or a contradiction throws `ConfigError` before anything starts.
 * Options travel in `initialize` where possible, not on the command line, which other users of the machine can read.
 *
 * @typeParam S The schema of the structured output
 */
export interface AgentOptions<S extends Schema = Schema> {
  // The process
  /** Path of the CLI, or a command; default: found by a search. A command is a list: a program and its arguments, such as `["node", "cli.js"]`. */
  readonly cliPath?: string | readonly string[] | undefined;
  /** Working directory; default: that of this program. The directory must exist. */
  readonly cwd?: string | undefined;
  /** Variables added to the inherited environment. The value `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Variables that the CLI inherits from this program; default: `"inherit"`.
   *
   * `"allowlist"` inherits only variables for basics, proxies, the model and telemetry. `"replace"` inherits nothing. The CLI never inherits
   * `CLAUDECODE`, `NODE_OPTIONS` and `DEBUG`. With hooks or tool lists it does not inherit `CLAUDE_CODE_SIMPLE` either.
   */
  readonly envPolicy?: "inherit" | "allowlist" | "replace" | undefined;
  /** Whether the CLI writes its own log; default: false. A string selects categories, such as `"api,hooks"`. Without `debugFile` the log is a file below `CLAUDE_CONFIG_DIR`. */
  readonly debug?: boolean | string | undefined;
  /** File of the CLI's log. Setting `debugFile` also turns on `debug`. */
  readonly debugFile?: string | undefined;
  /** Receives the stderr of the CLI line by line. If a call takes more than a second, Sluice does not call `onStderr` again. */
  readonly onStderr?: ((line: string) => void | Promise<void>) | undefined;
  /** Aborts the conversation and ends its processes. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces the local process, for example by a recording. */
  readonly transport?: Transport | undefined;
  /** Further flags of the CLI. For example `{ channels: "plugin:a" }`. Use `{ flag: null }` for a flag without a value. Sluice rejects flags that Sluice or another option sets. */
  readonly extraArgs?: Readonly<Record<string, string | null>> | undefined;

  // The model
  /** The model; default: that of the CLI. */
  readonly model?: string | undefined;
  /** Model to use if `model` is overloaded or does not exist. Must differ from `model`. Separate several models by commas. */
  readonly fallbackModel?: string | undefined;
  /** Effort that the model spends on answers; default: that of the model. */
  readonly effort?: Effort | undefined;
  /** Whether the model thinks before it answers; default: that of the CLI. */
  readonly thinking?: ThinkingOptions | undefined;
  /** Maximum number of model answers per prompt, at least 1; default: no limit. */
  readonly maxTurns?: number | undefined;
  /** Maximum cost in US dollars, above 0; default: no limit. */
  readonly maxBudgetUsd?: number | undefined;
  /** Token budget shown to the model, so that it paces itself. */
  readonly taskBudget?: {
    /** Tokens; at least 1. */
    readonly total: number;
  } | undefined;
  /** Beta features of the API. */
  readonly betas?: readonly string[] | undefined;
  /** A system prompt, or an addition to the CLI's default. Unset, `""` or `[]` = the CLI's default. */
  readonly systemPrompt?: SystemPromptText | SystemPromptOptions | undefined;
  /** Schema of the structured output that `output()` returns. */
  readonly outputSchema?: S | undefined;
  /** Replaces the CLI's workflow instructions for plan mode. */
  readonly planModeInstructions?: string | undefined;

  // The session
  /** Id of the session to resume. */
  readonly resume?: string | undefined;
  /** Whether to resume the newest session of `cwd`; default: false. Cannot be combined with `resume`. */
  readonly continue?: boolean | undefined;
  /** Whether to resume under a new id; default: false. Needs `resume` or `continue`. */
  readonly forkSession?: boolean | undefined;
  /** Id of the new session, a UUID. With `resume` or `continue`, `sessionId` needs `forkSession`. */
  readonly sessionId?: string | undefined;
  /** Uuid of the last message to keep. Later messages are dropped. Needs `resume`. */
  readonly resumeSessionAt?: string | undefined;
  /** Uuid of the only prompt whose turn may be dropped. A check for `resumeSessionAt`. If it would drop more than this turn, the CLI refuses to resume. */
  readonly resumeDropsTurn?: string | undefined;
  /** Whether the CLI writes the session to disk; default: true. */
  readonly persistSession?: boolean | undefined;
  /** A store that receives a copy of the session. `resume` and `continue` read the session from this store. `@sluice/agent/transcripts` exports stores. */
  readonly transcripts?: TranscriptOptions | undefined;
  /** Title of the session. */
  readonly title?: string | undefined;
  /** Whether to copy changed files for `rewindFiles()`; default: false. */
  readonly enableFileCheckpointing?: boolean | undefined;

  // Agents, plugins, settings
  /** Name of the agent that answers the prompts. */
  readonly agent?: string | undefined;
  /** Subagents by name. */
  readonly agents?: Readonly<Record<string, AgentDefinition>> | undefined;
  /** Skills that the model can load; default: all found. With a list, the model can load only the listed skills, and these skip the permission prompt. With `"all"`, all skills skip the prompt. */
  readonly skills?: readonly string[] | "all" | undefined;
  /** Plugins to load, each with the path of its folder. */
  readonly plugins?: readonly PluginConfig[] | undefined;
  /** Settings: an object, JSON text, or a file path. Overrides user, project and local settings. */
  readonly settings?: string | CliSettings | undefined;
  /** Settings that override `settings` and all settings files. Deny rules of `managedSettings` cannot be overridden. Allow rules of `managedSettings` skip the permission prompt. If the machine has an administrator's settings, these must allow `managedSettings`. If they do not, the CLI ignores this option. */
  readonly managedSettings?: CliSettings | undefined;
  /** Settings files to read; default: all. `[]` = none. */
  readonly settingSources?:
    | readonly ("user" | "project" | "local")[]
    | undefined;
  /** Sandbox settings, merged into `settings`. Deny lists of `sandbox` and `settings` are joined. If a key of `settings` would switch off a restriction of `sandbox`, Sluice drops this key. Cannot be combined with `settings` as a path. */
  readonly sandbox?: CliSandboxSettings | undefined;
  /** Folder of the project's settings, if `cwd` is a worktree; default: `cwd`. The CLI reads settings, `.mcp.json` and `.claude` from this folder. The path must be absolute and exist. */
  readonly projectConfigRoot?: string | undefined;
  /** Further directories in which tools may work. */
  readonly additionalDirectories?: readonly string[] | undefined;
  /** Whether to use only the servers in `mcpServers`; default: false. */
  readonly strictMcpConfig?: boolean | undefined;

  // Tools and permissions
  /** Built-in tools that the agent has; default: those of the CLI. */
  readonly tools?: readonly string[] | {
    /** All of the CLI's own. */
    readonly preset: "claude_code";
  } | undefined;
  /** Replaces tools by other tools. With `{ A: "B" }` a call of `A` runs `B`, and permissions see `B`. */
  readonly toolAliases?: Readonly<Record<string, string>> | undefined;
  /** Settings of certain tools of the CLI. */
  readonly toolConfig?: ToolConfig | undefined;
  /** The only tools that the agent can use; default: all. `[]` = none. Entries are names or patterns of built-in tools and MCP tools. In a string, commas separate the entries. */
  readonly allowedTools?: string | readonly string[] | undefined;
  /** Tools that the agent cannot use. Entries are names or patterns. `allowedTools` and `deniedTools` cannot both have entries. */
  readonly deniedTools?: string | readonly string[] | undefined;
  /** Decisions about tool calls; unset = the CLI's own rules, and nothing more is granted. */
  readonly permissions?: PermissionOptions | undefined;
  /** Hook callbacks by event. */
  readonly hooks?:
    | { readonly [E in HookEvent]?: readonly HookMatcher<E>[] | undefined }
    | undefined;
  /** MCP servers by name. If one MCP server cannot be connected, the others are closed, and the conversation fails. If the CLI cannot connect to a server with `via: "cli"`, the CLI continues without this server. */
  readonly mcpServers?: Readonly<Record<string, McpServerInput>> | undefined;
  /** Answers questions of MCP servers; default: declines. */
  readonly onElicitation?:
    | ((
      request: ElicitationRequest,
      context: CallbackContext,
    ) => ElicitationResult | Promise<ElicitationResult>)
    | undefined;
  /** Kinds of dialogs that `onUserDialog` can show; default: all that Sluice knows. The CLI sends only dialogs of these kinds. A dialog is a question that the CLI itself asks. */
  readonly supportedDialogKinds?: readonly string[] | undefined;
  /** Shows dialogs of the CLI; default: cancels. */
  readonly onUserDialog?:
    | ((
      request: UserDialogRequest,
      context: CallbackContext,
    ) => UserDialogResult | Promise<UserDialogResult>)
    | undefined;

  // Delivery
  /** Whether `stream_event` messages arrive; default: false. A `stream_event` contains a piece of a message that the model is writing. */
  readonly includePartialMessages?: boolean | undefined;
  /** Whether messages about hooks of settings files arrive; default: false. */
  readonly includeHookEvents?: boolean | undefined;
  /** Whether texts of foreground subagents arrive; default: false. */
  readonly forwardSubagentText?: boolean | undefined;
  /** Whether `prompt_suggestion` messages arrive; default: false. */
  readonly promptSuggestions?: boolean | undefined;
  /** Whether subagents report progress every 30 s; default: false. Each report is a `task_progress` message and costs a request to the model. */
  readonly agentProgressSummaries?: boolean | undefined;
  /** Whether prompts reach the model unchanged; default: false. If true, `/` does not start a command and `@` does not mention a file. */
  readonly verbatimPrompts?: boolean | undefined;
  /** Whether `interrupt()` spares background subagents; default: false. To stop a single subagent, call `stopTask()`. */
  readonly perTaskStopAffordance?: boolean | undefined;
  /** How strictly Sluice checks messages; default: `"envelope"`. `"envelope"` checks only the type and the required fields. `"strict"` also checks each known message against its schema and reports deviations. */
  readonly validation?: "envelope" | "strict" | undefined;
  /** Object that receives log lines, such as `console`. Without a logger, Sluice prints only warnings, and each warning once. */
  readonly logger?: Logger | undefined;
  /** Receives metrics. */
  readonly metrics?: Metrics | undefined;
  /** Source of time, replaced in tests. */
  readonly clock?: Clock | undefined;

  // Limits
  /** Timeouts, in milliseconds. */
  readonly timeouts?: TimeoutOptions | undefined;
  /** Shutdown of the CLI. */
  readonly shutdown?: ShutdownOptions | undefined;
  /** Limits on sizes, in bytes unless the name says otherwise. */
  readonly limits?: LimitOptions | undefined;
  /** The watch over silent turns. */
  readonly health?: HealthOptions | undefined;
}
