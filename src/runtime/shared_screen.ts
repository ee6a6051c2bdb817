import type { WriteStream } from "node:tty";
import { shown } from "./terminal_keys.ts";

/** A screen that an open prompt shares with output and questions. */
export interface SharedScreen {
  /**
   * Takes the screen from the prompt.
   *
   * @returns A function that gives it back
   */
  take(): Promise<() => void>;
  /** Waits until all have given it back. */
  free(signal: AbortSignal): Promise<void>;
}

/**
 * Shares a screen.
 *
 * @param putAway Ends an open prompt for now, and gives codes that clear it away
 */
export function sharedScreen(
  screen: WriteStream,
  putAway: () => string,
): SharedScreen {
  let takers = 0;
  let onFree = () => {};
  return {
    async take() {
      takers++;
      let isTaken = true;
      await shown(screen, putAway());
      return () => {
        if (!isTaken) return;
        isTaken = false;
        if (--takers === 0) onFree();
      };
    },
    async free(signal) {
      signal.throwIfAborted();
      if (takers === 0) return;
      await new Promise<void>((resolve, reject) => {
        const abort = () => reject(signal.reason);
        signal.addEventListener("abort", abort, { once: true });
        onFree = () => {
          signal.removeEventListener("abort", abort);
          resolve();
        };
      });
    },
  };
}
