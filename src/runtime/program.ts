import {
  appendFileSync,
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
} from "node:fs";
import { devNull } from "node:os";
import process from "node:process";

/** What this package needs when it is itself the program: its arguments, pipes, signals and end. */
export interface Program {
  /** Process id. */
  readonly pid: number;
  /** Arguments after the program's own path. */
  readonly args: readonly string[];
  /** The environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working directory. */
  readonly cwd: string;
  /** The text of a file, at once. */
  readText(path: string): string;
  /** Adds to the end of a file, at once, so that a kill right afterwards loses nothing. */
  appendText(path: string, text: string): void;
  /** Hands over what comes in on stdin, and its end. */
  readInput(onBytes: (bytes: Uint8Array) => void, onEnd: () => void): void;
  /** Closes stdin: whoever writes to it gets EPIPE. */
  closeInput(): void;
  /** Writes to stdout; resolves when the pipe took all of it, also when nobody can read it. */
  write(bytes: Uint8Array): Promise<void>;
  /** Closes stdout. */
  closeOutput(): void;
  /** Writes to stderr; resolves when the pipe took it. */
  writeError(text: string): Promise<void>;
  /** Calls back instead of ending. */
  onSignal(name: "SIGINT" | "SIGTERM", listener: () => void): void;
  /** Ends with an exit code. */
  exit(code: number): never;
  /** Sends a signal to itself. */
  raise(name: "SIGINT" | "SIGTERM" | "SIGKILL"): void;
}

/** The members of `Deno` that a program needs where Deno's `node:` modules do something else. */
interface DenoProgram {
  readonly build: { readonly os: string };
  /** Its `process.stdout` blocks the whole program while the pipe is full; this does not. */
  readonly stdout: { write(bytes: Uint8Array): Promise<number> };
  /** For the C library: Deno's own `close()` leaves the pipes of 0 and 1 open. */
  dlopen(path: string, symbols: typeof C_LIBRARY): {
    readonly symbols: CLibrary;
  };
}

interface CLibrary {
  open(path: Uint8Array, flags: number): number;
  dup2(from: number, to: number): number;
}

const C_LIBRARY = {
  open: { parameters: ["buffer", "i32"], result: "i32" },
  dup2: { parameters: ["i32", "i32"], result: "i32" },
} as const;
const READ_AND_WRITE = 2;

/** The running program. */
export function program(): Program {
  process.stdout.on("error", ignore);
  process.stderr.on("error", ignore);
  return {
    pid: process.pid,
    args: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    readText: (path) => readFileSync(path, "utf8"),
    appendText: (path, text) => appendFileSync(path, text),
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
    closeInput() {
      process.stdin.destroy();
      duplicatesOf(0).forEach(replaceByNothing);
    },
    write: (bytes) =>
      deno === undefined
        ? writeTo(process.stdout, bytes)
        : writeAll(deno.stdout, bytes),
    closeOutput: () => duplicatesOf(1).forEach(replaceByNothing),
    writeError: (text) => writeTo(process.stderr, text),
    onSignal: (name, listener) => void process.on(name, listener),
    exit: (code) => process.exit(code),
    raise: (name) => void process.kill(process.pid, name),
  };
}

const deno = (globalThis as unknown as { readonly Deno?: DenoProgram }).Deno;

async function writeAll(
  stdout: DenoProgram["stdout"],
  bytes: Uint8Array,
): Promise<void> {
  try {
    for (let rest = bytes; rest.length > 0;) {
      rest = rest.subarray(await stdout.write(rest));
    }
  } catch {
    // Nobody reads any more: as with the other runtimes, that is not the writer's business.
  }
}

function writeTo(
  stream: typeof process.stdout | typeof process.stderr,
  data: Uint8Array | string,
): Promise<void> {
  return new Promise((resolve) => stream.write(data, () => resolve()));
}

/** Closes a file and keeps its number taken: what is still written must not land in the next file. */
function replaceByNothing(fd: number): void {
  const library = cLibrary();
  if (library !== undefined) {
    const path = new TextEncoder().encode(`${devNull}\0`);
    library.dup2(library.open(path, READ_AND_WRITE), fd);
    return;
  }
  try {
    closeSync(fd);
  } catch {
    // Closed already.
  }
  while (openSync(devNull, "r+") < fd);
}

function cLibrary(): CLibrary | undefined {
  if (deno === undefined || deno.build.os === "windows") return undefined;
  const isMac = deno.build.os === "darwin";
  const path = isMac ? "libSystem.dylib" : "libc.so.6";
  return deno.dlopen(path, C_LIBRARY).symbols;
}

/** A pipe and the duplicates that Deno and Bun have of it: who reads it sees its end when all are closed. */
function duplicatesOf(fd: number): readonly number[] {
  const folder = "/proc/self/fd";
  const pipe = targetOf(`${folder}/${fd}`);
  if (pipe === undefined) return [fd];
  return readdirSync(folder)
    .filter((name) => targetOf(`${folder}/${name}`) === pipe)
    .map(Number);
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    // There is no /proc, or the file is closed again.
    return undefined;
  }
}

function ignore(): void {}
