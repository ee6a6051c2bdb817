import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import process from "node:process";
import { ReadStream, type WriteStream } from "node:tty";
import type { Terminal } from "../ports/terminal.ts";
import { deno } from "./host.ts";
import { untilQuiet } from "./quiet.ts";

/** The keyboard of the person before the screen, whatever stdin is. */
const TTY = "/dev/tty";
const encoder = new TextEncoder();
const ENDS = ["end", "close", "error"] as const;
/** Whether stdin gives no further line, after Ctrl-D; runtimes disagree on how a stream shows that. */
let hasEnded = false;

/** Whether there is one that may be read. */
function hasKeyboard(): boolean {
  try {
    closeSync(openSync(TTY, "r"));
    return true;
  } catch {
    return false;
  }
}

/** The number of the terminal whose keyboard is read; `undefined` where the system does not tell. */
function keyboardDevice(): number | undefined {
  if (process.stdin.isTTY) return deviceOf(process.stdin.fd);
  try {
    const [, fields = ""] = readFileSync("/proc/self/stat", "latin1")
      .split(/\) (?=[^)]*$)/);
    return Number(fields.split(" ")[4]);
  } catch {
    return undefined;
  }
}

function deviceOf(fd: number): number | undefined {
  // Windows numbers no terminals.
  return process.platform === "win32" ? undefined : fstatSync(fd).rdev;
}

/** The screen above the keyboard: stderr, since stdout may be what the program makes, or stdout; `undefined` when both lead elsewhere. */
export function screenOfPerson(): WriteStream | undefined {
  const keyboard = keyboardDevice();
  return [process.stderr, process.stdout].find((stream) =>
    stream.isTTY &&
    (keyboard === undefined || deviceOf(stream.fd) === keyboard)
  );
}

/** Shows a text; resolves when the terminal has taken it. */
export function shown(screen: WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (text === "") resolve();
    else screen.write(text, () => resolve());
  });
}

/** The terminal of this program: stdin may be a pipe. */
export function terminal(): Terminal {
  const { stdin } = process;
  const screen = screenOfPerson();
  return {
    isPerson: screen !== undefined && (stdin.isTTY === true || hasKeyboard()),
    lockPath: lockPath(),
    size: () => ({ columns: screen?.columns ?? 0, rows: screen?.rows ?? 0 }),
    onChange(listener) {
      process.on("SIGCONT", listener);
      screen?.on("resize", listener);
      return () => {
        process.off("SIGCONT", listener);
        screen?.off("resize", listener);
      };
    },
    async ask(text, signal) {
      signal.throwIfAborted();
      if (hasEnded || screen === undefined) return undefined;
      const own = stdin.isTTY ? undefined : new ReadStream(openSync(TTY, "r"));
      const input = own ?? stdin;
      try {
        const prompt = text.lastIndexOf("\n") + 1;
        await shown(screen, text.slice(0, prompt));
        // Keys typed while a slow terminal drew all that answer nothing.
        await dropTypedAhead(input);
        signal.throwIfAborted();
        await shown(screen, text.slice(prompt));
        // The terminal edits the line, and Ctrl-C stays a signal.
        return await oneLine(input, signal);
      } finally {
        own?.destroy();
      }
    },
  };
}

/** Other processes of this user may ask at the same terminal. */
function lockPath(): string | undefined {
  const device = keyboardDevice();
  return device === undefined || !mayLock()
    ? undefined
    : `${tmpdir()}/sluice-${process.getuid?.()}-terminal-${device}.lock`;
}

/** Deno would ask for permissions, in the middle of another question. */
function mayLock(): boolean {
  const asked = [
    { name: "env" },
    { name: "write" },
    { name: "sys", kind: "uid" },
  ] as const;
  return deno === undefined ||
    asked.every((one) => deno?.permissions.querySync(one).state === "granted");
}

const CTRL_C = 3;

/** Reads and drops everything typed before a question was displayed. */
async function dropTypedAhead(input: ReadStream): Promise<void> {
  let isInterrupted = false;
  let isHeard = () => {};
  const drop = (bytes: Uint8Array | string) => {
    const codes = typeof bytes === "string" ? encoder.encode(bytes) : bytes;
    isInterrupted ||= codes.includes(CTRL_C);
    isHeard();
  };
  // A line without its end is given out in raw mode alone.
  input.setRawMode(true);
  input.on("data", drop);
  // After an earlier question it is paused, and a listener alone does not change that.
  input.resume();
  try {
    await untilQuiet((heard) => isHeard = heard);
  } finally {
    input.off("data", drop);
    input.pause();
    input.setRawMode(false);
  }
  // The key is a signal again.
  if (isInterrupted) process.kill(process.pid, "SIGINT");
}

/** Waits for a whole line; `undefined` at the end of the input, whatever was typed before it. */
function oneLine(
  input: ReadStream,
  signal: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const decoder = new TextDecoder();
    let typed = "";
    const leave = () => {
      signal.removeEventListener("abort", abort);
      input.off("data", take);
      for (const name of ENDS) input.off(name, end);
      input.pause();
    };
    const take = (bytes: Uint8Array | string) => {
      typed += typeof bytes === "string"
        ? bytes
        : decoder.decode(bytes, { stream: true });
      const line = /^(.*?)(?:\r|\n)/s.exec(typed)?.[1];
      if (line === undefined) return;
      leave();
      resolve(line);
    };
    const end = () => {
      hasEnded ||= input === process.stdin;
      leave();
      resolve(undefined);
    };
    const abort = () => {
      leave();
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    input.on("data", take);
    for (const name of ENDS) input.on(name, end);
    input.resume();
  });
}
