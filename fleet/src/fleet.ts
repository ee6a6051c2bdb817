import type { ApprovalStore } from "@sluice/agent";
import { activeTrace, addCosts } from "@sluice/agent/extend";
import type { TranscriptStore } from "@sluice/agent/transcripts";
import { FleetError } from "./errors.ts";
import type {
  FleetOptions,
  JobFilter,
  JobPrompt,
  JobStatus,
  SubmitOptions,
  WorkOptions,
} from "./types.ts";
import { fleetApprovals } from "./approvals.ts";
import {
  checkFilter,
  checkFleet,
  checkId,
  checkLimit,
  checkPrompt,
  checkSubmit,
  checkWork,
} from "./check.ts";
import { connectNats } from "./connect_nats.ts";
import { fleetError } from "./engine.ts";
import { inTime, type Job, jobOf, unknownJob } from "./job.ts";
import { push, wakeWorkers } from "./queue.ts";
import {
  FORMAT,
  type JobRecord,
  type JobSpec,
  PLACES,
  readable,
  statusOf,
} from "./record.ts";
import { sealingWith } from "./sealing.ts";
import type { Limit } from "./slots.ts";
import { Store } from "./store.ts";
import { fleetTranscripts } from "./transcripts.ts";
import { type LiveWorker, startWorker, type Worker } from "./worker.ts";

const MAX_ATTEMPTS = 3;
const IDLE_MS = 60_000;

/**
 * Agents on many machines: jobs are submitted, done by workers, and followed from anywhere, over a NATS server with
 * JetStream (2.10.27 or later). Needs the package `@nats-io/transport-node`.
 *
 * A job that `submit()` has acknowledged is stored, and ends exactly once: with a result, as a dead letter, or cancelled.
 * Tool calls run at least once: after a worker was lost, the last ones may run again.
 *
 * @example Run a worker until SIGTERM
 * ```ts
 * import { Fleet } from "@sluice/fleet";
 * import assert from "node:assert/strict";
 *
 * async function work() {
 *   const fleet = await Fleet.connect({ servers: "nats://10.0.0.5:4222", name: "reviews" });
 *   const worker = await fleet.work({ concurrency: 4, options: { model: "sonnet" } });
 *   await worker.ended;
 *   await fleet.close();
 * }
 * assert.equal(work.length, 0);
 * ```
 *
 * @example Catch an invalid option
 * ```ts
 * import { Fleet } from "@sluice/fleet";
 * import assert from "node:assert/strict";
 *
 * const options = { servers: "nats://10.0.0.5:4222", name: "no.dots" };
 * await assert.rejects(Fleet.connect(options), { name: "ConfigError", key: "name" });
 * ```
 */
export class Fleet implements AsyncDisposable {
  /** Requests for the approval of tool calls, of all jobs. */
  readonly approvals: Required<ApprovalStore>;
  /** Sessions of all jobs. */
  readonly transcripts: TranscriptStore;
  readonly #store: Store;
  readonly #name: string;
  readonly #workers = new Set<LiveWorker>();
  #closing: Promise<void> | undefined;
  #hasKey = false;

  private constructor(store: Store, name: string) {
    this.#store = store;
    this.#name = name;
    this.approvals = fleetApprovals(store);
    this.transcripts = fleetTranscripts(store);
  }

  /**
   * Connects to a fleet and creates its streams on the server.
   *
   * @param options Servers, name and rules of the fleet
   * @throws {ConfigError} If an option is wrong
   * @throws {FleetError} If the server cannot be reached, is too old, rejects the credentials or has other streams of this name, or if the fleet has another key
   */
  static async connect(options: FleetOptions): Promise<Fleet> {
    checkFleet(options);
    const sealing = await sealingWith(options.key);
    const store = new Store(await connectNats(options), sealing);
    try {
      await checkKey(store, options.name);
    } catch (error) {
      await store.engine.close();
      throw error;
    }
    return new Fleet(store, options.name);
  }

