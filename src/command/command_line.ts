import { createColors } from "picocolors";
import { isAsciiLocale } from "../runtime/locale.ts";
import { type Program, program } from "../runtime/program.ts";
import type { AgentOptions } from "../types/options.ts";
import {
  DONE,
  FAILED,
  HUNG_UP,
  INTERRUPTED,
  TERMINATED,
} from "./exit_codes.ts";

/** A mistake in a command line that the parser does not see. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Flags of every command that starts a CLI. */
export interface CliFlags {
  /** The options that flags set. */
  readonly options: AgentOptions;
  readonly json?: true;
}

/** Flags of every command that runs an agent. */
export interface AgentFlags extends CliFlags {
  /** Set by `record`. */
  readonly record?: Recording | undefined;
}

/** A recording to be written. */
export interface Recording {
  readonly file: string;
  /** Whether an existing file may be replaced. */
  readonly isForced: boolean;
  hasBegun: boolean;
  /** Why it is not whole. */
  failure?: Error;
}

/** The turn of an agent that runs. */
export interface Turn {
  /** The running turn: its first Ctrl-C interrupts it, the second ends everything; each turn is another object. */
  running?: { interrupt(): Promise<unknown> } | undefined;
  wasInterrupted: boolean;
  /** Called when it is interrupted, as by questions that are open. */
  readonly onInterrupt: Set<() => void>;
  /** Prints a line about the interruption. */
  note: Screen["note"];
}

/**
 * Runs a command until it is interrupted: by a person at the terminal, the system, or a closed stdout. Its failure is
 * not reported then, and the exit code shows who ended it.
 *
 * @param work Its signal is aborted when everything is to end
 */
export async function untilEnded(
  on: Screen,
  work: (signal: AbortSignal, turn: Turn) => Promise<number>,
): Promise<number> {
  const { program } = on;
  const ending = new AbortController();
  const { signal } = ending;
  const turn: Turn = {
    wasInterrupted: false,
    onInterrupt: new Set(),
    note: on.note,
  };
  let code: number | undefined;
  let interrupted: Turn["running"];
  const end = (reason: number) => {
    code ??= reason;
    ending.abort(new Error("Ended from outside"));
  };
  const endBySignal = (reason: number) => {
    // Its reader may be stopped, or wait for another key.
    program.limitWaits();
    end(reason);
  };
  const interrupt = () => {
    const { onInterrupt, running } = turn;
    const isLast = running === undefined
      ? onInterrupt.size === 0
      : running === interrupted;
    if (signal.aborted || isLast) return endBySignal(INTERRUPTED);
    interrupted = running;
    turn.wasInterrupted = true;
    running?.interrupt().catch(() => {});
    for (const listener of onInterrupt) listener();
    const text = running === undefined
      ? "denied"
      : "interrupting; Ctrl-C again ends everything";
    void turn.note(on.err.dim(text));
  };
  // A closed pipe is no error, a full disk is one.
  const quit = () => end(program.outputFailure() ? FAILED : DONE);
  const handlers = [
    program.onSignal("SIGINT", interrupt),
    program.onSignal("SIGTERM", () => endBySignal(TERMINATED)),
    program.onSignal("SIGHUP", () => endBySignal(HUNG_UP)),
  ];
  if (program.outputClosed.aborted) quit();
  program.outputClosed.addEventListener("abort", quit, { once: true });
  try {
    return await work(signal, turn);
  } catch (error) {
    if (code === undefined) throw error;
    return code;
  } finally {
    program.outputClosed.removeEventListener("abort", quit);
    for (const remove of handlers) remove();
  }
}

/** The bytes of stdin, as they come; fails with the signal's reason. */
export function inputOf(
  { program }: Screen,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      const stop = () => controller.error(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      program.readInput(
        (bytes) => signal.aborted || controller.enqueue(bytes),
        () => signal.aborted || controller.close(),
      );
    },
  });
}

export const INSTALL_CLI =
  "npm install -g @anthropic-ai/claude-code, or name one with --cli or CLAUDE_CLI_PATH";

/** Colours and weights of a terminal; each gives the text as it is where there are none. */
export type Colors = ReturnType<typeof createColors>;

/** Width of a terminal that reports none, and the narrowest that is readable. */
const USUAL_WIDTH = 80;
const LEAST_WIDTH = 20;

const encoder = new TextEncoder();

/** Output of the program: answers on stdout, everything about them on stderr. */
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
  const isAscii = isAsciiLocale(env);
  const writeError = (text: string) =>
    isAscii && terminals.stderr
      ? spelled(text).then(self.writeError)
      : self.writeError(text);
  return {
    program: { ...self, writeError },
    out: createColors(hasColors(env, terminals.stdout)),
    err: createColors(hasColors(env, terminals.stderr)),
    get width() {
      const width = self.columns() ?? USUAL_WIDTH;
      return width < LEAST_WIDTH ? USUAL_WIDTH : width;
    },
    write: (text) =>
      isAscii && terminals.stdout
        ? spelled(text).then((one) => self.write(encoder.encode(one)))
        : self.write(encoder.encode(text)),
    json: (value) => {
      const line = safeJson(value, isAscii && terminals.stdout);
      return self.write(encoder.encode(`${line}\n`));
    },
    note: async (text) => await writeError(`${await harmless(text)}\n`),
  };
}

/** Codes of {@link Colors}. */
// deno-lint-ignore no-control-regex -- colours of a terminal begin with one
const COLOURS = /(\x1b\[(?:[12]|22|3[1-9])m)/;

/** A text that does nothing to a terminal but colour it, whatever the CLI reported. */
async function harmless(text: string): Promise<string> {
  // The help needs no code beside the command line.
  const { printableLines } = await import("../errors/printable.ts");
  return text.split(COLOURS)
    .map((part, at) => at % 2 === 1 ? part : printableLines(part)).join("");
}

/** Text for a terminal that may obey bytes of letters. */
async function spelled(text: string): Promise<string> {
  const { spelledOut } = await import("../callbacks/visible.ts");
  return spelledOut(text);
}

/** JSON leaves DEL and the C1 controls as they are, and some terminals obey them. */
function safeJson(value: unknown, isAscii: boolean): string {
  return JSON.stringify(value).replace(
    isAscii ? /[\x7f-\uffff]/g : /[\x7f-\x9f]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** See no-color.org; an empty variable is as good as none. */
function hasColors(env: Program["env"], isTerminal: boolean): boolean {
  if (env["NO_COLOR"]) return false;
  const { FORCE_COLOR: force } = env;
  if (force) return force !== "0";
  return isTerminal && env["TERM"] !== "dumb";
}
