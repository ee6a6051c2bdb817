import { isObject } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { PermissionContext } from "../types/permissions.ts";
import { type DiffLine, diffLines } from "./line_diff.ts";
import type { Layout } from "./pages.ts";
import { blockRows, linesOf, spelledOut, toRows } from "./visible.ts";

/** Gives the text of a file: `undefined` for a missing file, `null` for one that cannot be shown. */
export type ReadText = (path: string) => Promise<string | undefined | null>;

/** Unchanged lines shown on each side of a change. */
const CONTEXT = 3;
const BEYOND_ASCII = /[\u{80}-\u{10ffff}]/u;
/** Deeper values stand in one line: such indentation is unreadable. */
const MOST_LEVELS = 12;

/** Lays out all that a person has to know of a tool call. */
export async function callLayout(
  tool: string,
  input: JsonObject,
  context: PermissionContext,
  readText: ReadText,
): Promise<Layout> {
  const view = await viewOf(tool, input, readText);
  const fields = Object.entries(input)
    .filter(([name]) => view?.uses.includes(name) !== true);
  const facts = factsOf(tool, input, context);
  return (columns, isWhole) => [
    ...toRows(`May the agent use ${tool}?`, columns, ""),
    ...facts.flatMap((text) => toRows(text, columns)),
    ...fields.flatMap(([name, value]) => fieldRows(name, value, columns)),
    ...view === undefined ? [] : [
      ...toRows(view.title, columns),
      ...view.parts(isWhole).flatMap((part) =>
        typeof part === "string"
          ? toRows(part, columns)
          : blockRows(part, columns)
      ),
    ],
  ];
}

/** Statements of the CLI about the call, beside its input. */
function factsOf(
  tool: string,
  input: JsonObject,
  {
    agentId,
    blockedPath,
    decisionReason,
    description,
    mcpServer,
    title,
  }: PermissionContext,
): readonly string[] {
  const server = mcpServer?.source === undefined
    ? mcpServer?.name
    : `${mcpServer.name} (${mcpServer.source})`;
  const facts: readonly (readonly [string, string | undefined])[] = [
    // Letters of other scripts may look like those of a known tool.
    [
      "not only plain letters: ",
      BEYOND_ASCII.test(tool) ? spelledOut(tool) : undefined,
    ],
    ["", title],
    // The model's own words, which stand among the fields as well.
    ["about: ", description === input.description ? undefined : description],
    ["reason: ", decisionReason],
    ["blocked path: ", blockedPath],
    ["MCP server: ", server],
    ["subagent: ", agentId],
  ];
  return facts.flatMap(([name, text]) =>
    text === undefined ? [] : [`${name}${linesOf(text).join(" ⏎ ")}`]
  );
}

/** A field of an input, in one row or as a block. */
export function fieldRows(
  name: string,
  value: JsonValue | undefined,
  columns: number,
): readonly string[] {
  // A text that reads like another value stands in quotes.
  const isPosing = typeof value === "string" && isJson(value);
  const lines = typeof value === "string" && !isPosing
    ? linesOf(value)
    : treeOf(value, 0);
  // An odd key could pass for a part of the value above it.
  const key = /^\w[\w .$-]*$/.test(name) ? name : `"${name}"`;
  const [only = ""] = lines;
  const isStructure = typeof value === "object" && value !== null;
  return lines.length === 1 && !isStructure
    ? toRows(`${key}: ${only}`, columns)
    : [...toRows(`${key}:`, columns), ...blockRows(lines, columns)];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON with a line for each part; a text of several lines stays one. */
function treeOf(
  value: JsonValue | undefined,
  level: number,
): readonly string[] {
  const indent = "  ".repeat(level);
  if (!isBranch(value, level)) {
    const lines = typeof value === "string" && value.includes("\n")
      ? linesOf(value)
      : [JSON.stringify(value)];
    return lines.map((line) => `${indent}${line}`);
  }
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, part]) => {
    const name = isList ? "-" : `${JSON.stringify(key)}:`;
    const lines = treeOf(part, level + 1);
    const [only = ""] = lines;
    return lines.length > 1 || isBranch(part, level + 1)
      ? [`${indent}${name}`, ...lines]
      : [`${indent}${name} ${only.trimStart()}`];
  });
}

