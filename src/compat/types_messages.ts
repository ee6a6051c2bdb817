import type * as control_host from "../protocol/control_host.ts";
import type * as messages_other from "../protocol/messages_other.ts";
import type * as messages_system from "../protocol/messages_system.ts";
import type * as messages_turn from "../protocol/messages_turn.ts";
import type * as session from "../protocol/session.ts";
import type * as usage from "../protocol/usage.ts";
import type { Mutable } from "./types_shared.ts";

/** What the model said. */
export type SDKAssistantMessage = Mutable<messages_turn.AssistantMessage>;

/** A prompt, told once more. */
export type SDKUserMessageReplay = Mutable<messages_turn.UserMessageReplay>;

/** The end of a turn that went well. */
export type SDKResultSuccess = Mutable<messages_turn.ResultSuccess>;

/** The end of a turn that did not. */
export type SDKResultError = Mutable<messages_turn.ResultFailure>;

/** A piece of what the model says. */
export type SDKPartialAssistantMessage = Mutable<
  messages_turn.StreamEventMessage
>;

/** Why the model said nothing. */
export type SDKAssistantMessageError = Mutable<messages_turn.AssistantError>;

/** A tool call that was refused. */
export type SDKPermissionDenial = Mutable<messages_turn.PermissionDenial>;

/** Why a session did not start. */
export type SDKStartupFailureReason = Mutable<
  messages_turn.StartupFailureReason
>;

/** Why a run ended. */
export type TerminalReason = Mutable<messages_turn.TerminalReason>;

/** A turn begins: what the session has. */
export type SDKSystemMessage = Mutable<messages_system.InitMessage>;

/** The context was made shorter. */
export type SDKCompactBoundaryMessage = Mutable<
  messages_system.CompactBoundaryMessage
>;

/** What the CLI is at. */
export type SDKStatusMessage = Mutable<messages_system.StatusMessage>;

/** The model is asked again. */
export type SDKAPIRetryMessage = Mutable<messages_system.ApiRetryMessage>;

/** How far a request is. */
export type SDKControlRequestProgressMessage = Mutable<
  messages_system.ControlRequestProgressMessage
>;

/** The model refused, another one goes on. */
export type SDKModelRefusalFallbackMessage = Mutable<
  messages_system.ModelRefusalFallbackMessage
>;

/** The model refused, and no other one goes on. */
export type SDKModelRefusalNoFallbackMessage = Mutable<
  messages_system.ModelRefusalNoFallbackMessage
>;

/** What a command printed. */
export type SDKLocalCommandOutputMessage = Mutable<
  messages_system.LocalCommandOutputMessage
>;

/** A command hook began. */
export type SDKHookStartedMessage = Mutable<messages_system.HookStartedMessage>;

/** A command hook printed something. */
export type SDKHookProgressMessage = Mutable<
  messages_system.HookProgressMessage
>;

/** A command hook ended. */
export type SDKHookResponseMessage = Mutable<
  messages_system.HookResponseMessage
>;

/** How far the installation of plugins is. */
export type SDKPluginInstallMessage = Mutable<
  messages_system.PluginInstallMessage
>;

/** A background task ended. */
export type SDKTaskNotificationMessage = Mutable<
  messages_system.TaskNotificationMessage
>;

/** A task began. */
export type SDKTaskStartedMessage = Mutable<messages_system.TaskStartedMessage>;

/** A task changed. */
export type SDKTaskUpdatedMessage = Mutable<messages_system.TaskUpdatedMessage>;

/** How far a task is. */
export type SDKTaskProgressMessage = Mutable<
  messages_system.TaskProgressMessage
>;

/** Other tasks run in the background. */
export type SDKBackgroundTasksChangedMessage = Mutable<
  messages_system.BackgroundTasksChangedMessage
>;

/** How much the model thinks. */
export type SDKThinkingTokensMessage = Mutable<
  messages_system.ThinkingTokensMessage
>;

/** The session waits, works, or needs something. */
export type SDKSessionStateChangedMessage = Mutable<
  messages_system.SessionStateMessage
>;

/** The CLI is about to end. */
export type SDKWorkerShuttingDownMessage = Mutable<
  messages_system.WorkerShuttingDownMessage
>;

/** There are other commands. */
export type SDKCommandsChangedMessage = Mutable<
  messages_system.CommandsChangedMessage
>;

/** Something for the user. */
export type SDKNotificationMessage = Mutable<
  messages_system.NotificationMessage
>;

/** Files were kept. */
export type SDKFilesPersistedEvent = Mutable<
  messages_system.FilesPersistedMessage
>;

/** Something was remembered. */
export type SDKMemoryRecallMessage = Mutable<
  messages_system.MemoryRecallMessage
>;

/** A question of an MCP server is settled. */
export type SDKElicitationCompleteMessage = Mutable<
  messages_system.ElicitationCompleteMessage
>;

/** A tool call was refused. */
export type SDKPermissionDeniedMessage = Mutable<
  messages_system.PermissionDeniedMessage
>;

/** The store did not take lines of the session. */
export type SDKMirrorErrorMessage = Mutable<messages_system.MirrorErrorMessage>;

/** Something to know. */
export type SDKInformationalMessage = Mutable<
  messages_system.InformationalMessage
>;

/** Lines of the session were lost. */
export type SDKSessionWritesLostMessage = Mutable<
  messages_system.SessionWritesLostMessage
>;

/** A resource of an MCP server. */
export type SDKMcpResourceLink = Mutable<messages_system.McpResourceLink>;

/** Where the key comes from. */
export type ApiKeySource = Mutable<messages_system.ApiKeySource>;

/** A tool is still at work. */
export type SDKToolProgressMessage = Mutable<
  messages_other.ToolProgressMessage
>;

/** What tools did, in short. */
export type SDKToolUseSummaryMessage = Mutable<
  messages_other.ToolUseSummaryMessage
>;

/** How signing in goes. */
export type SDKAuthStatusMessage = Mutable<messages_other.AuthStatusMessage>;

/** How much of a limit is used. */
export type SDKRateLimitEvent = Mutable<messages_other.RateLimitMessage>;

/** How much of a limit is used. */
export type SDKRateLimitInfo = Mutable<messages_other.RateLimitInfo>;

/** What could be said next. */
export type SDKPromptSuggestionMessage = Mutable<
  messages_other.PromptSuggestionMessage
>;

/** The conversation begins anew. */
export type SDKConversationResetMessage = Mutable<
  messages_other.ConversationResetMessage
>;

/** What the session works towards. */
export type SDKActiveGoalMessage = Mutable<messages_other.ActiveGoalMessage>;

/** What one model cost. */
export type ModelUsage = Mutable<usage.ModelUsage>;

/** Tokens that were used. */
export type NonNullableUsage = Mutable<usage.Usage>;

/** What was used of the plan. */
export type SDKUsageReport = Mutable<usage.UsageReport>;

/** Whether the fast mode is on. */
export type FastModeState = Mutable<session.FastModeState>;

/** Why it is off. */
export type FastModeDisabledReason = Mutable<
  session.FastModeDisabledReason
>;

/** What fills the context, in short. */
export type SDKContextUsage = Mutable<usage.ContextUsageShort>;

/** The rules about tools. */
export type SDKControlPermissionRulesState = Mutable<
  control_host.PermissionRulesState
>;

/** The rules about tools. */
export type SDKControlListPermissionRulesResponse = Mutable<
  control_host.PermissionRulesReply
>;

/** A settings file that cannot be read. */
export type SDKSettingsParseError = Mutable<control_host.SettingsParseError>;

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
