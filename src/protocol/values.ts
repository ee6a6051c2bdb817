// Made from protocol/ by `npm run generate`; edit that.
import type { Effort } from "./session.ts";
import type { HookEvent } from "./hooks.ts";
import type { PermissionMode } from "./permissions.ts";

/** Thinking effort of the model. */
export const EFFORTS: readonly Effort[] = Object.freeze<Effort[]>([
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
]);

/** Event of a hook. */
export const HOOK_EVENTS: readonly HookEvent[] = Object.freeze<HookEvent[]>([
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "Notification",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "SessionStart",
  "SessionEnd",
  "Stop",
  "StopFailure",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "PostCompact",
  "PreModelSwitch",
  "PostModelSwitch",
  "PermissionRequest",
  "PermissionDenied",
  "Setup",
  "TeammateIdle",
  "TaskCreated",
  "TaskCompleted",
  "Elicitation",
  "ElicitationResult",
  "ConfigChange",
  "WorktreeCreate",
  "WorktreeRemove",
  "InstructionsLoaded",
  "CwdChanged",
  "FileChanged",
  "DirectoryAdded",
  "MessageDisplay",
  "PreSkillShellCommand",
]);

/** Handling of tool calls that no rule covers. */
export const PERMISSION_MODES: readonly PermissionMode[] = Object.freeze<
  PermissionMode[]
>(["default", "acceptEdits", "bypassPermissions", "plan", "dontAsk", "auto"]);

/** Events of hooks that `decision: "block"` stops. */
export const BLOCKABLE_HOOKS: readonly HookEvent[] = [
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "Stop",
  "SubagentStop",
  "PreCompact",
  "TaskCreated",
  "TaskCompleted",
  "ConfigChange",
];

/** When the CLI calls hooks of events that it mostly keeps to itself in a session without a terminal. */
export const RARE_HOOKS: Readonly<Partial<Record<HookEvent, string>>> = {
  "SessionStart": "after /clear and /compact only",
  "SessionEnd": "at /clear only",
  "Setup": "never",
  "TeammateIdle": "never",
  "CwdChanged": "never",
};
