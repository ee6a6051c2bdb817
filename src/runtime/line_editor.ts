import process from "node:process";
import { createInterface, type Interface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { deno } from "./host.ts";
import { keyReader, type Keys } from "./key_reader.ts";
import { plainScreen } from "./plain_screen.ts";
import { untilQuiet } from "./quiet.ts";
import {
  isSilentTerminal,
  loseReports,
  type Reports,
  reportsOf,
  whenLate,
} from "./shown_report.ts";
import { comeToFront, screenOfPerson } from "./terminal_job.ts";
import { SEVERAL_LINES, shown, TOGETHER_MS } from "./terminal_keys.ts";

/** Input of a person at a prompt. */
export type Typed =
  /** One line or several: a pasted text, lines that end in `\`, or Alt-Enter. */
  | { readonly kind: "line"; readonly text: string }
  /** Ctrl-C. */
  | { readonly kind: "interrupt" }
  /** Ctrl-D, or the terminal is gone. */
  | { readonly kind: "end" };

/** The keyboard of a program that talks with a person: it is read all the time, and what is typed ahead waits for the next prompt. */
export interface LineEditor {
  /**
   * Shows a prompt and waits for an input that can be edited, with those before it behind the arrow keys. While the screen is taken
   * it is out of sight, and keeps what was typed.
   */
  line(prompt: string, signal: AbortSignal): Promise<Typed>;
  /**
   * Takes the screen for output or a question: an open prompt is cleared away.
   *
   * @returns A function that gives the screen back; the prompt is shown again when all have
   */
  takeScreen(): Promise<() => void>;
  /**
   * Asks a question: only what is typed after it was shown answers it, and Ctrl-C is a signal.
   *
   * @returns The line; `undefined` when there will be none
   */
  ask(text: string, signal: AbortSignal): Promise<string | undefined>;
  close(): void;
}

/** Terminals then put marks around a pasted text, or no longer. */
const [MARK_PASTES, MARK_NO_PASTES] = ["\x1b[?2004h", "\x1b[?2004l"];
/** Lines shown of a pasted text. */
const MOST_SHOWN = 20;
/** Deno, once it has listened, stops even where no shell could continue it. */
const HEARS_STOP = deno === undefined;
/** A signal of this program to itself arrives sooner, in milliseconds. */
const RESUME_MS = 20;
/** Exit code of a program that SIGQUIT ended. */
const QUIT = 131;
/** Control characters, which a prompt ignores. */
// deno-lint-ignore no-control-regex -- that is what is looked for
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Input at a prompt so far. */
interface Draft {
  /** Lines that are ended. */
  readonly held: string[];
  text: string;
  cursor: number;
}

/** The screen was taken from a prompt. */
const AWAY: unique symbol = Symbol("away");

/** The terminal of this program, for a person who types line after line. */
export function lineEditor(): LineEditor {
  const { stdin } = process;
  const screen = screenOfPerson() ?? process.stderr;
  let ahead: Keys[] = [];
  let history: string[] = [];
  /** Takes keys while something is asked; false once it has enough. */
  let taker: ((keys: Keys) => void) | undefined;
  /** The taker of the last prompt, which also takes what was typed for no one. */
  let promptTaker: typeof taker;
  let onInterrupt: (() => void) | undefined;
  let onEnd: (() => void) | undefined;
  let isOver = false;
  let wake = () => {};
  let resuming: ReturnType<typeof setTimeout> | undefined;
  /** How many have taken the screen. */
  let takers = 0;
  /** Ends the open prompt for now, and gives what clears it away. */
  let putAway: (() => string) | undefined;
  let onScreenFree = () => {};
  /** Reports that the question was drawn: keys before them do not answer it. */
  let reports: Reports | undefined;

  function take(keys: Keys, to: typeof taker): void {
    const isWanted = to === taker || taker === promptTaker;
    if (taker !== undefined && isWanted) taker(keys);
    else ahead.push(keys);
    wake();
  }

  function interrupt(): void {
    // As a terminal does: what was typed ahead belonged to what is ended.
    ahead = [];
    if (onInterrupt !== undefined) onInterrupt();
    else process.kill(process.pid, "SIGINT");
  }

  /** Stops here as any program does, with the terminal as it was; the system ignores that where no shell could continue it. */
  function suspend(): void {
    if (process.platform === "win32") return;
    rest();
    process.off("SIGTSTP", suspend);
    process.kill(process.pid, "SIGTSTP");
    begin();
    clearTimeout(resuming);
    if (HEARS_STOP) {
      resuming = setTimeout(() => process.on("SIGTSTP", suspend), RESUME_MS);
    }
  }

  const read = keyReader(() => reports === undefined ? taker : undefined, {
    take,
    interrupt,
    suspend,
  });
  const decoder = new TextDecoder();
  const hear = (bytes: Uint8Array | string) => {
    const text = typeof bytes === "string"
      ? bytes
      : decoder.decode(bytes, { stream: true });
    if (reports === undefined) return read(text);
    const { before, after } = reports.take(text);
    read(before);
    if (after === undefined) return;
    reports = undefined;
    read(after);
  };
  const end = () => {
    isOver = true;
    onEnd?.();
  };

  function begin(): void {
    // A shell may have changed the mode, which the runtime does not know.
    stdin.setRawMode(false);
    stdin.setRawMode(true);
    screen.write(MARK_PASTES);
  }

  /** A shell has written below the prompt meanwhile. */
  function goOn(): void {
    begin();
    putAway?.();
  }

  function rest(): void {
    screen.write(MARK_NO_PASTES);
    stdin.setRawMode(false);
  }

  async function takeScreen(): Promise<() => void> {
    takers++;
    const clearing = putAway?.() ?? "";
    let isTaken = true;
    await shown(screen, clearing);
    return () => {
      if (!isTaken) return;
      isTaken = false;
      if (--takers === 0) onScreenFree();
    };
  }

  /** Waits while the screen is taken. */
  async function screenFree(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (takers === 0) return;
    await new Promise<void>((resolve, reject) => {
      const abort = () => reject(signal.reason);
      signal.addEventListener("abort", abort, { once: true });
      onScreenFree = () => {
        signal.removeEventListener("abort", abort);
        resolve();
      };
    });
  }

  stdin.on("data", hear);
  stdin.on("end", end);
  stdin.on("error", end);
  process.on("exit", rest);
  if (process.platform !== "win32") {
    if (HEARS_STOP) process.on("SIGTSTP", suspend);
    process.on("SIGCONT", goOn);
    process.on("SIGQUIT", quit);
  }
  begin();

  /** Lets the person type until something settles it; Ctrl-C rejects nothing. */
  async function edit<T>(
    signal: AbortSignal,
    settings: { readonly history?: string[] },
    work: (lines: Interface, done: (value: T) => void) => (keys: Keys) => void,
    ended: T,
  ): Promise<T> {
    signal.throwIfAborted();
    if (isOver) return ended;
    const input = new Readable({ read() {} });
    const lines = createInterface({
      input,
      output: screen,
      terminal: true,
      removeHistoryDuplicates: true,
      ...settings,
    });
    const gone = new Set<() => void>();
    try {
      return await new Promise<T>((resolve, reject) => {
        const settle = (value: T) => {
          taker = onInterrupt = putAway = undefined;
          resolve(value);
        };
        // Without a line the cursor stays behind the question.
        const abort = () => {
          screen.write("\n");
          reject(signal.reason);
        };
        const close = () => {
          screen.write("\n");
          settle(ended);
        };
        signal.addEventListener("abort", abort, { once: true });
        lines.once("close", close);
        gone.add(() => signal.removeEventListener("abort", abort));
        gone.add(() => lines.off("close", close));
        onEnd = () => settle(ended);
        const feed = work(lines, settle);
        taker = (keys) => {
          if (keys.kind !== "text") return feed(keys);
          // Node puts letters that come together at the end of the line, wherever the cursor is.
          for (const key of keys.text) input.emit("data", encoder.encode(key));
        };
      });
    } finally {
      taker =
        onEnd =
        onInterrupt =
        putAway =
          undefined;
      for (const leave of gone) leave();
      lines.close();
    }
  }

  /** Shows a prompt with what was typed so far, until there is an input or the screen is taken. */
  function type(
    prompt: string,
    draft: Draft,
    signal: AbortSignal,
  ): Promise<Typed | typeof AWAY> {
    const { held } = draft;
    let isBroken = false;
    const typed = edit<Typed | typeof AWAY>(
      signal,
      { history },
      (lines, done) => {
        const more = (text: string) => {
          isBroken = false;
          held.push(text);
          lines.setPrompt("… ");
          lines.prompt();
        };
        lines.on("history", (all) => history = [...all]);
        lines.on("line", (text) => {
          const isOpen = /(?<!\\)(?:\\\\)*\\$/.test(text);
          if (isBroken) more(text);
          else if (isOpen) more(text.slice(0, -1));
          else done({ kind: "line", text: [...held, text].join("\n") });
        });
        onInterrupt = () => {
          screen.write("\n");
          done({ kind: "interrupt" });
        };
        putAway = () => {
          const { cursor, line: text } = lines;
          Object.assign(draft, { cursor, text });
          const clearing = clearingOf(lines);
          done(AWAY);
          return clearing;
        };
        lines.setPrompt(held.length > 0 ? "… " : prompt);
        lines.prompt();
        if (draft.text !== "") lines.write(draft.text);
        if (draft.cursor < draft.text.length) {
          Object.assign(lines, { cursor: draft.cursor });
          lines.prompt(true);
        }
        const breakLine = () => {
          isBroken = true;
          lines.write(null, { name: "return" });
        };
        return (keys) => {
          if (keys.kind !== "paste") return breakLine();
          const pasted = keys.text.replaceAll(/\r\n?/g, "\n").split("\n")
            .map((one) => one.replaceAll(CONTROLS, ""));
          const last = pasted.pop() ?? "";
          for (const one of pasted.slice(0, MOST_SHOWN)) {
            lines.write(one);
            breakLine();
          }
          const hidden = pasted.slice(MOST_SHOWN);
          if (hidden.length > 0) {
            held.push(...hidden);
            screen.write(`\r(${hidden.length} more lines)\n`);
            lines.prompt();
          }
          if (last !== "") lines.write(last);
        };
      },
      { kind: "end" },
    );
    promptTaker = taker;
    while (taker !== undefined && ahead.length > 0) {
      const next = ahead.shift();
      if (next !== undefined) taker(next);
    }
    return typed;
  }

  async function question(
    text: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const at = text.lastIndexOf("\n") + 1;
    await shown(screen, plainScreen() + text.slice(0, at));
    // Keys typed while a slow terminal drew all that answer nothing.
    await untilQuiet((heard) => wake = heard);
    let endWait = () => {};
    try {
      let before = 0;
      const line = await edit<string | undefined>(
        signal,
        {},
        (lines, done) => {
          lines.once("line", (text) => {
            before = ahead.length;
            done(text);
          });
          lines.setPrompt(text.slice(at));
          lines.prompt();
          if (!isSilentTerminal()) {
            reports = reportsOf(screen);
            screen.write(reports.request);
            endWait = whenLate(() => {
              if (reports !== undefined) loseReports("silence");
            });
          }
          onInterrupt = () => {
            process.kill(process.pid, "SIGINT");
            // The line that was typed answers nothing any more.
            loseReports("interrupt");
          };
          return (keys) => {
            // A pasted text ends no answer.
            if (keys.kind !== "paste") return;
            lines.write(
              keys.text.replaceAll(/[\r\n]+/g, " ").replaceAll(CONTROLS, ""),
            );
          };
        },
        undefined,
      );
      await sleep(TOGETHER_MS);
      if (line === undefined || ahead.length <= before) return line;
      await untilQuiet((heard) => wake = heard);
      ahead.splice(before);
      await shown(screen, `${SEVERAL_LINES}\n`);
      loseReports("paste");
      signal.throwIfAborted();
      return "";
    } finally {
      endWait();
      const rest = reports?.rest() ?? "";
      reports = undefined;
      read(rest);
    }
  }

  return {
    takeScreen,
    async line(prompt, signal) {
      const draft: Draft = { held: [], text: "", cursor: 0 };
      for (;;) {
        await screenFree(signal);
        const typed = await type(prompt, draft, signal);
        if (typed !== AWAY) return typed;
      }
    },
    async ask(text, signal) {
      comeToFront(stdin);
      const giveBack = await takeScreen();
      try {
        return await question(text, signal);
      } finally {
        giveBack();
      }
    },
    close() {
      clearTimeout(resuming);
      process.off("exit", rest);
      process.off("SIGTSTP", suspend);
      process.off("SIGCONT", goOn);
      process.off("SIGQUIT", quit);
      stdin.off("data", hear);
      stdin.off("end", end);
      stdin.off("error", end);
      stdin.pause();
      rest();
    },
  };
}

const encoder = new TextEncoder();

/** Codes that clear the rows of a line that is edited. */
function clearingOf(lines: Interface): string {
  if (isSilentTerminal()) return "\n";
  const { rows } = lines.getCursorPos();
  return `\r${rows > 0 ? `\x1b[${rows}A` : ""}\x1b[J`;
}

/** Ends as by SIGQUIT, but with the terminal as it was. */
function quit(): void {
  process.exit(QUIT);
}
