import { LiveConversation } from "./conversation/conversation.ts";
import type { InitialPrompt } from "./conversation/input.ts";
import { firstPrompt } from "./conversation/user_line.ts";
import { type Client, clientOf } from "./client.ts";
import { isObject } from "./errors/text.ts";
import { ClosedError } from "./errors/base.ts";
import { safe } from "./observe/metrics.ts";
import { plainObject } from "./options/plain_object.ts";
import {
  checkKeys,
  durationOrNever,
  filled,
  flag,
  integer,
} from "./options/fields.ts";
import { contradict } from "./options/refuse.ts";
import { resolveOptions } from "./options/resolve.ts";
import { OF_ONE_SESSION } from "./options/session_options.ts";
import type { Settings } from "./options/settings.ts";
import type { Conversation, Prompt } from "./types/conversation.ts";
import type { AgentOptions } from "./types/options.ts";
import type { Infer, Schema } from "./types/schema.ts";
import type { Complete } from "./types/option_values.ts";
import type {
  PoolJob,
  PoolOptions,
  PoolOverrides,
  PoolResult,
  PoolRunOptions,
} from "./types/pool.ts";
import type { PoolMetrics, PoolStats } from "./types/pool_stats.ts";
import type { Parking, ParkingRules } from "./pool/parking.ts";

const RULES: ParkingRules = {
  size: 1,
  idleMs: 300_000,
  maxAgeMs: Infinity,
  warmUp: false,
};

/**
 * A pool of CLI processes that are started in advance, so that a prompt need not wait for the start.
 *
 * A query takes a warm process, and a replacement starts 250 ms later in the background. A process that died or reached
 * its maximum age is replaced. No process outlives the pool or the program.
 *
 * @typeParam T The structured output, as `outputSchema` has it
 */
export interface Pool<T = unknown> extends AsyncDisposable {
  /**
   * Starts a conversation with a warm process, or with a new one where none is there or the overrides need one.
   *
   * @param prompt As of `query()`
   * @param overrides Options of this conversation alone
   * @returns The conversation, as `query()` gives it
   * @throws {ConfigError} If an option or the prompt is wrong
   * @throws {ClosedError} If the pool is closed, or about to be
   */
  query<const S extends Schema>(
    prompt: Prompt,
    overrides: AgentOptions<S> & { readonly outputSchema: S },
  ): Conversation<Infer<S>>;
  /** Starts a conversation with a warm or new process, with the `outputSchema` of the pool. */
  query(prompt: Prompt, overrides?: PoolOverrides): Conversation<T>;
  /**
   * Returns a client that is connected to a warm process, or to a new one.
   *
   * When that process has ended, `connect()` of the client starts one that is not the pool's.
   *
   * @param overrides Options of this client alone
   * @throws {ConfigError} If an option is wrong
   * @throws {ClosedError} If the pool is closed, or about to be
   */
  client<const S extends Schema>(
    overrides: AgentOptions<S> & { readonly outputSchema: S },
  ): Promise<Client<Infer<S>>>;
  /** Returns a client that is connected to a warm or new process, with the `outputSchema` of the pool. */
  client(overrides?: PoolOverrides): Promise<Client<T>>;
  /**
   * Runs a prompt for each item, several at once, and yields the result of each as it completes.
   *
   * A prompt is tried again when that may help and no tool has run: the API was overloaded or limited, or the process
   * was lost. Nothing begins before the first read; leaving early ends all that runs.
   *
   * @param items The items; pulled when a prompt can begin
   * @param job Makes the prompt for an item
   * @param options Concurrency, retries and budget
   * @returns One result for each item, failed or not, in the order of completion
   * @throws {ConfigError} If an option is wrong
   * @throws {PoolBudgetError} After the results of the started prompts, if `maxUsd` kept others from starting
   */
  run<I>(
    items: Iterable<I> | AsyncIterable<I>,
    job: PoolJob<I>,
    options?: PoolRunOptions,
  ): AsyncIterableIterator<PoolResult<I, T>>;
  /** The current counts. */
  stats(): PoolStats;
  /**
   * Resolves when `size` processes are warm.
   *
   * @throws The error of a failed start
   */
  ready(): Promise<void>;
  /** Accepts no more queries; resolves when the running ones are over and everything is closed. */
  drain(): Promise<void>;
  /** Ends everything, running queries included; idempotent; resolves when all processes are gone. */
  close(): Promise<void>;
  /** The same as {@link close}. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Constructor of {@link Pool}, also for `extends Pool`. */
export interface PoolConstructor {
  /**
   * Checks the options, and begins to start processes. What `run()` and `output()` give follows from `outputSchema`.
   *
   * The second type parameter keeps this one out of `extends Pool<T>`, which names one type.
   *
   * @throws {ConfigError} If an option is wrong
   */
  new <const S extends Schema, _T extends Infer<S>>(
    options: PoolOptions<S> & { readonly outputSchema: S },
  ): Pool<Infer<S>>;
  /**
   * Checks the options, and begins to start processes.
   *
   * @throws {ConfigError} If an option is wrong
   */
  new <T = unknown>(options?: PoolOptions): Pool<T>;
  /** Prototype of all pools. */
  readonly prototype: Pool;
}

/** The pool behind `new Pool()`; `never` fits the type of every output. */
class LivePool implements Pool<never> {
  readonly #options: AgentOptions;
  readonly #settings: Settings;
  readonly #metrics: Complete<PoolMetrics>;
  readonly #busy = new Set<LiveConversation<never>>();
  readonly #parking: Promise<Parking>;
  /** There once it is loaded. */
  #parked: Parking | undefined;
  #hits = 0;
  #misses = 0;
  #isOver = false;
  #closing: Promise<void> | undefined;

