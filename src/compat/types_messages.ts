import type {
  SDKContextUsage,
  SDKControlPermissionRulesState,
  SDKResultError,
  SDKResultSuccess,
} from "../protocol/official.ts";

/** The end of a turn. */
export type SDKResultMessage = SDKResultSuccess | SDKResultError;

/** What the CLI is at; `null` = nothing. */
export type SDKStatus = "compacting" | "requesting" | null;

/** One part of what fills the context. */
export type SDKContextUsageCategory = SDKContextUsage["categories"][number];

/** One rule about tools. */
export type SDKPermissionRuleEntry =
  SDKControlPermissionRulesState["rules"][number];

/** What a rule says, for people. */
export type SDKPermissionRuleDescription = NonNullable<
  SDKPermissionRuleEntry["description"]
>;

/** A directory that tools may touch. */
export type SDKPermissionWorkspaceDirectory =
  SDKControlPermissionRulesState["workspaceDirectories"][number];

/** A tool call that was put off. */
export type SDKDeferredToolUse = {
  id: string;
  name: string;
  input: Record<string, unknown>;
};

/** A request of either side. */
export type SDKControlRequest = {
  type: "control_request";
  request_id: string;
  request: { subtype: string; [key: string]: unknown };
};

/** An answer of either side. */
export type SDKControlResponse = {
  type: "control_response";
  response: {
    subtype: "success" | "error";
    request_id: string;
    response?: Record<string, unknown>;
    error?: string;
    [key: string]: unknown;
  };
};
