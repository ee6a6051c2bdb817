/** Time, replaceable in tests. */
export interface Clock {
  /** The time of day, in milliseconds since 1970: for dates alone, since the machine's clock may be set. */
  now(): number;
  /** Milliseconds since some moment, for timeouts and durations: never set, never going back. Absent = `now()`. */
  monotonic?(): number;
  /** Resolves after so many milliseconds; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** What dates are made of: the one part of a clock that may be set. */
export type WallClock = Pick<Clock, "now">;

/** What timeouts and durations are measured with: it has no time of day that they could be mixed up with. */
export type Timer = Required<Omit<Clock, "now">>;

/** A clock with both times. */
export type FullClock = WallClock & Timer;
