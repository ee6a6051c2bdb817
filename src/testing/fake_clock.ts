import { Deferred } from "../async/deferred.ts";
import { onAbort, unlessAborted } from "../async/on_abort.ts";
import type { Clock } from "../ports/clock.ts";
import { Watch } from "./watch.ts";

/** Thursday, 1 January 2026, 00:00 UTC. */
const DEFAULT_START = 1_767_225_600_000;

interface Sleep {
  readonly at: number;
  readonly done: Deferred<void>;
}

/**
 * A clock that stands still until a test moves it, for the `clock` option.
 *
 * Shape:
 * - Sleeps wake in the order of their time, then of their start.
 * - A sleep of 0 ms or less ends at once.
 * - `advance()` stops at each sleep on the way, so a loop of sleeps wakes as often as in real time.
 *
 * @example Advance the clock by two hours
 * ```ts
 * import { FakeClock } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const clock = new FakeClock();
 * let rings = 0;
 * const alarm = (async () => {
 *   while (rings < 4) {
 *     await clock.sleep(1_800_000);
 *     rings++;
 *   }
 * })();
 *
 * await clock.advance(3_600_000);
 * assert.equal(rings, 2);
 * await clock.advance(3_600_000);
 * assert.equal(rings, 4);
 * await alarm;
 * ```
 */
export class FakeClock implements Clock {
  readonly #start: number;
  #now: number;
  readonly #sleeps = new Set<Sleep>();
  readonly #watch = new Watch();

  /**
   * Starts at the given time.
   *
   * @param start Milliseconds since 1970; the beginning of 2026 by default
   */
  constructor(start: number = DEFAULT_START) {
    this.#start = this.#now = start;
  }

  /** Number of pending sleeps. */
  get pending(): number {
    return this.#sleeps.size;
  }

  /** Milliseconds since 1970, as far as the test has moved the clock. */
  now(): number {
    return this.#now;
  }

  /** Milliseconds that the test has moved the clock. */
  monotonic(): number {
    return this.#now - this.#start;
  }

  /**
   * Waits until the test has moved the clock that far.
   *
   * @param ms Milliseconds; 0, less, or no number at all ends at once
   * @param signal Ends the sleep
   * @returns A promise that rejects with the signal's reason when it is aborted first
   */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (!(ms > 0)) return;
    const sleep = { at: this.#now + ms, done: new Deferred<void>() };
    this.#sleeps.add(sleep);
    this.#watch.stir();
    // At once: the caller of abort() may look at what is pending.
    const leave = signal && onAbort(signal, () => this.#sleeps.delete(sleep));
    try {
      await unlessAborted(sleep.done.promise, signal);
    } finally {
      leave?.();
      this.#sleeps.delete(sleep);
    }
  }

  /**
   * Moves the clock, ends the sleeps that are due, and lets the code behind them run up to its next wait.
   *
   * @param ms Milliseconds to move; 0 only lets waiting code run
   * @returns A promise that resolves when nothing is due any more
   */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms;
    await settle();
    for (;;) {
      const next = Math.min(...[...this.#sleeps].map(({ at }) => at));
      if (next > target || this.#sleeps.size === 0) break;
      this.#now = Math.max(this.#now, next);
      for (const { at, done } of this.#sleeps) {
        if (at <= this.#now) done.resolve();
      }
      await settle();
    }
    this.#now = Math.max(this.#now, target);
  }

  /**
   * Waits until sleeps are pending: the code under test has reached its wait.
   *
   * @param count The number of sleeps, 1 by default
   * @returns A promise that resolves at once when they already are
   */
  async untilPending(count: number = 1): Promise<void> {
    await this.#watch.until(() => this.#sleeps.size >= count || undefined);
  }
}

/** Runs everything that does not wait for the clock: one turn of the event loop. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
