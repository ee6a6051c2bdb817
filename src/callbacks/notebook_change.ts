import { isObject } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { added, type Change, diffParts, whole } from "./change_parts.ts";
import { linesOf } from "./visible.ts";

/** The change that `NotebookEdit` makes of a cell. */
export function notebookChange(
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