  /** Checks the options; starts no process before one is needed or `warm()` is called. */
  constructor(options: PoolOptions = {}) {
    plainObject(options as unknown, "options");
    const { size, idleMs, maxAgeMs, warmUp, ...shared } = options;
    const given = { size, idleMs, maxAgeMs, warmUp };
    checkKeys(given, {
      size: integer({ min: 0 }),
      idleMs: durationOrNever,
      maxAgeMs: durationOrNever,
      warmUp: flag,
    }, "");
    this.#options = shared;
    this.#settings = resolveOptions(shared);
    const { pool: metrics = {} } = shared.metrics ?? {};
    this.#metrics = {
      query: safe(metrics, "query"),
      change: safe(metrics, "change"),
    };
    for (const key of OF_ONE_SESSION) {
      const value = shared[key];
      if (value === undefined || value === false) continue;
      contradict(key, value, "is of one session: give it to query() instead");
    }
    const rules = filled(RULES, given);
    // Most of it is of no use before a process can be parked.
    this.#parking = import("./pool/parking.ts").then(({ Parking }) => {
      const parking = new Parking(this.#options, rules, () => this.#changed());
      this.#parked = parking;
      if (this.#isOver) void parking.close();
      else parking.fill();
      return parking;
    });
  }

  query(prompt: Prompt, overrides: PoolOverrides = {}): Conversation<never> {
    return this.#query(prompt, overrides);
  }

