import { type Conversation, isRetryable, type Logger } from "@sluice/agent";
import { joinSignals, textOfError } from "@sluice/agent/extend";
import { FleetError } from "./errors.ts";
import type { FleetMetrics, JobAgentOptions, WorkOptions } from "./types.ts";
import { killMsOf } from "./agent_options.ts";
import { runAttempt } from "./attempt.ts";
import { abortAfter, atHeartbeats } from "./beats.ts";
import { type Claim, leave } from "./claim.ts";
import type { Lease } from "./engine.ts";
import { failureIn, type Fitness, isOwnFailure } from "./fitness.ts";
import {
  type End,
  ended,
  isRunBy,
  lastAttempt,
  type Outcome,
  OVERDUE,
  Stop,
} from "./machine.ts";
import { changeJob, type JobRecord, PLACES } from "./record.ts";
import { hasSlots } from "./slots.ts";
import type { Store } from "./store.ts";

export interface RunSettings {
  readonly store: Store;
  readonly options: WorkOptions["options"];
  readonly fitness: Fitness;
  readonly log: Logger;
  /** Aborted when the worker gives its jobs back. */
  readonly releasing: AbortSignal;
  redact(text: string): string;
  count(note: (metrics: FleetMetrics) => void): void;
  onBegin(agent: Conversation): void;
}

/** Keeps a lease; stops its attempt so early that its agent has ended before another worker can begin. */
export function keepLease(
  lease: Lease,
  leaseMs: number,
  stop: AbortController,
): () => void {
  const ended = new AbortController();
  const beats = atHeartbeats(leaseMs, () => lease.extend(ended.signal));
  const left = () => lease.leftMs() - killMsOf(leaseMs);
  const why = "its worker was cut off from the server";
  void abortAfter(left, stop, new Stop("released", why), ended.signal);
  return () => {
    beats.end();
    ended.abort();
  };
}

/** Runs an attempt that was claimed, from its agent's start to the end of its lease. */
export async function runClaim(
  settings: RunSettings,
  { record, slots }: Claim,
  lease: Lease,
  stop: AbortController,
): Promise<void> {
  const { store, log, count, fitness } = settings;
  const { engine } = store;
  const { id } = record;
  const attempt = lastAttempt(record);
  const { signal, release } = joinSignals(stop.signal, settings.releasing);
  /** Options that came with the job, once they are read. */
  let sent: JobAgentOptions | undefined;

  /** Changes the row as long as this attempt has the job; `at` is the server's time. */
  async function change(
    next: (record: JobRecord, at: number) => JobRecord,
  ): Promise<JobRecord> {
    const changed = await changeJob(store, id, (now) => {
      if (!isRunBy(now, attempt, record)) {
        const fenced = new Stop("fenced");
        stop.abort(fenced);
        throw fenced;
      }
      return next(now, Math.round(engine.now()));
    });
    return changed as JobRecord;
  }

  /** Follows the row, also while the agent is being stopped. */
  function watch(): () => void {
    const ended = new AbortController();
    const { deadline = Infinity } = record;
    const left = () => deadline - engine.now();
    if (deadline !== Infinity) {
      const overdue = new Stop("deadline", OVERDUE);
      void abortAfter(left, stop, overdue, ended.signal);
    }
    const beats = atHeartbeats(engine.leaseMs, async () => {
      try {
        const now = await store.get<JobRecord>(PLACES.job(id));
        if (ended.signal.aborted) return;
        if (!isRunBy(now, attempt, record)) {
          return stop.abort(new Stop("fenced"));
        }
        if (now.missed === attempt) {
          await change(({ missed: _, ...rest }) => rest);
        }
        if (now.cancel !== undefined) {
          stop.abort(new Stop("cancelled", now.cancel));
        }
      } catch (error) {
        // A worker that cannot reach the server may have been replaced.
        if (!ended.signal.aborted) stop.abort(error);
      }
    });
    const unlisten = engine.listen(PLACES.job(id), beats.now);
    return () => {
      ended.abort();
      beats.end();
      unlisten();
    };
  }

  async function work(): Promise<End> {
    if (!await hasSlots(store, slots, id)) {
      throw new Stop("released", "another job has its place");
    }
    const { result, wait } = await runAttempt({
      store,
      record,
      attempt,
      options: settings.options,
      signal,
      change,
      onSpec: (given) => sent = given,
      onBegin: settings.onBegin,
    });
    if (wait !== undefined) return { kind: "waiting", wait };
    const failure = failureIn(result);
    if (failure !== undefined) throw failure;
    fitness.worked();
    const name = `${attempt}-${crypto.randomUUID()}`;
    await store.save(PLACES.result(id, name), result);
    return { kind: "done", result: name };
  }

  function endBy(error: unknown): End {
    if (error instanceof Stop && error.kind === "fenced") throw error;
    // The end of the lease shows what cannot be written down now.
    const isUnwritable = error instanceof FleetError &&
      (error.fault === "unreachable" || error.fault === "full");
    if (isUnwritable) throw error;
    // It may come from the user's own code, and others will read it.
    const reason = settings.redact(textOfError(error));
    if (error instanceof Stop) {
      return { kind: error.kind as Exclude<Stop["kind"], "fenced">, reason };
    }
    log.warn(`Attempt ${attempt} of job "${id}" failed: ${reason}`);
    const isOwn = isOwnFailure(error, sent);
    if (isOwn) fitness.failed(reason);
    return { kind: "failed", reason, mayPass: isOwn || isRetryable(error) };
  }

  async function settle(end: End): Promise<Outcome> {
    let outcome: Outcome = "lost";
    let laterMs: number | undefined;
    const next = await change((now, at) => {
      const after = ended(now, end, at);
      ({ outcome, laterMs } = after);
      return after.record;
    });
    await leave(store, next, lease, laterMs);
    return outcome;
  }

  const began = performance.now();
  const waitedMs = Math.max(0, engine.now() - record.submittedAt);
  const unwatch = watch();
  count((to) => to.attemptStart?.(id, attempt, waitedMs));
  let outcome: Outcome = "lost";
  try {
    const end = await work().catch((error) => endBy(signal.reason ?? error));
    outcome = await settle(end);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    log.warn(`Job "${id}" continues elsewhere: it was stopped here`);
  } finally {
    stop.abort(new Stop("released"));
    release();
    unwatch();
    const ms = performance.now() - began;
    count((to) => to.attemptEnd?.(id, attempt, outcome, ms));
  }
}
