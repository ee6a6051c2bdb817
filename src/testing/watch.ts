import { Deferred } from "../async/deferred.ts";
import { withLimit } from "../async/deadline.ts";
import { unlessAborted } from "../async/on_abort.ts";
import { systemClock } from "../async/system_clock.ts";

/** Settings of a wait for something that a fake CLI gets. */
export interface FakeCliWaitOptions {
  /** Milliseconds until the wait is given up, 10 000 unless given. */
  readonly timeoutMs?: number | undefined;
}

/** Settings of a wait at the far end. */
export type FarWaitOptions = FakeCliWaitOptions;

/** Settings of a wait for a request. */
export type ModelWaitOptions = FakeCliWaitOptions;

/** Those who wait until something is there. */
export class Watch {
  readonly #looks = new Set<() => void>();

  /** Lets everybody who waits look again. */
  stir(): void {
    for (const look of [...this.#looks]) look();
  }

  /** Waits until there is something to find; looks whenever something happened. */
  async until<T>(
    find: () => T | undefined,
    signal?: AbortSignal,
  ): Promise<T> {
    const found = new Deferred<T>();
    const look = () => {
      if (found.isSettled || signal?.aborted) return;
      const thing = find();
      if (thing !== undefined) found.resolve(thing);
    };
    this.#looks.add(look);
    try {
      look();
      return await unlessAborted(found.promise, signal);
    } finally {
      this.#looks.delete(look);
    }
  }

  /** The same, but not for ever; `missing` says in the error what did not come, `got` what did. */
  within<T>(
    find: () => T | undefined,
    { timeoutMs = 10_000 }: FakeCliWaitOptions,
    { missing, got }: { readonly missing: string; got(): string },
  ): Promise<T> {
    return withLimit((signal) => this.until(find, signal), {
      clock: systemClock,
      ms: timeoutMs,
      onLimit: () => new Error(`${missing} within ${timeoutMs} ms: ${got()}`),
    });
  }
}
