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
  /** The mode to start in; default: that of the CLI. `"bypassPermissions"` needs `allowBypass`. */
  readonly mode?: PermissionMode | undefined;
  /** Allows `"bypassPermissions"`, now or later; default: false. */
  readonly allowBypass?: boolean | undefined;
  /** Calls that skip the prompt. Rules such as `"Read"` or `"Bash(git:*)"`. */
  readonly approve?: readonly string[] | undefined;
  /** Decides calls that no rule covers. */
  readonly canUseTool?: CanUseTool | undefined;
  /** Calls that wait for a decision in a store. Mode, allow rules and `canUseTool` do not decide them; deny rules may still refuse them. */
  readonly approvals?: ApprovalOptions | undefined;
  /** Recipient of prompts; default: `"host"`. With `"none"` the model knows that no person can be asked, and is not offered the tools that ask. `"none"` cannot be combined with `canUseTool`. */
  readonly prompts?: "host" | "none" | undefined;
  /** Timeout of one `canUseTool` call, in milliseconds. Default: its own `timeoutMs`, else 120 000. `Infinity` = no timeout. */
  readonly timeoutMs?: number | undefined;
}

/** Timeouts, in milliseconds. */
export interface TimeoutOptions {
  /** From spawn to the reply to `initialize`; default: 30 000. MCP servers have their own timeout. */
  readonly connectMs?: number | undefined;
  /** One write to stdin; default: 5 000. */
  readonly writeMs?: number | undefined;
  /** One control request to the CLI; default: 60 000. */
  readonly controlMs?: number | undefined;
  /** One hook callback, unless its matcher has a timeout; default: 30 000. */
  readonly hookMs?: number | undefined;
  /** `canUseTool`, `onElicitation` or `onUserDialog`; default: 120 000. */
  readonly permissionMs?: number | undefined;
  /** One MCP message of the CLI; default: 45 000. A server's own timeout overrides it. */
  readonly mcpMs?: number | undefined;
  /** Age at which an unanswered request is dropped; default: 300 000. A request with a longer timeout is kept until that timeout. */
  readonly abandonedMs?: number | undefined;
}

/** Shutdown of the CLI. */
export interface ShutdownOptions {
  /** From closing stdin to SIGTERM, in milliseconds; default: 10 000. */
  readonly graceMs?: number | undefined;
  /** From closing stdin to SIGKILL, in milliseconds; default: 15 000. After an abort SIGTERM comes first, SIGKILL `killMs - graceMs` later. */
  readonly killMs?: number | undefined;
  /** Whether signals of this program reach the CLI; default: true. These are SIGINT, SIGTERM, SIGHUP and SIGQUIT. */
  readonly forwardSignals?: boolean | undefined;
  /** Whether the CLI has its own process group; default: false. Then Ctrl-C in a terminal reaches this program alone. Not on Windows. */
  readonly ownProcessGroup?: boolean | undefined;
  /** Whether a watchdog runs; default: true. It is a small shell that ends the CLI and its tools after this program was killed. Windows does so on its own. */
  readonly guardProcess?: boolean | undefined;
}

/** Limits on sizes, in bytes unless the name says otherwise. */
export interface LimitOptions {
  /** One line of stdout; default: 32 MiB. A longer one is skipped and reported as `MessageTooLargeError`. */
  readonly maxMessageBytes?: number | undefined;
  /** Unread messages before the CLI has to wait; default: 8 MiB. */
  readonly readAheadBytes?: number | undefined;
  /** The same while a control request is pending; default: 64 MiB. */
  readonly maxBufferedBytes?: number | undefined;
  /** Newest stderr kept for errors; default: 256 KiB. */
  readonly stderrTailBytes?: number | undefined;
  /** Lines a second above which `onStderr` gets every tenth; default: 100. */
  readonly stderrLinesPerSecond?: number | undefined;
  /** Bytes of stderr that log one warning; default: 10 MiB. */
  readonly stderrWarnBytes?: number | undefined;
}

