import type * as hooks from "../protocol/hooks.ts";
import type * as own_hooks from "../types/hooks.ts";
import type { Mutable } from "./types_shared.ts";
import type { EXIT_REASONS } from "./constants.ts";

/** Events that hooks are called for. */
export type HookEvent = hooks.HookEvent;

/** What a hook is told. */
export type HookInput = Mutable<own_hooks.HookInput>;

/** A hook that answers later. */
export type AsyncHookJSONOutput = Mutable<hooks.AsyncHookOutput>;

/** What a hook wants. */
export type SyncHookJSONOutput = {
  continue?: boolean;
  suppressOutput?: boolean;
  stopReason?: string;
  decision?: "approve" | "block";
  systemMessage?: string;
  terminalSequence?: string;
  reason?: string;
  hookSpecificOutput?:
    | CwdChangedHookSpecificOutput
    | ElicitationHookSpecificOutput
    | ElicitationResultHookSpecificOutput
    | FileChangedHookSpecificOutput
    | MessageDisplayHookSpecificOutput
    | NotificationHookSpecificOutput
    | PermissionDeniedHookSpecificOutput
    | PermissionRequestHookSpecificOutput
    | PostModelSwitchHookSpecificOutput
    | PostToolBatchHookSpecificOutput
    | PostToolUseFailureHookSpecificOutput
    | PostToolUseHookSpecificOutput
    | PreModelSwitchHookSpecificOutput
    | PreToolUseHookSpecificOutput
    | SessionStartHookSpecificOutput
    | SetupHookSpecificOutput
    | StopHookSpecificOutput
    | SubagentStartHookSpecificOutput
    | SubagentStopHookSpecificOutput
    | UserPromptExpansionHookSpecificOutput
    | UserPromptSubmitHookSpecificOutput
    | WorktreeCreateHookSpecificOutput;
};

/** What a hook gives back. */
export type HookJSONOutput = AsyncHookJSONOutput | SyncHookJSONOutput;

/** A hook. */
export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: { signal: AbortSignal },
) => Promise<HookJSONOutput>;

/** Hooks for what fits. */
export interface HookCallbackMatcher {
  /** What it has to fit; unset = everything. */
  matcher?: string | undefined;
  /** The hooks. */
  hooks: HookCallback[];
  /** Limit, in seconds. */
  timeout?: number | undefined;
  /** What a hook that fails does; `"continue"`. */
  onFailure?: "continue" | "block" | undefined;
}

/** What every hook is told. */
export type BaseHookInput = Mutable<hooks.HookInputBase>;

/** A background task, as hooks are told of it. */
export type BackgroundTaskSummary = Mutable<hooks.HookBackgroundTask>;

/** A task for later, as hooks are told of it. */
export type SessionCronSummary = Mutable<hooks.HookSessionCron>;

/** The MCP server of a tool. */
export type McpServerProvenance = Mutable<hooks.HookMcpServer>;

/** One tool call of several. */
export type PostToolBatchToolCall =
  PostToolBatchHookInput["tool_calls"][number];

/** What a hook may decide of a tool call. */
export type HookPermissionDecision = "allow" | "deny" | "ask" | "defer";

/** What a hook for `PreToolUse` is told. */
export type PreToolUseHookInput = Mutable<hooks.PreToolUseHookInput>;

/** What a hook for `PostToolUse` is told. */
export type PostToolUseHookInput = Mutable<hooks.PostToolUseHookInput>;

/** What a hook for `PostToolUseFailure` is told. */
export type PostToolUseFailureHookInput = Mutable<
  hooks.PostToolUseFailureHookInput
>;

/** What a hook for `PostToolBatch` is told. */
export type PostToolBatchHookInput = Mutable<hooks.PostToolBatchHookInput>;

/** What a hook for `PermissionRequest` is told. */
export type PermissionRequestHookInput = Mutable<
  hooks.PermissionRequestHookInput
>;

