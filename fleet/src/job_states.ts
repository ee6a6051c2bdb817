import type { JobState } from "./types.ts";

/** Where a job can be. */
export const JOB_STATES: readonly JobState[] = [
  "queued",
  "running",
  "waiting",
  "done",
  "dead",
  "cancelled",
];