/** The watch over silent turns. */
export interface HealthOptions {
  /** Interval of the checks, in milliseconds; default: 30 000. */
  readonly checkMs?: number | undefined;
  /** Silence that counts as a stall, in milliseconds; default: 120 000. */
  readonly idleMs?: number | undefined;
  /** Effect of a stall; default: `"warn"`. `"warn"` reports it on `errors`, `"fail"` ends the conversation with `CliStalledError`. */
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
  /** Path of the CLI, or a command; default: discovery. An empty one means discovery too. A command has leading arguments: `["node", "cli.js"]`. */
  readonly cliPath?: string | readonly string[] | undefined;
  /** Working directory; default: that of this program. It is made absolute, and must exist. */
  readonly cwd?: string | undefined;
  /** Variables added to the inherited environment. `undefined` removes one. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Inherited part of this program's environment; default: `"inherit"`.
   *
   * `"allowlist"`: only what it needs to run, to find its model, to pass a proxy and to send telemetry. `"replace"`: nothing but `env`.
   * `CLAUDECODE`, `NODE_OPTIONS` and `DEBUG` are never inherited, `CLAUDE_CODE_SIMPLE` not beside hooks and tool lists.
   */
  readonly envPolicy?: "inherit" | "allowlist" | "replace" | undefined;
  /** Whether the CLI writes a log of its own; default: false. A string selects categories (`"api,hooks"`). The file is `debugFile`, or lies below `CLAUDE_CONFIG_DIR`. */
  readonly debug?: boolean | string | undefined;
  /** File of that log. It implies `debug`. */
  readonly debugFile?: string | undefined;
  /** Receives stderr line by line. Above `limits.stderrLinesPerSecond` it gets every tenth line. If one call takes over a second, it is not called again. */
  readonly onStderr?: ((line: string) => void | Promise<void>) | undefined;
  /** Ends everything that belongs to the conversation. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces the local process, for example by a recording. */
  readonly transport?: Transport | undefined;
  /** Further flags of the CLI. `{ channels: "plugin:a" }`, or `{ flag: null }` for one without a value. Flags of Sluice and of other options are refused. */
  readonly extraArgs?: Readonly<Record<string, string | null>> | undefined;

  // The model
  /** The model; default: that of the CLI. */
  readonly model?: string | undefined;
  /** Used when the model is overloaded or missing. It must differ from `model`; several are comma-separated. */
  readonly fallbackModel?: string | undefined;
  /** Effort of the model; default: that of the model. */
  readonly effort?: Effort | undefined;
  /** Whether the model thinks first; default: as the CLI does. */
  readonly thinking?: ThinkingOptions | undefined;
  /** Maximum of model turns, at least 1; default: no limit. */
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
  /** Schema of the structured output, for `output()`. */
  readonly outputSchema?: S | undefined;
  /** Instructions for plan mode. */
  readonly planModeInstructions?: string | undefined;

  // The session
  /** Id of the session to resume. */
  readonly resume?: string | undefined;
  /** Whether to resume the newest session of `cwd`; default: false. Not with `resume`. */
  readonly continue?: boolean | undefined;
  /** With `resume` or `continue`: under a new id; default: false. */
  readonly forkSession?: boolean | undefined;
  /** Id of the new session, a UUID. With `resume` or `continue` only beside `forkSession`. */
  readonly sessionId?: string | undefined;
  /** With `resume`: drop everything after this message. */
  readonly resumeSessionAt?: string | undefined;
  /** With `resumeSessionAt`: the prompt whose turn is dropped. The CLI refuses if anything else would be dropped. */
  readonly resumeDropsTurn?: string | undefined;
  /** Whether the CLI writes the session to disk; default: true. */
  readonly persistSession?: boolean | undefined;
  /** A store that receives a copy of the session. `resume` and `continue` read from it. See `./transcripts`. */
  readonly transcripts?: TranscriptOptions | undefined;
  /** Title of the session. */
  readonly title?: string | undefined;
  /** Whether to copy changed files for `rewindFiles()`; default: false. */
  readonly enableFileCheckpointing?: boolean | undefined;

