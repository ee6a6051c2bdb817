import { joinSignals, unlessAborted } from "../async/on_abort.ts";
import { systemClock } from "../async/system_clock.ts";
import type { Terminal } from "../ports/terminal.ts";
import { asciiRows, widthOf } from "./visible.ts";

/** Of a terminal that does not say: that of old. */
const USUAL_SIZE = { columns: 80, rows: 24 };
const FEWEST_COLUMNS = 20;
const FEWEST_ROWS = 8;
/** Of a screen without an end: the number of its rows is computed with. */
const MOST = 1_000_000;
/** A window that is dragged changes again sooner, in milliseconds. */
const STEADY_MS = 100;
/** A change is heard this much later than keys that came with it, in milliseconds. */
const TOGETHER_MS = 20;

/** Stands for typed bytes that are no UTF-8. */
const UNREADABLE = "\ufffd";

/** Makes the rows of a text for a screen; `isWhole` leaves nothing out that stays as it is. */
export type Layout = (columns: number, isWhole: boolean) => readonly string[];

/** The screen has changed, so that what was shown may be gone. */
const CHANGED = Symbol("changed");

/** A terminal during one question. */
export interface Screen {
  readonly terminal: Terminal;
  /** Whether what was shown may be gone. */
  hasChanged(): boolean;
  /** Waits until it changes no more; what is shown from then on counts. */
  settle(signal: AbortSignal): Promise<void>;
  /** Shows a text and waits for a line; `CHANGED` for a line from a screen that has changed. */
  ask(text: string, signal: AbortSignal): Promise<unknown>;
  /** Ends the watching. */
  leave(): Promise<void>;
}

/** Watches a terminal from now on. */
export function watchScreen(terminal: Terminal): Screen {
  let changed = new AbortController();
  const leave = terminal.onChange?.(() => changed.abort());
  let size = sizeOf(terminal);
  // Deno before 2.7.4 reports no other size.
  const hasChanged = () => {
    const { columns, rows } = sizeOf(terminal);
    return changed.signal.aborted || columns !== size.columns ||
      rows !== size.rows;
  };
  return {
    terminal,
    hasChanged,
    async settle(signal) {
      do {
        changed = new AbortController();
        size = sizeOf(terminal);
        await systemClock.sleep(STEADY_MS, signal);
      } while (hasChanged());
    },
    async ask(text, signal) {
      const either = joinSignals(signal, changed.signal);
      let line: unknown;
      try {
        // A custom terminal may know nothing of signals.
        line = await unlessAborted(
          Promise.resolve(terminal.ask(text, either.signal)),
          either.signal,
        );
      } catch (error) {
        if (signal.aborted || !changed.signal.aborted) throw error;
      } finally {
        either.release();
      }
      // A custom terminal that answers at once, again and again, lets an abort through.
      await systemClock.sleep(leave ? TOGETHER_MS : 0, signal);
      return hasChanged() ? CHANGED : line;
    },
    leave: async () => await leave?.(),
  };
}

/** A text that may be longer than the screen, and the question below it. */
export interface Pages {
  /**
   * Shows what was not shown yet, page by page, and asks. An answer that needs the whole text counts only below its end.
   *
   * Everything is shown again when the screen has changed: what was on it may be gone. Pages that belong to an earlier text return `""`
   * instead, so that this is shown first.
   *
   * @param choices The question below the last page, as the screen needs it now
   * @param settlesEarly Whether an answer counts before everything was shown
   * @param early The question's part about that, below the other pages
   * @param notice Stands above the question the first time
   * @returns The answer without blanks around it; `undefined` when there will be none
   */
  ask(
    choices: () => string,
    settlesEarly: (answer: string) => boolean,
    early: string,
    notice?: string,
  ): Promise<string | undefined>;
  /** Lets the next `ask()` show everything again, from the first page. */
  startAgain(): void;
  /** Whether the text would be another one now, as that of a file that has changed. */
  isOutdated(): Promise<boolean>;
}

