import type { Unread } from "../ports/read_text.ts";
import { type DiffLine, diffLines } from "./line_diff.ts";
import { linesOf } from "./visible.ts";

/** The change that a call would make. */
export interface ChangeView {
  readonly title: string;
  /** Its lines, in order. */
  readonly parts: readonly ChangePart[];
  /** Whether each line begins with a sign: kept, removed or added. */
  readonly isComparison: boolean;
}

/** View of the change that a tool call makes. */
export interface Change extends ChangeView {
  /** Fields of the input that it shows. */
  readonly uses: readonly string[];
}

/** Lines of a change. */
export interface ChangePart {
  readonly lines: readonly string[];
  /** Whether they stay as they are, away from any change. */
  readonly isFar: boolean;
}

/** Unchanged lines shown on each side of a change. */
const CONTEXT = 3;

/** Lines of a new text. */
export function added(text: string): readonly string[] {
  return linesOf(text).map((line) => `+${line}`);
}

/** Lines that are shown together, and all of them. */
export function whole(lines: readonly string[]): readonly ChangePart[] {
  return [{ lines, isFar: false }];
}

/** Changed lines with those around them, and the lines between; all together where nothing changes. */
export function diffParts(
  before: readonly string[],
  after: readonly string[],
): readonly ChangePart[] {
  const lines = diffLines(before, after);
  const isNear = nearChanges(lines);
  if (!isNear.includes(true)) return whole(lines.map(signed));
  const parts: { lines: string[]; isFar: boolean }[] = [];
  for (const [at, line] of lines.entries()) {
    const isFar = !isNear[at];
    const last = parts.at(-1);
    if (last?.isFar === isFar) last.lines.push(signed(line));
    else parts.push({ lines: [signed(line)], isFar });
  }
  return parts;
}

function signed({ sign, text }: DiffLine): string {
  return `${sign}${text}`;
}

function nearChanges(lines: readonly DiffLine[]): readonly boolean[] {
  const isNear = lines.map(() => false);
  for (const [at, { sign }] of lines.entries()) {
    if (sign === " ") continue;
    const from = Math.max(at - CONTEXT, 0);
    isNear.fill(true, from, Math.min(at + CONTEXT + 1, lines.length));
  }
  return isNear;
}

/** The reason why a file is not compared, for a title. */
export function becauseOf(
  before: string | undefined | Unread,
  ofText: string,
): string {
  if (typeof before === "object") return ` (${before.why})`;
  return ` (${before === undefined ? "no such file" : ofText})`;
}
