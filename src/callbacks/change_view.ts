import type { ReadText, Unread } from "../ports/read_text.ts";
import type { JsonObject } from "../types/json.ts";
import { PLAN_TOOL } from "./approved_plan.ts";
import {
  added,
  becauseOf,
  type Change,
  type ChangeView,
  diffParts,
  whole,
} from "./change_parts.ts";
import { notebookChange } from "./notebook_change.ts";
import { planChange } from "./plan_change.ts";
import { BEYOND_ASCII, linesOf } from "./visible.ts";
import { editedFile, writtenFile } from "./written_file.ts";

/** Compares with the file that is there; `undefined` for a tool whose fields say it all, and for an input of another shape. Throws `Unshowable`. */
export async function changeOf(
  tool: string,
  input: JsonObject,
  readText: ReadText,
): Promise<Change | undefined> {
  if (tool === PLAN_TOOL) {
    const { planFilePath: path } = input;
    const inFile = typeof path === "string"
      ? await readText(path, "leniently")
      : undefined;
    return planChange(input, inFile);
  }
  const path = tool === "Write" || tool === "Edit"
    ? input.file_path
    : tool === "NotebookEdit"
    ? input.notebook_path
    : undefined;
  const before = typeof path === "string"
    ? await readText(path)
    : { why: "without a path" };
  return changeFrom(tool, input, before);
}

/** The same as {@link changeOf}, from the text of the file: `undefined` for a missing file, the reason for one that is not compared. */
export function changeFrom(
  tool: string,
  input: JsonObject,
  before: string | undefined | Unread,
): Change | undefined {
  switch (tool) {
    case "Edit":
      return editChange(input, before);
    case "Write": {
      const { content, file_path: path } = input;
      if (typeof content !== "string" || typeof path !== "string") {
        return undefined;
      }
      const after = writtenFile(
        typeof before === "string" ? before : undefined,
        content,
      );
      return { ...fileChange(before, after), uses: ["content"] };
    }
    case "NotebookEdit":
      return notebookChange(input, before);
    default:
      return undefined;
  }
}

function editChange(
  input: JsonObject,
  before: string | undefined | Unread,
): Change | undefined {
  const { old_string: old, new_string: text, replace_all } = input;
  if (typeof old !== "string" || typeof text !== "string") return undefined;
  const uses = ["old_string", "new_string"];
  const isEverywhere = replace_all === true;
  const after = typeof before === "object"
    ? undefined
    : editedFile(before, { old, new: text, isEverywhere });
  if (after !== undefined) return { ...fileChange(before, after), uses };
  // The CLI then takes more than the input says.
  const takesEnd = text === "" && !old.endsWith("\n");
  const bendsQuotes = /['"‘’“”]/.test(old) && /['"]/.test(text);
  const why = becauseOf(before, "no single match");
  return {
    title: [
      `changes, not compared with the file that is there${why}`,
      ...isEverywhere ? ["wherever this stands"] : [],
      ...takesEnd
        ? [
          isEverywhere
            ? "but only at line ends, which go, too, if it stands at any"
            : "and a line end right behind it goes, too",
        ]
        : [],
      ...bendsQuotes ? ["straight quotes may become curly"] : [],
      // In a file that has escapes in place of the old text.
      ...BEYOND_ASCII.test(text)
        ? ["characters outside of ASCII may become escapes such as \\u00e9"]
        : [],
      "and line ends of other lines may change:",
    ].join(", "),
    parts: diffParts(linesOf(old), linesOf(text.toWellFormed())),
    isComparison: true,
    uses,
  };
}

/** A file before and after, the reason for one that is not compared. */
function fileChange(
  before: string | undefined | Unread,
  after: string,
): ChangeView {
  if (typeof before === "string") {
    return {
      title: "changes of the file that is there:",
      parts: diffParts(linesOf(before), linesOf(after)),
      isComparison: true,
    };
  }
  return {
    title: before === undefined
      ? "a new file:"
      : `the whole file, not compared with what is there (${before.why}), whose encoding stays:`,
    parts: whole(added(after)),
    isComparison: true,
  };
}
