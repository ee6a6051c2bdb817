import { closeSync, openSync } from "node:fs";
import process from "node:process";
import { isatty, ReadStream } from "node:tty";
import { isMainThread } from "node:worker_threads";
import type { Terminal } from "../ports/terminal.ts";
import { isGranted } from "./host.ts";
import { isStdinOnly, releaseKeys } from "./key_flow.ts";
import { isUtf8Locale } from "./locale.ts";
import { plainScreen } from "./plain_screen.ts";
import {
  isSilentTerminal,
  loseReports,
  onLostReports,
} from "./shown_report.ts";
import {
  comeToFront,
  isInBackground,
  screenOfPerson,
  STDIN,
  TTY,
  turnName,
} from "./terminal_job.ts";
import {
  dropFollowing,
  dropTypedAhead,
  ignore,
  isKeyboardOver,
  oneLine,
  SEVERAL_LINES,
  shown,
  TOO_LONG,
} from "./terminal_keys.ts";

/** Settled when keys are free: a question that was ended drops those typed ahead a moment longer. */
let lastRead: Promise<unknown> = Promise.resolve();

/** Whether there is one that may be read: the terminal may have been closed. */
function hasKeyboard(): boolean {
  if (process.stdin.isTTY) return isatty(STDIN);
  if (isStdinOnly) return isKeyboardOver();
  try {
    closeSync(openSync(TTY, "r"));
    return true;
  } catch {
    return false;
  }
}

/** Reason for a denial. */
const IN_WORKER =
  "A worker thread cannot ask at the terminal: call promptPerson() in the main thread";

/** A keyboard without a question is closed, in milliseconds. */
const IDLE_MS = 1_000;
/** The keyboard where stdin is another: on Bun a closed one takes the next line, also that of a further page. */
let keyboard: ReadStream | undefined;
let closing: ReturnType<typeof setTimeout> | undefined;

function openKeyboard(): ReadStream {
  clearTimeout(closing);
  if (keyboard === undefined || keyboard.readableEnded || keyboard.destroyed) {
    keyboard = new ReadStream(openSync(TTY, "r"));
    keyboard.on("error", ignore);
  }
  return keyboard.ref();
}

function closeSoon(input: ReadStream): void {
  input.unref();
  // Runtimes restore its mode then.
  const close = () => void (isInBackground() || input.destroy());
  closing = setTimeout(close, IDLE_MS);
  closing.unref();
}

/** Whether this is a worker thread, whose questions would stand on one screen with those of the others; Deno counts its own as the main one. */
const isWorker = !isMainThread || "WorkerGlobalScope" in globalThis;

/** Whether a program of this job asks at the terminal; `false` where the system does not tell. */
export async function isQuestionOpen(): Promise<boolean> {
  const name = turnName();
  if (name === undefined) return false;
  const { isTurnTaken } = await import("./terminal_turn.ts");
  return await isTurnTaken(name);
}

/** The terminal of this program: stdin may be a pipe. */
export function terminal(): Terminal {
  const { stdin } = process;
  const screen = screenOfPerson();
  return {
    isPerson: !isWorker && screen !== undefined &&
      hasKeyboard(),
    ...isWorker && { absence: IN_WORKER },
    size: () => ({ columns: screen?.columns ?? 0, rows: screen?.rows ?? 0 }),
    needsWord: isSilentTerminal,
    isAscii: () => !isGranted({ name: "env" }) || !isUtf8Locale(process.env),
    onChange(listener) {
      process.on("SIGCONT", listener);
      screen?.on("resize", listener);
      // Deno before 2.7.4 has only the signal.
      process.on("SIGWINCH", listener);
      const leave = onLostReports(listener);
      return () => {
        leave();
        process.off("SIGCONT", listener);
        process.off("SIGWINCH", listener);
        screen?.off("resize", listener);
      };
    },
    async takeTurn(signal) {
      const name = turnName();
      if (name === undefined) return () => {};
      const { takeTurn } = await import("./terminal_turn.ts");
      const onNotice = (text: string) => {
        if (screen !== undefined) void shown(screen, `\n${text}\n`);
      };
      return await takeTurn(name, { signal, onNotice });
    },
    ask(text, signal) {
      const line = lastRead.then(() => read(text, signal));
      lastRead = line.catch(() => {});
      return line;
    },
  };

  async function read(
    text: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    signal.throwIfAborted();
    if (isKeyboardOver() || screen === undefined || !hasKeyboard()) {
      return undefined;
    }
    const input = stdin.isTTY ? stdin : openKeyboard();
    // Without a line the cursor stays behind the question.
    const endRow = () => void shown(screen, "\n");
    if (input === stdin) input.on("error", ignore);
    try {
      await comeToFront(input, signal);
      const prompt = text.lastIndexOf("\n") + 1;
      await shown(screen, plainScreen() + text.slice(0, prompt));
      const last = text.slice(prompt);
      signal.addEventListener("abort", endRow, { once: true });
      const typed = await dropTypedAhead(input, screen, last, signal);
      signal.throwIfAborted();
      if (isKeyboardOver() || typed === undefined) return undefined;
      // In raw mode the terminal did not echo it.
      // deno-lint-ignore no-control-regex -- keys of a terminal are control characters
      const echo = typed.replace(/[\x00-\x1f\x7f].*/s, "");
      await shown(screen, echo === typed ? echo : `${echo}\n`);
      // The terminal edits the line, and Ctrl-C stays a signal.
      const line = await oneLine(input, signal, typed);
      if (line === undefined) return void endRow();
      const isFollowed = await dropFollowing(input);
      if (isKeyboardOver()) return undefined;
      const isSeveral = isFollowed || line.isFollowed;
      if (!isSeveral && !line.isFull) return line.text;
      await shown(screen, `\n${isSeveral ? SEVERAL_LINES : TOO_LONG}\n`);
      loseReports("paste");
      signal.throwIfAborted();
      return "";
    } finally {
      signal.removeEventListener("abort", endRow);
      releaseKeys(input);
      if (input === stdin) input.off("error", ignore);
      else closeSoon(input);
    }
  }
}
