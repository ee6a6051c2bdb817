import process from "node:process";
import { createInterface, type Interface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { deno } from "./host.ts";
import { plainScreen } from "./plain_screen.ts";
import { QUIET_MS, untilQuiet } from "./quiet.ts";
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
  /** Shows a prompt and waits for an input that can be edited, with those before it behind the arrow keys. */
  line(prompt: string, signal: AbortSignal): Promise<Typed>;
  /**
   * Asks a question: only what is typed after it was shown answers it, and Ctrl-C is a signal.
   *
   * @returns The line; `undefined` when there will be none
   */
  ask(text: string, signal: AbortSignal): Promise<string | undefined>;
  close(): void;
}

/** Keys as far as this file tells them apart. */
type Keys =
  /** Up to a key that may end the line. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "paste"; readonly text: string }
  /** Alt-Enter. */
  | { readonly kind: "break" };

/** Terminals put these around a pasted text, once they were asked to. */
const PASTE_END = "\x1b[201~";
// deno-lint-ignore no-control-regex -- marks are escape sequences
const PASTE_MARK = /\x1b\[20[01]~/;
// deno-lint-ignore no-control-regex -- marks are escape sequences
const BEGUN_MARK = /(?:\x1b(?:\[(?:2(?:0[01]?)?)?)?)?$/;
/** A paste of which nothing has come for this long has lost its end mark, in milliseconds. */
const PASTE_MS = 1_000;
const [MARK_PASTES, MARK_NO_PASTES] = ["\x1b[?2004h", "\x1b[?2004l"];
const INTERRUPT = "\x03";
const SUSPEND = "\x1a";
/** Lines shown of a pasted text. */
const MOST_SHOWN = 20;
/** Deno, once it has listened, stops even where no shell could continue it. */
const HEARS_STOP = deno === undefined;
/** A signal of this program to itself arrives sooner, in milliseconds. */
const RESUME_MS = 20;
/** Exit code of a program that SIGQUIT ended. */
const QUIT = 131;
/** The rest of an escape sequence follows sooner, in milliseconds. */
const ESCAPE_MS = 50;
/** Each part ends with a key that may end a line, or that readline does not handle. */
// deno-lint-ignore no-control-regex -- keys of a terminal are control characters
const PARTS = /([^\r\n\x03\x04\x1a]*?)(\x1b[\r\n]|[\r\n\x03\x04\x1a]|$)/g;
/** Control characters, which a prompt ignores. */
// deno-lint-ignore no-control-regex -- that is what is looked for
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

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

  const read = reader(() => reports === undefined ? taker : undefined, {
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

  function rest(): void {
    screen.write(MARK_NO_PASTES);
    stdin.setRawMode(false);
  }

  stdin.on("data", hear);
  stdin.on("end", end);
  stdin.on("error", end);
  process.on("exit", rest);
  if (process.platform !== "win32") {
    if (HEARS_STOP) process.on("SIGTSTP", suspend);
    process.on("SIGCONT", begin);
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
          taker = onInterrupt = undefined;
          resolve(value);
        };
        const abort = () => reject(signal.reason);
        const close = () => settle(ended);
        signal.addEventListener("abort", abort, { once: true });
        lines.once("close", close);
        gone.add(() => signal.removeEventListener("abort", abort));
        gone.add(() => lines.off("close", close));
        onEnd = close;
        const feed = work(lines, settle);
        taker = (keys) => {
          if (keys.kind === "text") {
            input.emit("data", encoder.encode(keys.text));
          } else feed(keys);
        };
      });
    } finally {
      taker = onEnd = onInterrupt = undefined;
      for (const leave of gone) leave();
      lines.close();
    }
  }

  return {
    line(prompt, signal) {
      const held: string[] = [];
      let isBroken = false;
      const typed = edit<Typed>(signal, { history }, (lines, done) => {
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
        lines.setPrompt(prompt);
        lines.prompt();
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
      }, { kind: "end" });
      promptTaker = taker;
      while (taker !== undefined && ahead.length > 0) {
        const next = ahead.shift();
        if (next !== undefined) taker(next);
      }
      return typed;
    },
    async ask(text, signal) {
      comeToFront(stdin);
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
    },
    close() {
      clearTimeout(resuming);
      process.off("exit", rest);
      process.off("SIGTSTP", suspend);
      process.off("SIGCONT", begin);
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

/** Ends as by SIGQUIT, but with the terminal as it was. */
function quit(): void {
  process.exit(QUIT);
}

/** Tells keys apart, and hands each to whom it was typed for. */
function reader<Taker>(
  current: () => Taker,
  { take, interrupt, suspend }: {
    take(keys: Keys, to: Taker): void;
    interrupt(): void;
    suspend(): void;
  },
): (text: string) => void {
  let open = "";
  let pasteFor: { readonly taker: Taker } | undefined;
  /** The last paste lost its end mark. */
  let late: {
    readonly taker: Taker;
    /** Length of the mark that had begun. */
    readonly begun: number;
    /** For whom keys are that may be the rest of it. */
    heldFor?: { readonly taker: Taker };
  } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function text(typed: string, to = current): void {
    for (const [, before = "", last = ""] of typed.matchAll(PARTS)) {
      const isKept = last.length === 1 && last !== INTERRUPT &&
        last !== SUSPEND;
      const part = isKept ? before + last : before;
      if (part !== "") take({ kind: "text", text: part }, to());
      if (last.length === 2) take({ kind: "break" }, to());
      else if (last === INTERRUPT) interrupt();
      else if (last === SUSPEND) suspend();
    }
  }

  function paste(text: string, to: Taker): void {
    if (text !== "") take({ kind: "paste", text }, to);
  }

  /** Takes keys that came after a paste without an end mark as typed ones. */
  function release(typed: string): void {
    const { begun = 0, heldFor } = late ?? {};
    late = undefined;
    text(typed.slice(begun), heldFor && (() => heldFor.taker));
  }

  /** Ends a paste as if its end mark had come. */
  function lose(taker: Taker): void {
    const at = open.search(BEGUN_MARK);
    const pasted = open.slice(0, at);
    open = open.slice(at);
    pasteFor = undefined;
    late = { taker, begun: open.length };
    paste(pasted, taker);
  }

  function wait(ms: number, then: () => void): void {
    timer = setTimeout(then, ms);
    timer.unref();
  }

  function parse(isWhole: boolean): void {
    for (;;) {
      const mark = pasteFor === undefined
        ? PASTE_MARK.exec(open)?.[0] ?? PASTE_END
        : PASTE_END;
      const at = open.indexOf(mark);
      if (at < 0) break;
      const before = open.slice(0, at);
      open = open.slice(at + mark.length);
      if (mark === PASTE_END) {
        // Also without a begin mark: the rest of a paste that came late.
        const { taker } = pasteFor ?? late ?? { taker: current() };
        pasteFor = late = undefined;
        paste(before, taker);
      } else {
        release(before);
        pasteFor = { taker: current() };
      }
    }
    if (pasteFor !== undefined) {
      const { taker } = pasteFor;
      return wait(PASTE_MS, () => lose(taker));
    }
    if (late !== undefined && !isWhole) {
      late.heldFor ??= { taker: current() };
      return wait(QUIET_MS, () => parse(true));
    }
    const at = isWhole ? open.length : open.search(BEGUN_MARK);
    const now = open.slice(0, at);
    open = open.slice(at);
    release(now);
    if (open !== "") wait(ESCAPE_MS, () => parse(true));
  }

  return (text) => {
    // Reports of the terminal are taken out: nothing of a paste came.
    if (text === "") return;
    clearTimeout(timer);
    open += text;
    parse(false);
  };
}
