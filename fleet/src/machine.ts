import { backoffDelay } from "@sluice/agent/mcp";
import type { JobAttempt, JobState } from "./types.ts";
import type { JobRecord, Wait } from "./record.ts";

/**
 * The states of a job, and whether it is over in them.
 *
 * `begun()` leads to "running", `ended()` from there to any other state, the rest are the transitions of a job that no
 * worker runs. A lease is no state: a worker that has one may begin the job.
 */
const IS_OVER: Readonly<Record<JobState, boolean>> = {
  queued: false,
  running: false,
  waiting: false,
  done: true,
  dead: true,
  cancelled: true,
};

export const JOB_STATES = Object.keys(IS_OVER) as readonly JobState[];

export type Outcome = NonNullable<JobAttempt["outcome"]>;

/** Outcome of an attempt. */
export type End =
  /** With the result of this name. */
  | { readonly kind: "done"; readonly result: string }
  | { readonly kind: "waiting"; readonly wait: Wait }
  | {
    readonly kind: "failed";
    readonly reason: string;
    /** Whether another attempt may succeed. */
    readonly mayPass: boolean;
  }
  | {
    readonly kind: Exclude<StopKind, "fenced">;
    readonly reason: string;
  };

/** Why an attempt has to stop before its end. */
type StopKind =
  /** A later attempt has the job. */
  | "fenced"
  | "cancelled"
  /** The deadline of the job has passed. */
  | "deadline"
  /** Its worker drains or is cut off, and gives the job back. */
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

export const OVERDUE = "its deadline has passed";

const OUTCOMES: Readonly<Record<End["kind"], Outcome>> = {
  done: "done",
  waiting: "waiting",
  failed: "failed",
  released: "released",
  cancelled: "stopped",
  deadline: "stopped",
};

const RETRY = { baseMs: 1_000, capMs: 60_000 };

export function isOver({ state }: Pick<JobRecord, "state">): boolean {
  return IS_OVER[state];
}

/** The number of the last attempt, 0 before the first. */
export function lastAttempt({ attempts }: JobRecord): number {
  return attempts.at(-1)?.attempt ?? 0;
}

/** Whether an attempt still has the job: no later attempt has it, and no other job has its id. */
export function isRunBy(
  now: JobRecord | undefined,
  attempt: number,
  { spec }: Pick<JobRecord, "spec">,
): now is JobRecord {
  return now !== undefined && now.spec === spec && !isOver(now) &&
    lastAttempt(now) === attempt;
}

/** Whether it may be begun as it was looked at: nothing has begun it since, and its worker has given no sign of life. */
export function isAsSeen(
  now: JobRecord | undefined,
  seen: JobRecord,
): now is JobRecord {
  return now?.state === seen.state && now.spec === seen.spec &&
    lastAttempt(now) === lastAttempt(seen) &&
    (now.state !== "running" || now.missed === lastAttempt(now));
}

/** The job with a new attempt; over instead, if none may begin. A running attempt is lost. */
export function begun(
  found: JobRecord,
  worker: string,
  now: number,
): JobRecord {
  const record = found.state === "running"
    ? withEnd(found, "lost", now, "its worker was silent")
    : found;
  const { cancel, deadline = Infinity, maxAttempts, attempts } = record;
  if (cancel !== undefined) return over(record, "cancelled", cancel, now);
  if (deadline <= now) return over(record, "dead", OVERDUE, now);
  if (counted(record) >= maxAttempts) {
    const last = attempts.at(-1)?.reason;
    const why = last === undefined ? "" : `: ${last}`;
    return over(record, "dead", `${maxAttempts} attempts${why}`, now);
  }
  const attempt = { attempt: lastAttempt(record) + 1, worker, beganAt: now };
  const { missed: _, ...rest } = record;
  return { ...rest, state: "running", attempts: [...attempts, attempt] };
}

/** The job after an attempt; `laterMs` = when the queue gives it out again. */
export function ended(record: JobRecord, end: End, now: number): {
  readonly record: JobRecord;
  readonly outcome: Outcome;
  readonly laterMs?: number;
} {
  const outcome = OUTCOMES[end.kind];
  const reason = "reason" in end ? end.reason : undefined;
  const after = withEnd(record, outcome, now, reason);
  switch (end.kind) {
    case "done": {
      const { result } = end;
      const done = { ...after, state: "done", endedAt: now, result } as const;
      return { record: done, outcome };
    }
    case "waiting":
      // The answer or prompt may be there already, unnoticed.
      return { record: waiting(after, end.wait), outcome, laterMs: 0 };
    case "released":
      return { record: { ...after, state: "queued" }, outcome, laterMs: 0 };
    case "cancelled":
      return { record: over(after, "cancelled", end.reason, now), outcome };
    case "deadline":
      return { record: over(after, "dead", end.reason, now), outcome };
    case "failed": {
      const tries = counted(after);
      if (!end.mayPass || tries >= after.maxAttempts) {
        return { record: over(after, "dead", end.reason, now), outcome };
      }
      const laterMs = backoffDelay(tries - 1, RETRY);
      const notBefore = now + laterMs;
      const queued = { ...after, state: "queued", notBefore } as const;
      return { record: queued, outcome, laterMs };
    }
  }
}

/** The job without a result, for good. */
export function over(
  record: JobRecord,
  state: "dead" | "cancelled",
  reason: string,
  endedAt: number,
): JobRecord {
  return { ...withoutQuestions(record), state, reason, endedAt };
}

/** The job back in the queue, with as many attempts as it had. */
export function retried(job: JobRecord): JobRecord {
  const pushes = job.pushes + 1;
  // A job that is not over may be missing in the queue; twice does no harm.
  if (!isOver(job)) return { ...job, pushes };
  const { cancel: _1, reason: _2, deadline: _3, endedAt: _4, ...rest } = job;
  const { tries = job.maxAttempts } = job;
  const maxAttempts = counted(job) + tries;
  return { ...rest, state: "queued", notBefore: 0, tries, maxAttempts, pushes };
}

function waiting({ left = [], ...rest }: JobRecord, wait: Wait): JobRecord {
  const isAsked = (one: string) =>
    wait.kind === "answer" && one === wait.question;
  return {
    ...rest,
    state: "waiting",
    wait,
    waitingFor: left.filter(isAsked),
    left: left.filter((one) => !isAsked(one)),
  };
}

/** Attempts that count: those given back unharmed, or let go, do not. */
function counted({ attempts }: Pick<JobRecord, "attempts">): number {
  return attempts.filter(({ outcome }) =>
    outcome !== "released" && outcome !== "waiting"
  ).length;
}

/** The job with its running attempt ended. */
function withEnd(
  record: JobRecord,
  outcome: Outcome,
  endedAt: number,
  reason: string | undefined,
): JobRecord {
  const attempts = record.attempts.map((attempt, at) =>
    at === record.attempts.length - 1 && attempt.outcome === undefined
      ? { ...attempt, outcome, endedAt, ...reason !== undefined && { reason } }
      : attempt
  );
  const { missed: _, activity: __, ...others } = record;
  return { ...withoutQuestions(others), attempts };
}

/** The job without open questions: they are withdrawn later. */
function withoutQuestions(record: JobRecord): JobRecord {
  const left = [...record.left ?? [], ...record.waitingFor];
  return { ...record, waitingFor: [], ...left.length > 0 && { left } };
}
