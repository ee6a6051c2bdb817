import {
  type Approval,
  type Conversation,
  isAgentError,
  isRetryable,
  type ResultMessage,
} from "@sluice/agent";
import {
  aborted,
  backoffDelay,
  Deferred,
  type Log,
  LONGEST_TIMER_MS,
  onAbort,
  type ProgramHost,
  safeLogger,
  Scrubber,
  settleWithin,
  systemClock,
  textOfError,
  unlessAborted,
} from "@sluice/agent/extend";
import { FleetError } from "./errors.ts";
import type {
  FleetMetrics,
  JobAgentOptions,
  JobAttempt,
  WorkOptions,
} from "./types.ts";
import { countAsking, takeBack } from "./approvals.ts";
import { killMsOf, runAttempt } from "./attempt.ts";
import type { Lease, Path } from "./engine.ts";
import { failureIn, type Fitness, fitnessOf, isOwnFailure } from "./fitness.ts";
import {
  counted,
  FORMAT,
  isOver,
  isRunBy,
  type JobRecord,
  lastAttempt,
  over,
  OVERDUE,
  PLACES,
  Stop,
  type Wait,
  withEnd,
} from "./record.ts";
import {
  hasSlots,
  leaveSlots,
  push,
  type Pushed,
  pushed,
  sweep,
  takeSlots,
} from "./queue.ts";
import type { Store } from "./store.ts";
import { isMoreSaid } from "./logs.ts";

/** How often an idle worker polls, at most: no signal comes when a time on the server is over. */
const LOOK_MS = 1_000;
/** Polls in the time of a short lease, so that a takeover does not wait for the next one. */
const LOOKS_PER_LEASE = 20;
/** The part of a lease in which a worker that lives has to answer when its job is about to be taken over. */
const ANSWER_PART = 1 / 10;
/** Wait for a slot, and by how much it grows with each job that waited for one at this worker in the last second. */
const SLOT = { baseMs: 1_000, capMs: 1_000 };
const LEAST_SLOT_MS = 500;
const CROWD_MS = 20;
const RETRY = { baseMs: 1_000, capMs: 60_000 };
/** How often a job that waits is looked at, besides when it is woken. */
const WAITING_LOOK_MS = 30_000;
/** Heartbeats in the time of a lease. */
const BEATS = 3;
const DRAIN_MS = 30_000;
/** What is given back has to have ended by then: its agent is stopped, at the latest, after 15 s. */
const GIVE_BACK_MS = 20_000;

/** Takes jobs of a fleet and runs them; made by `fleet.work()`. */
export interface Worker {
  /** Its name in the history of jobs. */
  readonly name: string;
  /** How many jobs it runs now. */
  readonly running: number;
  /** Resolves when it has ended: drained, or stopped. */
  readonly ended: Promise<void>;
  /** Takes no more jobs and waits for those that run, at most `drainMs`; then they are given back to the queue. Idempotent. */
  drain(): Promise<void>;
}

type Outcome = NonNullable<JobAttempt["outcome"]>;

/** One job at this worker. */
interface Held {
  readonly id: string;
  readonly lease: Lease;
  readonly attempt: number;
  readonly record: JobRecord;
  readonly slots: readonly Path[];
  readonly stop: AbortController;
  /** Options that came with the job, once they are read. */
  given?: JobAgentOptions;
  /** Its agent, once there is one. */
  agent?: Pick<Conversation, "close">;
}

/** The worker behind {@link Worker}. */
export class LiveWorker implements Worker {
  readonly name: string;
  readonly #store: Store;
  readonly #options: WorkOptions;
  readonly #held = new Map<string, Held>();
  readonly #draining = new AbortController();
  readonly #ended = new Deferred<void>();
  readonly #leaves: (() => void)[] = [];
  #jobs = new Set<Promise<void>>();
  /** When jobs had no slot, in the last second. */
  #slotless: number[] = [];
  readonly #log: Log;
  readonly #scrubber: Scrubber;
  readonly #fitness: Fitness;
  #isWoken = false;
  #wakeUp = () => {};
  #drained: Promise<void> | undefined;
  readonly #releasing = new AbortController();

