import { withTimeout } from "../async/deadline.ts";
import { Deferred } from "../async/deferred.ts";
import { unlessAborted } from "../async/on_abort.ts";
import { systemClock } from "../async/system_clock.ts";

/** Settings of a wait. */
export interface WaitOptions {
  /** Milliseconds until the wait fails, 10 000 by default. */
  readonly timeoutMs?: number | undefined;
}

/** Waits for conditions, which are checked whenever something happened. */
export class Watch {
  readonly #checks = new Set<() => void>();

  /** Checks all pending conditions again. */
  stir(): void {
    for (const check of [...this.#checks]) check();
  }

  /** Resolves with the first value that is not undefined; rejects when `find` throws. */
  async until<T>(
    find: () => T | undefined,
    signal?: AbortSignal,
  ): Promise<T> {
    const found = new Deferred<T>();
    const check = () => {
      if (found.isSettled || signal?.aborted) return;
      try {
        const thing = find();
        if (thing !== undefined) found.resolve(thing);
      } catch (error) {
        found.reject(error);
      }
    };
    this.#checks.add(check);
    try {
      check();
      return await unlessAborted(found.promise, signal);
    } finally {
      this.#checks.delete(check);
    }
  }

  /** The same with a timeout; the error consists of `missing` and of what `got` returns. */
  withTimeout<T>(
    find: () => T | undefined,
    { timeoutMs = 10_000 }: WaitOptions,
    { missing, got }: { readonly missing: string; got(): string },
  ): Promise<T> {
    return withTimeout((signal) => this.until(find, signal), {
      clock: systemClock,
      ms: timeoutMs,
      onTimeout: () => new Error(`${missing} within ${timeoutMs} ms: ${got()}`),
    });
  }
}
