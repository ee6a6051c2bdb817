import type { TimeoutOptions } from "../types/limits.ts";

/** The limit of a callback for a kind of request; `undefined` for a kind that has none. */
export function callbackLimitMs(
  subtype: string,
  { hookMs, permissionMs, mcpMs }: Required<TimeoutOptions>,
): number | undefined {
  switch (subtype) {
    case "hook_callback":
      return hookMs;
    case "can_use_tool":
      return permissionMs;
    case "mcp_message":
      return mcpMs;
    default:
      return undefined;
  }
}
