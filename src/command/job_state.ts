/** The states of a job. The help lists them, so this file loads nothing. */
export const JOB_STATES = [
  "queued",
  "running",
  "waiting",
  "done",
  "dead",
  "cancelled",
] as const;

export type JobState = typeof JOB_STATES[number];
