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
