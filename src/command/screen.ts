import { createColors } from "picocolors";
import { type Program, program } from "../runtime/program.ts";

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
  /** Colours of stdout. */
  readonly out: Colors;
  /** Colours of stderr. */
  readonly err: Colors;
  /** Columns of a line. */
  readonly width: number;
  /** Writes to stdout as it is. */
  write(text: string): Promise<void>;
  /** Writes a value to stdout as one line of JSON. */
  json(value: unknown): Promise<void>;
  /** Writes a line to stderr. */
  note(text: string): Promise<void>;
}

/** The terminal of this program, or its pipes. */
export function screen(self: Program = program()): Screen {
  const { env, terminals } = self;
  const width = self.columns() ?? USUAL_WIDTH;
  return {
    program: self,
    out: createColors(hasColors(env, terminals.stdout)),
    err: createColors(hasColors(env, terminals.stderr)),
    width: width < LEAST_WIDTH ? USUAL_WIDTH : width,
    write: (text) => self.write(encoder.encode(text)),
    json: (value) => self.write(encoder.encode(`${JSON.stringify(value)}\n`)),
    note: (text) => self.writeError(`${text}\n`),
  };
}

/** See no-color.org; an empty variable is as good as none. */
function hasColors(env: Program["env"], isTerminal: boolean): boolean {
  if (env["NO_COLOR"]) return false;
  const { FORCE_COLOR: force } = env;
  if (force) return force !== "0";
  return isTerminal && env["TERM"] !== "dumb";
}
