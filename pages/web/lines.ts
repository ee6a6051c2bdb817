import type { ShownLine } from "../../src/command/web/data.ts";
import { make } from "../inspect/elements.ts";
import { signed } from "../inspect/row.ts";

/** Characters of a part: it has to fit on a screen. */
const PIECE = 600;
/** Characters that a shorter line counts for. */
const ROW = 60;

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
  let room = 0;
  for (const line of lines) {
    const length = typeof line === "string" ? Math.max(line.length, ROW) : ROW;
    if (typeof line === "string" && length > PIECE) {
      block.append(longLine(line, isComparison));
      part = undefined;
      continue;
    }
    if (part === undefined || length > room) {
      part = make("div", "part");
      block.append(part);
      room = PIECE;
    }
    room -= length;
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
  const node = isComparison ? signed(line) : make("div", "line", line);
  node.replaceChildren(exact(...node.childNodes));
  return node;
}

/** Text in which the end of each row is marked, so that a blank there can be seen. */
function exact(...text: readonly (Node | string)[]): HTMLElement {
  const node = make("span", "exact");
  node.append(...text);
  return node;
}

/** A line in pieces, each of which fits on a screen. */
function longLine(line: string, isComparison: boolean): HTMLElement {
  const node = shownLine(isComparison ? line.charAt(0) : "", isComparison);
  node.firstElementChild?.append(...piecesOf(line.slice(isComparison ? 1 : 0)));
  return node;
}

/** A text without lines as an element: a part, or parts that fit on a screen. */
export function textIn<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  text: string,
  className = "",
): HTMLElementTagNameMap[K] {
  const node = make(tag, className);
  if (text.length > PIECE) node.append(exact(...piecesOf(text)));
  else {
    node.classList.add("part");
    node.append(exact(text));
  }
  return node;
}

function piecesOf(text: string): readonly HTMLElement[] {
  const characters = [...text];
  const pieces: HTMLElement[] = [];
  for (let at = 0; at < characters.length; at += PIECE) {
    const piece = characters.slice(at, at + PIECE).join("");
    pieces.push(make("span", "part", piece));
  }
  return pieces;
}
