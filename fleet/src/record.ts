import type { Cost, TraceContext } from "@sluice/agent";
import type {
  JobAttempt,
  JobInfo,
  JobPriority,
  JobPrompt,
  JobState,
  JobStatus,
} from "./types.ts";
import { fleetError, type Path } from "./engine.ts";
import { activityOf, type StoredActivity } from "./activity.ts";
import type { Store } from "./store.ts";

/** Version of the stored data; a program leaves jobs of a later one to others. */
export const FORMAT = 1;

/** The one truth about a job: a row, changed by compare-and-set. `machine.ts` makes its transitions. */
export interface JobRecord {
  readonly format: number;
  readonly id: string;
  readonly state: JobState;
  readonly priority: JobPriority;
  readonly name?: string;
  readonly key?: string;
  readonly submittedAt: number;
  readonly notBefore: number;
  readonly deadline?: number;
  readonly endedAt?: number;
  readonly maxAttempts: number;
  /** The first `maxAttempts`; absent until it is retried. */
  readonly tries?: number;
  readonly asksForApproval: boolean;
  /** Whether its options name a CLI, so that its worker needs none. */
  readonly bringsCli?: boolean;
  /** Tools whose calls are deferred until they are answered. */
  readonly parks?: readonly string[];
  /** Whether it waits for further prompts until it is ended. */
  readonly isOpen?: boolean;
  readonly idleMs: number;
  /** Way to resume its session; absent in the middle of a turn. */
  readonly wait?: Wait;
  /** Name of its {@link JobSpec}; tells it from another job of the same id. */
  readonly spec: string;
  /** Name of its result. */
  readonly result?: string;
  readonly attempts: readonly JobAttempt[];
  /** The attempt whose worker was asked for a sign of life; it removes this. */
  readonly missed?: number;
  /** Why it was cancelled while it ran. */
  readonly cancel?: string;
  /** Why it is over without a result. */
  readonly reason?: string;
  /** The session that it was submitted with. */
  readonly given?: string;
  /** The session of its agent, from its first message on. */
  readonly session?: string;
  /** Number of further prompts in that session. */
  readonly sends: number;
  readonly waitingFor: readonly string[];
  /** Questions of ended attempts, until they are withdrawn. */
  readonly left?: readonly string[];
  readonly cost: Cost;
  readonly activity?: StoredActivity;
  /** Number of its entries in the queue so far. */
  readonly pushes: number;
}

export interface JobSpec {
  readonly prompt: JobPrompt;
  readonly options: JobInfo["options"];
  /** The span in which it was submitted. */
  readonly trace?: TraceContext;
}

/** Something that may take long, so that no agent runs meanwhile. */
export type Wait =
  | { readonly kind: "answer"; readonly question: string }
  | {
    readonly kind: "prompt";
    /** Name of its last result. */
    readonly result: string;
    /** The place of the last control that was read. */
    readonly heard: number;
  };

/** Places of rows and logs in the store. */
export const PLACES = {
  /** Sealed with the key of the fleet, so that another key is found out. */
  key: ["key"] as Path,
  jobs: ["job"] as Path,
  job: (id: string): Path => ["job", id],
  spec: (id: string, name: string): Path => ["job", id, "spec", name],
  result: (id: string, name: string): Path => ["job", id, "result", name],
  messages: (id: string): Path => ["job", id, "messages"],
  controls: (id: string): Path => ["job", id, "controls"],
  slots: (of: "key" | "name", what: string): Path => ["slots", of, what],
  limits: ["limit"] as Path,
  limit: (name: string): Path => ["limit", name],
  approvals: ["approval"] as Path,
  approval: (id: string): Path => ["approval", id],
  openQuestions: ["open"] as Path,
  /** There while a question of a job has no answer, so that these can be counted. */
  openQuestion: (id: string, question: string): Path => ["open", id, question],
  openQuestionsOf: (id: string): Path => ["open", id],
  /** There for every question of a job, so that these can be deleted with it. */
  askedQuestion: (
    id: string,
    question: string,
  ): Path => ["asked", id, question],
  askedQuestionsOf: (id: string): Path => ["asked", id],
  /** Wakes idle workers. */
  queue: ["queue"] as Path,
};

/** Changes the row of a job, and wakes everything that watches it. */
export async function changeJob(
  store: Store,
  id: string,
  next: (now: JobRecord | undefined) => JobRecord | undefined,
): Promise<JobRecord | undefined> {
  const path = PLACES.job(id);
  const changed = await store.change<JobRecord>(path, next);
  store.engine.signal(path);
  return changed;
}

/** Rejects a record of a later version of this package. */
export function readable(record: JobRecord): JobRecord {
  if (record.format <= FORMAT) return record;
  throw fleetError(
    "version",
    `Job "${record.id}" was written by a later version of this package: format ${record.format}, this one reads ${FORMAT}; update it`,
  );
}

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
    ...activity !== undefined && { activity: activityOf(activity) },
    cost,
    ...reason !== undefined && { reason },
  };
}
