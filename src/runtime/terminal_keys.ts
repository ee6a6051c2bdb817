import process from "node:process";
import type { ReadStream, WriteStream } from "node:tty";
import { untilQuiet } from "./quiet.ts";
import {
  afterReports,
  isSilentTerminal,
  loseReports,
  reportsOf,
  whenLate,
} from "./shown_report.ts";
import { raise } from "./terminal_job.ts";

const ENDS = ["end", "close", "error"] as const;
/** Whether stdin gives no further line, after Ctrl-D; runtimes disagree on how a stream shows that. */
let hasEnded = false;

/** Whether a keyboard gives no further line. */
export function isKeyboardOver(): boolean {
  return hasEnded;
}

/** Shows a text; resolves when the terminal has taken it. */
export function shown(screen: WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (text === "") resolve();
    else screen.write(text, () => resolve());
  });
}

/** Keys that are signals, except in raw mode. */
const SIGNALS = [["\x03", "SIGINT"], ["\x1a", "SIGTSTP"]] as const;
const CTRL_D = "\x04";

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
  const decoder = new TextDecoder();
  let signalled: (typeof SIGNALS)[number][1] | undefined;
  let hear = (_text: string) => {};
  let onEnd = () => {};
  let isOver = false;
  const drop = (bytes: Uint8Array | string) => {
    const text = typeof bytes === "string"
      ? bytes
      : decoder.decode(bytes, { stream: true });
    signalled ??= SIGNALS.find(([key]) => text.includes(key))?.[1];
    hear(text);
  };
  const end = () => {
    isOver = true;
    hasEnded ||= input === process.stdin;
    onEnd();
  };
  // A line without its end is given out in raw mode alone.
  input.setRawMode(true);
  input.on("data", drop);
  for (const name of ENDS) input.on(name, end);
  // After an earlier question it is paused, and a listener alone does not change that.
  input.resume();
  let leave = () => {};
  try {
    await untilQuiet((heard) => hear = heard);
    if (reports === undefined || isOver || signalled) {
      return isOver ? undefined : "";
    }
    return await new Promise<string | undefined>((resolve, reject) => {
      const abort = () => reject(signal.reason);
      const endWait = whenLate(() => loseReports("silence"));
      signal.addEventListener("abort", abort, { once: true });
      leave = () => {
        endWait();
        signal.removeEventListener("abort", abort);
      };
      onEnd = () => resolve(undefined);
      hear = (text) => {
        const { after } = reports.take(text);
        if (after?.includes(CTRL_D)) end();
        else if (after !== undefined) resolve(after);
        else if (signalled) resolve("");
      };
      if (signal.aborted) abort();
      else void shown(screen, `${last}${reports.request}`);
    });
  } finally {
    leave();
    input.off("data", drop);
    for (const name of ENDS) input.off(name, end);
    input.pause();
    if (!input.destroyed) input.setRawMode(false);
    if (signalled) {
      raise(signalled);
      loseReports("interrupt");
    }
    if (reports === undefined) await shown(screen, last);
  }
}

/** Waits for a whole line; `undefined` at the end of the input, whatever was typed before it. */
export function oneLine(
  input: ReadStream,
  signal: AbortSignal,
  typed: string,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const decoder = new TextDecoder();
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
      resolve(afterReports(line));
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
    take("");
  });
}
