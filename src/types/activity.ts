/** State of a CLI process, derived from its traffic. */
export type ProcessState =
  | "starting"
  | "idle"
  | "running"
  | "waiting"
  | "background"
  | "stalled"
  | "stopping"
  | "gone";

/** A snapshot of a process and its traffic; taken anew by each call of `health()`. */
export interface ProcessHealth {
  /** Process id; absent before the start and for transports without a process. */
  readonly pid?: number;
  /** When the process was started. */
  readonly startedAt?: Date;
  /** When the last byte was read or written. */
  readonly lastActivityAt?: Date;
  /** Bytes read from stdout. */
  readonly bytesRead: number;
  /** Bytes written to stdin. */
  readonly bytesWritten: number;
  /** Lines read from stdout, control lines included. */
  readonly messagesReceived: number;
  /** Lines written to stdin, control lines included. */
  readonly messagesSent: number;
  /** Lines read from stderr. */
  readonly stderrLines: number;
  /** Control requests of this program that are pending. */
  readonly pendingRequests: number;
  /** `waiting` = a tool, hook or permission is pending; `background` = no turn runs, tasks of the agent do; `stalled` = silent for longer than `health.idleMs` while it owes an answer, or ten times that while a tool runs. */
  readonly state: ProcessState;
}

/** Source of a candidate for the CLI. */
export type CliSource =
  | "option"
  | "environment"
  | "path"
  | "node_modules"
  | "usual-place";

/** Outcome of trying one candidate. */
export type AttemptOutcome =
  | "found"
  | "missing"
  | "not-executable"
  | "broken-link"
  | "failed"
  | "timeout"
  | "skipped";

/** One place where the CLI was looked for. */
export interface DiscoveryAttempt {
  /** The candidate's path. */
  readonly path: string;
  /** Why this path was tried. */
  readonly source: CliSource;
  /** Its outcome. */
  readonly outcome: AttemptOutcome;
  /** Output of `--version`; only where it was found. */
  readonly version?: string;
  /** The problem, and a remedy. */
  readonly reason?: string;
}

/** The trace of a search for the CLI. */
export interface CliDiscovery {
  /** The CLI to use; absent when none was found. */
  readonly path?: string;
  /** Its version, from `--version`. */
  readonly version?: string;
  /** Whether it answered `--version`. */
  readonly executable: boolean;
  /** Source in which it was found. */
  readonly source?: CliSource;
  /** Every place tried, in order. */
  readonly attempts: readonly DiscoveryAttempt[];
  /** Warnings: an old version, several CLIs. */
  readonly warnings: readonly string[];
}

/** Options of `discoverCli()`; keys have their meaning in `AgentOptions`. */
export interface DiscoverOptions {
  /** The CLI: a path, a name in PATH, or a command with leading arguments; nothing else is tried then. Unset or empty = search. */
  readonly cliPath?: string | readonly string[] | undefined;
  /** Directory in which the search through `node_modules` begins, before the working directory of this program. */
  readonly cwd?: string | undefined;
  /** Variables merged over this program's environment; `undefined` removes one. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Ends the search; the promise rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A pending request of the CLI to this program. */
export interface WaitingFor {
  /** Kind of request: `tool` = a tool of this program. */
  readonly kind: "permission" | "hook" | "tool" | "elicitation" | "dialog";
  /** Id of the request; one permission has the same id in `PermissionContext.requestId`. */
  readonly requestId: string;
  /** Name of the tool, as the model calls it. */
  readonly tool?: string;
  /** When it was requested. */
  readonly since: Date;
}

/** A background task of the agent: a shell command or another agent. */
export interface BackgroundTask {
  /** Id of the task, for `stopTask()` and `taskOutput()`. */
  readonly id: string;
  /** Its kind, in the CLI's terms (`local_bash`, `local_agent`, ...); empty if unknown. */
  readonly kind: string;
  /** A short description. */
  readonly description?: string;
  /** The tool call that began it. */
  readonly toolUseId?: string;
  /** When it was first reported. */
  readonly since: Date;
}

/** Activity of an agent: a snapshot, taken from the output of the CLI whether or not it was read. */
export interface Activity {
  /** Its state; `background` = no turn runs, but tasks of the agent do, or the turn that reports their end to the model is due. */
  readonly state: ProcessState;
  /** Start of that state. */
  readonly since: Date;
  /** Number of prompts queued behind the running turn. */
  readonly queued: number;
  /** Pending requests of the CLI to this program, the oldest first. */
  readonly waitingFor: readonly WaitingFor[];
  /** Background tasks, the oldest first. */
  readonly tasks: readonly BackgroundTask[];
}

/** Counts of tokens and of web searches. */
export interface TokenUse {
  /** Input tokens that came from no cache. */
  readonly inputTokens: number;
  /** Tokens written. */
  readonly outputTokens: number;
  /** Tokens read from the cache. */
  readonly cacheReadInputTokens: number;
  /** Tokens written to the cache. */
  readonly cacheCreationInputTokens: number;
  /** Searches of the web. */
  readonly webSearchRequests: number;
}

/** Usage of one model. */
export interface ModelCost extends TokenUse {
  /** Estimated cost in US dollars. */
  readonly usd: number;
}

/**
 * Cost of the ended turns of a conversation, estimated by the CLI from list prices.
 *
 * Cost from before a resume is only in `sessionUsd`.
 */
export interface Cost {
  /** Estimated cost of this conversation, in US dollars. */
  readonly totalUsd: number;
  /** Estimated cost of the last ended turn, in US dollars, with the background work since the turn before. */
  readonly lastTurnUsd: number;
  /** Cost of the whole session as the CLI reports it, in US dollars: earlier runs included, from 0 after `/clear`. */
  readonly sessionUsd: number;
  /** Results so far; prompts that were merged into one turn have one. */
  readonly turns: number;
  /** Usage of this conversation. */
  readonly usage: TokenUse;
  /** The same by model. */
  readonly byModel: Readonly<Record<string, ModelCost>>;
}

/** Settings of `settled()`. */
export interface SettledOptions {
  /** Whether to wait for background tasks as well; `true` by default. */
  readonly background?: boolean | undefined;
  /** Cancels the wait; rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Queries that an agent answers at any time, independent of its messages. */
export interface Observed {
  /** Current activity of the agent. */
  activity(): Activity;
  /**
   * Streams the current activity, then the activity after each change; ends with the conversation.
   *
   * Every call returns a stream of its own. A slow reader gets the newest activity only.
   *
   * @param options `signal` ends the stream with its reason
   */
  watch(
    options?: { readonly signal?: AbortSignal | undefined },
  ): ReadableStream<Activity>;
  /**
   * Resolves when idle: no turn, no queued prompt and no background task.
   *
   * Messages must be consumed once they exceed `limits.readAheadBytes`: the CLI stops until they are.
   *
   * @param options Whether background tasks count, and a signal that cancels the wait
   * @returns The activity at that time; with state `gone` if the CLI exited on its own
   * @throws The error that ended the conversation; `ClosedError` after `close()`
   */
  settled(options?: SettledOptions): Promise<Activity>;
  /** Cost so far; zeros before the first result. */
  cost(): Cost;
}
