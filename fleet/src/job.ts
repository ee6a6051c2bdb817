import type { ResultMessage } from "@sluice/agent";
import { integer, joinSignals, refuse } from "@sluice/agent/extend";
import { type FleetError, JobError } from "./errors.ts";
import type { JobMessage, JobPrompt, JobResult, JobStatus } from "./types.ts";
import { removeQuestions, withdraw } from "./approvals.ts";
import { checkPrompt } from "./check.ts";
import { addControl } from "./controls.ts";
import { fleetError } from "./engine.ts";
import { isOver, lastAttempt, over, OVERDUE, retried } from "./machine.ts";
import { readMessages } from "./messages.ts";
import { push, wake, wakeWorkers } from "./queue.ts";
import {
  changeJob,
  FORMAT,
  type JobRecord,
  PLACES,
  readable,
  statusOf,
} from "./record.ts";
import type { Store } from "./store.ts";

/** A job of a fleet, on any worker; returned by `fleet.submit()` and `fleet.job()`. */
export interface Job {
  /** Its id. */
  readonly id: string;
  /**
   * Its messages, from any machine, while it runs or later: from the beginning or a number on, then as they come, until it is over.
   * Nothing is read before it is pulled; cancelling the stream leaves the job alone.
   *
   * @throws {ConfigError} If `from` is no number of a message
   */
  messages(
    options?: {
      /** Number of the first message, from 1. */
      readonly from?: number | undefined;
      /** Ends the stream with its reason. */
      readonly signal?: AbortSignal | undefined;
    },
  ): ReadableStream<JobMessage>;
  /**
   * Resolves to the result when the job has ended.
   *
   * @throws {JobError} If it is a dead letter, or was cancelled
   */
  result(options?: {
    /** Ends the waiting, not the job. */
    readonly signal?: AbortSignal | undefined;
  }): Promise<JobResult>;
  /** Returns the current status. */
  status(): Promise<JobStatus>;
  /**
   * Streams the current status, then the status after each change, such as of activity or cost; ends with the job. A
   * slow reader gets the newest status only.
   */
  watch(
    options?: {
      /** Ends the stream with its reason. */
      readonly signal?: AbortSignal | undefined;
    },
  ): ReadableStream<JobStatus>;
  /** Cancels the job: at once if it waits, else its agent is stopped. An ended job is not changed. */
  cancel(reason?: string): Promise<void>;
  /**
   * Sends a further prompt, which runs after the current turn. Rejects with a `FleetError` once the job accepts no
   * more prompts, and with a `ConfigError` for an invalid prompt.
   */
  send(prompt: JobPrompt): Promise<void>;
  /** Accepts no further prompts: an open job ends when its prompts are answered. */
  end(): Promise<void>;
  /** Interrupts the running turn of the agent, if there is one. */
  interrupt(): Promise<void>;
  /** Queues a dead letter or a cancelled job again, with the original number of attempts. */
  retry(): Promise<void>;
  /** Deletes the job with all its messages; fails for a running job. */
  remove(): Promise<void>;
}

