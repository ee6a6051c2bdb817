import { isObject } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";

/** The answer of another hook; one that changes the input would run what was not approved. */
export function withoutChange(output: JsonObject): JsonObject {
  const { hookSpecificOutput: specific } = output;
  const updatedInput = isObject(specific) ? specific.updatedInput : undefined;
  const isChange = isObject(updatedInput) &&
    Object.keys(updatedInput).length > 0;
  return isChange
    ? say(
      "deny",
      "A hook changed the input of this call, which permissions.approvals does not allow",
    )
    : output;
}

export function refuses(output: JsonObject): boolean {
  return verdictOf(output) === "deny" || output.continue === false ||
    output.decision === "block";
}

export function verdictOf(
  { hookSpecificOutput: specific }: JsonObject,
): unknown {
  return isObject(specific) ? specific.permissionDecision : undefined;
}

/** A hook's answer. Source: protocol reference, section Hooks. */
export function say(
  verdict: "allow" | "deny" | "defer" | "ask",
  reason?: string,
  updatedInput?: JsonObject,
): JsonObject {
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: verdict,
      ...reason !== undefined && { permissionDecisionReason: reason },
      ...updatedInput !== undefined && { updatedInput },
    },
  };
}
