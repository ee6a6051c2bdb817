/** What a CLI process is doing, as far as its traffic tells. */
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
  /** When the last byte went either way. */
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
  /** Control requests of ours that are still open. */
  readonly pendingRequests: number;
  /** `waiting` = a tool, hook or permission is pending; `background` = no turn runs, tasks of the agent do; `stalled` = silent for longer than `health.idleMs` while it owes an answer, or ten times that while a tool runs. */
  readonly state: ProcessState;
}

/** Where a candidate for the CLI came from. */
export type CliSource =
  | "option"
  | "environment"
  | "path"
  | "node_modules"
  | "usual-place";

/** How the try of one candidate ended. */
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
  /** The path tried. */
  readonly path: string;
  /** Why this path was tried. */
  readonly source: CliSource;
  /** How it ended. */
  readonly outcome: AttemptOutcome;
  /** What it said to `--version`; only where it was found. */
  readonly version?: string;
  /** What was found instead, and what helps. */
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
  /** Where it was found. */
  readonly source?: CliSource;
  /** Every place tried, in order. */
  readonly attempts: readonly DiscoveryAttempt[];
  /** What should be looked at: an old version, several CLIs. */
  readonly warnings: readonly string[];
}

/** Where `discoverCli()` looks; the keys mean what they mean in `AgentOptions`. */
export interface DiscoverOptions {
  /** The CLI: a path, a name in PATH, or a command with leading arguments; nothing else is tried then. Unset or empty = search. */
  readonly cliPath?: string | readonly string[] | undefined;
  /** Where the search through `node_modules` begins, before the working directory of this program. */
  readonly cwd?: string | undefined;
  /** Variables merged over this program's environment; `undefined` removes one. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Ends the search; the promise rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Something that the CLI has asked this program, and that it waits for. */
export interface WaitingFor {
  /** What was asked: `tool` = a tool of this program. */
  readonly kind: "permission" | "hook" | "tool" | "elicitation" | "dialog";
  /** Id of the request; one permission has the same id in `PermissionContext.requestId`. */
  readonly requestId: string;
  /** The tool that it is about, as the model calls it. */
  readonly tool?: string;
  /** When it was asked. */
  readonly since: Date;
}

/** A task that the agent left running in the background: a shell command, another agent. */
export interface BackgroundTask {
  /** Id of the task, for `stopTask()` and `taskOutput()`. */
  readonly id: string;
  /** What it is, as the CLI calls it (`local_bash`, `local_agent`, ...); empty where it does not say. */
  readonly kind: string;
  /** What it does, in short. */
  readonly description?: string;
  /** The tool call that began it. */
  readonly toolUseId?: string;
  /** When it was first heard of. */
  readonly since: Date;
}

/** What an agent is doing: a snapshot, taken from what the CLI has said, be it read by anybody or not. */
export interface Activity {
  /** What it does; `background` = no turn runs, tasks of the agent do, or the turn that tells the model of their end is due. */
  readonly state: ProcessState;
  /** Since when that is the state. */
  readonly since: Date;
  /** Prompts that wait behind the turn that runs. */
  readonly queued: number;
  /** What the CLI waits for from this program, the oldest first. */
  readonly waitingFor: readonly WaitingFor[];
  /** What runs in the background, the oldest first. */
  readonly tasks: readonly BackgroundTask[];
}

/** Tokens, and calls of tools that the API runs. */
export interface TokenUse {
  /** Tokens read that no cache held. */
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

/** What one model has used. */
export interface ModelCost extends TokenUse {
  /** Estimated cost in US dollars. */
  readonly usd: number;
}

/**
 * What a conversation has cost, as the CLI estimates it from list prices: of turns that have ended.
 *
 * What the session had cost before it was resumed is in `sessionUsd` alone.
 */
export interface Cost {
  /** Estimated cost of this conversation, in US dollars. */
  readonly totalUsd: number;
  /** The same of the turn that ended last, with the work in the background since the one before. */
  readonly lastTurnUsd: number;
  /** What the CLI says that the session has cost so far, in US dollars: from before a resume on; after `/clear` from 0. */
  readonly sessionUsd: number;
  /** Results so far; prompts that were merged into one turn have one. */
  readonly turns: number;
  /** What this conversation has used. */
  readonly usage: TokenUse;
  /** The same by model. */
  readonly byModel: Readonly<Record<string, ModelCost>>;
}

/** Settings of `settled()`. */
export interface SettledOptions {
  /** Whether to wait for work in the background as well; `true` unless given. */
  readonly background?: boolean | undefined;
  /** Ends the waiting with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What can be asked of an agent at any time, whoever reads its messages. */
export interface Observed {
  /** What the agent is doing. */
  activity(): Activity;
  /**
   * The activity now, then after each change; ends with the conversation.
   *
   * Every call gives a stream of its own. Who reads slowly gets the newest activity, not all of them.
   *
   * @param options `signal` ends the stream with its reason
   */
  watch(
    options?: { readonly signal?: AbortSignal | undefined },
  ): ReadableStream<Activity>;
  /**
   * Resolves when nothing goes on: no turn, no prompt that waits, and no task in the background.
   *
   * Somebody has to take the messages when they are more than `limits.readAheadBytes`: the CLI waits for that.
   *
   * @param options Whether work in the background counts, and what ends the waiting
   * @returns The activity then; of a CLI that ended by itself, with state `gone`
   * @throws The error that ended the conversation; `ClosedError` after `close()`
   */
  settled(options?: SettledOptions): Promise<Activity>;
  /** What it has cost; zeros before the first result. */
  cost(): Cost;
}
