import type { FullClock } from "../ports/clock.ts";

/** Changes reported within this time are one, in milliseconds. Source: MCP reference, section 5. */
const GATHER_MS = 75;

/** This many in a row are read at once; a server whose list keeps changing is read ever more rarely. */
const MOST_IN_A_ROW = 8;
const LONGEST_MS = 5_000;

/** A list without a change for this long, in milliseconds, is read at once again. */
const REST_MS = 2_000;

/** Reads a list again after the returned function was called; several changes in a row lead to one reading. */
export function refresher(
  clock: FullClock,
  closing: AbortSignal,
  read: () => Promise<void>,
): () => void {
  let isRunning = false;
  let isAsked = false;
  let inARow = 0;
  let endedAt = -Infinity;

  async function run(): Promise<void> {
    while (isAsked && !closing.aborted) {
      inARow = clock.monotonic() - endedAt > REST_MS ? 0 : inARow + 1;
      const doublings = Math.max(0, inARow - MOST_IN_A_ROW);
      const ms = Math.min(GATHER_MS * 2 ** doublings, LONGEST_MS);
      await clock.sleep(ms, closing);
      isAsked = false;
      await read();
      endedAt = clock.monotonic();
    }
    isRunning = false;
  }

  return () => {
    isAsked = true;
    if (isRunning) return;
    isRunning = true;
    // An aborted wait ends it for good.
    run().catch(() => {});
  };
}
