import { systemClock } from "@sluice/agent/extend";

/** Heartbeats in the time of a lease. */
const BEATS = 3;

export interface Beats {
  /** Does the work now, unless it is under way. */
  now(): void;
  end(): void;
}

/** Does work, which must not reject, at every heartbeat and never twice at a time. */
export function atHeartbeats(
  leaseMs: number,
  work: () => Promise<void>,
): Beats {
  let running: Promise<void> | undefined;
  const now = () => {
    running ??= work().finally(() => running = undefined);
  };
  const timer = setInterval(now, leaseMs / BEATS);
  return { now, end: () => clearInterval(timer) };
}

/** Aborts when a time is over, unless that has ended before; the time that is left may grow meanwhile. */
export async function abortAfter(
  leftMs: () => number,
  stop: AbortController,
  reason: Error,
  ended: AbortSignal,
): Promise<void> {
  for (let left = leftMs(); left > 0; left = leftMs()) {
    await systemClock.sleep(left, ended).catch(() => {});
    if (ended.aborted) return;
  }
  stop.abort(reason);
}
