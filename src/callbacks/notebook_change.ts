import { isObject, parsedJson } from "../errors/text.ts";
import type { Unread } from "../ports/read_text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import {
  added,
  becauseOf,
  type Change,
  diffParts,
  whole,
} from "./change_parts.ts";
import { linesOf } from "./visible.ts";
import { rewrittenFile, unmarked } from "./written_file.ts";

/** The change that `NotebookEdit` makes of a cell, and in its title what else changes. */
export function notebookChange(
  input: JsonObject,
  text: string | undefined | Unread,
): Change | undefined {
  const { cell_id: id, edit_mode: mode, new_source: source } = input;
  const path = input.notebook_path;
  if (typeof source !== "string" || typeof path !== "string") return undefined;
  const notebook = typeof text === "string" ? notebookIn(text) : undefined;
  const layout = notebook === undefined
    ? ", and the whole notebook may be formatted anew:"
    : notebook.isAsWritten
    ? ":"
    : ", and the whole notebook is formatted anew:";
  const shown = { isComparison: true, uses: ["new_source"] };
  if (mode === "insert") {
    return {
      title: `a new cell${layout}`,
      parts: whole(added(source)),
      ...shown,
    };
  }
  const cell = notebook && cellOf(notebook.cells, id);
  const before = sourceOf(cell);
  if (before === undefined) {
    const ofText = notebook === undefined ? "no notebook" : "no such cell";
    const why = becauseOf(text, ofText);
    return {
      title: mode === "delete"
        ? `removes a cell, which cannot be shown${why}${layout}`
        : `the whole cell, not compared with what is there${why}, whose outputs and execution count go${layout}`,
      parts: whole(added(source)),
      ...shown,
    };
  }
  if (mode === "delete") {
    return {
      title: `removes a cell${layout}`,
      parts: diffParts(linesOf(before), []),
      isComparison: true,
      // A deleted cell has no new source, even if the input names one.
      uses: [],
    };
  }
  const lost = lostOf(cell);
  return {
    title: `changes of a cell${lost === "" ? "" : `, whose ${lost}`}${layout}`,
    parts: diffParts(linesOf(before), linesOf(source)),
    ...shown,
  };
}

/** Cells of a notebook, and whether its text has the layout in which the CLI writes it. */
function notebookIn(text: string): {
  readonly cells: readonly JsonObject[];
  readonly isAsWritten: boolean;
} | undefined {
  const read = parsedJson(unmarked(text));
  if (!isObject(read) || !Array.isArray(read.cells)) return undefined;
  const end = text.endsWith("\n") ? "\n" : "";
  const written = JSON.stringify(read, null, 1) + end;
  return {
    cells: read.cells.filter((one) => isObject(one)),
    isAsWritten: rewrittenFile(text, written) === text,
  };
}

/** A cell, by its id or as `cell-3`. */
function cellOf(
  cells: readonly JsonObject[],
  id: JsonValue | undefined,
): JsonObject | undefined {
  if (typeof id !== "string") return undefined;
  const place = /^cell-(\d+)$/.exec(id)?.[1];
  return cells.find((one) => one.id === id) ??
    (place === undefined ? undefined : cells[Number(place)]);
}

/** Words for the parts of a cell that another source removes; `""` if it removes none. */
function lostOf(cell: JsonObject | undefined): string {
  if (cell?.cell_type !== "code") return "";
  const { execution_count: count, outputs } = cell;
  const losesOutputs = Array.isArray(outputs) && outputs.length > 0;
  if (typeof count !== "number") return losesOutputs ? "outputs go" : "";
  return losesOutputs
    ? "outputs and execution count go"
    : "execution count goes";
}

function sourceOf(cell: JsonObject | undefined): string | undefined {
  const source = Array.isArray(cell?.source)
    ? cell.source.join("")
    : cell?.source;
  return typeof source === "string" ? source : undefined;
}
