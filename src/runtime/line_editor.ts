import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { type EditedLine, editedLine } from "./edited_line.ts";
import { keyReader, type Keys, type TakeKeys } from "./key_reader.ts";
import { plainScreen } from "./plain_screen.ts";
import {
  type Draft,
  promptLine,
  questionLine,
  type Typed,
} from "./prompt_line.ts";
import { untilQuiet } from "./quiet.ts";
import { rawKeyboard } from "./raw_keyboard.ts";
import { sharedScreen } from "./shared_screen.ts";
import {
  isSilentTerminal,
  loseReports,
  type Reports,
  reportsOf,
  whenLate,
} from "./shown_report.ts";
import { comeToFront, screenOfPerson } from "./terminal_job.ts";
import { SEVERAL_LINES, shown, TOGETHER_MS } from "./terminal_keys.ts";

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
   * Asks a question: only what is typed after it was shown answers it, and Ctrl-C is a signal. What is typed on once `signal` has aborted
   * is dropped.
   *
   * @returns The line; `undefined` when there will be none
   */
  ask(text: string, signal: AbortSignal): Promise<string | undefined>;
  close(): void;
}

/** The screen was taken from a prompt. */
const AWAY: unique symbol = Symbol("away");

/** A person who has not typed for this long has seen that a question is gone, in milliseconds. */
const SEEN_MS = 1_000;
/** Numbers of four digits. */
const [LEAST_CODE, CODES] = [1_000, 9_000];

/**
 * The terminal of this program, for a person who types line after line.
 *
 * @param ending Aborted when the program is to end: it then does not come back from the background
 */
