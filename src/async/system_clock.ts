import type { Clock, FullClock } from "../ports/clock.ts";
import { onAbort } from "./on_abort.ts";

/** Timers take at most this many milliseconds; more fires at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/** The clock of this machine: wall time, monotonic time and sleeps. */
export const systemClock: Required<Clock> = {
  now: () => Date.now(),
  monotonic: () => Math.floor(performance.now()),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const timer = setTimeout(() => {
        unfollow?.();
        resolve();
      }, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
      const unfollow = signal && onAbort(signal, () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    }),
};

/** A clock with both times; one that keeps a single time counts by that. */
export function fullClock(clock: Clock): FullClock {
  return hasBoth(clock) ? clock : {
    now: () => clock.now(),
    monotonic: () => clock.now(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
}

function hasBoth(clock: Clock): clock is FullClock {
  return clock.monotonic !== undefined;
}
