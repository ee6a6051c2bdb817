import { LiveConversation } from "./conversation/conversation.ts";
import type { Use } from "./conversation/input.ts";
import { firstPrompt } from "./conversation/user_line.ts";
import { type Client, clientOf } from "./client.ts";
import { isObject } from "./errors/text.ts";
import { ClosedError } from "./errors/base.ts";
import {
  bag,
  checkKeys,
  contradict,
  filled,
  flag,
  integer,
  limit,
} from "./options/fields.ts";
import { resolveOptions, type Settings } from "./options/resolve.ts";
import type { Conversation, Prompt } from "./types/conversation.ts";
import type { AgentOptions } from "./types/options.ts";
import type {
  PoolJob,
  PoolOptions,
  PoolOverrides,
  PoolResult,
  PoolRunOptions,
  PoolStats,
} from "./types/pool.ts";
import type { Parking, ParkingRules } from "./pool/parking.ts";

const RULES: ParkingRules = {
  size: 1,
  idleMs: 300_000,
  maxAgeMs: Infinity,
  warmUp: false,
};

/** Options that would make all processes of a pool work on one session. */
const OF_A_SESSION = [
  "resume",
  "continue",
  "forkSession",
  "sessionId",
  "resumeSessionAt",
  "resumeDropsTurn",
] as const;

/**
 * Processes of the CLI that are started before there is a prompt, so that the prompt need not wait for the start.
 *
 * A query takes a warm process, and the next one starts behind it. One that died, grew old or whose CLI was updated
 * meanwhile is replaced. None outlives its pool, nor the program.
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
 */
export class Pool implements AsyncDisposable {
  readonly #options: AgentOptions;
  readonly #settings: Settings;
  readonly #busy = new Set<LiveConversation>();
  readonly #parking: Promise<Parking>;
  /** There once it is loaded. */
  #parked: Parking | undefined;
  #hits = 0;
  #misses = 0;
  #isOver = false;
  #closing: Promise<void> | undefined;

  /**
   * Checks the options, and begins to start processes.
   *
   * @throws {ConfigError} If an option is wrong
   */
  constructor(options: PoolOptions = {}) {
    bag(options as unknown, "options");
    const { size, idleMs, maxAgeMs, warmUp, ...shared } = options;
    const given = { size, idleMs, maxAgeMs, warmUp };
    checkKeys(given, {
      size: integer({ min: 0 }),
      idleMs: limit,
      maxAgeMs: limit,
      warmUp: flag,
    }, "");
    this.#options = shared;
    this.#settings = resolveOptions(shared);
    for (const key of OF_A_SESSION) {
      const value = shared[key];
      if (value === undefined || value === false) continue;
      contradict(key, value, "is of one session: give it to query() instead");
    }
    const rules = filled(RULES, given);
    // Most of it is of no use before a process can be parked.
    this.#parking = import("./pool/parking.ts").then(({ Parking }) => {
      const parking = new Parking(this.#options, rules);
      this.#parked = parking;
      if (this.#isOver) void parking.close();
      else parking.fill();
      return parking;
    });
  }

  /**
   * Starts a conversation with a warm process, or with a new one where none is there or the overrides need one.
   *
   * @param prompt As of `query()`
   * @param overrides Options of this conversation alone
   * @returns The conversation, as `query()` gives it
   * @throws {ConfigError} If an option or the prompt is wrong
   * @throws {ClosedError} If the pool is closed, or about to be
   */
  query(prompt: Prompt, overrides: PoolOverrides = {}): Conversation {
    return this.#query(prompt, overrides);
  }

