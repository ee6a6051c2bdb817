import type { ShownLine } from "../../src/command/web/data.ts";
import { make } from "../inspect/elements.ts";
import { signed } from "../inspect/row.ts";

/** Lines in one part: it has to fit on a screen. */
const PART_LINES = 10;
/** Characters of a line that is a part of its own. */
const PIECE = 600;

/** Lines in parts that fit on a screen; each part has the class `part`. */
export function linesIn(
  lines: readonly ShownLine[],
  { isComparison = false, isProse = false }: {
    readonly isComparison?: boolean;
    readonly isProse?: boolean;
  } = {},
): HTMLElement {
  const block = make("div", isProse ? "block prose" : "block");
  let part: HTMLElement | undefined;
  for (const line of lines) {
    const isLong = typeof line === "string" && line.length > PIECE;
    if (isLong) {
      block.append(longLine(line, isComparison));
      part = undefined;
      continue;
    }
    if (part === undefined || part.childElementCount >= PART_LINES) {
      part = make("div", "part");
      block.append(part);
    }
    part.append(
      typeof line === "number"
        ? make("div", "repeat", `(this line ${line} more times)`)
        : shownLine(line, isComparison),
    );
    if (isProse) (part.lastElementChild as HTMLElement).dir = "auto";
  }
  return block;
}

function shownLine(line: string, isComparison: boolean): HTMLElement {
  return isComparison ? signed(line) : make("div", "line", line);
}

/** A line in pieces, each of which fits on a screen. */
function longLine(line: string, isComparison: boolean): HTMLElement {
  const node = shownLine(isComparison ? line.charAt(0) : "", isComparison);
  const characters = [...line.slice(isComparison ? 1 : 0)];
  for (let at = 0; at < characters.length; at += PIECE) {
    const piece = characters.slice(at, at + PIECE).join("");
    node.append(make("span", "part", piece));
  }
  return node;
}
