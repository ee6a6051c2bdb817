import type * as control_replies from "../types/control_replies.ts";
import type * as message_other from "../types/message_other.ts";
import type * as message_system from "../types/message_system.ts";
import type * as message_turn from "../types/message_turn.ts";
import type * as session_info from "../types/session_info.ts";
import type * as usage from "../types/usage.ts";
import type { Mutable } from "./types_shared.ts";

/** What the model said. */
export type SDKAssistantMessage = Mutable<message_turn.AssistantMessage>;

/** A prompt, told once more. */
export type SDKUserMessageReplay = Mutable<message_turn.UserMessageReplay>;

/** The end of a turn that went well. */
export type SDKResultSuccess = Mutable<message_turn.ResultSuccess>;

/** The end of a turn that did not. */
export type SDKResultError = Mutable<message_turn.ResultFailure>;

/** A piece of what the model says. */
export type SDKPartialAssistantMessage = Mutable<
  message_turn.StreamEventMessage
>;

/** Why the model said nothing. */
export type SDKAssistantMessageError = Mutable<message_turn.AssistantError>;

/** A tool call that was refused. */
export type SDKPermissionDenial = Mutable<message_turn.PermissionDenial>;

/** Why a session did not start. */
export type SDKStartupFailureReason = Mutable<
  message_turn.StartupFailureReason
>;

/** Why a run ended. */
export type TerminalReason = Mutable<message_turn.TerminalReason>;

/** A turn begins: what the session has. */
export type SDKSystemMessage = Mutable<message_system.InitMessage>;

/** The context was made shorter. */
export type SDKCompactBoundaryMessage = Mutable<
  message_system.CompactBoundaryMessage
>;

/** What the CLI is at. */
export type SDKStatusMessage = Mutable<message_system.StatusMessage>;

/** The model is asked again. */
export type SDKAPIRetryMessage = Mutable<message_system.ApiRetryMessage>;

/** How far a request is. */
export type SDKControlRequestProgressMessage = Mutable<
  message_system.ControlRequestProgressMessage
>;

/** The model refused, another one goes on. */
export type SDKModelRefusalFallbackMessage = Mutable<
  message_system.ModelRefusalFallbackMessage
>;

/** The model refused, and no other one goes on. */
export type SDKModelRefusalNoFallbackMessage = Mutable<
  message_system.ModelRefusalNoFallbackMessage
>;

/** What a command printed. */
export type SDKLocalCommandOutputMessage = Mutable<
  message_system.LocalCommandOutputMessage
>;

/** A command hook began. */
export type SDKHookStartedMessage = Mutable<message_system.HookStartedMessage>;

/** A command hook printed something. */
export type SDKHookProgressMessage = Mutable<
  message_system.HookProgressMessage
>;

/** A command hook ended. */
export type SDKHookResponseMessage = Mutable<
  message_system.HookResponseMessage
>;

/** How far the installation of plugins is. */
export type SDKPluginInstallMessage = Mutable<
  message_system.PluginInstallMessage
>;

/** A background task ended. */
export type SDKTaskNotificationMessage = Mutable<
  message_system.TaskNotificationMessage
>;

/** A task began. */
export type SDKTaskStartedMessage = Mutable<message_system.TaskStartedMessage>;

/** A task changed. */
export type SDKTaskUpdatedMessage = Mutable<message_system.TaskUpdatedMessage>;

/** How far a task is. */
export type SDKTaskProgressMessage = Mutable<
  message_system.TaskProgressMessage
>;

/** Other tasks run in the background. */
export type SDKBackgroundTasksChangedMessage = Mutable<
  message_system.BackgroundTasksChangedMessage
>;

/** How much the model thinks. */
export type SDKThinkingTokensMessage = Mutable<
  message_system.ThinkingTokensMessage
>;

/** The session waits, works, or needs something. */
export type SDKSessionStateChangedMessage = Mutable<
  message_system.SessionStateMessage
>;

/** The CLI is about to end. */
export type SDKWorkerShuttingDownMessage = Mutable<
  message_system.WorkerShuttingDownMessage
>;

/** There are other commands. */
export type SDKCommandsChangedMessage = Mutable<
  message_system.CommandsChangedMessage
>;

/** Something for the user. */
export type SDKNotificationMessage = Mutable<
  message_system.NotificationMessage
>;

/** Files were kept. */
export type SDKFilesPersistedEvent = Mutable<
  message_system.FilesPersistedMessage
>;

/** Something was remembered. */
export type SDKMemoryRecallMessage = Mutable<
  message_system.MemoryRecallMessage
>;

/** A question of an MCP server is settled. */
export type SDKElicitationCompleteMessage = Mutable<
  message_system.ElicitationCompleteMessage
>;

/** A tool call was refused. */
export type SDKPermissionDeniedMessage = Mutable<
  message_system.PermissionDeniedMessage
>;

/** The store did not take lines of the session. */
export type SDKMirrorErrorMessage = Mutable<message_system.MirrorErrorMessage>;

/** Something to know. */
export type SDKInformationalMessage = Mutable<
  message_system.InformationalMessage
>;

/** Lines of the session were lost. */
export type SDKSessionWritesLostMessage = Mutable<
  message_system.SessionWritesLostMessage
>;

/** A resource of an MCP server. */
export type SDKMcpResourceLink = Mutable<message_system.McpResourceLink>;

/** Where the key comes from. */
export type ApiKeySource = Mutable<message_system.ApiKeySource>;

/** A tool is still at work. */
export type SDKToolProgressMessage = Mutable<message_other.ToolProgressMessage>;

/** What tools did, in short. */
export type SDKToolUseSummaryMessage = Mutable<
  message_other.ToolUseSummaryMessage
>;

/** How signing in goes. */
export type SDKAuthStatusMessage = Mutable<message_other.AuthStatusMessage>;

/** How much of a limit is used. */
export type SDKRateLimitEvent = Mutable<message_other.RateLimitMessage>;

/** How much of a limit is used. */
export type SDKRateLimitInfo = Mutable<message_other.RateLimitInfo>;

/** What could be said next. */
export type SDKPromptSuggestionMessage = Mutable<
  message_other.PromptSuggestionMessage
>;

/** The conversation begins anew. */
export type SDKConversationResetMessage = Mutable<
  message_other.ConversationResetMessage
>;

/** What the session works towards. */
export type SDKActiveGoalMessage = Mutable<message_other.ActiveGoalMessage>;

/** What one model cost. */
export type ModelUsage = Mutable<usage.ModelUsage>;

/** Tokens that were used. */
export type NonNullableUsage = Mutable<usage.Usage>;

/** What was used of the plan. */
export type SDKUsageReport = Mutable<usage.UsageReport>;

/** Whether the fast mode is on. */
export type FastModeState = Mutable<session_info.FastModeState>;

/** Why it is off. */
export type FastModeDisabledReason = Mutable<
  session_info.FastModeDisabledReason
>;

/** What fills the context, in short. */
export type SDKContextUsage = Mutable<usage.ContextUsageShort>;

/** The rules about tools. */
export type SDKControlPermissionRulesState = Mutable<
  control_replies.PermissionRulesState
>;

/** The rules about tools. */
export type SDKControlListPermissionRulesResponse = Mutable<
  control_replies.PermissionRulesReply
>;

/** A settings file that cannot be read. */
export type SDKSettingsParseError = Mutable<control_replies.SettingsParseError>;

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
