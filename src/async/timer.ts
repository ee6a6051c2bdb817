import type { Timer } from "../ports/clock.ts";
import { LONGEST_TIMER_MS, systemClock } from "./system_clock.ts";

/** Calls back once after this many milliseconds; the returned function cancels that. */
export function after(clock: Timer, ms: number, step: () => void): () => void {
  // An abort of each wait would cost more than the rest of it.
  if (clock === systemClock) {
    const timer = setTimeout(step, Math.min(ms, LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  }
  const over = new AbortController();
  clock.sleep(ms, over.signal).then(step, () => {});
  // Without a reason an exception would be made, with its stack.
  return () => over.abort(null);
}
