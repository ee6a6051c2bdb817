import { asObject, isObject } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";

const CHANGED =
  "A hook changed the input of this call, which permissions.approvals does not allow";

/** The input with which a hook replaces that of the call: after `PreToolUse` the CLI runs an empty one as well. */
export function changeIn(
  { hookSpecificOutput: specific }: JsonObject,
): JsonObject | undefined {
  const { updatedInput } = asObject(specific);
  return isObject(updatedInput) ? updatedInput : undefined;
}

/** The same for a hook of `PermissionRequest`. */
export function changeOfQuestion(
  { hookSpecificOutput: specific }: JsonObject,
): JsonObject | undefined {
  const { decision } = asObject(specific);
  return decision === undefined
    ? undefined
    : changeIn({ hookSpecificOutput: decision });
}

/** The denial of a call whose changed input would run without an approval. */
export function denyChange(): JsonObject {
  return say("deny", CHANGED);
}

/** The same for a hook of `PermissionRequest`. */
export function denyQuestion(): JsonObject {
  return {
    hookSpecificOutput: {
      hookEventName: "PermissionRequest",
      decision: { behavior: "deny", message: CHANGED },
    },
  };
}

/** Whether an output keeps the call from running; `continue: false` does not. */
export function refuses(output: JsonObject): boolean {
  return verdictOf(output) === "deny" || output.decision === "block";
}

export function verdictOf(
  { hookSpecificOutput: specific }: JsonObject,
): unknown {
  return asObject(specific).permissionDecision;
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
