/** All went well. */
export const DONE = 0;
/** What was asked for failed. */
export const FAILED = 1;
/** The command line was wrong; nothing was started. */
export const USAGE = 2;
/** The person at the terminal ended it by Ctrl-C. */
export const INTERRUPTED = 130;
/** SIGTERM ended it. */
export const TERMINATED = 143;
/** Its terminal is gone. */
export const HUNG_UP = 129;
