import type { JsonObject } from "../types/json.ts";
import type { Unread } from "../ports/read_text.ts";
import { type Change, whole } from "./change_parts.ts";
import { linesOf } from "./visible.ts";

/** A call that cannot be shown, so that no person may allow it; the message names the remedy. */
export class Unshowable extends Error {}

/** The plan as it is in its file, which the CLI prefers to the input of the call. */
export function planChange(
  { plan: given, planFilePath: path }: JsonObject,
  inFile: string | undefined | Unread,
): Change {
  const hasFile = typeof path === "string";
  if (hasFile && typeof inFile === "object") {
    throw new Unshowable(
      `No person can see the plan in ${path} (${inFile.why}). Write a plain text below 2 MB there, which this program can read`,
    );
  }
  const plan = hasFile ? inFile : given;
  const isThere = typeof plan === "string" && plan.trim() !== "";
  return {
    title: isThere
      ? "its plan, which it would begin with:"
      : hasFile
      ? "no plan: its file is missing or empty"
      : "no plan",
    parts: isThere ? whole(linesOf(plan)) : [],
    isComparison: false,
    uses: isThere || hasFile ? ["plan"] : [],
  };
}