  // Agents, plugins, settings
  /** The agent that runs the main thread. */
  readonly agent?: string | undefined;
  /** Subagents by name. */
  readonly agents?: Readonly<Record<string, AgentDefinition>> | undefined;
  /** Skills that skip the prompt, or `"all"`. With `allowedTools` these skills count as listed. */
  readonly skills?: readonly string[] | "all" | undefined;
  /** Plugins on this disk. */
  readonly plugins?: readonly PluginConfig[] | undefined;
  /** Settings, their JSON text, or the path of a file. They count like the flag `--settings` of the CLI: above user, project and local settings. */
  readonly settings?: string | CliSettings | undefined;
  /** Settings of the administrator, above all files. Their deny rules cannot be overridden, and their allow rules skip the prompt. Ignored where an administrator has set some, unless the administrator's settings allow it. */
  readonly managedSettings?: CliSettings | undefined;
  /** Settings files to read; default: all. `[]` = none. */
  readonly settingSources?:
    | readonly ("user" | "project" | "local")[]
    | undefined;
  /** Sandbox settings, merged into `settings`. Not when `settings` is a path. */
  readonly sandbox?: CliSandboxSettings | undefined;
  /** Root of the project's settings for a worktree; default: `cwd`. Settings, `.mcp.json` and `.claude` come from there when `cwd` is a worktree. It must be absolute and exist. */
  readonly projectConfigRoot?: string | undefined;
  /** Further directories that tools may touch. */
  readonly additionalDirectories?: readonly string[] | undefined;
  /** Whether only the MCP servers given here exist; default: false. */
  readonly strictMcpConfig?: boolean | undefined;

  // Tools and permissions
  /** Built-in tools that exist. */
  readonly tools?: readonly string[] | {
    /** All of the CLI's own. */
    readonly preset: "claude_code";
  } | undefined;
  /** Tools that run in place of others. With `{ A: "B" }` a call of `A` runs `B`, and permissions see `B`. */
  readonly toolAliases?: Readonly<Record<string, string>> | undefined;
  /** Settings of single tools of the CLI. */
  readonly toolConfig?: ToolConfig | undefined;
  /** The only tools that may be used; default: all. `[]` = none. Names or patterns, MCP tools included. A string is comma-separated. */
  readonly allowedTools?: string | readonly string[] | undefined;
  /** Tools that may not be used. Names or patterns. Not together with `allowedTools`. */
  readonly deniedTools?: string | readonly string[] | undefined;
  /** Decisions about tool calls; unset = the CLI's own rules, and nothing more is granted. */
  readonly permissions?: PermissionOptions | undefined;
  /** Callbacks by event. */
  readonly hooks?:
    | { readonly [E in HookEvent]?: readonly HookMatcher<E>[] | undefined }
    | undefined;
  /** MCP servers by name. Those that Sluice connects are connected all or none. */
  readonly mcpServers?: Readonly<Record<string, McpServerInput>> | undefined;
  /** Answers questions of MCP servers; default: declines. */
  readonly onElicitation?:
    | ((
      request: ElicitationRequest,
      context: CallbackContext,
    ) => ElicitationResult | Promise<ElicitationResult>)
    | undefined;
  /** Kinds of dialogs that `onUserDialog` can show; default: all known. A dialog is a question that the CLI itself asks. It sends no other kinds. */
  readonly supportedDialogKinds?: readonly string[] | undefined;
  /** Shows dialogs of the CLI; default: cancels. */
  readonly onUserDialog?:
    | ((
      request: UserDialogRequest,
      context: CallbackContext,
    ) => UserDialogResult | Promise<UserDialogResult>)
    | undefined;

  // Delivery
  /** Whether `stream_event` messages arrive; default: false. */
  readonly includePartialMessages?: boolean | undefined;
  /** Whether messages about command hooks arrive; default: false. */
  readonly includeHookEvents?: boolean | undefined;
  /** Whether texts of subagents arrive; default: false. */
  readonly forwardSubagentText?: boolean | undefined;
  /** Whether `prompt_suggestion` messages arrive; default: false. */
  readonly promptSuggestions?: boolean | undefined;
  /** Whether subagents report progress every 30 s; default: false. As `task_progress` messages, each of which costs a request. */
  readonly agentProgressSummaries?: boolean | undefined;
  /** Whether prompts reach the model as they are; default: false. Then `/` is no command and `@` no file. */
  readonly verbatimPrompts?: boolean | undefined;
  /** Whether tasks are stopped one by one; default: false. Then `stopTask()` stops one, and `interrupt()` leaves background subagents alone. */
  readonly perTaskStopAffordance?: boolean | undefined;
  /** Check of messages; default: `"envelope"`. `"strict"` also checks each known message by its schema, and reports deviations. */
  readonly validation?: "envelope" | "strict" | undefined;
  /** Receives log lines, such as `console`. Without it only warnings are shown, each once, as warnings of the process. */
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
