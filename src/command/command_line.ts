import type { PermissionMode } from "../protocol/permissions.ts";
import type { Program } from "../runtime/program.ts";

/** What is wrong with the words of a command line, beyond what the parser sees. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Flags of every command that starts a CLI. */
export interface CliFlags {
  readonly cli?: string;
  readonly cwd?: string;
  readonly json?: true;
}

/** Flags of `chat`. */
export interface ChatFlags extends CliFlags {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly mode?: PermissionMode;
  readonly model?: string;
  readonly mcp?: string;
  readonly resume?: string;
  readonly continue?: true;
  readonly maxTurns?: number;
  readonly maxUsd?: number;
  /** What `record` writes; no flag. */
  readonly record?: Recording | undefined;
}

/** A cassette that is to be written. */
export interface Recording {
  readonly file: string;
  /** Whether a file that is there may be replaced. */
  readonly isForced: boolean;
  /** Whether anything was written. */
  hasBegun: boolean;
}

/** What `jobs` can do. */
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

/** All went well. */
export const DONE = 0;
/** What was asked for failed. */
export const FAILED = 1;
/** The command line was wrong; nothing was started. */
export const USAGE = 2;
/** The person at the terminal ended it by Ctrl-C. */
export const INTERRUPTED = 130;
/** SIGTERM ended it. */
const TERMINATED = 143;
/** Its terminal is gone. */
const HUNG_UP = 129;

/**
 * Does what a command is for until somebody wants everything ended: a person at the terminal, the system, or whoever reads
 * stdout. A failure is no news then, and the exit code tells who it was.
 *
 * @param self The running program
 * @param work Its signal is aborted when everything is to end
 * @param onInterrupt Told of each SIGINT until everything is to end; false when it is. Absent, the first one ends everything
 */
export async function untilEnded(
  self: Program,
  work: (signal: AbortSignal) => Promise<number>,
  onInterrupt: () => boolean = () => false,
): Promise<number> {
  const ending = new AbortController();
  const { signal } = ending;
  let code: number | undefined;
  const end = (reason: number) => {
    code ??= reason;
    ending.abort(new Error("Ended from outside"));
  };
  const quit = () => end(DONE);
  const taken = [
    self.onSignal("SIGINT", () => {
      if (signal.aborted || !onInterrupt()) end(INTERRUPTED);
    }),
    self.onSignal("SIGTERM", () => end(TERMINATED)),
    self.onSignal("SIGHUP", () => end(HUNG_UP)),
  ];
  // A closed pipe is no error.
  if (self.unheard.aborted) quit();
  self.unheard.addEventListener("abort", quit, { once: true });
  try {
    return await work(signal);
  } catch (error) {
    if (code === undefined) throw error;
    return code;
  } finally {
    self.unheard.removeEventListener("abort", quit);
    for (const giveBack of taken) giveBack();
  }
}

/** What helps where there is no CLI. */
export const INSTALL_CLI =
  "npm install -g @anthropic-ai/claude-code, or name one with --cli or CLAUDE_CLI_PATH";