  constructor(store: Store, options: WorkOptions, host: ProgramHost) {
    this.#store = store;
    this.#options = options;
    this.#log = safeLogger(options.logger);
    this.#fitness = fitnessOf(options.options, this.#log);
    this.#scrubber = new Scrubber({ env: host.env() });
    const words = crypto.randomUUID().slice(0, 8);
    this.name = options.name ??
      `${host.machine() ?? "machine"}-${host.pid}-${words}`;
    this.#leaves.push(
      store.engine.listen(PLACES.queue, () => this.#wake()),
    );
    if (options.drainOnSignal ?? true) {
      for (const signal of ["SIGTERM", "SIGINT"] as const) {
        this.#leaves.push(host.onSignal(signal, () => void this.drain()));
      }
    }
    const { signal } = options;
    if (signal !== undefined) {
      const stop = () => void this.#drain(0);
      if (signal.aborted) stop();
      else this.#leaves.push(onAbort(signal, stop));
    }
    this.#tellLoad();
    this.#sweepNowAndThen();
    void this.#work();
  }

  get running(): number {
    return this.#jobs.size;
  }

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  drain(): Promise<void> {
    return this.#drain(this.#options.drainMs ?? DRAIN_MS);
  }

  /** Gives all jobs back at once. */
  stop(): Promise<void> {
    return this.#drain(0);
  }

  /** Resolves when nothing of its jobs is under way any more, also what a server that is gone held up. */
  async over(): Promise<void> {
    await Promise.all(this.#jobs);
  }

  #drain(ms: number): Promise<void> {
    if (ms === 0) this.#release();
    return this.#drained ??= (async () => {
      this.#draining.abort();
      this.#wake();
      await this.#jobsWithin(ms, this.#releasing.signal);
      this.#release();
      // What a server that is gone cannot be told is found out by the end of the lease.
      await this.#jobsWithin(GIVE_BACK_MS, this.#store.engine.connection);
      const agents = [...this.#held.values()].map(({ agent }) => agent);
      await Promise.allSettled(agents.map((agent) => agent?.close()));
      for (const leave of this.#leaves) leave();
      this.#ended.resolve();
    })();
  }

