import type { Approval, Logger } from "@sluice/agent";
import { backoffDelay } from "@sluice/agent/mcp";
import { withdraw } from "./approvals.ts";
import { isMoreSaid } from "./controls.ts";
import type { Lease, Path } from "./engine.ts";
import type { Fitness } from "./fitness.ts";
import { begun, isAsSeen, isOver, isRunBy, lastAttempt } from "./machine.ts";
import { jobOfEntry, push, type Pushed } from "./queue.ts";
import { changeJob, FORMAT, type JobRecord, PLACES } from "./record.ts";
import { leaveSlots, takeSlots } from "./slots.ts";
import type { Store } from "./store.ts";

/** The part of a lease in which a live worker has to answer before its job is taken over. */
const ANSWER_PART = 1 / 10;
/** Wait for a slot, and by how much it grows with each job that waited for one at this worker in the last second. */
const SLOT = { baseMs: 1_000, capMs: 1_000 };
const LEAST_SLOT_MS = 500;
const CROWD_MS = 20;
/** Interval of checks on a waiting job, besides its wake-ups. */
const WAITING_LOOK_MS = 30_000;

/** A job that has begun an attempt. */
export interface Claim {
  readonly record: JobRecord;
  readonly slots: readonly Path[];
}

/** Begins an attempt of a job from the queue; `undefined` when it may not begin, and the lease is done with. */
export type Claimer = (
  entry: Pushed,
  lease: Lease,
) => Promise<Claim | undefined>;

/** Claims jobs for one worker. */
export function claimer({ store, worker, fitness, log, draining }: {
  readonly store: Store;
  /** Its name. */
  readonly worker: string;
  readonly fitness: Fitness;
  readonly log: Logger;
  readonly draining: AbortSignal;
}): Claimer {
  const { engine } = store;
  /** When jobs had no slot, in the last second. */
  let slotless: number[] = [];

  /** When a job without a slot is looked at again: the more there are, the later, so that they do not fill the queue. */
  function slotWait(): number {
    const now = performance.now();
    slotless = slotless.filter((at) => now - at < SLOT.capMs);
    slotless.push(now);
    return LEAST_SLOT_MS + backoffDelay(0, SLOT) + slotless.length * CROWD_MS;
  }

  /** Wait before the job may begin, in milliseconds; `undefined` = it is over. */
  async function waitOf(record: JobRecord): Promise<number | undefined> {
    if (isOver(record)) return undefined;
    if (record.format > FORMAT) {
      log.warn(
        `Job "${record.id}" is left to a later version of this package`,
      );
      return engine.leaseMs;
    }
    const left = (record.deadline ?? Infinity) - engine.now();
    if (record.state !== "running" && left <= 0) return 0;
    switch (record.state) {
      case "queued":
        return Math.min(left, Math.max(0, record.notBefore - engine.now()));
      case "waiting": {
        const isDue = await isWaitOver(store, record);
        return isDue ? 0 : Math.min(left, WAITING_LOOK_MS);
      }
      default:
        return await askForLife(record);
    }
  }

  /** Asks the worker of a running job for a sign of life: it removes a mark from the row. Returns how long the job is left to it, 0 without an answer. */
  async function askForLife(record: JobRecord): Promise<number> {
    const path = PLACES.job(record.id);
    const running = lastAttempt(record);
    await changeJob(
      store,
      record.id,
      (now) =>
        isRunBy(now, running, record) ? { ...now, missed: running } : undefined,
    );
    const answerMs = engine.leaseMs * ANSWER_PART;
    const end = performance.now() + answerMs;
    const look = async (again: (ms: number) => void) => {
      const now = await store.get<JobRecord>(path);
      if (!isRunBy(now, running, record) || now.missed !== running) {
        return engine.leaseMs;
      }
      const left = end - performance.now();
      if (left <= 0) return 0;
      again(left);
      return undefined;
    };
    return await store.until(path, look, draining).catch((error) => {
      if (draining.aborted) return answerMs;
      throw error;
    });
  }

  return async (entry, lease) => {
    const later = async (ms: number): Promise<undefined> => {
      await lease.later(ms);
    };
    const end = async (job: JobRecord, ms?: number): Promise<undefined> => {
      await leave(store, job, lease, ms);
    };
    const found = await jobOfEntry(store, entry, draining).catch((error) => {
      if (draining.aborted) return 0;
      throw error;
    });
    if (typeof found === "number") return await later(found);
    if (found === undefined || found.pushes > entry.pushes && !isOver(found)) {
      // The program that counted a later entry may have been lost before it pushed it.
      if (found !== undefined) await push(store, found);
      await lease.done();
      return undefined;
    }
    const wait = await waitOf(found);
    if (wait === undefined) return await end(found);
    if (wait > 0) return await later(wait);
    const isLate = (found.deadline ?? Infinity) <= engine.now();
    const slots = isLate ? [] : await takeSlots(store, found);
    if (slots === undefined) return await later(slotWait());
    if (!isLate && !found.bringsCli && !await fitness.hasCli()) {
      // The slots of a job whose worker was lost are kept for its next attempt.
      return found.state === "running" ? await later(0) : await end(found, 0);
    }
    let isOurs = false;
    const record = await changeJob(store, found.id, (now) => {
      isOurs = isAsSeen(now, found);
      return now && isOurs
        ? begun(now, worker, Math.round(engine.now()))
        : undefined;
    });
    // One that has changed is looked at again.
    if (record === undefined || !isOurs) return await later(0);
    if (isOver(record)) return await end(record);
    await withdraw(store, record);
    return { record, slots };
  };
}

/** Ends what belongs to a running job: its questions, slots and lease. The queue gives it out again after `laterMs`, if at all. */
export async function leave(
  store: Store,
  record: JobRecord,
  lease: Lease,
  laterMs?: number,
): Promise<void> {
  await withdraw(store, record);
  await leaveSlots(store, record);
  await (laterMs === undefined ? lease.done() : lease.later(laterMs));
}

/** Whether a waiting job has what it waits for. */
async function isWaitOver(
  store: Store,
  { id, wait }: JobRecord,
): Promise<boolean> {
  if (wait === undefined) return true;
  if (wait.kind === "prompt") return await isMoreSaid(store, id, wait.heard);
  const found = await store.get<Approval>(PLACES.approval(wait.question));
  return found === undefined || found.decision !== undefined;
}
