import { closeSync, openSync } from "node:fs";
import process from "node:process";
import { createInterface, type Interface } from "node:readline";
import { ReadStream } from "node:tty";
import type { Terminal } from "../ports/terminal.ts";

/** The keyboard of the person before the screen, whatever stdin is. */
const TTY = "/dev/tty";
const encoder = new TextEncoder();

/** Whether there is one that may be read. */
function hasKeyboard(): boolean {
  try {
    closeSync(openSync(TTY, "r"));
    return true;
  } catch {
    return false;
  }
}

/** The terminal of this program: questions go to stderr, since stdout may be what the program makes; stdin may be a pipe. */
export function terminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  const screen = [stderr, stdout].find(({ isTTY }) => isTTY);
  return {
    isPerson: screen !== undefined && (stdin.isTTY === true || hasKeyboard()),
    size: () => ({ columns: screen?.columns ?? 0, rows: screen?.rows ?? 0 }),
    async ask(text, signal) {
      signal.throwIfAborted();
      const own = stdin.isTTY ? undefined : new ReadStream(openSync(TTY, "r"));
      try {
        await dropTypedAhead(own ?? stdin);
        signal.throwIfAborted();
        (screen ?? stderr).write(text);
        // The terminal edits the line, and Ctrl-C stays a signal.
        const settings = { input: own ?? stdin, terminal: false };
        return await oneLine(createInterface(settings), signal);
      } finally {
        own?.destroy();
      }
    },
  };
}

/** Keys that were pressed before are read when nothing more has come for so long, in milliseconds. */
const QUIET_MS = 40;
const CTRL_C = 3;

/** Reads and forgets what was typed before a question was shown: it is no answer to that. */
async function dropTypedAhead(input: ReadStream): Promise<void> {
  let wake = () => {};
  let isInterrupted = false;
  const drop = (bytes: Uint8Array | string) => {
    const codes = typeof bytes === "string" ? encoder.encode(bytes) : bytes;
    isInterrupted ||= codes.includes(CTRL_C);
    wake();
  };
  // A line without its end is given out in raw mode alone.
  input.setRawMode(true);
  input.on("data", drop);
  try {
    for (let isQuiet = false; !isQuiet;) {
      isQuiet = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(true), QUIET_MS);
        wake = () => {
          clearTimeout(timer);
          resolve(false);
        };
      });
    }
  } finally {
    input.off("data", drop);
    input.pause();
    input.setRawMode(false);
  }
  // The key is a signal again.
  if (isInterrupted) process.kill(process.pid, "SIGINT");
}

/** Waits for a line, or the end of the input, and closes the interface. */
function oneLine(
  lines: Interface,
  signal: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      signal.removeEventListener("abort", abort);
      // No more than this: by its own listener the interface lets go of its input.
      lines.off("close", gone);
      lines.close();
    };
    const settle = (line: string | undefined) => {
      leave();
      resolve(line);
    };
    const abort = () => {
      leave();
      reject(signal.reason);
    };
    const gone = () => settle(undefined);
    signal.addEventListener("abort", abort, { once: true });
    lines.once("line", settle);
    lines.once("close", gone);
  });
}