  /**
   * Submits a job; resolves when it is stored. The same id twice is one job.
   *
   * @param prompt The prompt
   * @param options Id, options of the agent, limits
   * @throws {ConfigError} If an option is wrong, or cannot be sent to another machine
   */
  async submit(prompt: JobPrompt, options: SubmitOptions = {}): Promise<Job> {
    checkSubmit(options);
    checkPrompt(prompt);
    const trace = activeTrace();
    await this.#fixKey();
    const { id = crypto.randomUUID(), name, key, deadlineMs } = options;
    const { delayMs = 0 } = options;
    const now = Math.round(this.#store.engine.now());
    const spec = crypto.randomUUID();
    const record: JobRecord = {
      format: FORMAT,
      id,
      state: "queued",
      priority: options.priority ?? "normal",
      ...name !== undefined && { name },
      ...key !== undefined && { key },
      submittedAt: now,
      notBefore: now + delayMs,
      ...deadlineMs !== undefined && { deadline: now + deadlineMs },
      maxAttempts: options.maxAttempts ?? MAX_ATTEMPTS,
      asksForApproval: options.approvals === true,
      ...options.options?.cliPath !== undefined && { bringsCli: true },
      ...typeof options.approvals === "object" && { parks: options.approvals },
      ...options.open === true && { isOpen: true },
      idleMs: options.idleMs ?? IDLE_MS,
      spec,
      attempts: [],
      ...options.session !== undefined && { given: options.session },
      sends: 0,
      waitingFor: [],
      cost: addCosts(),
      pushes: 0,
    };
    const place = PLACES.job(id);
    const { engine } = this.#store;
    const isThere = await engine.get(place) !== undefined;
    if (isThere) return jobOf(this.#store, id);
    const what: JobSpec = {
      prompt,
      options: options.options ?? {},
      ...trace !== undefined && { trace },
    };
    await this.#store.save(PLACES.spec(id, spec), what);
    await push(this.#store, record);
    const isNew = await this.#store.create(place, record);
    // An existing row may be this very one, whose answer was lost.
    const row = isNew ? record : await this.#store.get<JobRecord>(place);
    if (row?.spec !== spec) await engine.remove("log", PLACES.spec(id, spec));
    wakeWorkers(this.#store, id);
    return jobOf(this.#store, id);
  }

  /**
   * Returns a submitted job.
   *
   * @param id Its id
   * @throws {ConfigError} If the id is invalid
   * @throws {FleetError} If there is no such job
   */
  async job(id: string): Promise<Job> {
    checkId(id);
    const found = await this.#store.get<JobRecord>(PLACES.job(id));
    if (found === undefined) throw unknownJob(id);
    readable(found);
    return jobOf(this.#store, id);
  }

  /**
   * Lists the jobs of the fleet, in the order of their last change; each once.
   *
   * @param filter Which ones; all
   * @throws {ConfigError} If the filter is wrong
   */
  jobs(filter: JobFilter = {}): AsyncGenerator<JobStatus> {
    checkFilter(filter);
    return this.#jobs(filter);
  }

  async *#jobs(filter: JobFilter): AsyncGenerator<JobStatus> {
    const states = filter.state === undefined
      ? undefined
      : [filter.state].flat();
    const seen = new Set<string>();
    for await (const found of this.#store.rows<JobRecord>(PLACES.jobs)) {
      if (seen.has(found.id)) continue;
      const record = await inTime(this.#store, found);
      if (states !== undefined && !states.includes(record.state)) continue;
      if (filter.name !== undefined && record.name !== filter.name) continue;
      if (filter.key !== undefined && record.key !== filter.key) continue;
      seen.add(record.id);
      yield statusOf(record);
    }
  }

  /** Lists the dead letters, with their history. */
  deadLetters(): AsyncGenerator<JobStatus> {
    return this.jobs({ state: "dead" });
  }

  /**
   * Limits how many jobs of a name run at a time, over all workers, until it is changed. Running jobs are not stopped, and
   * those that ran before the first limit of their name are not counted.
   *
   * @param name The `name` of the jobs
   * @param most From 1 to 1,000; `undefined` = any
   * @throws {ConfigError} If one of them is wrong
   */
  async limit(name: string, most: number | undefined): Promise<void> {
    checkLimit(name, most);
    await this.#fixKey();
    const limit = { name, ...most !== undefined && { most } };
    const place = PLACES.limit(await this.#store.hide(name));
    await this.#store.change<Limit>(place, () => limit);
    this.#store.engine.signal(PLACES.queue);
  }

  /** Returns the limits of concurrent jobs, by job name. */
  async limits(): Promise<ReadonlyMap<string, number>> {
    const limits = new Map<string, number>();
    for await (const one of this.#store.rows<Limit>(PLACES.limits)) {
      if (one.most === undefined) limits.delete(one.name);
      else limits.set(one.name, one.most);
    }
    return limits;
  }

  /** Returns the number of jobs in the queue, running ones included. */
  depth(): Promise<number> {
    return this.#store.engine.depth();
  }

  /**
   * Starts a worker in this program, which runs jobs until it is drained.
   *
   * @param options How many at a time, and with which options
   * @throws {ConfigError} If an option is wrong
   */
  async work(options: WorkOptions = {}): Promise<Worker> {
    checkWork(options);
    await this.#fixKey();
    const worker = await startWorker(this.#store, options);
    this.#workers.add(worker);
    worker.ended.then(() => this.#workers.delete(worker));
    return worker;
  }

  /**
   * Returns the running jobs of its workers to the queue and disconnects; jobs are kept. Agents have 15 s to end, the
   * return of their jobs 20 s in all, and the connection 2 s to close. Idempotent.
   */
  close(): Promise<void> {
    return this.#closing ??= (async () => {
      const workers = [...this.#workers];
      await Promise.all(workers.map((worker) => worker.stop()));
      await this.#store.engine.close();
      await Promise.all(workers.map((worker) => worker.over()));
    })();
  }

  /** The first writer sets the key of the fleet: no program could read or remove what is written with another one. */
  async #fixKey(): Promise<void> {
    if (this.#hasKey) return;
    await this.#store.create(PLACES.key, {});
    await checkKey(this.#store, this.#name);
    this.#hasKey = true;
  }

  /** Calls `close()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Refuses a key that is not the one of the fleet. */
async function checkKey(store: Store, fleet: string): Promise<void> {
  try {
    await store.get(PLACES.key);
  } catch (cause) {
    if (!(cause instanceof FleetError) || cause.fault !== "unreadable") {
      throw cause;
    }
    throw fleetError(
      "unreadable",
      `Fleet "${fleet}" cannot be read: "key" has to be the same in all programs of a fleet`,
      { cause },
    );
  }
}
