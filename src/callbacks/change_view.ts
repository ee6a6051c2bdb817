import { isObject } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { type DiffLine, diffLines } from "./line_diff.ts";
import { linesOf } from "./visible.ts";

/** Gives the text of a file: `undefined` for a missing file, `null` for one that cannot be shown. */
export type ReadText = (path: string) => Promise<string | undefined | null>;

/** The change that a call would make. */
export interface ChangeView {
  readonly title: string;
  /** Its lines, in order. */
  readonly parts: readonly ChangePart[];
  /** Whether each line begins with a sign: kept, removed or added. */
  readonly isComparison: boolean;
}

/** Lines of a change. */
export interface ChangePart {
  readonly lines: readonly string[];
  /** Whether they stay as they are, away from any change. */
  readonly isFar: boolean;
}

/** Unchanged lines shown on each side of a change. */
const CONTEXT = 3;

/** View of the change that a tool call makes. */
export interface Change extends ChangeView {
  /** Fields of the input that it shows. */
  readonly uses: readonly string[];
}

/** Compares with the file that is there; `undefined` for a tool whose fields say it all, and for an input of another shape. */
export async function changeOf(
  tool: string,
  input: JsonObject,
  readText: ReadText,
): Promise<Change | undefined> {
  const path = tool === "Write"
    ? input.file_path
    : tool === "NotebookEdit"
    ? input.notebook_path
    : undefined;
  const before = typeof path === "string" ? await readText(path) : null;
  return changeFrom(tool, input, before);
}

/** The same as {@link changeOf}, from the text of the file: `undefined` for a missing file, `null` for one that is not compared. */
export function changeFrom(
  tool: string,
  input: JsonObject,
  before: string | undefined | null,
): Change | undefined {
  switch (tool) {
    case "Edit": {
      const { old_string: before, new_string: after } = input;
      if (typeof before !== "string" || typeof after !== "string") {
        return undefined;
      }
      // The CLI then takes more than the input says.
      const takesEnd = after === "" && !before.endsWith("\n");
      return {
        title: [
          "changes",
          ...input.replace_all === true ? ["wherever this stands"] : [],
          ...takesEnd ? ["and a line end right behind it goes, too"] : [],
        ].join(", ") + ":",
        parts: diffParts(linesOf(before), linesOf(after)),
        isComparison: true,
        uses: ["old_string", "new_string"],
      };
    }
    case "Write": {
      const { content, file_path: path } = input;
      if (typeof content !== "string" || typeof path !== "string") {
        return undefined;
      }
      const shown = { isComparison: true, uses: ["content"] };
      if (typeof before !== "string") {
        const title = before === undefined
          ? "a new file:"
          : "the whole file, not compared with what is there:";
        return { title, parts: whole(added(content)), ...shown };
      }
      return {
        title: "changes of the file that is there:",
        parts: diffParts(linesOf(before), linesOf(content)),
        ...shown,
      };
    }
    case "NotebookEdit":
      return notebookChange(input, before);
    case "ExitPlanMode":
      return typeof input.plan === "string"
        ? {
          title: "its plan, which it would begin with:",
          parts: whole(linesOf(input.plan)),
          isComparison: false,
          uses: ["plan"],
        }
        : {
          title: "It gives no plan.",
          parts: [],
          isComparison: false,
          uses: [],
        };
    default:
      return undefined;
  }
}

function notebookChange(
  input: JsonObject,
  notebook: string | undefined | null,
): Change | undefined {
  const { cell_id: id, edit_mode: mode, new_source: source } = input;
  const path = input.notebook_path;
  if (typeof source !== "string" || typeof path !== "string") return undefined;
  const shown = { isComparison: true, uses: ["new_source"] };
  if (mode === "insert") {
    return { title: "a new cell:", parts: whole(added(source)), ...shown };
  }
  const before = cellOf(notebook, id);
  const after = mode === "delete" ? [] : linesOf(source);
  if (before === undefined) {
    return {
      title: mode === "delete"
        ? "removes a cell, which cannot be shown"
        : "the whole cell, not compared with what is there:",
      parts: whole(added(source)),
      ...shown,
    };
  }
  return {
    title: mode === "delete" ? "removes a cell:" : "changes of a cell:",
    parts: diffParts(linesOf(before), after),
    isComparison: true,
    // A deleted cell has no new source, even if the input names one.
    uses: mode === "delete" ? [] : shown.uses,
  };
}

/** The source of a cell, by its id or as `cell-3`. */
function cellOf(
  notebook: string | undefined | null,
  id: JsonValue | undefined,
): string | undefined {
  if (typeof notebook !== "string" || typeof id !== "string") return undefined;
  let read: unknown;
  try {
    read = JSON.parse(notebook);
  } catch {
    return undefined;
  }
  if (!isObject(read) || !Array.isArray(read.cells)) return undefined;
  const cells = read.cells.filter((one) => isObject(one));
  const place = /^cell-(\d+)$/.exec(id)?.[1];
  const cell = cells.find((one) => one.id === id) ??
    (place === undefined ? undefined : cells[Number(place)]);
  const source = Array.isArray(cell?.source)
    ? cell.source.join("")
    : cell?.source;
  return typeof source === "string" ? source : undefined;
}

function added(text: string): readonly string[] {
  return linesOf(text).map((line) => `+${line}`);
}

/** Lines that are shown together, and all of them. */
function whole(lines: readonly string[]): readonly ChangePart[] {
  return [{ lines, isFar: false }];
}

/** Changed lines with those around them, and the lines between; all together where nothing changes. */
function diffParts(
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