/** What a hook for `PermissionDenied` is told. */
export type PermissionDeniedHookInput = Mutable<
  hooks.PermissionDeniedHookInput
>;

/** What a hook for `UserPromptSubmit` is told. */
export type UserPromptSubmitHookInput = Mutable<
  hooks.UserPromptSubmitHookInput
>;

/** What a hook for `UserPromptExpansion` is told. */
export type UserPromptExpansionHookInput = Mutable<
  hooks.UserPromptExpansionHookInput
>;

/** What a hook for `SessionStart` is told. */
export type SessionStartHookInput = Mutable<hooks.SessionStartHookInput>;

/** What a hook for `SessionEnd` is told. */
export type SessionEndHookInput = Mutable<hooks.SessionEndHookInput>;

/** What a hook for `Setup` is told. */
export type SetupHookInput = Mutable<hooks.SetupHookInput>;

/** What a hook for `Stop` is told. */
export type StopHookInput = Mutable<hooks.StopHookInput>;

/** What a hook for `StopFailure` is told. */
export type StopFailureHookInput = Mutable<hooks.StopFailureHookInput>;

/** What a hook for `SubagentStart` is told. */
export type SubagentStartHookInput = Mutable<hooks.SubagentStartHookInput>;

/** What a hook for `SubagentStop` is told. */
export type SubagentStopHookInput = Mutable<hooks.SubagentStopHookInput>;

/** What a hook for `PreCompact` is told. */
export type PreCompactHookInput = Mutable<hooks.PreCompactHookInput>;

/** What a hook for `PostCompact` is told. */
export type PostCompactHookInput = Mutable<hooks.PostCompactHookInput>;

/** What a hook for `PreModelSwitch` is told. */
export type PreModelSwitchHookInput = Mutable<hooks.PreModelSwitchHookInput>;

/** What a hook for `PostModelSwitch` is told. */
export type PostModelSwitchHookInput = Mutable<hooks.PostModelSwitchHookInput>;

/** What a hook for `Notification` is told. */
export type NotificationHookInput = Mutable<hooks.NotificationHookInput>;

/** What a hook for `MessageDisplay` is told. */
export type MessageDisplayHookInput = Mutable<hooks.MessageDisplayHookInput>;

/** What a hook for `Elicitation` is told. */
export type ElicitationHookInput = Mutable<hooks.ElicitationHookInput>;

/** What a hook for `ElicitationResult` is told. */
export type ElicitationResultHookInput = Mutable<
  hooks.ElicitationResultHookInput
>;

/** What a hook for `ConfigChange` is told. */
export type ConfigChangeHookInput = Mutable<hooks.ConfigChangeHookInput>;

/** What a hook for `InstructionsLoaded` is told. */
export type InstructionsLoadedHookInput = Mutable<
  hooks.InstructionsLoadedHookInput
>;

/** What a hook for `CwdChanged` is told. */
export type CwdChangedHookInput = Mutable<hooks.CwdChangedHookInput>;

/** What a hook for `FileChanged` is told. */
export type FileChangedHookInput = Mutable<hooks.FileChangedHookInput>;

/** What a hook for `DirectoryAdded` is told. */
export type DirectoryAddedHookInput = Mutable<hooks.DirectoryAddedHookInput>;

/** What a hook for `WorktreeCreate` is told. */
export type WorktreeCreateHookInput = Mutable<hooks.WorktreeCreateHookInput>;

/** What a hook for `WorktreeRemove` is told. */
export type WorktreeRemoveHookInput = Mutable<hooks.WorktreeRemoveHookInput>;

/** What a hook for `TaskCreated` is told. */
export type TaskCreatedHookInput = Mutable<hooks.TaskCreatedHookInput>;

/** What a hook for `TaskCompleted` is told. */
export type TaskCompletedHookInput = Mutable<hooks.TaskCompletedHookInput>;

