import { Buffer } from "node:buffer";
import process from "node:process";
import { setImmediate } from "node:timers";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReadStream, WriteStream } from "node:tty";
import { keepsReading, leaveKeys, takeKeys } from "./key_flow.ts";
import { untilQuiet } from "./quiet.ts";
import {
  afterReports,
  isSilentTerminal,
  loseReports,
  reportsOf,
  whenLate,
  withoutReports,
} from "./shown_report.ts";
import { isInBackground, raise } from "./terminal_job.ts";

const ENDS = ["end", "close", "error"] as const;
/** Whether stdin gives no further line, after Ctrl-D; runtimes disagree on how a stream shows that. */
let hasEnded = false;

/** Whether a keyboard gives no further line. */
export function isKeyboardOver(): boolean {
  return hasEnded;
}

/** Shows a text; resolves when the terminal has taken it, or was closed. */
export function shown(screen: WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (text === "") return resolve();
    // Without a listener the error, which comes after the callback, would end the program.
    screen.on("error", ignore);
    screen.write(text, () => {
      setImmediate(() => screen.off("error", ignore));
      resolve();
    });
  });
}

/** Listens to errors of a terminal that was closed, which show as its end. */
export function ignore(): void {}

/** Keys that are signals, except in raw mode. */
const SIGNALS = [["\x03", "SIGINT"], ["\x1a", "SIGTSTP"]] as const;
/** Asks for a report that ends an earlier read; without such a read it counts as typed ahead. */
const ANY_REPORT = "\x1b[6n";
const CTRL_D = "\x04";
/** Keys behind a line come later from a person, in milliseconds. */
export const TOGETHER_MS = 50;
/** Shown where more came together with a line. */
export const SEVERAL_LINES = "(several lines at once are no answer)";
/** Shown where the terminal may have dropped the rest of a line. */
export const TOO_LONG =
  "(the answer was longer than the terminal passes on: give a shorter one, or use sluice chat, which has no limit)";
/** Bytes of a line, its end included, beyond which a terminal drops the rest without a sign. */
const LONGEST_LINE = process.platform === "darwin" ? 1_024 : 4_096;

/** Keys that are read in raw mode, in which a line without its end is given out too. */
interface RawKeys {
  hear: (text: string) => void;
  onEnd: () => void;
  readonly isOver: boolean;
  readonly isSignalled: boolean;
  end(): void;
  /** Ends the mode; a key that is a signal is one then. */
  leave(): void;
}

function rawKeys(input: ReadStream): RawKeys {
  const decoder = new TextDecoder();
  let signalled: (typeof SIGNALS)[number][1] | undefined;
  let isOver = false;
  const take = (bytes: Uint8Array | string) => {
    const text = typeof bytes === "string"
      ? bytes
      : decoder.decode(bytes, { stream: true });
    signalled ??= SIGNALS.find(([key]) => text.includes(key))?.[1];
    keys.hear(text);
  };
  const end = () => {
    isOver = true;
    hasEnded ||= input === process.stdin;
    keys.onEnd();
  };
  const keys: RawKeys = {
    hear() {},
    onEnd() {},
    get isOver() {
      return isOver;
    },
    get isSignalled() {
      return signalled !== undefined;
    },
    end,
    leave() {
      for (const name of ENDS) input.off(name, end);
      leaveKeys(input, take);
      if (!input.destroyed && !isInBackground()) input.setRawMode(false);
      if (signalled === undefined) return;
      raise(signalled);
      loseReports("interrupt");
    },
  };
  for (const name of ENDS) input.on(name, end);
  // Of a terminal that was closed, this emits an error.
  input.setRawMode(true);
  takeKeys(input, take);
  return keys;
}

/**
 * Shows the last line of a question, and drops everything typed before the terminal has reported that it did. Only a quiet keyboard counts
 * where it reports nothing.
 *
 * @returns What was typed since; `undefined` at the end of the input
 */
export async function dropTypedAhead(
  input: ReadStream,
  screen: WriteStream,
  last: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const reports = isSilentTerminal() ? undefined : reportsOf(screen);
  const keys = rawKeys(input);
  let leave = () => {};
  try {
    if (keepsReading && input !== process.stdin && reports !== undefined) {
      await shown(screen, ANY_REPORT);
    }
    await untilQuiet((heard) => keys.hear = heard);
    if (reports === undefined || keys.isOver || keys.isSignalled) {
      return keys.isOver ? undefined : "";
    }
    // Deno hands over several reads before the next line of this function: each of them counts.
    let typed = "";
    await new Promise<void>((resolve, reject) => {
      const abort = () => reject(signal.reason);
      const endWait = whenLate(() => loseReports("silence"));
      signal.addEventListener("abort", abort, { once: true });
      leave = () => {
        endWait();
        signal.removeEventListener("abort", abort);
      };
      keys.onEnd = resolve;
      keys.hear = (text) => {
        const { after } = reports.take(text);
        typed += after ?? "";
        if (after?.includes(CTRL_D)) keys.end();
        else if (after !== undefined || keys.isSignalled) resolve();
      };
      if (signal.aborted) abort();
      else void shown(screen, `${last}${reports.request}`);
    });
    if (keys.isOver) return undefined;
    return keys.isSignalled ? "" : typed;
  } finally {
    leave();
    keys.leave();
    if (reports === undefined) await shown(screen, last);
  }
}

interface TypedLine {
  readonly text: string;
  /** Whether more came together with it. */
  readonly isFollowed: boolean;
  /** Whether it is as long as a line can be, so that the terminal may have dropped its rest. */
  readonly isFull: boolean;
}

/** Waits for a whole line; `undefined` at the end of the input, whatever was typed before it. */
export function oneLine(
  input: ReadStream,
  signal: AbortSignal,
  typed: string,
): Promise<TypedLine | undefined> {
  return new Promise((resolve, reject) => {
    const decoder = new TextDecoder();
    const leave = () => {
      signal.removeEventListener("abort", abort);
      for (const name of ENDS) input.off(name, end);
      leaveKeys(input, take);
    };
    const take = (bytes: Uint8Array | string) => {
      typed += typeof bytes === "string"
        ? bytes
        : decoder.decode(bytes, { stream: true });
      const [, line, rest = ""] = /^(.*?)(?:\r\n?|\n)(.*)$/s.exec(typed) ?? [];
      if (line === undefined) return;
      leave();
      const isFollowed = withoutReports(rest) !== "";
      const isFull = Buffer.byteLength(line) >= LONGEST_LINE - 1;
      resolve({ text: afterReports(line), isFollowed, isFull });
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
    for (const name of ENDS) input.on(name, end);
    takeKeys(input, take);
    take("");
  });
}

/** Drops what comes together with a line, and behind it until the keyboard is quiet; resolves with whether there was any. */
export async function dropFollowing(input: ReadStream): Promise<boolean> {
  const keys = rawKeys(input);
  let isFollowed = false;
  keys.hear = (text) => {
    isFollowed ||= withoutReports(text) !== "";
    if (text.includes(CTRL_D)) keys.end();
  };
  try {
    await sleep(TOGETHER_MS);
    if (isFollowed) await untilQuiet((heard) => keys.hear = heard);
    return isFollowed || keys.isOver;
  } finally {
    keys.leave();
  }
}
