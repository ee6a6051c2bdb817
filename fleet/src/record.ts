import type { Activity, Conversation, Cost } from "@sluice/agent";
import { addCosts, systemClock } from "@sluice/agent/extend";
import { JobError } from "./errors.ts";
import type {
  JobAttempt,
  JobInfo,
  JobPriority,
  JobPrompt,
  JobState,
  JobStatus,
} from "./types.ts";
import { fleetError, type Path } from "./engine.ts";

/** Of what is stored; a program that knows only earlier ones leaves a job to others. */
export const FORMAT = 1;

/** What was asked for, in full; too large for a row. */
export interface JobSpec {
  readonly prompt: JobPrompt;
  readonly options: JobInfo["options"];
}

/** The one truth about a job: a row, changed by compare-and-set. */
export interface JobRecord {
  readonly format: number;
  readonly id: string;
  readonly state: JobState;
  readonly priority: JobPriority;
  readonly name?: string;
  readonly key?: string;
  readonly submittedAt: number;
  /** It does not begin before. */
  readonly notBefore: number;
  /** It has to be over then. */
  readonly deadline?: number;
  readonly endedAt?: number;
  readonly maxAttempts: number;
  /** How many there were to be at first; absent until it is retried. */
  readonly tries?: number;
  readonly asksForApproval: boolean;
  /** Whether its options name a CLI, so that its worker needs none. */
  readonly bringsCli?: boolean;
  /** Tools whose calls wait for an answer, and whose agent is let go meanwhile. */
  readonly parks?: readonly string[];
  /** Whether it waits for further prompts until it is ended. */
  readonly isOpen?: boolean;
  readonly idleMs: number;
  /** What it waits for, and what its session goes on with; absent in the middle of a turn. */
  readonly wait?: Wait;
  /** Where its spec lies: the name of a document. */
  readonly spec: string;
  /** Where its result lies. */
  readonly result?: string;
  readonly attempts: readonly JobAttempt[];
  /** The attempt whose worker was missed; who lives takes it away. */
  readonly missed?: number;
  /** Why it has to stop. */
  readonly cancel?: string;
  /** Why it is over without a result. */
  readonly reason?: string;
  /** The session that it was given to go on with. */
  readonly given?: string;
  /** The session of its agent, from its first message on. */
  readonly session?: string;
  /** How many further prompts that session has. */
  readonly sends: number;
  readonly waitingFor: readonly string[];
  /** Questions of attempts that have ended, until they are taken back. */
  readonly left?: readonly string[];
  readonly cost: Cost;
  /** What its agent does, while it runs. */
  readonly activity?: StoredActivity;
  /** How often it was put into the queue. */
  readonly pushes: number;
}

/** Something that may take long, so that an agent need not run meanwhile. */
export type Wait =
  | { readonly kind: "answer"; readonly question: string }
  | {
    readonly kind: "prompt";
    /** Where its last result lies. */
    readonly result: string;
    /** The place of the last control that was read. */
    readonly heard: number;
  };

/** Where things of a job are kept, as rows and as logs. */
export const PLACES = {
  /** Sealed with the key of the fleet: whoever cannot read it has another one. */
  key: ["key"] as Path,
  jobs: ["job"] as Path,
  job: (id: string): Path => ["job", id],
  pushes: ["push"] as Path,
  /** There while a job is on its way into the queue. */
  pushOf: (id: string): Path => ["push", id],
  spec: (id: string, name: string): Path => ["job", id, "spec", name],
  result: (id: string, name: string): Path => ["job", id, "result", name],
  messages: (id: string): Path => ["job", id, "messages"],
  /** A message that is too large for an entry. */
  message: (id: string, name: string): Path => ["job", id, "large", name],
  controls: (id: string): Path => ["job", id, "controls"],
  /** A further prompt that is too large for an entry. */
  prompt: (id: string, name: string): Path => ["job", id, "prompt", name],
  /** Who runs of a key, or of a name. */
  slots: (of: "key" | "name", what: string): Path => ["slots", of, what],
  limits: ["limit"] as Path,
  /** How many of a name may run. */
  limit: (name: string): Path => ["limit", name],
  approvals: ["approval"] as Path,
  approval: (id: string): Path => ["approval", id],
  openQuestions: ["open"] as Path,
  /** There while a question of a job has no answer, so that these can be counted. */
  openQuestion: (id: string, question: string): Path => ["open", id, question],
  openQuestionsOf: (id: string): Path => ["open", id],
  /** There for every question of a job, answered or not, so that they can be deleted with it. */
  askedQuestion: (
    id: string,
    question: string,
  ): Path => ["asked", id, question],
  askedQuestionsOf: (id: string): Path => ["asked", id],
  /** Wakes idle workers. */
  queue: ["queue"] as Path,
};

