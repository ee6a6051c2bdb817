// Hooks and permissions.
import type {
  CanUseTool,
  HookCallback,
  HookInput,
  ModelUsage,
  PermissionResult,
  PreToolUseHookInput,
  SDKResultMessage,
} from "@anthropic-ai/claude-agent-sdk";

export const hook: HookCallback = async (input: HookInput, id, { signal }) => {
  if (input.hook_event_name === "PreToolUse") {
    const t = input.tool_input as { command: string };
    return {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: t.command,
      },
    };
  }
  return {};
};

export const pre: HookCallback = async (input) => {
  const i = input as PreToolUseHookInput;
  const c = (i.tool_input as Record<string, unknown>)["x"];
  return { continue: c !== undefined };
};

export const can: CanUseTool = async (
  name,
  input,
  o,
): Promise<PermissionResult> => {
  if (o.suggestions) {
    return {
      behavior: "allow",
      updatedInput: input,
      updatedPermissions: o.suggestions,
    };
  }
  return { behavior: "deny", message: name, interrupt: true };
};

export function mu(r: SDKResultMessage): ModelUsage[] {
  return Object.values(r.modelUsage);
}
