import type {
  Activity,
  AgentOptions,
  ContentBlockInput,
  Cost,
  Logger,
  Message,
  PermissionOptions,
  ResultMessage,
  TraceContext,
} from "@sluice/agent";

/** Credentials for a NATS server. */
export type FleetCredentials =
  | {
    /** Name of the user. */
    readonly user: string;
    /** Its password. */
    readonly password: string;
  }
  | {
    /** A token. */
    readonly token: string;
  }
  | {
    /** Path of a `.creds` file. */
    readonly credsFile: string;
  };

/** TLS, required of the connection; an address `tls://...` alone requires it as well. */
export interface FleetTls {
  /** Path of the certificates that are trusted; those of the system. */
  readonly caFile?: string;
  /** Path of this program's own certificate. */
  readonly certFile?: string;
  /** Path of its key. */
  readonly keyFile?: string;
}

/** Settings of a fleet: its servers and its rules. */
export interface FleetOptions {
  /** Addresses of the NATS servers: `nats://host:4222`, or several. One `tls://` among them demands TLS of all. */
  readonly servers: string | readonly string[];
  /** Name of the fleet: letters, digits, `-` and `_`, at most 64; fleets of different names share nothing. */
  readonly name: string;
  /** Credentials of this program; none. */
  readonly credentials?: FleetCredentials | undefined;
  /** TLS. */
  readonly tls?: FleetTls | undefined;
  /** Key that prompts, options, messages, results and transcripts are sealed with before they leave this program: 32 bytes, as base64; unset = the server can read them. All programs of the fleet need the same. */
  readonly key?: string | undefined;
  /** Number of server replicas of each stream, set when the streams are created; 1. */
  readonly replicas?: number | undefined;
  /**
   * Time that a worker may be silent before others take over, in milliseconds, the same in all programs of a fleet;
   * the worker stops its agents by then. 30,000.
   */
  readonly leaseMs?: number | undefined;
  /** Timeout of a call while no server can be reached, in milliseconds; 120,000. */
  readonly patienceMs?: number | undefined;
}

/** Settings of a NATS server for several fleets that do not trust each other. */
export interface FleetServerOptions {
  /** The fleets; each gets an account. */
  readonly fleets: readonly {
    /** Name of the fleet, and of its user. */
    readonly name: string;
    /** Password of its user. */
    readonly password: string;
    /** The most that it may store, in bytes; as much as the server has. */
    readonly maxBytes?: number | undefined;
  }[];
  /** Folder in which the server stores. */
  readonly storeDir: string;
  /** Address to listen at, as `host:port`; `0.0.0.0:4222` with TLS, `127.0.0.1:4222` without. */
  readonly listen?: string | undefined;
  /** TLS, which it then demands of every client; none. */
  readonly tls?: {
    /** Path of its certificate. */
    readonly certFile: string;
    /** Path of the key of its certificate. */
    readonly keyFile: string;
    /** Path of certificates by one of which each client's own must be signed; clients need none. */
    readonly caFile?: string | undefined;
  } | undefined;
}

/** Options of an agent that can be sent to another machine: plain JSON. Functions, objects and signals are set at the worker. */
export type JobAgentOptions =
  & Omit<
    AgentOptions,
    | "clock"
    | "hooks"
    | "logger"
    | "metrics"
    | "onElicitation"
    | "onStderr"
    | "onUserDialog"
    | "permissions"
    | "signal"
    | "transcripts"
    | "transport"
  >
  & {
    /** Permissions without `canUseTool`, which cannot be sent. */
    readonly permissions?: Omit<PermissionOptions, "canUseTool"> | undefined;
  };

/** A prompt: a text, or content blocks. */
export type JobPrompt = string | readonly ContentBlockInput[];

/** Settings of a job, all optional. */
export interface SubmitOptions {
  /** Id of the job, up to 128 characters; the same id twice is one job, of which the first prompt counts. A new one. */
  readonly id?: string | undefined;
  /** Options of the agent; the worker's own override them. */
  readonly options?: JobAgentOptions | undefined;
  /** Id of a session of `fleet.transcripts` to resume; a new session. */
  readonly session?: string | undefined;
  /** Priority: `"high"` jobs run first; `"normal"`. */
  readonly priority?: JobPriority | undefined;
  /** Kind of the job, such as `"review"`, up to 128 characters: `fleet.limit()` limits how many of one name run at a time; none. */
  readonly name?: string | undefined;
  /** Jobs of one key run one at a time, such as those of one repository, up to 128 characters; no limit. */
  readonly key?: string | undefined;
  /** Delay before the job may start, in milliseconds; 0. */
  readonly delayMs?: number | undefined;
  /**
   * Deadline after submission, waiting included, in milliseconds: the job is then stopped and becomes a dead letter;
   * no limit.
   */
  readonly deadlineMs?: number | undefined;
  /** Maximum number of attempts: a job is retried after a lost worker or a retryable failure; 3. */
  readonly maxAttempts?: number | undefined;
  /**
   * Tool calls that wait for an answer in `fleet.approvals`: `true` = calls that no rule allows, while the agent
   * runs; names of tools, such as `["Bash", "mcp__git__*"]` = all calls of these tools, and the agent is stopped
   * after `idleMs` without an answer; false = the CLI's own rules decide.
   */
  readonly approvals?: boolean | readonly string[] | undefined;
  /** Whether the job stays open for further prompts by `send()`, until `end()`; false. */
  readonly open?: boolean | undefined;
  /** Time its agent waits for a further prompt, or for the answer to a call of one of the named tools, in milliseconds: then its process ends, its worker is free, and its session resumes when one comes; 60,000. */
  readonly idleMs?: number | undefined;
}