  async #jobsWithin(ms: number, signal: AbortSignal): Promise<void> {
    const most = Math.min(ms, LONGEST_TIMER_MS);
    const ended = settleWithin(this.over(), most, systemClock);
    await unlessAborted(ended, signal).catch(() => {});
  }

  #release(): void {
    this.#releasing.abort();
    for (const { stop } of this.#held.values()) {
      stop.abort(new Stop("released", "the worker goes"));
    }
  }

  async #work(): Promise<void> {
    const { concurrency = 1 } = this.#options;
    const { signal } = this.#draining;
    while (!signal.aborted) {
      // A signal that comes while it looks counts.
      this.#isWoken = false;
      const { pauseMs, isOnTrial } = this.#fitness;
      const most = isOnTrial ? 1 : concurrency;
      const lease = this.#jobs.size < most && pauseMs === 0
        ? await this.#take()
        : undefined;
      if (lease === undefined) await this.#woken();
      else if (signal.aborted) await lease.later(0).catch(() => {});
      else this.#begin(lease);
    }
  }

  async #take(): Promise<Lease | undefined> {
    try {
      return await this.#store.engine.take();
    } catch (error) {
      // A fleet that is closed gives nothing any more.
      if (isAgentError(error) && error.code === "closed") {
        this.#draining.abort();
      } else this.#log.warn(`Cannot take a job: ${textOfError(error)}`);
      return undefined;
    }
  }

  #wake(): void {
    this.#isWoken = true;
    this.#wakeUp();
  }

  /** Waits until something may be ready, or a slot is free. */
  async #woken(): Promise<void> {
    if (this.#isWoken) return;
    // Many that look at the same time would always meet.
    const most = Math.min(
      LOOK_MS,
      this.#store.engine.leaseMs / LOOKS_PER_LEASE,
    );
    const ms = most / 2 + backoffDelay(0, { baseMs: most, capMs: most });
    const woken = new Promise<void>((resolve) => this.#wakeUp = resolve);
    await settleWithin(woken, ms, systemClock);
  }

  #begin(lease: Lease): void {
    const entry = pushed(lease.value);
    const { id } = entry;
    const job = this.#handle(entry, lease).catch((error) => {
      // The lease ends by itself, and somebody else takes the job.
      this.#log.warn(`Job "${id}" was let go: ${textOfError(error)}`);
    }).finally(() => {
      this.#jobs.delete(job);
      this.#wake();
    });
    this.#jobs.add(job);
  }

  /** What becomes of a job that the queue gave out. */
  async #handle({ id, pushes }: Pushed, lease: Lease): Promise<void> {
    const { engine } = this.#store;
    const stop = new AbortController();
    const endKeeping = this.#keep(lease, stop);
    try {
      const found = await this.#store.get<JobRecord>(PLACES.job(id));
      if (found === undefined) return await lease.done();
      if (found.pushes > pushes && !isOver(found)) {
        // Whoever counted it may have been lost before it was in the queue once more.
        await push(this.#store, found);
        return await lease.done();
      }
      const wait = await this.#wait(found);
      if (wait === undefined) return await this.#leave(lease, found);
      if (wait > 0) return await lease.later(wait);
      // One that is late is not begun.
      const isLate = (found.deadline ?? Infinity) <= engine.now();
      const slots = isLate ? [] : await takeSlots(this.#store, found);
      if (slots === undefined) return await lease.later(this.#slotWait());
      if (!isLate && !found.bringsCli && !await this.#fitness.hasCli()) {
        // The slots of a job whose worker was silent are kept for its next attempt.
        return found.state === "running"
          ? await lease.later(0)
          : await this.#leave(lease, found, 0);
      }
      const record = await this.#started(found);
      // Somebody else was faster: it is looked at anew.
      if (record === undefined) return await lease.later(0);
      if (isOver(record)) return await this.#leave(lease, record);
      await takeBack(this.#store, record);
      await this.#run({
        id,
        lease,
        record,
        slots,
        attempt: lastAttempt(record),
        stop,
      });
      engine.signal(PLACES.queue);
    } finally {
      endKeeping();
    }
  }

  /** When a job is looked at again that has no slot: the more there are, the rarer, so that they do not fill the queue. */
  #slotWait(): number {
    const now = performance.now();
    this.#slotless = this.#slotless.filter((at) => now - at < SLOT.capMs);
    this.#slotless.push(now);
    return LEAST_SLOT_MS + backoffDelay(0, SLOT) +
      this.#slotless.length * CROWD_MS;
  }

  /** A job that does not run asks nothing, and has no slot; without a time it is over, and needs nothing of the queue. */
  async #leave(
    lease: Lease,
    record: JobRecord,
    laterMs?: number,
  ): Promise<void> {
    await takeBack(this.#store, record);
    await leaveSlots(this.#store, record);
    await (laterMs === undefined ? lease.done() : lease.later(laterMs));
  }

  /** How long the job has to wait before it may begin; `undefined` = it is over. */
  async #wait(record: JobRecord): Promise<number | undefined> {
    const { engine } = this.#store;
    if (isOver(record)) return undefined;
    if (record.format > FORMAT) {
      this.#log.warn(
        `Job "${record.id}" is left to a later version of this package`,
      );
      return engine.leaseMs;
    }
    const left = (record.deadline ?? Infinity) - engine.now();
    if (record.state !== "running" && left <= 0) return 0;
    if (record.state === "queued") {
      return Math.min(left, Math.max(0, record.notBefore - engine.now()));
    }
    if (record.state === "waiting") {
      const isDue = await isWaitOver(this.#store, record);
      return isDue ? 0 : Math.min(left, WAITING_LOOK_MS);
    }
    return await this.#silence(record);
  }

  /** How long a running job is left to its worker; 0 when that does not remove the mark by which it is asked whether it lives. */
  async #silence(record: JobRecord): Promise<number> {
    const { engine } = this.#store;
    const path = PLACES.job(record.id);
    const running = lastAttempt(record);
    await this.#store.change<JobRecord>(
      path,
      (now) =>
        isRunBy(now, running, record) ? { ...now, missed: running } : undefined,
    );
    engine.signal(path);
    const answerMs = engine.leaseMs * ANSWER_PART;
    const end = performance.now() + answerMs;
    const look = async (again: (ms: number) => void) => {
      const now = await this.#store.get<JobRecord>(path);
      if (!isRunBy(now, running, record) || now.missed !== running) {
        return engine.leaseMs;
      }
      const left = end - performance.now();
      if (left <= 0) return 0;
      again(left);
      return undefined;
    };
    const { signal } = this.#draining;
    return await this.#store.until(path, look, signal).catch((error) => {
      if (signal.aborted) return answerMs;
      throw error;
    });
  }

  /** Begins an attempt in the job's row, unless that is no longer as it was looked at; a job that may not begin is over then. */
  async #started(seen: JobRecord): Promise<JobRecord | undefined> {
    const { engine } = this.#store;
    const { id } = seen;
    let isOurs = false;
    const record = await this.#store.change<JobRecord>(
      PLACES.job(id),
      (found) => {
        // Another worker may have begun it since, or its own has shown that it lives.
        isOurs = found?.state === seen.state && found.spec === seen.spec &&
          lastAttempt(found) === lastAttempt(seen) &&
          (found.state !== "running" || found.missed === lastAttempt(found));
        if (found === undefined || !isOurs) return undefined;
        const now = Math.round(engine.now());
        const record = found.state === "running"
          ? withEnd(found, {
            outcome: "lost",
            endedAt: now,
            reason: "its worker was silent",
          })
          : found;
        const ended = givenUp(record, now);
        if (ended !== undefined) return ended;
        const attempt: JobAttempt = {
          attempt: lastAttempt(record) + 1,
          worker: this.name,
          beganAt: now,
        };
        const { missed: _, ...rest } = record;
        return {
          ...rest,
          state: "running",
          attempts: [...record.attempts, attempt],
        };
      },
    );
    engine.signal(PLACES.job(id));
    return isOurs ? record : undefined;
  }

  async #run(held: Held): Promise<void> {
    const { id, attempt, record, slots, stop } = held;
    const began = performance.now();
    this.#held.set(id, held);
    // It was on its way when the others were given back.
    if (this.#releasing.signal.aborted) {
      stop.abort(new Stop("released", "the worker goes"));
    }
    const ended = new AbortController();
    const watch = this.#watch(held, ended.signal);
    const waited = this.#store.engine.now() - record.submittedAt;
    this.#count((to) => to.attemptStart?.(id, attempt, Math.max(0, waited)));
    let outcome: Outcome = "lost";
    try {
      if (!await hasSlots(this.#store, slots, id)) {
        throw new Stop("released", "another job has its place");
      }
      const ended = await runAttempt({
        store: this.#store,
        record,
        attempt,
        options: this.#options.options,
        signal: stop.signal,
        change: (next) => this.#change(held, next),
        onSpec: (given) => held.given = given,
        onBegin: (agent) => held.agent = agent,
      });
      outcome = ended.wait === undefined
        ? await this.#finish(held, ended.result)
        : await this.#letGo(held, ended.wait);
    } catch (error) {
      outcome = await this.#fail(held, stop.signal.reason ?? error);
    } finally {
      this.#held.delete(id);
      stop.abort(new Stop("released"));
      ended.abort();
      await watch;
    }
    const ms = performance.now() - began;
    this.#count((to) => to.attemptEnd?.(id, attempt, outcome, ms));
  }

  /** The agent has its result: it is kept, unless a later attempt has the job or it may pass. */
  async #finish(
    held: Held,
    result: ResultMessage,
  ): Promise<Outcome> {
    const { id, attempt, lease } = held;
    const failure = failureIn(result);
    if (failure !== undefined) return await this.#fail(held, failure);
    this.#fitness.worked();
    const name = `${attempt}-${crypto.randomUUID()}`;
    await this.#store.writeDocument(PLACES.result(id, name), result);
    const record = await this.#change(held, (now, endedAt) => ({
      ...withEnd(now, { outcome: "done", endedAt }),
      state: "done",
      endedAt,
      result: name,
    }));
    await this.#leave(lease, record);
    return "done";
  }

  /** The job waits, and needs no agent meanwhile. */
  async #letGo(held: Held, wait: Wait): Promise<Outcome> {
    const record = await this.#change(held, (now, endedAt) => {
      const { left = [], ...ended } = withEnd(now, {
        outcome: "waiting",
        endedAt,
      });
      const asked = wait.kind === "answer" ? [wait.question] : [];
      return {
        ...ended,
        state: "waiting",
        wait,
        waitingFor: asked.filter((one) => left.includes(one)),
        left: left.filter((one) => !asked.includes(one)),
      };
    });
    // What it waits for may have come meanwhile, and nobody said so.
    await this.#leave(held.lease, record, 0);
    return "waiting";
  }

  /** The attempt has no result: the job is tried again, or is over. */
  async #fail(held: Held, error: unknown): Promise<Outcome> {
    const { id, lease } = held;
    const kind = error instanceof Stop ? error.kind : "failed";
    const isOwn = isOwnFailure(error, held.given);
    if (kind === "fenced") return this.#replaced(id);
    // What cannot be written down now is found out by the end of the lease.
    const isUnwritable = error instanceof FleetError &&
      (error.fault === "unreachable" || error.fault === "full");
    if (isUnwritable) throw error;
    // It may come from the user's own code, and lies where others read it.
    const reason = this.#scrubber.scrub(textOfError(error));
    if (kind === "failed") {
      const { attempt } = held;
      this.#log.warn(`Attempt ${attempt} of job "${id}" failed: ${reason}`);
      if (isOwn) this.#fitness.failed(reason);
    }
    let later: number | undefined;
    let outcome: Outcome = "failed";
    try {
      const record = await this.#change(held, (now, endedAt) => {
        const next = after(
          now,
          kind,
          isOwn || isRetryable(error),
          reason,
          endedAt,
        );
        later = next.later;
        outcome = next.outcome;
        return next.record;
      });
      await this.#leave(lease, record, later);
      return outcome;
    } catch (error) {
      if (error instanceof Stop) return this.#replaced(id);
      throw error;
    }
  }

  #replaced(id: string): Outcome {
    this.#log.warn(`Job "${id}" goes on elsewhere: it was stopped here`);
    return "lost";
  }

  /** Changes the row of a job that is still of this attempt; tells the time by the server's clock. */
  async #change(
    { id, attempt, record, stop }: Held,
    next: (record: JobRecord, at: number) => JobRecord,
  ): Promise<JobRecord> {
    const path = PLACES.job(id);
    const changed = await this.#store.change<JobRecord>(path, (now) => {
      if (!isRunBy(now, attempt, record)) {
        const fenced = new Stop("fenced");
        stop.abort(fenced);
        throw fenced;
      }
      return next(now, Math.round(this.#store.engine.now()));
    });
    this.#store.engine.signal(path);
    return changed as JobRecord;
  }

  /** Keeps the lease by the clock, however quiet the agent is; where the server cannot be reached, stops what it holds so early that it has ended before another worker can begin. */
  #keep(lease: Lease, stop: AbortController): () => void {
    const { leaseMs } = this.#store.engine;
    const ended = new AbortController();
    const beat = oneByOne(() => lease.extend(ended.signal));
    const beats = setInterval(beat, leaseMs / BEATS);
    const left = () => lease.leftMs() - killMsOf(leaseMs);
    const why = "its worker was cut off from the server";
    stopAfter(left, stop, ended.signal, new Stop("released", why));
    return () => {
      clearInterval(beats);
      ended.abort();
    };
  }

  /** Sees what others want of the job, and whether it is still here; looks at every heartbeat and when told, also while its agent is being stopped. */
  async #watch(held: Held, ended: AbortSignal): Promise<void> {
    const { id, attempt, record, stop } = held;
    const { deadline } = record;
    const { engine } = this.#store;
    const path = PLACES.job(id);
    if (deadline !== undefined) {
      const left = () => deadline - engine.now();
      stopAfter(left, stop, ended, new Stop("deadline", OVERDUE));
    }
    const look = oneByOne(async () => {
      try {
        const now = await this.#store.get<JobRecord>(path);
        if (ended.aborted) return;
        if (!isRunBy(now, attempt, record)) {
          stop.abort(new Stop("fenced"));
          return;
        }
        if (now.missed === attempt) {
          await this.#change(held, ({ missed: _, ...rest }) => rest);
        }
        if (now.cancel !== undefined) {
          stop.abort(new Stop("cancelled", now.cancel));
        }
      } catch (error) {
        // Whoever cannot reach the server for so long may have been replaced.
        if (!ended.aborted) stop.abort(error);
      }
    });
    const beats = setInterval(look, engine.leaseMs / BEATS);
    const leave = engine.listen(path, look);
    await aborted(ended);
    clearInterval(beats);
    leave();
  }

  /** Tells at every heartbeat what there is to do, whether or not something is done here. */
  #tellLoad(): void {
    const { engine } = this.#store;
    if (this.#options.metrics?.load === undefined) return;
    const tell = oneByOne(async () => {
      try {
        const queued = await engine.depth();
        const asking = await countAsking(this.#store);
        this.#count((to) => to.load?.(queued, this.#held.size, asking));
      } catch {
        // A server that is gone is told of by what waits for it.
      }
    });
    const beats = setInterval(tell, engine.leaseMs / BEATS);
    this.#leaves.push(() => clearInterval(beats));
  }

  #sweepNowAndThen(): void {
    const { engine } = this.#store;
    const look = oneByOne(() =>
      sweep(this.#store).catch((error) => {
        const isClosed = isAgentError(error) && error.code === "closed";
        if (isClosed) return;
        this.#log.warn(`Cannot look for lost jobs: ${textOfError(error)}`);
      })
    );
    look();
    const looks = setInterval(look, engine.leaseMs);
    this.#leaves.push(() => clearInterval(looks));
  }

  /** Numbers are the user's code, which may throw. */
  #count(note: (metrics: FleetMetrics) => void): void {
    const { metrics } = this.#options;
    if (metrics === undefined) return;
    try {
      note(metrics);
    } catch (error) {
      this.#log.warn(`Metrics of a fleet failed: ${textOfError(error)}`);
    }
  }
}