/** What somebody wants of a running job. */
export type Control =
  | { readonly kind: "send"; readonly prompt: JobPrompt }
  /** The same by the name of a document. */
  | { readonly kind: "send"; readonly large: string }
  | {
    readonly kind: "interrupt";
    readonly attempt: number;
    /** Whether the end came before it. */
    readonly isAfterEnd?: boolean;
  }
  /** Nothing more is taken: the job has its last result. */
  | { readonly kind: "end" };

/** Why a job is a dead letter that was not done by its deadline. */
export const OVERDUE = "its deadline has passed";

/** Whether a job is over. */
export function isOver({ state }: Pick<JobRecord, "state">): boolean {
  return state === "done" || state === "dead" || state === "cancelled";
}

/** The attempt that runs; the number of the last one, 0 before the first. */
export function lastAttempt({ attempts }: JobRecord): number {
  return attempts.at(-1)?.attempt ?? 0;
}

/** Whether a job still runs an attempt: no later one, and no other job of the same id. */
export function isRunBy(
  now: JobRecord | undefined,
  attempt: number,
  { spec }: Pick<JobRecord, "spec">,
): now is JobRecord {
  return now !== undefined && now.spec === spec && !isOver(now) &&
    lastAttempt(now) === attempt;
}

/** Attempts that count: one that was given back unharmed, or let go, does not. */
export function counted({ attempts }: Pick<JobRecord, "attempts">): number {
  return attempts.filter(({ outcome }) =>
    outcome !== "released" && outcome !== "waiting"
  ).length;
}

/** Refuses what was written by a later version of this package. */
export function readable(record: JobRecord): JobRecord {
  if (record.format <= FORMAT) return record;
  throw fleetError(
    "version",
    `Job "${record.id}" was written by a later version of this package: format ${record.format}, this one reads ${FORMAT}; update it`,
  );
}

/** The job with its running attempt ended. */
export function withEnd(
  record: JobRecord,
  end: Required<Pick<JobAttempt, "outcome" | "endedAt">> & {
    readonly reason?: string | undefined;
  },
): JobRecord {
  const { reason, ...rest } = end;
  const attempts = record.attempts.map((attempt, at) =>
    at === record.attempts.length - 1 && attempt.outcome === undefined
      ? { ...attempt, ...rest, ...reason !== undefined && { reason } }
      : attempt
  );
  const { missed: _, activity: __, ...others } = record;
  return { ...withoutQuestions(others), attempts };
}

/** The job as it is when it is over. */
export function over(
  record: JobRecord,
  state: "dead" | "cancelled",
  reason: string,
  endedAt: number,
): JobRecord {
  return { ...withoutQuestions(record), state, reason, endedAt };
}

/** Nobody waits for its questions any more; they are kept until that is said. */
function withoutQuestions<T extends Pick<JobRecord, "waitingFor" | "left">>(
  record: T,
): T {
  const left = [...record.left ?? [], ...record.waitingFor];
  return { ...record, waitingFor: [], ...left.length > 0 && { left } };
}

/** What others see of it. */
export function statusOf(record: JobRecord): JobStatus {
  const { id, state, priority, name, key, submittedAt, endedAt } = record;
  const { attempts, maxAttempts, session, waitingFor, cost, reason } = record;
  const activity = state === "running" ? record.activity : undefined;
  return {
    id,
    state,
    priority,
    ...name !== undefined && { name },
    ...key !== undefined && { key },
    submittedAt,
    ...endedAt !== undefined && { endedAt },
    attempts,
    maxAttempts,
    ...session !== undefined && { sessionId: session },
    waitingFor,
    ...activity !== undefined &&
      { activity: timed(activity, (since) => new Date(since)) },
    cost,
    ...reason !== undefined && { reason },
  };
}