/** Whether a value has lines of its own for its parts. */
function isBranch(
  value: JsonValue | undefined,
  level: number,
): value is JsonObject {
  return typeof value === "object" && value !== null && level < MOST_LEVELS &&
    Object.keys(value).length > 0;
}

/** A text of ours, or a block of lines. */
type Part = string | readonly string[];

/** How some tools are shown. */
interface View {
  readonly title: string;
  readonly parts: (isWhole: boolean) => readonly Part[];
  /** Fields of the input that it shows. */
  readonly uses: readonly string[];
}

/** `undefined` for a tool whose fields say it all, and for an input of another shape. */
async function viewOf(
  tool: string,
  input: JsonObject,
  readText: ReadText,
): Promise<View | undefined> {
  switch (tool) {
    case "Edit": {
      const { old_string: before, new_string: after } = input;
      if (typeof before !== "string" || typeof after !== "string") {
        return undefined;
      }
      return {
        title: input.replace_all === true
          ? "changes, wherever this stands:"
          : "changes:",
        parts: diffParts(linesOf(before), linesOf(after)),
        uses: ["old_string", "new_string"],
      };
    }
    case "Write": {
      const { content, file_path: path } = input;
      if (typeof content !== "string" || typeof path !== "string") {
        return undefined;
      }
      const uses = ["content"];
      const before = await readText(path);
      if (typeof before !== "string") {
        const title = before === undefined
          ? "a new file:"
          : "the whole file, not compared with what is there:";
        return { title, parts: () => [added(content)], uses };
      }
      return {
        title: "changes of the file that is there:",
        parts: diffParts(linesOf(before), linesOf(content)),
        uses,
      };
    }
    case "NotebookEdit":
      return await notebookView(input, readText);
    case "ExitPlanMode":
      return typeof input.plan === "string"
        ? {
          title: "its plan, which it would begin with:",
          parts: () => [linesOf(input.plan as string)],
          uses: ["plan"],
        }
        : { title: "It gives no plan.", parts: () => [], uses: [] };
    default:
      return undefined;
  }
}

async function notebookView(
  input: JsonObject,
  readText: ReadText,
): Promise<View | undefined> {
  const { cell_id: id, edit_mode: mode, new_source: source } = input;
  const path = input.notebook_path;
  if (typeof source !== "string" || typeof path !== "string") return undefined;
  const uses = ["new_source"];
  if (mode === "insert") {
    return { title: "a new cell:", parts: () => [added(source)], uses };
  }
  const before = cellOf(await readText(path), id);
  const after = mode === "delete" ? [] : linesOf(source);
  if (before === undefined) {
    return {
      title: mode === "delete"
        ? "removes a cell, which cannot be shown"
        : "the whole cell, not compared with what is there:",
      parts: () => [added(source)],
      uses,
    };
  }
  return {
    title: mode === "delete" ? "removes a cell:" : "changes of a cell:",
    parts: diffParts(linesOf(before), after),
    // A deleted cell has no new source, even if the input names one.
    uses: mode === "delete" ? [] : uses,
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

/** Changed lines with those around them; or all lines, as where nothing changes. */
function diffParts(
  before: readonly string[],
  after: readonly string[],
): (isWhole: boolean) => readonly Part[] {
  const lines = diffLines(before, after);
  const hasChanges = lines.some(({ sign }) => sign !== " ");
  return (isWhole) =>
    isWhole || !hasChanges
      ? [lines.map(({ sign, text }) => `${sign}${text}`)]
      : nearChanges(lines);
}

function nearChanges(lines: readonly DiffLine[]): readonly Part[] {
  const isNear = lines.map(() => false);
  for (const [at, { sign }] of lines.entries()) {
    if (sign === " ") continue;
    const from = Math.max(at - CONTEXT, 0);
    isNear.fill(true, from, Math.min(at + CONTEXT + 1, lines.length));
  }
  const parts: (string | string[])[] = [];
  let hidden = 0;
  const tellHidden = () => {
    if (hidden > 0) parts.push(`(${hidden} lines stay; all shows them)`);
    hidden = 0;
  };
  for (const [at, { sign, text }] of lines.entries()) {
    if (!isNear[at]) {
      hidden++;
      continue;
    }
    tellHidden();
    const last = parts.at(-1);
    if (Array.isArray(last)) last.push(`${sign}${text}`);
    else parts.push([`${sign}${text}`]);
  }
  tellHidden();
  return parts;
}
