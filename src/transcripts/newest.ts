import type { StoredTranscript } from "./store.ts";

/** A time in milliseconds: databases return a number as a text or a `bigint`, or a `Date`; `undefined` for other values. */
export function timeOf(value: unknown): number | undefined {
  const isTime = typeof value === "number" || typeof value === "bigint" ||
    value instanceof Date ||
    typeof value === "string" && /^\d+(?:\.\d+)?$/.test(value);
  const ms = isTime ? Number(value) : NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** Sessions of a store, newest first, with their times as numbers. */
export function newestStored<Stored extends StoredTranscript>(
  sessions: readonly Stored[],
): readonly Stored[] {
  return sessions
    .map((one) => ({ ...one, mtime: timeOf(one.mtime) ?? one.mtime }))
    .toSorted((a, b) => b.mtime - a.mtime);
}
