import type { Clock } from "../ports/clock.ts";

/** Changes that are told within this time are one, in milliseconds. Source: MCP reference, section 5. */
const GATHER_MS = 75;

/** So many in a row are read at once; a server whose list never rests is read ever more rarely. */
const MOST_IN_A_ROW = 8;
const LONGEST_MS = 5_000;

/** A list that rested for so long, in milliseconds, is read at once again. */
const REST_MS = 2_000;

/** Reads a list again when the returned function says that it was changed: several changes in a row lead to one reading. */
export function refresher(
  clock: Clock,
  signal: AbortSignal,
  read: () => Promise<void>,
  onFailure: (error: unknown) => void,
): () => void {
  let isRunning = false;
  let isAsked = false;
  let inARow = 0;
  let endedAt = -Infinity;

  async function run(): Promise<void> {
    isRunning = true;
    while (isAsked && !signal.aborted) {
      try {
        await clock.sleep(pauseMs(), signal);
      } catch {
        break;
      }
      isAsked = false;
      await read().catch(onFailure);
      endedAt = clock.now();
    }
    isRunning = false;
  }

  function pauseMs(): number {
    inARow = clock.now() - endedAt > REST_MS ? 0 : inARow + 1;
    const doublings = Math.max(0, inARow - MOST_IN_A_ROW);
    return Math.min(GATHER_MS * 2 ** doublings, LONGEST_MS);
  }

  return () => {
    isAsked = true;
    if (!isRunning) void run();
  };
}
