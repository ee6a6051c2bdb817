import type { JsonObject } from "../types/json.ts";
import type { PermissionContext } from "../types/permissions.ts";
import { callView, type Fact, type FieldView } from "./call_view.ts";
import type { ChangeView } from "./change_parts.ts";
import type { ReadText } from "../ports/read_text.ts";
import type { Layout } from "./pages.ts";
import { blockRows, split, toRows } from "./visible.ts";

/** Marks rows with words of Sluice alone; no name of a field begins like that. */
const NOT_INPUT = "* ";

/** Lays out all that a person has to know of a tool call. */
export async function callLayout(
  tool: string,
  input: JsonObject,
  context: PermissionContext,
  readText: ReadText,
): Promise<Layout> {
  const view = await callView(tool, input, context, readText);
  const { change, facts, fields, title } = view;
  return (columns, isWhole) => [
    ...toRows(title, columns, ""),
    ...facts.flatMap((fact) => factRows(fact, columns)),
    ...fields.flatMap((field) => fieldRows(field, columns)),
    ...change === undefined ? [] : changeRows(change, columns, isWhole),
  ];
}

function factRows({ lines, words }: Fact, columns: number): readonly string[] {
  return lines === undefined ? split(words, columns, NOT_INPUT) : [
    ...split(`${words}:`, columns, NOT_INPUT),
    ...blockRows(lines, columns),
  ];
}

/** A field of an input, in one row or as a block. */
export function fieldRows(
  { isBlock, lines, name }: FieldView,
  columns: number,
): readonly string[] {
  return isBlock
    ? [...toRows(`${name}:`, columns), ...blockRows(lines, columns)]
    : toRows(`${name}: ${lines[0]}`, columns);
}

function changeRows(
  { parts, title }: ChangeView,
  columns: number,
  isWhole: boolean,
): readonly string[] {
  const all = parts.flatMap(({ lines }) => lines);
  const rows = isWhole
    ? blockRows(all, columns)
    : parts.flatMap(({ isFar, lines }) =>
      isFar
        ? toRows(`(${lines.length} unchanged lines; "all" shows them)`, columns)
        : blockRows(lines, columns)
    );
  return [...toRows(title, columns, NOT_INPUT), ...rows];
}
