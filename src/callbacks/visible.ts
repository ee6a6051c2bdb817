import { spellOut } from "../errors/printable.ts";
import { HIDDEN } from "./hidden.ts";
import { twinsIn } from "./twins.ts";

/** Finds a character that ASCII does not have. */
export const BEYOND_ASCII: RegExp = /[\u{80}-\u{10ffff}]/u;
/** Stands for a blank where none could be seen. */
const BLANK = "·";
/** Marks of tabs, blanks and line breaks. */
const MARKS = /[→·⟨⏎]/;
/** Everything that is spelled out, reads like that, or may be a twin, and the backslashes before it. */
const SPELLED = new RegExp(
  `(?<!\\\\)(\\\\*)(?:(?<=\\\\)(u\\{[\\da-f]+\\})|((?!\\t)(?:${HIDDEN}|${MARKS.source}))|([^\\0-\\x7f]))`,
  "gu",
);
/** A row of blanks that is longer could push text out of sight. */
const MANY_BLANKS = / {40,}/g;
/** More equal lines in a row are counted instead of repeated. */
const MOST_REPEATS = 3;
/** Marks a line of the input, and the rest of one that is longer than the screen, so that none looks like a prompt. ASCII is drawn alike everywhere. */
const LINE = "  | ";
const REST = "  : ";
/** All backslashes before a character beyond ASCII, which may begin the next row. */
const BEFORE_CODE = new RegExp(
  `(?<!\\\\(?:\\n${REST})?)(?:\\\\(?:\\n${REST})?)+(?=[^\\n -~])`,
  "g",
);

/** Lines of a text, exact: a carriage return before a line break belongs to its line. */
export function linesOf(text: string): string[] {
  return text.split("\n");
}

/**
 * A line in which everything can be seen, and no two lines look alike: backslashes before a code, and before a text that reads like one,
 * are doubled.
 */
export function visible(line: string): string {
  if (/^[!-~]*(?: [!-~]+)*$/.test(line) && !line.includes("\\u{")) return line;
  const twins = twinsIn(line);
  return line
    .replace(SPELLED, (
      all: string,
      before: string,
      code: string | undefined,
      one: string | undefined,
      other: string,
      at: number,
    ) =>
      code === undefined && one === undefined && !twins.has(at + before.length)
        ? all
        : before + before + (code ?? spellOut(one ?? other)))
    .replaceAll("\t", "→   ")
    .replace(MANY_BLANKS, ({ length }) => `⟨${length} spaces⟩`)
    .replace(/ +$/, ({ length }) => BLANK.repeat(length));
}

/** A text of several lines in one, in which everything can be seen. */
export function visibleLines(text: string): string {
  return linesOf(text).map(visible).join(" ⏎ ");
}

/** A text in which every character beyond ASCII stands as its code. */
export function spelledOut(text: string): string {
  return text.replace(/[\u{80}-\u{10ffff}]/gu, spellOut);
}

/** Rows with every character beyond ASCII as its code, and backslashes before one doubled, also those at the end of the row above. */
export function asciiRows(
  rows: readonly string[],
  columns: number,
): readonly string[] {
  const text = rows.join("\n")
    .replace(BEFORE_CODE, (all) => all.replaceAll("\\", "\\\\"))
    .replaceAll("→", spellOut("\t")).replaceAll("·", spellOut(" "))
    .replaceAll("⏎", spellOut("\n"))
    .replace(/⟨(\d+ spaces)⟩/g, "⟨$1>")
    .replaceAll("⟨", `${spellOut(" ")}<`);
  return linesOf(spelledOut(text)).flatMap((row) => split(row, columns, ""));
}

/** One line of text in rows of a screen, each shown whole. */
export function toRows(
  text: string,
  columns: number,
  begin: string = "  ",
): readonly string[] {
  return split(visible(text), columns, begin);
}

/** A character with its marks, and the blanks before it: at the end of a row they could not be seen. */
const UNIT = /( *)(\P{M}\p{M}*|\p{M}+)/gsu;

/** A line in which everything can be seen already, in rows of a screen. */
export function split(
  line: string,
  columns: number,
  begin: string,
): readonly string[] {
  const rows: string[] = [];
  let row = begin;
  let used = widthOf(begin);
  const breakRow = () => {
    rows.push(row);
    row = REST;
    used = REST.length;
  };
  for (const [, blanks = "", one = ""] of line.matchAll(UNIT)) {
    const width = widthOf(one);
    if (used + blanks.length + width > columns) breakRow();
    let left = blanks.length;
    // More blanks than a row holds stand as marks, of up to two columns each.
    while (left > 0 && used + left + width > columns) {
      const marks = Math.min(left, Math.max(1, (columns - used) >> 1));
      row += BLANK.repeat(marks);
      left -= marks;
      breakRow();
    }
    row += " ".repeat(left) + one;
    used += left + width;
  }
  rows.push(row);
  return rows;
}

/** Lines, and how often the one before is repeated: equal ones in a row stand three times and are counted. */
export function foldRepeats(
  lines: readonly string[],
): readonly (string | number)[] {
  const folded: (string | number)[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    let next = at;
    while (next < lines.length && lines[next] === line) next++;
    const shown = Math.min(next - at, MOST_REPEATS);
    for (let one = 0; one < shown; one++) folded.push(line);
    const more = next - at - shown;
    if (more > 0) folded.push(more);
    at = next;
  }
  return folded;
}

/** Foreign lines, marked as such. */
export function blockRows(
  lines: readonly string[],
  columns: number,
): readonly string[] {
  return foldRepeats(lines).flatMap((line) =>
    typeof line === "number"
      ? [`  (this line ${line} more times)`]
      : toRows(line, columns, LINE)
  );
}

/** Columns that a text takes at most. */
export function widthOf(text: string): number {
  let width = 0;
  for (const one of text) width += widthOfCharacter(one);
  return width;
}

function widthOfCharacter(one: string): number {
  // Many terminals draw letters with accents, Greek and symbols in two columns, too.
  return one > "~" ? 2 : 1;
}