/** A job that exists. */
export function jobOf(store: Store, id: string): Job {
  const path = PLACES.job(id);
  async function record(again?: (ms: number) => void): Promise<JobRecord> {
    const found = await store.get<JobRecord>(path);
    if (found === undefined) throw unknownJob(id);
    return await inTime(store, readable(found), again);
  }
  async function isOpen(again: (ms: number) => void): Promise<boolean> {
    const now = await store.get<JobRecord>(path);
    return now !== undefined && !isOver(await inTime(store, now, again));
  }
  async function change(
    next: (now: JobRecord) => JobRecord | undefined,
  ): Promise<JobRecord> {
    const changed = await changeJob(store, id, (now) => {
      if (now === undefined) throw unknownJob(id);
      return next(readable(now));
    });
    return changed as JobRecord;
  }
  async function* statuses(signal: AbortSignal): AsyncGenerator<JobStatus> {
    let told = "";
    for (;;) {
      const status = await store.until(path, async (again) => {
        const now = statusOf(await record(again));
        return JSON.stringify(now) === told ? undefined : now;
      }, signal);
      told = JSON.stringify(status);
      yield status;
      if (isOver(status)) return;
    }
  }
  return {
    id,
    messages({ from = 1, signal } = {}) {
      integer({ min: 1 })(from, "from");
      return pulled(
        (ended) => readMessages(store, id, from, isOpen, ended),
        signal,
      );
    },
    async result({ signal } = {}) {
      const done = await store.until(path, async (again) => {
        const now = await record(again);
        return isOver(now) ? now : undefined;
      }, signal);
      const { state, result: name, attempts } = done;
      if (state !== "done" || name === undefined) throw withoutResult(done);
      const place = PLACES.result(id, name);
      const result = await store.load<ResultMessage>(place);
      return { id, result, attempts };
    },
    status: async () => statusOf(await record()),
    watch: ({ signal } = {}) => pulled(statuses, signal),
    async cancel(reason = "cancelled") {
      if (typeof reason !== "string") refuse("reason", reason, "a string");
      const now = await change((job) => {
        if (isOver(job)) return undefined;
        const endedAt = Math.round(store.engine.now());
        return job.state !== "running"
          ? over(job, "cancelled", reason, endedAt)
          : { ...job, cancel: reason };
      });
      await withdraw(store, now);
    },
    async send(prompt) {
      checkPrompt(prompt);
      const now = await record();
      if (isOver(now)) throw notOpen(id);
      await addControl(store, id, { kind: "send", prompt });
      await wake(store, id);
    },
    async end() {
      if (isOver(await record())) return;
      await addControl(store, id, { kind: "end" });
      await wake(store, id);
    },
    async interrupt() {
      const now = await record();
      if (now.state !== "running") return;
      const attempt = lastAttempt(now);
      await addControl(store, id, { kind: "interrupt", attempt });
    },
    async retry() {
      const next = (job: JobRecord): JobRecord => {
        if (job.state === "done") throw notOpen(id);
        return retried(job);
      };
      await push(store, next(await record()));
      await change(next);
      wakeWorkers(store, id);
    },
    async remove() {
      await record();
      // Over first, in one write: a worker may be about to begin it.
      const now = await change((job) => {
        if (job.state === "running") {
          throw fleetError("settings", `Job "${id}" runs: cancel it first`);
        }
        const endedAt = Math.round(store.engine.now());
        return isOver(job)
          ? undefined
          : over(job, "cancelled", "removed", endedAt);
      });
      await withdraw(store, now);
      await removeQuestions(store, id);
      // The row last: while it is there remove() can be called again, and no new job of this id finds old prompts.
      await store.engine.remove("log", path);
      await store.engine.remove("row", path);
      store.engine.signal(path);
    },
  };
}

/** A stream that reads nothing before it is pulled, and ends with a signal or when it is cancelled. */
function pulled<T>(
  make: (signal: AbortSignal) => AsyncGenerator<T>,
  signal: AbortSignal | undefined,
): ReadableStream<T> {
  const ended = new AbortController();
  const joined = joinSignals(ended.signal, signal);
  const source = make(joined.signal);
  return new ReadableStream<T>({
    async pull(controller) {
      try {
        const { done, value } = await source.next();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      joined.release();
    },
    cancel() {
      ended.abort();
      joined.release();
    },
  }, { highWaterMark: 0 });
}

function notOpen(id: string): FleetError {
  return fleetError("settings", `Job "${id}" is over: submit another one`);
}

function withoutResult(record: JobRecord): JobError {
  const { id, attempts, reason = "no reason given" } = record;
  const state = record.state === "cancelled" ? "cancelled" : "dead";
  const what = state === "dead" ? "is a dead letter" : "was cancelled";
  return new JobError({
    message: `Job "${id}" ${what}: ${reason}`,
    jobId: id,
    state,
    details: { history: attempts },
  });
}

export function unknownJob(id: string): FleetError {
  return fleetError("unknown_job", `No job has this id: "${id}"`);
}

/**
 * Ends a job whose deadline has passed although no worker took it.
 *
 * @param again Asks for another look at the deadline of a job that is not over
 */
export async function inTime(
  store: Store,
  record: JobRecord,
  again?: (ms: number) => void,
): Promise<JobRecord> {
  const { engine } = store;
  const leftOf = ({ deadline = Infinity, state }: JobRecord) => {
    // The worker of a running job ends it first.
    const grace = state === "running" ? 3 * engine.leaseMs : 0;
    return deadline + grace - engine.now();
  };
  if (isOver(record) || record.format > FORMAT) return record;
  const left = leftOf(record);
  if (left > 0) {
    again?.(left);
    return record;
  }
  const changed = await changeJob(store, record.id, (now) => {
    if (now === undefined || isOver(now) || leftOf(now) > 0) return undefined;
    return over(now, "dead", OVERDUE, Math.round(engine.now()));
  });
  await withdraw(store, changed ?? record);
  return changed ?? record;
}
