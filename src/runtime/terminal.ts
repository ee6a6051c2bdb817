import { closeSync, openSync } from "node:fs";
import process from "node:process";
import { ReadStream } from "node:tty";
import type { Terminal } from "../ports/terminal.ts";
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

/** The terminal of this program: questions go to stderr, since stdout may be what the program makes; stdin may be a pipe. */
export function terminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  const screen = [stderr, stdout].find(({ isTTY }) => isTTY);
  return {
    isPerson: screen !== undefined && (stdin.isTTY === true || hasKeyboard()),
    size: () => ({ columns: screen?.columns ?? 0, rows: screen?.rows ?? 0 }),
    async ask(text, signal) {
      signal.throwIfAborted();
      if (hasEnded) return undefined;
      const own = stdin.isTTY ? undefined : new ReadStream(openSync(TTY, "r"));
      const input = own ?? stdin;
      try {
        await dropTypedAhead(input);
        signal.throwIfAborted();
        (screen ?? stderr).write(text);
        // The terminal edits the line, and Ctrl-C stays a signal.
        return await oneLine(input, signal);
      } finally {
        own?.destroy();
      }
    },
  };
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