/** Stops an attempt when its time is over, unless that has ended before; the time that is left may grow meanwhile. */
async function stopAfter(
  leftMs: () => number,
  stop: AbortController,
  ended: AbortSignal,
  reason: Stop,
): Promise<void> {
  for (let left = leftMs(); left > 0; left = leftMs()) {
    await systemClock.sleep(left, ended).catch(() => {});
    if (ended.aborted) return;
  }
  stop.abort(reason);
}

/** Does the work, which does not reject, unless it is under way. */
function oneByOne(work: () => Promise<void>): () => void {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work().finally(() => running = undefined);
  };
}

/** Whether there is what a job waits for. */
async function isWaitOver(
  store: Store,
  { id, wait }: JobRecord,
): Promise<boolean> {
  if (wait === undefined) return true;
  if (wait.kind === "prompt") return await isMoreSaid(store, id, wait.heard);
  const found = await store.get<Approval>(PLACES.approval(wait.question));
  return found === undefined || found.decision !== undefined;
}

/** The job as it is over, where no further attempt may begin. */
function givenUp(record: JobRecord, now: number): JobRecord | undefined {
  const { cancel, deadline = Infinity, maxAttempts, attempts } = record;
  if (cancel !== undefined) return over(record, "cancelled", cancel, now);
  if (deadline <= now) return over(record, "dead", OVERDUE, now);
  if (counted(record) < maxAttempts) return undefined;
  const last = attempts.at(-1)?.reason;
  const why = last === undefined ? "" : `: ${last}`;
  return over(record, "dead", `${maxAttempts} attempts${why}`, now);
}

/** The job after an attempt without a result, and when it is tried again. */
function after(
  record: JobRecord,
  kind: Stop["kind"] | "failed",
  mayPass: boolean,
  reason: string,
  endedAt: number,
): {
  readonly record: JobRecord;
  readonly outcome: Outcome;
  readonly later?: number;
} {
  const outcome = kind === "failed" || kind === "released" ? kind : "stopped";
  const ended = withEnd(record, { outcome, endedAt, reason });
  if (kind === "released") {
    return { record: { ...ended, state: "queued" }, outcome, later: 0 };
  }
  if (kind === "cancelled") {
    return { record: over(ended, "cancelled", reason, endedAt), outcome };
  }
  const tries = counted(ended);
  if (
    kind === "deadline" || !mayPass || tries >= ended.maxAttempts
  ) {
    return { record: over(ended, "dead", reason, endedAt), outcome };
  }
  const later = backoffDelay(tries - 1, RETRY);
  const notBefore = endedAt + later;
  return { record: { ...ended, state: "queued", notBefore }, outcome, later };
}
