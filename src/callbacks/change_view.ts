import type { JsonObject } from "../types/json.ts";
import { added, type Change, diffParts, whole } from "./change_parts.ts";
import { notebookChange } from "./notebook_change.ts";
import { linesOf } from "./visible.ts";

/** Gives the text of a file: `undefined` for a missing file, `null` for one that cannot be shown. */
export type ReadText = (path: string) => Promise<string | undefined | null>;

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
