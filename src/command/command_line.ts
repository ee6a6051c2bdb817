import { createColors } from "picocolors";
import type { PermissionMode } from "../protocol/permissions.ts";
import { type Program, program } from "../runtime/program.ts";

/** A mistake in a command line that the parser does not see. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Flags of every command that starts a CLI. */
export interface CliFlags {
  readonly cli?: string;
  readonly cwd?: string;
  readonly json?: true;
}

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
  /** Set by `record`; no flag. */
  readonly record?: Recording | undefined;
}

/** A cassette that is to be written. */
export interface Recording {
  readonly file: string;
  /** Whether a file that is there may be replaced. */
  readonly isForced: boolean;
  hasBegun: boolean;
}

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

export const DONE = 0;
export const FAILED = 1;
/** The command line was wrong; nothing was started. */
export const USAGE = 2;
/** The person at the terminal ended it by Ctrl-C. */
export const INTERRUPTED = 130;
const TERMINATED = 143;
const HUNG_UP = 129;

/**
 * Runs a command until it is interrupted: by a person at the terminal, the system, or a closed
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
  if (self.outputClosed.aborted) quit();
  self.outputClosed.addEventListener("abort", quit, { once: true });
  try {
    return await work(signal);
  } catch (error) {
    if (code === undefined) throw error;
    return code;
  } finally {
    self.outputClosed.removeEventListener("abort", quit);
    for (const giveBack of taken) giveBack();
  }
}

export const INSTALL_CLI =
  "npm install -g @anthropic-ai/claude-code, or name one with --cli or CLAUDE_CLI_PATH";

/** Colours and weights of a terminal; each gives the text as it is where there are none. */
export type Colors = ReturnType<typeof createColors>;

/** Where a terminal says nothing, and the least that can be read. */
const USUAL_WIDTH = 80;
const LEAST_WIDTH = 20;

const encoder = new TextEncoder();

/** Where the program writes: answers to stdout, all about them to stderr. */
export interface Screen {
  /** The running program. */
  readonly program: Program;
  readonly out: Colors;
  readonly err: Colors;
  /** Columns of a line, as the terminal is now. */
  readonly width: number;
  write(text: string): Promise<void>;
  /** Writes a value to stdout as one line of JSON. */
  json(value: unknown): Promise<void>;
  note(text: string): Promise<void>;
}

/** The terminal of this program, or its pipes. */
export function screen(self: Program = program()): Screen {
  const { env, terminals } = self;
  return {
    program: self,
    out: createColors(hasColors(env, terminals.stdout)),
    err: createColors(hasColors(env, terminals.stderr)),
    get width() {
      const width = self.columns() ?? USUAL_WIDTH;
      return width < LEAST_WIDTH ? USUAL_WIDTH : width;
    },
    write: (text) => self.write(encoder.encode(text)),
    json: (value) => self.write(encoder.encode(`${safeJson(value)}\n`)),
    note: (text) => self.writeError(`${text}\n`),
  };
}

/** JSON leaves DEL and the C1 controls as they are, and some terminals obey them. */
function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\x7f-\x9f]/g,
    (one) => `\\u00${one.charCodeAt(0).toString(16)}`,
  );
}

/** See no-color.org; an empty variable is as good as none. */
function hasColors(env: Program["env"], isTerminal: boolean): boolean {
  if (env["NO_COLOR"]) return false;
  const { FORCE_COLOR: force } = env;
  if (force) return force !== "0";
  return isTerminal && env["TERM"] !== "dumb";
}
