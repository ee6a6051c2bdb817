import type { Clock } from "../ports/clock.ts";

/** Waits for a promise for so long; `undefined` when it took longer. Leaves no timer behind. */
export async function settleWithin<T>(
  promise: Promise<T>,
  ms: number,
  clock: Clock,
): Promise<T | undefined> {
  const timer = new AbortController();
  const late = clock.sleep(ms, timer.signal).then(
    () => undefined,
    () => undefined,
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    timer.abort();
  }
}
