import * as fs from "node:fs";
import process from "node:process";
import { isatty } from "node:tty";
import type { HostSignal } from "../ports/process.ts";
import { type ProgramOutput, programOutput } from "./program_output.ts";

/** The running program: its arguments, pipes, signals and exit. */
export interface Program extends ProgramOutput {
  readonly pid: number;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Whether each of its pipes is a terminal. */
  readonly terminals: {
    readonly stdin: boolean;
    readonly stdout: boolean;
    readonly stderr: boolean;
  };
  /** Width of the terminal in columns; `undefined` if unknown. */
  columns(): number | undefined;
  readText(path: string): string;
  /** Adds to the end of a file, at once, so that a kill right afterwards loses nothing. */
  appendText(path: string, text: string): void;
  /** Hands over what comes in on stdin, and its end. */
  readInput(onBytes: (bytes: Uint8Array) => void, onEnd: () => void): void;
  /** Calls back instead of ending; the returned function takes it back. */
  onSignal(name: HostSignal, listener: () => void): () => void;
  exit(code: number): never;
}

let running: Program | undefined;
/** Pipes that were terminals at the start. */
const TTYS = [0, 1, 2].filter((fd) => isatty(fd));

/** The running program; always the same object. */
export function program(): Program {
  return running ??= describe();
}

function describe(): Program {
  const terminals = { stdin: isatty(0), stdout: isatty(1), stderr: isatty(2) };
  return {
    ...programOutput(),
    pid: process.pid,
    args: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    terminals,
    columns() {
      const { columns } = [process.stdout, process.stderr]
        .find(({ isTTY }) => isTTY) ?? {};
      // A terminal without a size says 0.
      return columns || undefined;
    },
    readText: (path) => fs.readFileSync(path, "utf8"),
    appendText: (path, text) => fs.appendFileSync(path, text),
    readInput(onBytes, onEnd) {
      let isOver = false;
      const end = () => {
        if (!isOver) onEnd();
        isOver = true;
      };
      process.stdin.on("data", onBytes);
      process.stdin.on("end", end);
      process.stdin.on("error", end);
    },
    onSignal(name, listener) {
      // There it always ends the program.
      if (name === "SIGHUP" && process.platform === "win32") return ignore;
      process.on(name, listener);
      return () => void process.removeListener(name, listener);
    },
    exit: (code) => process.exit(code),
  };
}

/** Closes pipes to a terminal that is gone, at which Node aborts when it ends; returns whether there are any. */
export function leaveLostTerminal(): boolean {
  const lost = TTYS.filter((fd) => !isatty(fd));
  for (const fd of lost) {
    try {
      fs.closeSync(fd);
    } catch {
      // It is closed already.
    }
  }
  return lost.length > 0;
}

function ignore(): void {}