export function lineEditor(ending: AbortSignal): LineEditor {
  const screen = screenOfPerson() ?? process.stderr;
  let ahead: Keys[] = [];
  let history: string[] = [];
  /** Takes keys while something is asked. */
  let taker: TakeKeys | undefined;
  /** The taker of the last prompt, which also takes what was typed for no one. */
  let promptTaker: typeof taker;
  let onInterrupt: (() => void) | undefined;
  let onEnd: (() => void) | undefined;
  let isOver = false;
  /** Ctrl-C ended the question: what comes next is for the prompt. */
  let isInterrupted = false;
  let wake = () => {};
  /** A further question has its own rule for keys before it. */
  let endDrop = () => {};
  /** Ends the open prompt for now, and gives codes that clear it away. */
  let putAway: (() => string) | undefined;
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

  const reader = keyReader(() => reports === undefined ? taker : undefined, {
    take,
    interrupt,
    suspend: () => keyboard.suspend(),
  });
  const { read } = reader;
  const keyboard = rawKeyboard(screen, {
    ending,
    hear(text) {
      if (reports === undefined) return read(text);
      const { before, after } = reports.take(text);
      read(before);
      if (after === undefined) return;
      reports = undefined;
      read(after);
    },
    // The prompt is shown below what came meanwhile.
    onContinue: () => void putAway?.(),
    onEnd() {
      isOver = true;
      onEnd?.();
    },
  });

  const shared = sharedScreen(screen, () => putAway?.() ?? "");

  function letGo(): void {
    taker =
      onEnd =
      onInterrupt =
      putAway =
        undefined;
  }

  /** Lets the person type until something settles it; Ctrl-C rejects nothing. */
  async function edit<T>(
    signal: AbortSignal,
    { ended, history }: { readonly ended: T; readonly history?: string[] },
    work: (line: EditedLine<T>, done: (value: T) => void) => TakeKeys,
  ): Promise<T> {
    signal.throwIfAborted();
    if (isOver) return ended;
    const done = (value: T) => {
      letGo();
      line.settle(value);
    };
    const end = onEnd = () => done(ended);
    const line = editedLine<T>(screen, signal, { history, onClose: end });
    const feed = work(line, done);
    taker = (keys) => keys.kind === "text" ? line.type(keys.text) : feed(keys);
    try {
      return await line.settled;
    } finally {
      letGo();
    }
  }

  /** Shows a prompt with what was typed so far, until there is an input or the screen is taken. */
  function type(
    prompt: string,
    draft: Draft,
    signal: AbortSignal,
  ): Promise<Typed | typeof AWAY> {
    const typed = edit<Typed | typeof AWAY>(
      signal,
      { ended: { kind: "end" }, history },
      ({ clearing, lines }, done) => {
        lines.on("history", (all) => history = [...all]);
        onInterrupt = () => {
          screen.write("\n");
          done({ kind: "interrupt" });
        };
        putAway = () => {
          const { cursor, line: text } = lines;
          Object.assign(draft, { cursor, text });
          const codes = clearing();
          done(AWAY);
          return codes;
        };
        const onInput = (text: string) => done({ kind: "line", text });
        return promptLine(lines, screen, prompt, draft, onInput);
      },
    );
    promptTaker = taker;
    while (taker !== undefined && ahead.length > 0) {
      const next = ahead.shift();
      if (next !== undefined) taker(next);
    }
    return typed;
  }

  function interruptQuestion(): void {
    isInterrupted = true;
    process.kill(process.pid, "SIGINT");
    // The line that was typed answers nothing any more.
    loseReports("interrupt");
  }

  /** Drops the rest of an answer to a question that is gone. */
  async function dropRest(): Promise<void> {
    const before = ahead.length;
    const next = new Promise<void>((resolve) => endDrop = resolve);
    const quiet = untilQuiet((heard) => wake = heard, SEEN_MS);
    await Promise.race([quiet, next]);
    ahead.splice(before);
  }

  /** Asks for a number that no paste knows, until it is typed; `false` at the end of the input. */
  async function isPersonTyping(signal: AbortSignal): Promise<boolean> {
    const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
    const code = `${LEAST_CODE + random % CODES}`;
    const prompt = `A paste was cut off. Type ${code}, then answer again: `;
    for (;;) {
      const line = await edit<string | undefined>(
        signal,
        { ended: undefined },
        ({ lines }, done) => {
          onInterrupt = interruptQuestion;
          return questionLine(lines, { prompt }, done);
        },
      );
      if (line?.trim() === code) break;
      if (line === undefined) return false;
    }
    reader.forgetPaste();
    return true;
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
      let isCut = false;
      const line = await edit<string | undefined>(
        signal,
        { ended: undefined },
        ({ lines }, done) => {
          if (!isSilentTerminal()) {
            reports = reportsOf(screen);
            endWait = whenLate(() => {
              if (reports !== undefined) loseReports("silence");
            });
          }
          onInterrupt = interruptQuestion;
          const request = reports?.request;
          const last = { prompt: text.slice(at), request };
          return questionLine(lines, last, (line) => {
            before = ahead.length;
            isCut = reader.isPasteCut();
            done(line);
          });
        },
      );
      await sleep(TOGETHER_MS);
      const isFollowed = ahead.length > before;
      if (line === undefined || !isCut && !isFollowed) return line;
      await untilQuiet((heard) => wake = heard);
      if (!isCut) await shown(screen, `${SEVERAL_LINES}\n`);
      else if (!await isPersonTyping(signal)) return undefined;
      ahead.splice(before);
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
    takeScreen: shared.take,
    async line(prompt, signal) {
      const draft: Draft = { held: [], text: "", cursor: 0 };
      for (;;) {
        await shared.free(signal);
        const typed = await type(prompt, draft, signal);
        if (typed !== AWAY) return typed;
      }
    },
    async ask(text, signal) {
      await comeToFront(process.stdin, signal);
      const giveBack = await shared.take();
      isInterrupted = false;
      endDrop();
      try {
        const line = await question(text, signal);
        giveBack();
        return line;
      } catch (error) {
        if (isInterrupted) giveBack();
        else void dropRest().finally(giveBack);
        throw error;
      }
    },
    close: keyboard.close,
  };
}
