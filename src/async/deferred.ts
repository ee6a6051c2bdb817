/**
 * A promise that its owner settles by `resolve()` or `reject()`.
 *
 * @example Settle a promise from outside
 * ```ts
 * import { Deferred } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * const ready = new Deferred<number>();
 * ready.resolve(7);
 * assert.equal(await ready.promise, 7);
 * ```
 */
export class Deferred<T> {
  /** The promise; it settles once. */
  readonly promise: Promise<T>;
  #isSettled = false;
  #resolve!: (value: T) => void;
  #reject!: (reason: unknown) => void;

  /** Creates a pending promise. */
  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Whether it was resolved or rejected. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Resolves the promise; later calls do nothing. */
  resolve(value: T): void {
    this.#isSettled = true;
    this.#resolve(value);
  }

  /** Rejects the promise; later calls do nothing. */
  reject(reason: unknown): void {
    this.#isSettled = true;
    this.#reject(reason);
  }

  /** Keeps an unobserved rejection from becoming an unhandled one. */
  quiet(): this {
    this.promise.catch(() => {});
    return this;
  }
}

/** The same promise; an unobserved rejection does not become an unhandled one. */
export function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** Whether a value is a promise, of any realm. */
export function isPromise<T>(value: T | PromiseLike<T>): value is Promise<T> {
  return typeof (value as PromiseLike<T> | undefined)?.then === "function";
}

/** Keeps a promise returned by the user's code from becoming an unhandled rejection. */
export function ignoreResult(result: unknown): void {
  if (isPromise(result)) Promise.resolve(result).catch(() => {});
}

/** Runs code that may throw, foreign or about foreign data; `undefined` if it does. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    const result = work();
    ignoreResult(result);
    return result;
  } catch {
    return undefined;
  }
}