/** Says why a job has no result. */
export function withoutResult(record: JobRecord): JobError {
  const { id, attempts, reason = "nobody said why" } = record;
  const state = record.state === "cancelled" ? "cancelled" : "dead";
  const what = state === "dead" ? "is a dead letter" : "was cancelled";
  return new JobError({
    message: `Job "${id}" ${what}: ${reason}`,
    jobId: id,
    state,
    details: { history: attempts },
  });
}

/** Why an attempt has to stop before its end. */
type StopKind =
  /** A later attempt has the job. */
  | "fenced"
  /** Somebody cancelled the job. */
  | "cancelled"
  /** Its time is up. */
  | "deadline"
  /** The worker goes, and gives the job back. */
  | "released";

/** Stops an attempt; the reason of its signal. */
export class Stop extends Error {
  override readonly name = "Stop";
  readonly kind: StopKind;

  constructor(kind: StopKind, text: string = kind) {
    super(text);
    this.kind = kind;
  }
}

/** What an agent does is told so often at most, in milliseconds; what it costs, with each result. */
const ACTIVITY_MS = 1_000;

/** The same with times of another kind. */
type At<T, Time> = Omit<T, "since"> & { readonly since: Time };
type ActivityAt<Time> =
  & Omit<At<Activity, Time>, "waitingFor" | "tasks">
  & {
    readonly waitingFor: readonly At<Activity["waitingFor"][number], Time>[];
    readonly tasks: readonly At<Activity["tasks"][number], Time>[];
  };

/** What an agent does, as it is stored: by the server's clock. */
type StoredActivity = ActivityAt<number>;

function timed<From, To>(
  { since, waitingFor, tasks, ...rest }: ActivityAt<From>,
  at: (time: From) => To,
): ActivityAt<To> {
  return {
    ...rest,
    since: at(since),
    waitingFor: waitingFor.map((one) => ({ ...one, since: at(one.since) })),
    tasks: tasks.map((one) => ({ ...one, since: at(one.since) })),
  };
}

/** What tells the row of a job. */
export interface Report {
  /** Tells how it is now, unless that is known; one call after the other. */
  readonly tell: () => Promise<void>;
  /** Nothing more is told. */
  readonly end: () => Promise<void>;
}

/**
 * Tells the row of a job what its agent does, in which session, and what it has cost.
 *
 * @param conversation The agent
 * @param before The job as its attempt began
 * @param aheadMs How far the server's clock is ahead of this machine's
 * @param change Changes the row
 */
export function reportOn(
  conversation: Conversation,
  before: JobRecord,
  aheadMs: () => number,
  change: (next: (record: JobRecord) => JobRecord) => Promise<unknown>,
): Report {
  const ended = new AbortController();
  const { signal } = ended;
  let told = "";
  let telling: Promise<void> = Promise.resolve();

  async function tellNow(): Promise<void> {
    if (signal.aborted) return;
    const { sessionId = before.session } = conversation;
    const ms = aheadMs();
    const news: Pick<JobRecord, "session" | "cost" | "activity"> = {
      ...sessionId !== undefined && { session: sessionId },
      activity: timed(
        conversation.activity(),
        (since) => Math.round(since.getTime() + ms),
      ),
      cost: addCosts(before.cost, conversation.cost()),
    };
    const text = JSON.stringify(news);
    if (text === told) return;
    await change((now) => ({ ...now, ...news }));
    told = text;
  }

  function tell(): Promise<void> {
    const next = telling.catch(() => {}).then(tellNow);
    next.catch(() => {});
    return telling = next;
  }

  async function follow(): Promise<void> {
    for await (const _ of conversation.watch({ signal })) {
      // Short jobs need no more writes than their own.
      await systemClock.sleep(ACTIVITY_MS, signal);
      await tell();
    }
  }

  // Who cannot be told now is told with the next result, or found out to be gone.
  follow().catch(() => {});
  return {
    tell,
    async end() {
      ended.abort();
      await telling.catch(() => {});
    },
  };
}
