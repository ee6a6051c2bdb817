import type { Activity } from "@sluice/agent";

/** An activity as JSON, with times in milliseconds by the server's clock. */
export type StoredActivity = Readonly<Record<string, unknown>>;

/** @param aheadMs How far the server's clock is ahead of this machine's */
export function storedActivity(
  activity: Activity,
  aheadMs: number,
): StoredActivity {
  return withTimes(
    activity,
    (time: string) => Date.parse(time) + aheadMs,
  );
}

export function activityOf(stored: StoredActivity): Activity {
  return withTimes(stored, (time: number) => new Date(time));
}

function withTimes<T>(value: object, at: (time: never) => unknown): T {
  return JSON.parse(
    JSON.stringify(value),
    (key, time) => key === "since" ? at(time as never) : time,
  );
}
