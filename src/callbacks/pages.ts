import type { Terminal } from "../ports/terminal.ts";
import { widthOf } from "./visible.ts";

/** Of a terminal that does not say: that of old. */
const USUAL_SIZE = { columns: 80, rows: 24 };
const FEWEST_COLUMNS = 20;
const FEWEST_ROWS = 8;

/** A text that may be longer than the screen, and the question below it. */
export interface Pages {
  /**
   * Shows what was not shown yet, page by page, and asks. An answer that needs the whole text counts only below its end.
   *
   * @param choices The question below the last page
   * @param settlesEarly Whether an answer counts before everything was shown
   * @param early The question's part about that, below the other pages
   * @returns The answer, trimmed; `undefined` when there will be none
   */
  ask(
    choices: string,
    settlesEarly: (answer: string) => boolean,
    early: string,
  ): Promise<string | undefined>;
}

/** Whether a screen is too small to show a call and its question at once. */
export function isTiny(terminal: Terminal): boolean {
  const { columns, rows } = terminal.size?.() ?? USUAL_SIZE;
  return (columns || USUAL_SIZE.columns) < FEWEST_COLUMNS ||
    (rows || USUAL_SIZE.rows) < FEWEST_ROWS;
}

/** How wide a text may be here. */
export function columnsOf(terminal: Terminal): number {
  const { columns } = terminal.size?.() ?? USUAL_SIZE;
  return Math.max(columns || USUAL_SIZE.columns, FEWEST_COLUMNS);
}

/** Rows as pages of a terminal. */
export function pagesOf(
  terminal: Terminal,
  rows: readonly string[],
  signal: AbortSignal,
): Pages {
  let shown = 0;
  let isWhole = false;
  return {
    async ask(choices, settlesEarly, early) {
      for (let notice: string | undefined;;) {
        const columns = columnsOf(terminal);
        const { rows: height } = terminal.size?.() ?? USUAL_SIZE;
        const question = (to: number) =>
          to === rows.length
            ? choices
            : `(${to} of ${rows.length} lines) Enter = more, all = the rest, ${early}`;
        const rowsOf = (text: string) => Math.ceil(widthOf(text) / columns);
        // Blank line, notice, and the longer question with what is typed.
        const around = 2 + rowsOf(notice ?? "") +
          Math.max(rowsOf(question(-1)), rowsOf(choices));
        const room = Math.max((height || USUAL_SIZE.rows) - around, 1);
        const to = isWhole ? rows.length : Math.min(shown + room, rows.length);
        const text = [
          ...shown === 0 ? [""] : [],
          ...notice === undefined ? [] : [notice],
          ...rows.slice(shown, to),
          question(to),
        ].join("\n");
        shown = to;
        const line = await terminal.ask(text, signal);
        // A custom terminal may return anything.
        if (typeof line !== "string") return undefined;
        const answer = line.trim();
        const isOver = shown === rows.length;
        if (answer.toLowerCase() === "all") {
          if (isOver) shown = 0;
          isWhole = true;
          notice = undefined;
        } else if (isOver || settlesEarly(answer)) {
          return answer;
        } else {
          notice = answer === ""
            ? undefined
            : `Not taken as an answer: ${
              rows.length - shown
            } lines were not shown yet.`;
        }
      }
    },
  };
}
