import type { PermissionDecision } from "../protocol/permissions.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { ReadText } from "../ports/read_text.ts";

/** The tool whose allow ends the mode "plan". */
export const PLAN_TOOL = "ExitPlanMode";

/** A decision that approves the plan that was shown, by default that of the call; a plan of the decision's own stays. */
export function approvedPlan(
  tool: string,
  input: JsonObject,
  decision: PermissionDecision,
  shown?: JsonValue,
): PermissionDecision {
  if (tool !== PLAN_TOOL || decision.behavior !== "allow") return decision;
  const given = decision.updatedInput as JsonObject | undefined;
  return { ...decision, updatedInput: planInput(input, given, shown) };
}

/** The input of such a decision: the CLI reads the file of the plan again unless the answer has another plan than the call. */
export function planInput(
  input: JsonObject,
  updatedInput: JsonObject = {},
  shown: JsonValue | undefined = input.plan,
): JsonObject {
  const isOwn = updatedInput.plan !== undefined &&
    updatedInput.plan !== input.plan;
  if (isOwn) return updatedInput;
  const kept = Object.keys(updatedInput).length > 0 ? updatedInput : input;
  const isThere = typeof shown === "string" && shown.trim() !== "";
  const text = isThere ? shown : "";
  return { ...kept, plan: text === input.plan ? `${text}\n` : text };
}

/** Reads files for the questions about a call, and remembers the plan that was shown last. */
export function planReader(
  { plan, planFilePath: path }: JsonObject,
  readText: ReadText,
): { readonly readText: ReadText; readonly shown: JsonValue | undefined } {
  let shown = plan;
  return {
    async readText(asked, how) {
      const text = await readText(asked, how);
      if (asked === path) shown = typeof text === "string" ? text : "";
      return text;
    },
    get shown() {
      return shown;
    },
  };
}
