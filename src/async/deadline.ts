import type { Clock, Timer } from "../ports/clock.ts";
import { onAbort } from "./on_abort.ts";
import { after } from "./timer.ts";

/** A limit that is running. */
export interface Deadline {
  /** When it passes, as {@link Deadlines.leftOf} reads it. */
  readonly at: number;
  /** Ends it; it will not pass. */
  cancel(): void;
}

/**
 * Many limits, one timer.
 *
 * Limits of one length pass in the order they were set, so each length keeps a queue and only its front is looked at.
 * The timer is not reset when a limit is cancelled: it fires, finds nothing due, and is set for the next one.
 */
export class Deadlines {
  readonly #clock: Timer;
  readonly #byLength = new Map<number, Set<Entry>>();
  #cancelTimer = (): void => {};
  #firesAt = Infinity;
  #isClosed = false;

  constructor(clock: Timer) {
    this.#clock = clock;
  }

  /** Calls back once after this many milliseconds, unless cancelled or closed first. */
  add(ms: number, onPass: () => void): Deadline {
    let queue = this.#byLength.get(ms);
    if (queue === undefined) {
      queue = new Set();
      this.#byLength.set(ms, queue);
    }
    const entry = new Entry(queue, this.#clock.monotonic() + ms, onPass);
    queue.add(entry);
    if (entry.at < this.#firesAt) this.#arm(entry.at);
    return entry;
  }

  /** Milliseconds until a limit passes. */
  leftOf({ at }: Deadline): number {
    return Math.max(0, at - this.#clock.monotonic());
  }

  /** Forgets every limit and the timer. */
  close(): void {
    this.#isClosed = true;
    this.#byLength.clear();
    this.#cancelTimer();
  }

  #arm(at: number): void {
    if (this.#isClosed) return;
    this.#cancelTimer();
    this.#firesAt = at;
    const ms = at - this.#clock.monotonic();
    this.#cancelTimer = after(this.#clock, ms, () => this.#fire());
  }

  #fire(): void {
    this.#firesAt = Infinity;
    const now = this.#clock.monotonic();
    let next = Infinity;
    const due: Entry[] = [];
    for (const [ms, queue] of this.#byLength) {
      if (queue.size === 0) this.#byLength.delete(ms);
      for (const entry of queue) {
        if (entry.at > now) {
          next = Math.min(next, entry.at);
          break;
        }
        due.push(entry);
      }
    }
    for (const entry of due) {
      // One that passes may cancel another, or close all.
      if (entry.isOpen() && !this.#isClosed) entry.pass();
    }
    if (next < this.#firesAt) this.#arm(next);
  }
}

class Entry implements Deadline {
  readonly at: number;
  readonly #queue: Set<Entry>;
  readonly #onPass: () => void;

  constructor(queue: Set<Entry>, at: number, onPass: () => void) {
    this.#queue = queue;
    this.at = at;
    this.#onPass = onPass;
  }

  isOpen(): boolean {
    return this.#queue.has(this);
  }

  pass(): void {
    this.#queue.delete(this);
    this.#onPass();
  }

  cancel(): void {
    this.#queue.delete(this);
  }
}

/**
 * Runs work with a timeout and a signal; the rejection shows which of them ended it.
 *
 * The work's own signal is aborted in both cases; the rejection does not wait for it.
 */
export async function withTimeout<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { clock, ms, signal, onTimeout }: {
    readonly clock: Timer;
    readonly ms: number;
    /** Ends the work with its reason. */
    readonly signal?: AbortSignal | undefined;
    /** Makes the error for the timeout. */
    readonly onTimeout: () => unknown;
  },
): Promise<T> {
  signal?.throwIfAborted();
  const ended = new AbortController();
  let unfollow: (() => void) | undefined;
  let cancel: (() => void) | undefined;
  // It comes first: work that is ended may reject with an error of its own.
  const end = new Promise<never>((_, reject) => {
    const stop = (reason: unknown) => {
      reject(reason);
      ended.abort(reason);
    };
    unfollow = signal && onAbort(signal, () => stop(signal.reason));
    cancel = after(clock, ms, () => stop(onTimeout()));
  });
  try {
    return await Promise.race([end, work(ended.signal)]);
  } finally {
    cancel?.();
    unfollow?.();
  }
}

/**
 * Waits for a promise with a timeout in milliseconds; resolves to `undefined` when the timeout passes. Leaves no
 * timer behind.
 *
 * @throws The reason of the promise, if it is rejected in time
 *
 * @example Wait at most a tenth of a second
 * ```ts
 * import { settleWithin, systemClock } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * assert.equal(await settleWithin(Promise.resolve(7), 100, systemClock), 7);
 * ```
 */
export async function settleWithin<T>(
  promise: Promise<T>,
  ms: number,
  clock: Required<Omit<Clock, "now">>,
): Promise<T | undefined> {
  let cancel: (() => void) | undefined;
  const late = new Promise<undefined>((resolve) => {
    cancel = after(clock, ms, () => resolve(undefined));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    cancel?.();
  }
}