/** Priority of a job: `"high"` jobs run first. */
export type JobPriority = "high" | "normal" | "low";

/** State of a job: queued, running on a worker, waiting for a prompt or an answer without a worker, or ended. */
export type JobState =
  | "queued"
  | "running"
  | "waiting"
  | "done"
  | "dead"
  | "cancelled";

/** One attempt to run a job. */
export interface JobAttempt {
  /** Its number, from 1; also the token that fences off earlier ones. */
  readonly attempt: number;
  /** The worker. */
  readonly worker: string;
  /** When it began, milliseconds since 1970, by the server's clock. */
  readonly beganAt: number;
  /** When it ended. */
  readonly endedAt?: number;
  /** Outcome: a result, an error, a lost worker, returned by a worker that drains or lost the server, released while the job waits for a prompt or an answer, or stopped by a cancel or the deadline. Absent while it runs. */
  readonly outcome?:
    | "done"
    | "failed"
    | "lost"
    | "released"
    | "waiting"
    | "stopped";
  /** Why. */
  readonly reason?: string;
  /** The session that it resumed; absent when it started a new one. */
  readonly resumed?: string;
}

/** Current status of a job. */
export interface JobStatus {
  /** Id of the job. */
  readonly id: string;
  /** State of the job. */
  readonly state: JobState;
  /** Priority of the job. */
  readonly priority: JobPriority;
  /** Its name, if it has one. */
  readonly name?: string;
  /** Its key, if it has one. */
  readonly key?: string;
  /** When it was submitted, milliseconds since 1970, by the server's clock. */
  readonly submittedAt: number;
  /** When it ended. */
  readonly endedAt?: number;
  /** Its attempts so far, the oldest first. */
  readonly attempts: readonly JobAttempt[];
  /** Maximum number of attempts. */
  readonly maxAttempts: number;
  /** The session of the agent, from its first message on. */
  readonly sessionId?: string;
  /** Ids of its pending requests in `fleet.approvals`. */
  readonly waitingFor: readonly string[];
  /** The activity of its agent, while it runs: at most a second old; times are the server's. Absent until the agent has begun. */
  readonly activity?: Activity;
  /** Cost of the ended turns: all attempts together; `lastTurnUsd` and `sessionUsd` are those of the last one. */
  readonly cost: Cost;
  /** Reason why the job ended without a result. */
  readonly reason?: string;
}

/** The result of a job. */
export interface JobResult {
  /** Id of the job. */
  readonly id: string;
  /**
   * The last result of the agent: an answer, or an error such as a limit of turns. A failure of the API is not a
   * result but a failed attempt.
   */
  readonly result: ResultMessage;
  /** All attempts, the last is the one that it is of; more than one = what tools did before may have been done twice. */
  readonly attempts: readonly JobAttempt[];
}

/** A message of a job. */
export interface JobMessage {
  /** Its number in the job, from 1, without gaps, over all attempts. */
  readonly seq: number;
  /** The attempt that produced it. */
  readonly attempt: number;
  /** The message. */
  readonly message: Message;
}

/** Selects jobs. */
export interface JobFilter {
  /** In which states; all. */
  readonly state?: JobState | readonly JobState[] | undefined;
  /** Of which name; all. */
  readonly name?: string | undefined;
  /** Of which key; all. */
  readonly key?: string | undefined;
}

/** A job that a worker is about to run. */
export interface JobInfo {
  /** Id of the job. */
  readonly id: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Options that were sent with it. */
  readonly options: JobAgentOptions;
  /** Its name, if it has one. */
  readonly name?: string;
  /** Its key, if it has one. */
  readonly key?: string;
  /** The session that it resumes; absent when it starts a new one. */
  readonly session?: string;
  /** The span of OpenTelemetry that was active when it was submitted, if one was. */
  readonly trace?: TraceContext;
}

/** Settings of a worker, all optional. */
export interface WorkOptions {
  /** Number of jobs that it runs at the same time; 1. */
  readonly concurrency?: number | undefined;
  /** Options of the agents, which override those of the job: functions, servers and secrets of this machine. */
  readonly options?:
    | AgentOptions
    | ((job: JobInfo) => AgentOptions | Promise<AgentOptions>)
    | undefined;
  /** Its name in the history of jobs; machine and process. */
  readonly name?: string | undefined;
  /** Whether SIGTERM and SIGINT drain the worker; true. */
  readonly drainOnSignal?: boolean | undefined;
  /** Time that running jobs get to finish during a drain, in milliseconds, before they return to the queue; 30,000. */
  readonly drainMs?: number | undefined;
  /** Stops the worker at once; its running jobs return to the queue. */
  readonly signal?: AbortSignal | undefined;
  /** Receives log lines. */
  readonly logger?: Logger | undefined;
  /** Receives its metrics. */
  readonly metrics?: FleetMetrics | undefined;
}

/** A worker's numbers; every member is optional, and none may throw. */
export interface FleetMetrics {
  /** An attempt began; with the time that the job had waited, in milliseconds. */
  attemptStart?(jobId: string, attempt: number, waitedMs: number): void;
  /** An attempt ended, with its outcome. */
  attemptEnd?(
    jobId: string,
    attempt: number,
    outcome: NonNullable<JobAttempt["outcome"]>,
    durationMs: number,
  ): void;
  /**
   * Reports the number of jobs in the queue, running ones included; of jobs that run here; and of jobs with a pending
   * request in `fleet.approvals`. At every heartbeat, three in a lease, also while nothing runs here.
   */
  load?(queued: number, running: number, asking: number): void;
}