  #query(prompt: Prompt, overrides: PoolOverrides): LiveConversation<never> {
    return this.#begin(overrides, ({ verbatimPrompts: isVerbatim }) => ({
      prompt: firstPrompt(prompt, { isVerbatim }),
      isKeptOpen: false,
    }));
  }

  async client(overrides: PoolOverrides = {}): Promise<Client<never>> {
    const use = { prompt: undefined, isKeptOpen: true };
    const conversation = this.#begin(overrides, () => use);
    const options = { ...this.#options, ...this.#ownOf(overrides) };
    await conversation.ready;
    await conversation.begun;
    return clientOf(options, conversation);
  }

  run<I>(
    items: Iterable<I> | AsyncIterable<I>,
    job: PoolJob<I>,
    options: PoolRunOptions = {},
  ): AsyncIterableIterator<PoolResult<I, never>> {
    if (this.#isOver) throw new ClosedError("Pool");
    const loaded = import("./pool/run.ts");
    const { clock } = this.#settings;
    const query = (prompt: Prompt, overrides: PoolOverrides) =>
      this.#query(prompt, overrides);
    return (async function* () {
      const { runAll } = await loaded;
      yield* runAll({ items, job, options, query, clock });
    })();
  }

  stats(): PoolStats {
    return {
      warm: this.#parked?.warm ?? 0,
      starting: this.#parked?.starting ?? 0,
      busy: this.#busy.size,
      hits: this.#hits,
      misses: this.#misses,
    };
  }

  async ready(): Promise<void> {
    await (await this.#parking).ready();
  }

  async drain(): Promise<void> {
    this.#isOver = true;
    await (await this.#parking).close();
    await Promise.all([...this.#busy].map(({ over }) => over));
    await this.close();
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#isOver = true;
    const { closeEach } = await import("./pool/parking.ts");
    await closeEach([await this.#parking, ...this.#busy]);
  }

  #begin(
    overrides: PoolOverrides,
    useWith: (options: AgentOptions) => InitialPrompt,
  ): LiveConversation<never> {
    if (this.#isOver) throw new ClosedError("Pool");
    const own = this.#ownOf(overrides);
    const settings = Object.keys(own).length === 0
      ? this.#settings
      : resolveOptions({ ...this.#options, ...own });
    const use = useWith(settings.options);
    const warm = this.#parked?.take(use, own);
    if (warm === undefined) this.#misses++;
    else this.#hits++;
    this.#metrics.query(warm !== undefined);
    const conversation = warm ?? new LiveConversation<never>(settings, use);
    // A signal of its own stands in the place of the pool's, which ends it all the same.
    const { signal } = this.#options;
    if (signal && warm === undefined && own.signal) {
      conversation.over.then(conversation.follow(signal));
    }
    this.#busy.add(conversation);
    this.#changed();
    conversation.over.then(() => {
      this.#busy.delete(conversation);
      this.#changed();
    });
    return conversation;
  }

  #changed(): void {
    this.#metrics.change(this.stats());
  }

  /** The options of a query, its permissions laid over the pool's key by key: setting one loses no other. */
  #ownOf(overrides: PoolOverrides): PoolOverrides {
    plainObject(overrides, "options");
    const own = set(overrides);
    const { permissions: before } = this.#options;
    const { permissions: after } = own;
    if (before === undefined || !isObject(after)) return own;
    return { ...own, permissions: { ...before, ...set(after) } };
  }
}

/**
 * Creates a pool: checks the options and begins to start processes.
 *
 * @example A warm answer
 * ```ts
 * import { Pool } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli("Hello.");
 * const pool = new Pool({ cliPath, size: 1 });
 * await pool.ready();
 * assert.equal(await pool.query("Say hello.").text(), "Hello.");
 * assert.equal(pool.stats().hits, 1);
 * await pool.close();
 * ```
 *
 * @example Many prompts
 * ```ts
 * import { Pool } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli("A fruit.");
 * const pool = new Pool({ cliPath });
 * const answers = new Map<string, string | undefined>();
 * const names = ["fig", "plum"];
 * for await (const { item, text } of pool.run(names, (name) => `What is a ${name}?`)) {
 *   answers.set(item, text);
 * }
 * assert.equal(answers.get("plum"), "A fruit.");
 * await pool.close();
 * ```
 *
 * @example Structured output of many prompts
 * ```ts
 * import { Pool } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli([[{ result: { structured_output: { colour: "blue" } } }]]);
 * const outputSchema = {
 *   type: "object",
 *   properties: { colour: { type: "string" } },
 *   required: ["colour"],
 * } as const;
 * const pool = new Pool({ cliPath, outputSchema });
 * for await (const { item, output, error } of pool.run(["sea"], (name) => `Colour of the ${name}?`)) {
 *   if (error) throw error;
 *   assert.deepEqual([item, output.colour], ["sea", "blue"]);
 * }
 * await pool.close();
 * ```
 */
export const Pool: PoolConstructor = LivePool;

/** The defined keys. */
function set<T extends object>(given: T): T {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as T;
}
