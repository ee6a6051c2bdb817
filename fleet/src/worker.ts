import { type Conversation, isAgentError } from "@sluice/agent";
import {
  programHost,
  redactorOf,
  safeLogger,
  settleWithin,
  systemClock,
  textOfError,
  unlessAborted,
} from "@sluice/agent/extend";
import { backoffDelay } from "@sluice/agent/mcp";
import type { FleetMetrics, WorkOptions } from "./types.ts";
import { countAsking } from "./approvals.ts";
import { atHeartbeats } from "./beats.ts";
import { claimer } from "./claim.ts";
import type { Lease } from "./engine.ts";
import { fitnessOf } from "./fitness.ts";
import { Stop } from "./machine.ts";
import { pushed } from "./queue.ts";
import { PLACES } from "./record.ts";
import { keepLease, runClaim, type RunSettings } from "./run.ts";
import type { Store } from "./store.ts";

/** Shortest polling interval of an idle worker: no signal comes when a time on the server passes. */
const LOOK_MS = 1_000;
/** Polls in the time of a short lease, so that a takeover does not wait for the next one. */
const LOOKS_PER_LEASE = 20;
const DRAIN_MS = 30_000;
/** An agent that is stopped ends within 15 s. */
const GIVE_BACK_MS = 20_000;

/** A worker that runs jobs of a fleet; returned by `fleet.work()`. */
export interface Worker {
  /** Its name in the history of jobs. */
  readonly name: string;
  /** Number of running jobs. */
  readonly running: number;
  /** Resolves when the worker has drained or stopped. */
  readonly ended: Promise<void>;
  /** Stops accepting jobs and waits at most `drainMs` for the running ones; then they return to the queue. Idempotent. */
  drain(): Promise<void>;
}

export interface LiveWorker extends Worker {
  /** Gives all jobs back at once. */
  stop(): Promise<void>;
  /** Resolves when none of its jobs has work under way, such as for a server that is gone. */
  over(): Promise<void>;
}

export async function startWorker(
  store: Store,
  options: WorkOptions,
): Promise<LiveWorker> {
  const host = await programHost();
  const { engine } = store;
  const { concurrency = 1, drainOnSignal = true, metrics, signal } = options;
  const log = safeLogger(options.logger);
  const fitness = fitnessOf(options.options, log);
  const name = options.name ??
    `${host.machine() ?? "machine"}-${host.pid}-${
      crypto.randomUUID().slice(0, 8)
    }`;
  const draining = new AbortController();
  const releasing = new AbortController();
  const jobs = new Set<Promise<void>>();
  const agents = new Set<Conversation>();
  let attempts = 0;
  let isWoken = false;
  let wakeUp = () => {};
  let drained: Promise<void> | undefined;

  const claim = claimer({
    store,
    worker: name,
    fitness,
    log,
    draining: draining.signal,
  });
  const settings: Omit<RunSettings, "onBegin"> = {
    store,
    options: options.options,
    fitness,
    log,
    releasing: releasing.signal,
    redact: redactorOf(host.env()),
    count,
  };

  function count(note: (metrics: FleetMetrics) => void): void {
    if (metrics === undefined) return;
    try {
      note(metrics);
    } catch (error) {
      log.warn(`Metrics of a fleet failed: ${textOfError(error)}`);
    }
  }

  function wake(): void {
    isWoken = true;
    wakeUp();
  }

  async function loop(): Promise<void> {
    while (!draining.signal.aborted) {
      // A wake-up during the look counts.
      isWoken = false;
      const { pauseMs, isOnTrial } = fitness;
      const most = isOnTrial ? 1 : concurrency;
      const lease = jobs.size < most && pauseMs === 0
        ? await take()
        : undefined;
      if (lease === undefined) await woken();
      else if (draining.signal.aborted) await lease.later(0).catch(() => {});
      else begin(lease);
    }
  }

  async function take(): Promise<Lease | undefined> {
    try {
      return await engine.take();
    } catch (error) {
      const isClosed = isAgentError(error) && error.code === "closed";
      if (isClosed) draining.abort();
      else log.warn(`Cannot take a job: ${textOfError(error)}`);
      return undefined;
    }
  }

  /** Waits until a job may be ready, or there is room for one. */
  async function woken(): Promise<void> {
    if (isWoken) return;
    const most = Math.min(LOOK_MS, engine.leaseMs / LOOKS_PER_LEASE);
    // Workers that poll at the same time would always collide.
    const ms = most / 2 + backoffDelay(0, { baseMs: most, capMs: most });
    const told = new Promise<void>((resolve) => wakeUp = resolve);
    await settleWithin(told, ms, systemClock);
  }

  function begin(lease: Lease): void {
    const job = handle(lease).finally(() => {
      jobs.delete(job);
      wake();
    });
    jobs.add(job);
  }

  async function handle(lease: Lease): Promise<void> {
    const entry = pushed(lease.value);
    const stop = new AbortController();
    const endKeeping = keepLease(lease, engine.leaseMs, stop);
    let agent: Conversation | undefined;
    try {
      const claimed = await claim(entry, lease);
      if (claimed === undefined) return;
      attempts++;
      const onBegin = (one: Conversation) => agents.add(agent = one);
      await runClaim({ ...settings, onBegin }, claimed, lease, stop)
        .finally(() => attempts--);
      engine.signal(PLACES.queue);
    } catch (error) {
      // The lease ends, and another worker takes the job.
      log.warn(`Job "${entry.id}" was let go: ${textOfError(error)}`);
    } finally {
      if (agent !== undefined) agents.delete(agent);
      endKeeping();
    }
  }

  async function over(): Promise<void> {
    await Promise.all(jobs);
  }

  async function overWithin(ms: number, signal: AbortSignal): Promise<void> {
    const ended = settleWithin(over(), ms, systemClock);
    await unlessAborted(ended, signal).catch(() => {});
  }

  function release(): void {
    releasing.abort(new Stop("released", "the worker drains"));
  }

  function drain(ms: number): Promise<void> {
    if (ms === 0) release();
    return drained ??= (async () => {
      draining.abort();
      wake();
      await overWithin(ms, releasing.signal);
      release();
      // A server that is gone learns by the end of the lease.
      await overWithin(GIVE_BACK_MS, engine.connection);
      await Promise.allSettled([...agents].map((agent) => agent.close()));
      for (const leave of leaves) leave();
      markEnded();
    })();
  }

  async function tellLoad(): Promise<void> {
    try {
      const queued = await engine.depth();
      const asking = await countAsking(store);
      count((to) => to.load?.(queued, attempts, asking));
    } catch {
      // Calls that wait for the server report its loss.
    }
  }

  const leaves = [engine.listen(PLACES.queue, wake)];
  if (metrics?.load !== undefined) {
    leaves.push(atHeartbeats(engine.leaseMs, tellLoad).end);
  }
  let markEnded = () => {};
  const ended = new Promise<void>((resolve) => markEnded = resolve);
  if (drainOnSignal) {
    for (const name of ["SIGTERM", "SIGINT"] as const) {
      leaves.push(host.onSignal(name, () => void live.drain()));
    }
  }
  const live: LiveWorker = {
    name,
    get running() {
      return jobs.size;
    },
    ended,
    drain: () => drain(options.drainMs ?? DRAIN_MS),
    stop: () => drain(0),
    over,
  };
  const stop = () => void live.stop();
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  leaves.push(() => signal?.removeEventListener("abort", stop));
  void loop();
  return live;
}
