/** Time, replaceable in tests. */
export interface Clock {
  /** The time of day, in milliseconds since 1970: for dates alone, since the machine's clock may be set. */
  now(): number;
  /** Milliseconds since some moment, for timeouts and durations: never set, never going back. Absent = `now()`. */
  monotonic?(): number;
  /** Resolves after the given milliseconds; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The wall clock, for dates; it may be set. */
export type WallClock = Pick<Clock, "now">;

/** The monotonic clock, for timeouts and durations; it has no time of day. */
export type Timer = Required<Omit<Clock, "now">>;

/** A clock with both times. */
export type FullClock = WallClock & Timer;
