import * as fs from "node:fs";
import { devNull } from "node:os";
import process from "node:process";
import { isatty } from "node:tty";
import type { HostSignal } from "../ports/process.ts";
import type { DenoGlobal, DenoOutput } from "./globals.ts";

/** Not of `globals.ts`: in the npm package that lies with the core, which a program that only tells its help does without. */
const { Deno: deno } = globalThis as unknown as {
  readonly Deno?: DenoGlobal;
};

/** What this package needs when it is itself the program: its arguments, pipes, signals and end. */
export interface Program {
  /** Process id. */
  readonly pid: number;
  /** Arguments after the program's own path. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working directory. */
  readonly cwd: string;
  /** Which of its pipes are a person's terminal. */
  readonly terminals: {
    readonly stdin: boolean;
    readonly stdout: boolean;
    readonly stderr: boolean;
  };
  /** Width of the terminal in columns; `undefined` where there is none, or it does not say. */
  columns(): number | undefined;
  /** Aborted when nobody reads stdout any more. */
  readonly unheard: AbortSignal;
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
  closeOutput(): void;
  /** Writes to stderr; resolves when the pipe took it. */
  writeError(text: string): Promise<void>;
  /** Calls back instead of ending; the returned function takes it back. */
  onSignal(name: HostSignal, listener: () => void): () => void;
  /** Ends with an exit code. */
  exit(code: number): never;
  /** Sends a signal to itself. */
  raise(name: "SIGINT" | "SIGTERM" | "SIGKILL"): void;
}

let running: Program | undefined;

/** The running program; always the same object. */
export function program(): Program {
  return running ??= describe();
}

function describe(): Program {
  const unheard = new AbortController();
  const lose = () => unheard.abort();
  process.stdout.on("error", lose);
  process.stderr.on("error", ignore);
  const output = deno && denoOutput(deno);
  return {
    pid: process.pid,
    args: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    terminals: { stdin: isatty(0), stdout: isatty(1), stderr: isatty(2) },
    columns() {
      const { columns } = [process.stdout, process.stderr]
        .find(({ isTTY }) => isTTY) ?? {};
      // A terminal without a size says 0.
      return columns || undefined;
    },
    unheard: unheard.signal,
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
    closeInput() {
      process.stdin.destroy();
      if (output !== undefined) output.closeInput();
      else duplicatesOf(0).forEach(replaceByNothing);
    },
    write: (bytes) =>
      output === undefined
        ? writeTo(process.stdout, bytes)
        : writeAll(output.stdout, bytes, lose),
    closeOutput() {
      if (output !== undefined) output.stdout.close();
      else duplicatesOf(1).forEach(replaceByNothing);
    },
    writeError: (text) => writeTo(process.stderr, text),
    onSignal(name, listener) {
      // There it ends the program whoever listens.
      if (name === "SIGHUP" && process.platform === "win32") return ignore;
      process.on(name, listener);
      return () => void process.removeListener(name, listener);
    },
    exit: (code) => process.exit(code),
    raise: (name) => void process.kill(process.pid, name),
  };
}

/** Tells a program behind {@link RELAY} which process reads for it, and where it writes. */
const RELAY_VARIABLE = "SLUICE_FAKE_CLI_RELAY";

/** Starts a program between two `cat`, whose pipes end when it wants them to; `$0` is a folder for what lies between. */
const RELAY = `
mkfifo "$0/$$.in" "$0/$$.out"
exec 3<&0
cat <&3 >"$0/$$.in" 2>/dev/null &
export ${RELAY_VARIABLE}="$! $0/$$.out"
cat <"$0/$$.out" 2>/dev/null 3<&- &
exec "$@" <"$0/$$.in" >/dev/null 3<&-
`;

/** The command of a program that closes its pipes while it lives on, which Deno cannot by itself. */
export function closableOnDeno(
  command: readonly string[],
  folder: string,
): readonly string[] {
  return deno !== undefined && process.platform !== "win32"
    ? ["/bin/sh", "-c", RELAY, folder, ...command]
    : command;
}

/** Deno's own `close()` leaves the pipes that it was started with open; behind {@link closableOnDeno} they are none of its own. */
function denoOutput(
  { stdout, openSync }: DenoGlobal,
): { readonly stdout: DenoOutput; closeInput(): void } {
  const { [RELAY_VARIABLE]: relay } = process.env;
  delete process.env[RELAY_VARIABLE];
  if (relay === undefined) {
    const close = () => {
      throw new Error(
        "Deno on Windows cannot close its pipes: use Bun or Node",
      );
    };
    return {
      stdout: { write: (bytes) => stdout.write(bytes), close },
      closeInput: close,
    };
  }
  const [reader, path = ""] = relay.split(" ");
  return {
    stdout: openSync(path, { write: true }),
    closeInput: () => void process.kill(Number(reader), "SIGKILL"),
  };
}

async function writeAll(
  stdout: DenoOutput,
  bytes: Uint8Array,
  lose: () => void,
): Promise<void> {
  try {
    for (let rest = bytes; rest.length > 0;) {
      rest = rest.subarray(await stdout.write(rest));
    }
  } catch {
    // As with the other runtimes it is no error.
    lose();
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
  try {
    fs.closeSync(fd);
  } catch {
    // Closed already.
  }
  while (fs.openSync(devNull, "r+") < fd);
}

/** A pipe and the duplicates that Bun has of it: who reads it sees its end when all are closed. */
function duplicatesOf(fd: number): readonly number[] {
  const folder = "/proc/self/fd";
  const pipe = targetOf(`${folder}/${fd}`);
  if (pipe === undefined) return [fd];
  return fs.readdirSync(folder)
    .filter((name) => targetOf(`${folder}/${name}`) === pipe)
    .map(Number);
}

function targetOf(link: string): string | undefined {
  try {
    return fs.readlinkSync(link);
  } catch {
    // There is no /proc, or the file is closed again.
    return undefined;
  }
}

function ignore(): void {}