/** What a hook for `TeammateIdle` is told. */
export type TeammateIdleHookInput = Mutable<hooks.TeammateIdleHookInput>;

/** What a hook for `CwdChanged` may say besides. */
export type CwdChangedHookSpecificOutput = Mutable<
  hooks.CwdChangedHookOutput
>;

/** What a hook for `Elicitation` may say besides. */
export type ElicitationHookSpecificOutput = Mutable<
  hooks.ElicitationHookOutput
>;

/** What a hook for `ElicitationResult` may say besides. */
export type ElicitationResultHookSpecificOutput = Mutable<
  hooks.ElicitationResultHookOutput
>;

/** What a hook for `FileChanged` may say besides. */
export type FileChangedHookSpecificOutput = Mutable<
  hooks.FileChangedHookOutput
>;

/** What a hook for `MessageDisplay` may say besides. */
export type MessageDisplayHookSpecificOutput = Mutable<
  hooks.MessageDisplayHookOutput
>;

/** What a hook for `Notification` may say besides. */
export type NotificationHookSpecificOutput = Mutable<
  hooks.NotificationHookOutput
>;

/** What a hook for `PermissionDenied` may say besides. */
export type PermissionDeniedHookSpecificOutput = Mutable<
  hooks.PermissionDeniedHookOutput
>;

/** What a hook for `PermissionRequest` may say besides. */
export type PermissionRequestHookSpecificOutput = Mutable<
  hooks.PermissionRequestHookOutput
>;

/** What a hook for `PostModelSwitch` may say besides. */
export type PostModelSwitchHookSpecificOutput = Mutable<
  hooks.PostModelSwitchHookOutput
>;

/** What a hook for `PostToolBatch` may say besides. */
export type PostToolBatchHookSpecificOutput = Mutable<
  hooks.PostToolBatchHookOutput
>;

/** What a hook for `PostToolUseFailure` may say besides. */
export type PostToolUseFailureHookSpecificOutput = Mutable<
  hooks.PostToolUseFailureHookOutput
>;

/** What a hook for `PostToolUse` may say besides. */
export type PostToolUseHookSpecificOutput = Mutable<
  hooks.PostToolUseHookOutput
>;

/** What a hook for `PreModelSwitch` may say besides. */
export type PreModelSwitchHookSpecificOutput = Mutable<
  hooks.PreModelSwitchHookOutput
>;

/** What a hook for `PreToolUse` may say besides. */
export type PreToolUseHookSpecificOutput = Mutable<
  hooks.PreToolUseHookOutput
>;

/** What a hook for `SessionStart` may say besides. */
export type SessionStartHookSpecificOutput = Mutable<
  hooks.SessionStartHookOutput
>;

/** What a hook for `Setup` may say besides. */
export type SetupHookSpecificOutput = Mutable<
  hooks.SetupHookOutput
>;

/** What a hook for `Stop` may say besides. */
export type StopHookSpecificOutput = Mutable<
  hooks.StopHookOutput
>;

/** What a hook for `SubagentStart` may say besides. */
export type SubagentStartHookSpecificOutput = Mutable<
  hooks.SubagentStartHookOutput
>;

/** What a hook for `SubagentStop` may say besides. */
export type SubagentStopHookSpecificOutput = Mutable<
  hooks.SubagentStopHookOutput
>;

/** What a hook for `UserPromptExpansion` may say besides. */
export type UserPromptExpansionHookSpecificOutput = Mutable<
  hooks.UserPromptExpansionHookOutput
>;

/** What a hook for `UserPromptSubmit` may say besides. */
export type UserPromptSubmitHookSpecificOutput = Mutable<
  hooks.UserPromptSubmitHookOutput
>;

/** What a hook for `WorktreeCreate` may say besides. */
export type WorktreeCreateHookSpecificOutput = Mutable<
  hooks.WorktreeCreateHookOutput
>;

/** Why a session ended. */
export type ExitReason = (typeof EXIT_REASONS)[number];
