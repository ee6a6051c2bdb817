// The help lists these, so this file loads nothing.

/** The states of a job. */
export const JOB_STATES = [
  "queued",
  "running",
  "waiting",
  "done",
  "dead",
  "cancelled",
] as const;

export type JobState = typeof JOB_STATES[number];

export const JOBS_ACTIONS = [
  "list",
  "show",
  "follow",
  "cancel",
  "approve",
  "deny",
  "retry",
  "dead",
  "limit",
] as const;
export type JobsAction = typeof JOBS_ACTIONS[number];