/** Whether a single key is too little for a yes: the screen is too small for a call and its question, or nothing reports what it has drawn. */
export function needsWord(terminal: Terminal): boolean {
  if (terminal.needsWord?.() === true) return true;
  const { columns, rows } = sizeOf(terminal);
  return columns < FEWEST_COLUMNS || rows < FEWEST_ROWS;
}

function sizeOf(
  terminal: Terminal,
): { readonly columns: number; readonly rows: number } {
  const { columns, rows } = terminal.size?.() ?? USUAL_SIZE;
  return {
    columns: Math.min(columns || USUAL_SIZE.columns, MOST),
    rows: Math.min(rows || USUAL_SIZE.rows, MOST),
  };
}

/** A text as pages of a terminal, made anew when it is shown again; `isBelow` for one that belongs to an earlier text. */
export function pagesOf(
  screen: Screen,
  load: () => Layout | Promise<Layout>,
  signal: AbortSignal,
  isBelow: boolean = false,
): Pages {
  let layout: Layout | undefined;
  let rows: readonly string[] = [];
  /** The width that the rows are made for. */
  let width: number | undefined;
  let shown = 0;
  let isWhole = false;

  function startAgain(): void {
    layout = width = undefined;
    isWhole = false;
  }

  return {
    startAgain,
    async isOutdated() {
      const before = layout?.(FEWEST_COLUMNS, true);
      const now = (await load())(FEWEST_COLUMNS, true);
      return before?.join("\n") !== now.join("\n");
    },
    async ask(choices, settlesEarly, early, given) {
      for (let notice = given;;) {
        if (screen.hasChanged()) {
          if (isBelow) return "";
          await screen.settle(signal);
          startAgain();
        }
        layout ??= await load();
        const size = sizeOf(screen.terminal);
        const columns = Math.max(size.columns, FEWEST_COLUMNS);
        const drawn = (given: readonly string[]) =>
          screen.terminal.isAscii?.() === true
            ? asciiRows(given, columns)
            : given;
        if (width !== columns) {
          width = columns;
          rows = drawn(layout(columns, isWhole));
          shown = 0;
        }
        const question = (to: number) =>
          to === rows.length
            ? choices()
            : `(${to} of ${rows.length} lines) Enter = more, all = the rest, ${early}`;
        const rowsOf = (text: string) =>
          Math.ceil(widthOf(text) / size.columns);
        // Blank line, notice, and the longer question with what is typed.
        const around = 2 + rowsOf(notice ?? "") +
          Math.max(rowsOf(question(-1)), rowsOf(choices()));
        const height = Math.ceil(columns / size.columns);
        const room = Math.max(Math.floor((size.rows - around) / height), 1);
        const to = isWhole ? rows.length : Math.min(shown + room, rows.length);
        const text = [
          ...shown === 0 ? [""] : [],
          ...notice === undefined ? [] : [notice],
          ...rows.slice(shown, to),
          question(to),
        ].join("\n");
        shown = to;
        notice = undefined;
        const line = await screen.ask(text, signal);
        if (line === CHANGED) continue;
        // A custom terminal may return anything.
        if (typeof line !== "string") return undefined;
        if (line.includes(UNREADABLE)) {
          notice = "Not taken as an answer: its characters are not UTF-8.";
          continue;
        }
        // No other blank is one that a person typed by accident.
        const answer = line.replace(/^[ \t]+|[ \t]+$/g, "");
        const isOver = shown === rows.length;
        if (answer.toLowerCase() === "all") {
          isWhole = true;
          const whole = drawn(layout(columns, isWhole));
          if (isOver || whole.length !== rows.length) shown = 0;
          rows = whole;
        } else if (isOver || settlesEarly(answer)) {
          return answer;
        } else if (answer !== "") {
          notice = `Not taken as an answer: ${
            rows.length - shown
          } lines were not shown yet.`;
        }
      }
    },
  };
}
