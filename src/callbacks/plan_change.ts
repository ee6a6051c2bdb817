import type { PermissionDecision } from "../protocol/permissions.ts";
import type { JsonObject } from "../types/json.ts";
import { type Change, type Unread, whole } from "./change_parts.ts";
import { linesOf } from "./visible.ts";

/** A call that cannot be shown, so that no person may allow it; the message names the remedy. */
export class Unshowable extends Error {}

/** The plan as it is in its file, which the CLI reads again after the answer. */
export function planChange(
  { plan: given, planFilePath: path }: JsonObject,
  inFile: string | undefined | Unread,
): Change {
  const hasFile = typeof path === "string";
  if (hasFile && typeof inFile === "object") {
    throw new Unshowable(
      `No person can see this plan: ${path} is larger than 2 MB, or this program cannot read it. Write a shorter plan, or let the program read the file.`,
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

/** A decision as the CLI needs it: a call without a plan approves none, also if the CLI finds one by then, in a file that the call does not name. */
export function withoutPlan(
  tool: string,
  input: JsonObject,
  decision: PermissionDecision,
): PermissionDecision {
  const hasNone = tool === "ExitPlanMode" && input.plan === undefined &&
    input.planFilePath === undefined;
  return hasNone && decision.behavior === "allow"
    ? { ...decision, updatedInput: { ...input, plan: "" } }
    : decision;
}
