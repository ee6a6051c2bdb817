import * as fs from "node:fs";
import process from "node:process";
import { isatty } from "node:tty";
import type { DenoGlobal, DenoOutput } from "./globals.ts";

/** Not that of `host.ts`: in the npm package that lies with the core, which a program that only tells its help does without. */
const { Deno: deno } = globalThis as unknown as {
  readonly Deno?: DenoGlobal;
};

/** Stdout and stderr of the running program. */
export interface ProgramOutput {
  /** Aborts when stdout takes no more: its reader is gone, or a write failed. */
  readonly outputClosed: AbortSignal;
  /** The first failed write to stdout or stderr, such as to a full disk; a reader that is gone is no failure. */
  outputFailure(): Error | undefined;
  /** Writes to stdout; resolves when all of it is written, or cannot be. */
  write(bytes: Uint8Array): Promise<void>;
  /** Writes to stderr; resolves when all of it is written, or cannot be. */
  writeError(text: string): Promise<void>;
  /** From now on a write waits {@link LAST_WAIT_MS} for its reader at most: a signal ends the program. */
  limitWaits(): void;
}

/** A reader that still reads takes what a pipe holds sooner, in milliseconds; the rest is lost. */
const LAST_WAIT_MS = 1_000;

type Name = "stdout" | "stderr";

const DESCRIPTORS = { stdout: 1, stderr: 2 } as const;
/** Errors of a pipe without a reader, and of a terminal that was closed: on Deno, EPIPE. */
const READER_GONE: readonly unknown[] = ["EPIPE", "ECONNRESET"];
const TERMINAL_GONE: readonly unknown[] = ["EIO", "ENXIO", "EBADF", "EPIPE"];

/** The output of this process. */
export function programOutput(): ProgramOutput {
  const closed = new AbortController();
  const { signal } = closed;
  const limited = new AbortController();
  let failure: Error | undefined;
  const [stdout, stderr] = [sink("stdout"), sink("stderr")];
  return {
    outputClosed: signal,
    outputFailure: () => failure,
    write: stdout,
    writeError: (text) => stderr(new TextEncoder().encode(text)),
    limitWaits: () => limited.abort(),
  };

  function sink(name: Name): (bytes: Uint8Array) => Promise<void> {
    const stream = process[name];
    const fd = DESCRIPTORS[name];
    const gone = isatty(fd) ? TERMINAL_GONE : READER_GONE;
    const lose = (error: unknown) => {
      const isOver = name === "stdout" && signal.aborted;
      const { code, message } = error as NodeJS.ErrnoException;
      if (!isOver && !gone.includes(code)) {
        const text = `Cannot write to ${name}: ${message}`;
        failure ??= new Error(text, { cause: error });
      }
      if (name === "stdout") closed.abort();
    };
    stream.on("error", lose);
    const isDirect = isFileOrDevice(fd);
    const write = isDirect
      ? (bytes: Uint8Array) => writeToFile(fd, bytes)
      : name === "stdout" && deno !== undefined
      ? (bytes: Uint8Array) => writeToOutput(deno.stdout, bytes)
      : (bytes: Uint8Array) => writeToStream(stream, bytes);
    let isLost = false;
    return async (bytes) => {
      if (isLost) return;
      try {
        const written = Promise.resolve(write(bytes));
        if (await succeedsInTime(written, limited.signal)) return;
        isLost = true;
        if (name === "stdout") closed.abort();
      } catch (error) {
        // An answer has no gap; a later error may find room on the disk.
        isLost = name === "stdout" || !isDirect;
        lose(error);
      }
    };
  }
}

/** Waits for a write, {@link LAST_WAIT_MS} at most from an abort on; tells whether it succeeded in time. */
async function succeedsInTime(
  written: Promise<void>,
  limited: AbortSignal,
): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let begin = () => {};
  const isOver = new Promise<boolean>((resolve) => {
    begin = () => void (timer = setTimeout(resolve, LAST_WAIT_MS, false));
  });
  if (limited.aborted) begin();
  else limited.addEventListener("abort", begin);
  try {
    return await Promise.race([written.then(() => true), isOver]);
  } finally {
    limited.removeEventListener("abort", begin);
    clearTimeout(timer);
  }
}

function isFileOrDevice(fd: number): boolean {
  if (isatty(fd)) return false;
  try {
    const status = fs.fstatSync(fd);
    // While its last synchronous look found a pipe or a socket, Node imports through links without following them.
    if (deno === undefined) fs.statSync("/");
    return status.isFile() || status.isCharacterDevice();
  } catch {
    return false;
  }
}

/** Writes in pieces: the stream of Node drops the rest when the disk has room for a part only. */
function writeToFile(fd: number, bytes: Uint8Array): void {
  for (let rest = bytes; rest.length > 0;) {
    rest = rest.subarray(fs.writeSync(fd, rest));
  }
}

async function writeToOutput(
  stdout: DenoOutput,
  bytes: Uint8Array,
): Promise<void> {
  for (let rest = bytes; rest.length > 0;) {
    rest = rest.subarray(await stdout.write(rest));
  }
}

function writeToStream(
  stream: typeof process.stdout | typeof process.stderr,
  bytes: Uint8Array,
): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => error ? reject(error) : resolve());
  });
}
