import { Change } from "../async/change.ts";
import { Deadlines } from "../async/deadline.ts";
import { throwFailures } from "../async/scope.ts";
import { LiveConversation } from "../conversation/conversation.ts";
import type { InitialPrompt } from "../conversation/input.ts";
import { ClosedError } from "../errors/base.ts";
import { textOfError } from "../errors/text.ts";
import { resolveOptions } from "../options/resolve.ts";
import type { Settings } from "../options/settings.ts";
import type { AgentOptions } from "../types/options.ts";
import type { PoolOptions, PoolOverrides } from "../types/pool.ts";
import { type Callbacks, exchangeable, fitOf } from "./fit.ts";

export type ParkingRules = {
  readonly [K in "size" | "idleMs" | "maxAgeMs" | "warmUp"]-?: NonNullable<
    PoolOptions[K]
  >;
};

/** A process that dies sooner is not replaced before the next query: another would die as well. */
const SHORT_LIFE_MS = 1_000;

/** For about this long the CLI prepares its first request to the model, and another start would slow it down. */
const REPLACE_AFTER_MS = 250;

interface Parked {
  readonly conversation: LiveConversation<never>;
  readonly callbacks: Callbacks;
  readonly sinceMs: number;
}

export class Parking {
  readonly #options: AgentOptions;
  readonly #rules: ParkingRules;
  readonly #clock: Settings["clock"];
  readonly #onChange: () => void;
  #deadlines: Deadlines;
  readonly #parked = new Set<Parked>();
  starting = 0;
  /** All that are not over, and were not taken. */
  readonly #own = new Set<LiveConversation<never>>();
  #idle: { cancel(): void } | undefined;
  /** Error of the last start; nothing is started until the next request. */
  #failure: { readonly error: unknown } | undefined;
  readonly #change = new Change();
  #isAsleep = false;
  #isClosed = false;

  /** @param onChange Called when the number of warm or starting processes may have changed */
  constructor(
    options: AgentOptions,
    rules: ParkingRules,
    onChange: () => void,
  ) {
    this.#options = options;
    this.#rules = rules;
    this.#onChange = onChange;
    this.#clock = resolveOptions(options).clock;
    this.#deadlines = new Deadlines(this.#clock);
  }

  get warm(): number {
    return this.#parked.size;
  }

  /** Starts missing processes, at once or after a delay, and restarts the idle time. */
  fill(afterMs = 0): void {
    const { idleMs } = this.#rules;
    this.#failure = undefined;
    this.#isAsleep = false;
    this.#idle?.cancel();
    if (idleMs !== Infinity && !this.#isClosed) {
      this.#idle = this.#deadlines.add(idleMs, () => this.#sleep());
    }
    if (afterMs === 0) this.#startMissing();
    else this.#deadlines.add(afterMs, () => this.#startMissing());
  }

  /** Resolves when all are warm; rejects when one could not be started. */
  async ready(): Promise<void> {
    // A request wakes the pool after a failure or a pause.
    if (this.warm + this.starting < this.#rules.size) this.fill();
    while (this.warm < this.#rules.size) {
      if (this.#isClosed) throw new ClosedError("Pool");
      this.#options.signal?.throwIfAborted();
      if (this.#failure !== undefined) throw this.#failure.error;
      await this.#change.next;
    }
  }

  /** Uses the oldest warm process that fits, and starts its replacement soon after. */
  take(
    use: InitialPrompt,
    overrides: PoolOverrides,
  ): LiveConversation<never> | undefined {
    const fit = fitOf(this.#options, overrides);
    const parked = fit &&
      [...this.#parked].find(({ conversation }) => !conversation.isOver);
    if (parked === undefined || fit === undefined) {
      this.fill();
      return undefined;
    }
    this.#parked.delete(parked);
    this.fill(REPLACE_AFTER_MS);
    const { conversation, callbacks } = parked;
    this.#own.delete(conversation);
    Object.assign(callbacks, fit.callbacks);
    const { signal } = overrides;
    if (signal) conversation.over.then(conversation.follow(signal));
    const { model, mode } = fit;
    const changes = [
      ...model === undefined ? [] : [conversation.setModel(model)],
      ...mode === undefined ? [] : [conversation.setPermissionMode(mode)],
    ];
    const before = changes.length === 0 ? undefined : Promise.all(changes);
    conversation.begin(use, before);
    return conversation;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const own = [...this.#own];
    this.#sleep();
    this.#changed();
    await closeEach(own);
  }

  #startMissing(): void {
    const isOver = this.#isClosed || this.#isAsleep ||
      this.#options.signal?.aborted;
    if (isOver) return;
    while (this.warm + this.starting < this.#rules.size) void this.#start();
    this.#onChange();
  }

  async #start(): Promise<void> {
    const callbacks: Callbacks = {};
    const conversation = new LiveConversation<never>(
      resolveOptions(exchangeable(this.#options, callbacks)),
    );
    this.#own.add(conversation);
    this.starting++;
    conversation.over.then(() => this.#own.delete(conversation));
    const sinceMs = this.#clock.monotonic();
    try {
      await conversation.ready;
      // A failed warm-up is no reason not to park.
      if (this.#rules.warmUp) await conversation.contextUsage().catch(() => {});
      this.#park({ conversation, callbacks, sinceMs });
    } catch (error) {
      this.#failure = { error };
      void conversation.close().catch(() => {});
    } finally {
      this.starting--;
      this.#changed();
    }
  }

  #park(parked: Parked): void {
    const { conversation, sinceMs } = parked;
    if (this.#isAsleep || conversation.isOver) {
      throw conversation.failure ?? new ClosedError("Pool");
    }
    this.#parked.add(parked);
    const { maxAgeMs } = this.#rules;
    const ageMs = this.#clock.monotonic() - sinceMs;
    const old = maxAgeMs === Infinity ? undefined : this.#deadlines.add(
      Math.max(maxAgeMs - ageMs, 1),
      () => this.#replace(parked),
    );
    const parkedMs = this.#clock.monotonic();
    conversation.over.then(() => {
      old?.cancel();
      if (!this.#parked.delete(parked)) return;
      const livedMs = this.#clock.monotonic() - parkedMs;
      if (livedMs >= SHORT_LIFE_MS) this.#startMissing();
      else this.#failure = { error: conversation.failure };
      this.#changed();
    });
  }

  #replace(parked: Parked): void {
    if (!this.#parked.delete(parked)) return;
    parked.conversation.close().catch(() => {});
    this.#startMissing();
  }

  /** Ends idle processes until the next request. */
  #sleep(): void {
    this.#isAsleep = true;
    // No timer keeps the program from ending.
    this.#deadlines.close();
    this.#deadlines = new Deadlines(this.#clock);
    for (const { conversation } of this.#parked) {
      conversation.close().catch(() => {});
    }
    this.#parked.clear();
    this.#onChange();
  }

  #changed(): void {
    this.#change.tell();
    this.#onChange();
  }
}

/** Closes each, also when others fail. */
export async function closeEach(
  conversations: readonly { close(): Promise<void> }[],
): Promise<void> {
  const closed = await Promise.allSettled(
    conversations.map((one) => one.close()),
  );
  const failures = closed.flatMap((one) =>
    one.status === "rejected" ? [one.reason] : []
  );
  const texts = failures.map(textOfError).join("; ");
  throwFailures(failures, `Several processes failed to close: ${texts}`);
}