  #query(prompt: Prompt, overrides: PoolOverrides): LiveConversation {
    return this.#begin(overrides, ({ verbatimPrompts: isVerbatim }) => ({
      prompt: firstPrompt(prompt, { isVerbatim }),
      isKeptOpen: false,
    }));
  }

  /**
   * Gives a client that is connected to a warm process, or to a new one.
   *
   * When that process has ended, `connect()` of the client starts one that is not the pool's.
   *
   * @param overrides Options of this client alone
   * @throws {ConfigError} If an option is wrong
   * @throws {ClosedError} If the pool is closed, or about to be
   */
  async client(overrides: PoolOverrides = {}): Promise<Client> {
    const use = { prompt: undefined, isKeptOpen: true };
    const conversation = this.#begin(overrides, () => use);
    const options = { ...this.#options, ...this.#ownOf(overrides) };
    await conversation.ready;
    await conversation.begun;
    return clientOf(options, conversation);
  }

  /**
   * Runs a prompt for each item, several at once, and gives what became of each as it comes.
   *
   * A prompt is tried again when that may help and no tool has run: the API was overloaded or limited, or the process
   * was lost. Nothing begins before somebody reads; leaving early ends all that runs.
   *
   * @param items What to make prompts of; drawn as prompts can begin
   * @param job Makes the prompt for an item
   * @param options How many at once, how often again, and what it may cost
   * @returns One result an item, failed or not, in the order in which they come
   * @throws {ConfigError} If an option is wrong
   * @throws {PoolBudgetError} After the results of what had begun, if `maxUsd` kept items from beginning
   */
  run<T>(
    items: Iterable<T> | AsyncIterable<T>,
    job: PoolJob<T>,
    options: PoolRunOptions = {},
  ): AsyncIterableIterator<PoolResult<T>> {
    if (this.#isOver) throw new ClosedError("Pool");
    const loaded = import("./pool/run.ts");
    const { clock } = this.#settings;
    const query = (prompt: Prompt, signal: AbortSignal) =>
      this.#query(prompt, { signal });
    return (async function* () {
      const { runAll } = await loaded;
      yield* runAll({ items, job, options, query, clock });
    })();
  }

  /** What there is at the moment. */
  stats(): PoolStats {
    return {
      warm: this.#parked?.warm ?? 0,
      starting: this.#parked?.starting ?? 0,
      busy: this.#busy.size,
      hits: this.#hits,
      misses: this.#misses,
    };
  }

  /**
   * Resolves when as many processes as `size` says are warm.
   *
   * @throws The error of a start that failed
   */
  async ready(): Promise<void> {
    await (await this.#parking).ready();
  }

  /** Takes no more queries; resolves when those that run are over, and everything is closed. */
  async drain(): Promise<void> {
    this.#isOver = true;
    await (await this.#parking).close();
    await Promise.all([...this.#busy].map(({ over }) => over));
    await this.close();
  }

  /** Ends everything, queries that run included; idempotent; resolves when all processes are gone. */
  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  /** The same as {@link close}. */
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
    useWith: (options: AgentOptions) => Use,
  ): LiveConversation {
    if (this.#isOver) throw new ClosedError("Pool");
    const own = this.#ownOf(overrides);
    const settings = Object.keys(own).length === 0
      ? this.#settings
      : resolveOptions({ ...this.#options, ...own });
    const use = useWith(settings.options);
    const warm = this.#parked?.take(use, own);
    if (warm === undefined) this.#misses++;
    else this.#hits++;
    const conversation = warm ?? new LiveConversation(settings, use);
    this.#busy.add(conversation);
    conversation.over.then(() => this.#busy.delete(conversation));
    return conversation;
  }

  /** What a query sets, its permissions laid over the pool's key by key: no guard is lost by setting another. */
  #ownOf(overrides: PoolOverrides): PoolOverrides {
    bag(overrides, "options");
    const own = set(overrides);
    const { permissions: before } = this.#options;
    const { permissions: after } = own;
    if (before === undefined || !isObject(after)) return own;
    return { ...own, permissions: { ...before, ...set(after) } };
  }
}

/** What is set: `undefined` is as good as nothing. */
function set<T extends object>(given: T): T {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as T;
}
