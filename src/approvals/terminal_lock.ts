import { systemClock } from "../async/system_clock.ts";
import { SessionLockedError } from "../errors/session.ts";
import { host } from "../runtime/host.ts";
import { type Lock, takeLock } from "../session/lock.ts";

/** Interval of looking whether another process has its answer, in milliseconds. */
const LOOK_MS = 50;

/** Asks while no other process does at the same terminal: one answer must not count for two questions. */
export async function whileLocked<T>(
  path: string,
  ask: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const lock = await lockAt(path, signal);
  try {
    return await ask();
  } finally {
    await lock.release();
  }
}

async function lockAt(path: string, signal: AbortSignal): Promise<Lock> {
  const here = await host();
  for (;;) {
    signal.throwIfAborted();
    try {
      return await takeLock(here, path);
    } catch (error) {
      if (!(error instanceof SessionLockedError)) throw error;
      await systemClock.sleep(LOOK_MS, signal);
    }
  }
}
