// Made from protocol/ by `deno task protocol`; edit that.
import type { Effort } from "./session.ts";
import type { HookEvent } from "./hooks.ts";
import type { PermissionMode } from "./permissions.ts";

/** How hard the model thinks. */
export const EFFORTS: readonly Effort[] = Object.freeze<Effort[]>([
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
]);

/** What a hook can be set for. */
export const HOOK_EVENTS: readonly HookEvent[] = Object.freeze<HookEvent[]>([
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "PermissionRequest",
  "PermissionDenied",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "SessionStart",
  "SessionEnd",
  "Setup",
  "Stop",
  "StopFailure",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "PostCompact",
  "PreModelSwitch",
  "PostModelSwitch",
  "Notification",
  "MessageDisplay",
  "Elicitation",
  "ElicitationResult",
  "ConfigChange",
  "InstructionsLoaded",
  "CwdChanged",
  "FileChanged",
  "DirectoryAdded",
  "WorktreeCreate",
  "WorktreeRemove",
  "TaskCreated",
  "TaskCompleted",
  "TeammateIdle",
]);

/** How the CLI decides tool calls that no rule covers. */
export const PERMISSION_MODES: readonly PermissionMode[] = Object.freeze<
  PermissionMode[]
>(["default", "acceptEdits", "bypassPermissions", "plan", "dontAsk", "auto"]);
