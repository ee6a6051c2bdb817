export const DONE = 0;
export const FAILED = 1;
export const USAGE = 2;
export const HUNG_UP = 129;
export const INTERRUPTED = 130;
export const TERMINATED = 143;

/** Meanings of the exit codes, for `--help` and docs/command.md. */
export const EXIT_CODES: ReadonlyMap<number, string> = new Map([
  [DONE, "done"],
  [FAILED, "the turn or its output failed, or doctor found an error"],
  [USAGE, "wrong usage; nothing was started"],
  [HUNG_UP, "ended by SIGHUP: the terminal was closed"],
  [INTERRUPTED, "ended by Ctrl-C"],
  [TERMINATED, "ended by SIGTERM"],
]);
