// Made from protocol/ by `npm run generate`; edit that.
import type * as control_cli from "../../protocol/control_cli.ts";
import type * as control_replies from "../../protocol/control_replies.ts";
import type * as hook_inputs from "../../protocol/hook_inputs.ts";
import type * as hooks from "../../protocol/hooks.ts";
import type * as messages_other from "../../protocol/messages_other.ts";
import type * as messages_system from "../../protocol/messages_system.ts";
import type * as messages_turn from "../../protocol/messages_turn.ts";
import type * as permissions from "../../protocol/permissions.ts";
import type * as session from "../../protocol/session.ts";
import type * as usage from "../../protocol/usage.ts";
import type { Mutable } from "../mutable.ts";

/** The account that is used. */
export type AccountInfo = Mutable<session.AccountInfo>;

/** A subagent as the host defines it. */
export type AgentDefinition = Mutable<session.AgentDefinition>;

/** A subagent that can be called. */
export type AgentInfo = Mutable<session.AgentInfo>;

/** Source of the API key. */
export type ApiKeySource = Mutable<messages_system.ApiKeySource>;

/** Output of a hook that handles its event later; the tool continues at once. */
export type AsyncHookJSONOutput = Mutable<hooks.AsyncHookOutput>;

/** Work in the background. */
export type BackgroundTaskSummary = Mutable<hook_inputs.HookBackgroundTask>;

/** Input of every hook. */
export type BaseHookInput = Mutable<hook_inputs.HookInputBase>;

/** When settings changed. */
export type ConfigChangeHookInput = Mutable<hook_inputs.ConfigChangeHookInput>;

/** When the working directory changed. */
export type CwdChangedHookInput = Mutable<hook_inputs.CwdChangedHookInput>;

/** When the working directory changed. */
export type CwdChangedHookSpecificOutput = Mutable<hooks.CwdChangedHookOutput>;

/** When a working directory was added. */
export type DirectoryAddedHookInput = Mutable<
  hook_inputs.DirectoryAddedHookInput
>;

/** Thinking effort of the model. */
export type EffortLevel = Mutable<session.Effort>;

/** When an MCP server asks the user a question. */
export type ElicitationHookInput = Mutable<hook_inputs.ElicitationHookInput>;

/** When an MCP server asks the user a question. */
export type ElicitationHookSpecificOutput = Mutable<
  hooks.ElicitationHookOutput
>;

/** When a question of an MCP server is answered. */
export type ElicitationResultHookInput = Mutable<
  hook_inputs.ElicitationResultHookInput
>;

/** When a question of an MCP server is answered. */
export type ElicitationResultHookSpecificOutput = Mutable<
  hooks.ElicitationResultHookOutput
>;

/** Reason fast mode is off. */
export type FastModeDisabledReason = Mutable<session.FastModeDisabledReason>;

/** Whether the model answers in fast mode. */
export type FastModeState = Mutable<session.FastModeState>;

/** When a watched file changed. */
export type FileChangedHookInput = Mutable<hook_inputs.FileChangedHookInput>;

/** When a watched file changed. */
export type FileChangedHookSpecificOutput = Mutable<
  hooks.FileChangedHookOutput
>;

/** Event of a hook. */
export type HookEvent = Mutable<hooks.HookEvent>;

/** Output of a hook; `{}` has no effect. */
export type HookJSONOutput = Mutable<hooks.HookCallbackReply>;

/** When an instruction file, such as `CLAUDE.md`, was loaded. */
export type InstructionsLoadedHookInput = Mutable<
  hook_inputs.InstructionsLoadedHookInput
>;

/** An MCP server of claude.ai, as `mcpStatus()` returns it. */
export type McpClaudeAIProxyServerConfig = Mutable<
  session.ProxyMcpServerConfig
>;

/** An MCP server in the CLI's form. */
export type McpServerConfigForProcessTransport = Mutable<
  session.WireMcpServerConfig
>;

/** The MCP server behind a tool. */
export type McpServerProvenance = Mutable<hook_inputs.HookMcpServer>;

/** State of an MCP server of the CLI. */
export type McpServerStatus = Mutable<control_replies.McpServerStatus>;

/** Rules for one tool of an MCP server. */
export type McpServerToolPolicy = Mutable<session.McpToolPolicy>;

/** Outcome of a new set of MCP servers; a failing server is an entry in `errors`. */
export type McpSetServersResult = Mutable<control_replies.SetMcpServersReply>;

/** When the CLI shows a piece of text. */
export type MessageDisplayHookInput = Mutable<
  hook_inputs.MessageDisplayHookInput
>;

/** When the CLI shows a piece of text. */
export type MessageDisplayHookSpecificOutput = Mutable<
  hooks.MessageDisplayHookOutput
>;

/** A model that can be chosen. */
export type ModelInfo = Mutable<session.ModelInfo>;

/** Usage of one model in a session. */
export type ModelUsage = Mutable<usage.ModelUsage>;

/** Tokens of a whole turn, where the CLI fills in what the API left out. */
export type NonNullableUsage = Mutable<usage.ResultUsage>;

/** When the CLI needs the attention of the user. */
export type NotificationHookInput = Mutable<hook_inputs.NotificationHookInput>;

/** When the CLI needs the attention of the user. */
export type NotificationHookSpecificOutput = Mutable<
  hooks.NotificationHookOutput
>;

/** Meaning of a person's decision. */
export type PermissionDecisionClassification = Mutable<
  control_cli.DecisionClassification
>;

/** After a tool was denied. */
export type PermissionDeniedHookInput = Mutable<
  hook_inputs.PermissionDeniedHookInput
>;

/** After a tool was denied. */
export type PermissionDeniedHookSpecificOutput = Mutable<
  hooks.PermissionDeniedHookOutput
>;

/** Handling of tool calls that no rule covers. */
export type PermissionMode = Mutable<permissions.PermissionMode>;

/** When a tool call needs a permission prompt. */
export type PermissionRequestHookInput = Mutable<
  hook_inputs.PermissionRequestHookInput
>;

/** When a tool call needs a permission prompt. */
export type PermissionRequestHookSpecificOutput = Mutable<
  hooks.PermissionRequestHookOutput
>;

/** One of the objects below; the CLI takes anything else as a denial. */
export type PermissionResult = Mutable<control_cli.PermissionResult>;

/** One rule: a tool, and perhaps a scope. */
export type PermissionRuleValue = Mutable<permissions.PermissionRule>;

/** A change to the permissions, suggested by the CLI or made by a decision. */
export type PermissionUpdate = Mutable<permissions.PermissionUpdate>;

/** Destination of a permission change. */
export type PermissionUpdateDestination = Mutable<
  permissions.PermissionDestination
>;

/** After the context was compacted. */
export type PostCompactHookInput = Mutable<hook_inputs.PostCompactHookInput>;

/** After the model was changed. */
export type PostModelSwitchHookInput = Mutable<
  hook_inputs.PostModelSwitchHookInput
>;

/** After the model was changed. */
export type PostModelSwitchHookSpecificOutput = Mutable<
  hooks.PostModelSwitchHookOutput
>;

/** After all tools of one model message ran. */
export type PostToolBatchHookInput = Mutable<
  hook_inputs.PostToolBatchHookInput
>;

/** After all tools of one model message ran. */
export type PostToolBatchHookSpecificOutput = Mutable<
  hooks.PostToolBatchHookOutput
>;

/** After a tool failed. */
export type PostToolUseFailureHookInput = Mutable<
  hook_inputs.PostToolUseFailureHookInput
>;

/** After a tool failed. */
export type PostToolUseFailureHookSpecificOutput = Mutable<
  hooks.PostToolUseFailureHookOutput
>;

/** After a tool succeeded. */
export type PostToolUseHookInput = Mutable<hook_inputs.PostToolUseHookInput>;

/** After a tool succeeded. */
export type PostToolUseHookSpecificOutput = Mutable<
  hooks.PostToolUseHookOutput
>;

/** Before the context is compacted. */
export type PreCompactHookInput = Mutable<hook_inputs.PreCompactHookInput>;

/** Before the model is changed. */
export type PreModelSwitchHookInput = Mutable<
  hook_inputs.PreModelSwitchHookInput
>;

/** Before the model is changed. */
export type PreModelSwitchHookSpecificOutput = Mutable<
  hooks.PreModelSwitchHookOutput
>;

/** Before a shell line in a skill or slash command runs. */
export type PreSkillShellCommandHookInput = Mutable<
  hook_inputs.PreSkillShellCommandHookInput
>;

/** Before a shell line in a skill or slash command runs. */
export type PreSkillShellCommandHookSpecificOutput = Mutable<
  hooks.PreSkillShellCommandHookOutput
>;

/** Before a tool runs. */
export type PreToolUseHookInput = Mutable<hook_inputs.PreToolUseHookInput>;

/** Before a tool runs. */
export type PreToolUseHookSpecificOutput = Mutable<hooks.PreToolUseHookOutput>;

/** Effect of a rewind. */
export type RewindFilesResult = Mutable<control_replies.RewindFilesReply>;

/** An API request failed and will be repeated. */
export type SDKAPIRetryMessage = Mutable<messages_system.ApiRetryMessage>;

/** The goal that the session works towards changed. */
export type SDKActiveGoalMessage = Mutable<messages_other.ActiveGoalMessage>;

/** Output of the model: one content block of one API message. */
export type SDKAssistantMessage = Mutable<messages_turn.AssistantMessage>;

/** Reason a request to the API failed. */
export type SDKAssistantMessageError = Mutable<messages_turn.AssistantError>;

/** Progress of a login. */
export type SDKAuthStatusMessage = Mutable<messages_other.AuthStatusMessage>;

/** The whole list of background tasks, after a change. */
export type SDKBackgroundTasksChangedMessage = Mutable<
  messages_system.BackgroundTasksChangedMessage
>;

/** The whole list of commands, after a change. */
export type SDKCommandsChangedMessage = Mutable<
  messages_system.CommandsChangedMessage
>;

/** The history before this was replaced by a summary. */
export type SDKCompactBoundaryMessage = Mutable<
  messages_system.CompactBoundaryMessage
>;

/** Summary of the context window, in tokens. */
export type SDKContextUsage = Mutable<usage.ContextUsageShort>;

/** Content of the context window; numbers are tokens unless the name says otherwise. */
export type SDKControlGetContextUsageResponse = Mutable<
  control_replies.ContextUsage
>;

/** Usage of the session, and limits of the account. */
export type SDKControlGetUsageResponse = Mutable<control_replies.UsageReply>;

/** State after an interrupt. */
export type SDKControlInterruptResponse = Mutable<
  control_replies.InterruptReceipt
>;

/** The permission rules in force. */
export type SDKControlListPermissionRulesResponse = Mutable<
  control_replies.PermissionRulesReply
>;

/** A resource of an MCP server. */
export type SDKControlMcpReadResourceResponse = Mutable<
  control_replies.ReadMcpResourceReply
>;

/** The permission rules in force. */
export type SDKControlPermissionRulesState = Mutable<
  control_replies.PermissionRulesState
>;

/** The content of a file. */
export type SDKControlReadFileResponse = Mutable<control_replies.ReadFileReply>;

/** State after output styles were reloaded. */
export type SDKControlReloadOutputStylesResponse = Mutable<
  control_replies.ReloadOutputStylesReply
>;

/** State after plugins were reloaded. */
export type SDKControlReloadPluginsResponse = Mutable<
  control_replies.ReloadPluginsReply
>;

/** State after skills were reloaded. */
export type SDKControlReloadSkillsResponse = Mutable<
  control_replies.ReloadSkillsReply
>;

/** Progress of a control request that takes long. */
export type SDKControlRequestProgressMessage = Mutable<
  messages_system.ControlRequestProgressMessage
>;

/** The mode in force. */
export type SDKControlSetPermissionModeResponse = Mutable<
  control_replies.SetPermissionModeReply
>;

/** The conversation was emptied; a new session id follows. */
export type SDKConversationResetMessage = Mutable<
  messages_other.ConversationResetMessage
>;

/** A question of an MCP server was answered elsewhere. */
export type SDKElicitationCompleteMessage = Mutable<
  messages_system.ElicitationCompleteMessage
>;

/** Files were stored. */
export type SDKFilesPersistedEvent = Mutable<
  messages_system.FilesPersistedMessage
>;

/** A command hook of the settings produced output. */
export type SDKHookProgressMessage = Mutable<
  messages_system.HookProgressMessage
>;

/** A command hook of the settings ended. */
export type SDKHookResponseMessage = Mutable<
  messages_system.HookResponseMessage
>;

/** A command hook of the settings began; callbacks are never reported. */
export type SDKHookStartedMessage = Mutable<messages_system.HookStartedMessage>;

/** Information for the user. */
export type SDKInformationalMessage = Mutable<
  messages_system.InformationalMessage
>;

/** Output of a command that ran without the model. */
export type SDKLocalCommandOutputMessage = Mutable<
  messages_system.LocalCommandOutputMessage
>;

/** A resource of an MCP server, as a link. */
export type SDKMcpResourceLink = Mutable<messages_system.McpResourceLink>;

/** Memories were read. */
export type SDKMemoryRecallMessage = Mutable<
  messages_system.MemoryRecallMessage
>;

/**
 * One message of the CLI: the wire object itself, distinguished by `type`, then `subtype`.
 *
 * Fields that this package does not know are kept at run time. Keep a `default` branch in a `switch`: the CLI adds
 * kinds, which come as {@link UnknownMessage}.
 */
export type SDKMessage = Mutable<messages_other.Message>;

/** Origin of a message, by `kind`. */
export type SDKMessageOrigin = Mutable<messages_turn.MessageOrigin>;

/** A copy of the transcript could not be stored. The CLI never sends this message; Sluice makes it. */
export type SDKMirrorErrorMessage = Mutable<messages_system.MirrorErrorMessage>;

/** The model refused, and another one took over. */
export type SDKModelRefusalFallbackMessage = Mutable<
  messages_system.ModelRefusalFallbackMessage
>;

/** The model refused, and no other one took over. */
export type SDKModelRefusalNoFallbackMessage = Mutable<
  messages_system.ModelRefusalNoFallbackMessage
>;

/** A short notification for the screen. */
export type SDKNotificationMessage = Mutable<
  messages_system.NotificationMessage
>;

/**
 * A piece of a message that is being written; only with `includePartialMessages`.
 *
 * The whole assistant message comes before the `content_block_stop` of its block.
 */
export type SDKPartialAssistantMessage = Mutable<
  messages_turn.StreamEventMessage
>;

/** A tool call that was denied. */
export type SDKPermissionDenial = Mutable<messages_turn.PermissionDenial>;

/** A tool call was denied without asking the host. */
export type SDKPermissionDeniedMessage = Mutable<
  messages_system.PermissionDeniedMessage
>;

/** A plugin is being installed. */
export type SDKPluginInstallMessage = Mutable<
  messages_system.PluginInstallMessage
>;

/** A suggested next prompt; only with `promptSuggestions`. */
export type SDKPromptSuggestionMessage = Mutable<
  messages_other.PromptSuggestionMessage
>;

/** The account's limits changed. */
export type SDKRateLimitEvent = Mutable<messages_other.RateLimitMessage>;

/** State of the rate limits of an account. */
export type SDKRateLimitInfo = Mutable<messages_other.RateLimitInfo>;

/** The end of a turn that did not run to completion. */
export type SDKResultError = Mutable<messages_turn.ResultFailure>;

/** The end of a turn that ran to completion; may still be an error: check `is_error`. */
export type SDKResultSuccess = Mutable<messages_turn.ResultSuccess>;

/** The session became running, waiting or idle. Sluice does not deliver a message with `sdk_host_only`. */
export type SDKSessionStateChangedMessage = Mutable<
  messages_system.SessionStateMessage
>;

/** The CLI could not write session files. */
export type SDKSessionWritesLostMessage = Mutable<
  messages_system.SessionWritesLostMessage
>;

/** A fault in a settings file. */
export type SDKSettingsParseError = Mutable<control_replies.SettingsParseError>;

/** Reason a session could not start. */
export type SDKStartupFailureReason = Mutable<
  messages_turn.StartupFailureReason
>;

/** The CLI is compacting the context, waiting for the API, or neither (null). */
export type SDKStatusMessage = Mutable<messages_system.StatusMessage>;

/** A turn begins, with the setup in force for it; once per turn, never before the first prompt. */
export type SDKSystemMessage = Mutable<messages_system.InitMessage>;

/** A task ended; a turn of its own may follow, without any prompt. */
export type SDKTaskNotificationMessage = Mutable<
  messages_system.TaskNotificationMessage
>;

/** Progress of a task. */
export type SDKTaskProgressMessage = Mutable<
  messages_system.TaskProgressMessage
>;

/** A subagent, a background command or a workflow began. */
export type SDKTaskStartedMessage = Mutable<messages_system.TaskStartedMessage>;

/** The state of a task changed. */
export type SDKTaskUpdatedMessage = Mutable<messages_system.TaskUpdatedMessage>;

/** The model is thinking; also without partial messages. */
export type SDKThinkingTokensMessage = Mutable<
  messages_system.ThinkingTokensMessage
>;

/** A tool is still running. */
export type SDKToolProgressMessage = Mutable<
  messages_other.ToolProgressMessage
>;

/** Several tool calls in a sentence. */
export type SDKToolUseSummaryMessage = Mutable<
  messages_other.ToolUseSummaryMessage
>;

/** Use of the account, as a local command reports it. */
export type SDKUsageReport = Mutable<usage.UsageReport>;

/** An echo of a user message: with `--replay-user-messages`, and for local commands. */
export type SDKUserMessageReplay = Mutable<messages_turn.UserMessageReplay>;

/** The process that runs the session is about to end. */
export type SDKWorkerShuttingDownMessage = Mutable<
  messages_system.WorkerShuttingDownMessage
>;

/** A plugin to load. */
export type SdkPluginConfig = Mutable<session.PluginConfig>;

/** A scheduled prompt of the session. */
export type SessionCronSummary = Mutable<hook_inputs.HookSessionCron>;

/** When a session ends. */
export type SessionEndHookInput = Mutable<hook_inputs.SessionEndHookInput>;

/** When a session begins. */
export type SessionStartHookInput = Mutable<hook_inputs.SessionStartHookInput>;

/** When a session begins. */
export type SessionStartHookSpecificOutput = Mutable<
  hooks.SessionStartHookOutput
>;

/** When a project is set up. */
export type SetupHookInput = Mutable<hook_inputs.SetupHookInput>;

/** When a project is set up. */
export type SetupHookSpecificOutput = Mutable<hooks.SetupHookOutput>;

/** A command that a prompt may begin with. */
export type SlashCommand = Mutable<session.SlashCommand>;

/** When an API error ended a turn. */
export type StopFailureHookInput = Mutable<hook_inputs.StopFailureHookInput>;

/** When a turn is about to end. */
export type StopHookInput = Mutable<hook_inputs.StopHookInput>;

/** When a turn is about to end. */
export type StopHookSpecificOutput = Mutable<hooks.StopHookOutput>;

/** When a subagent begins. */
export type SubagentStartHookInput = Mutable<
  hook_inputs.SubagentStartHookInput
>;

/** When a subagent begins. */
export type SubagentStartHookSpecificOutput = Mutable<
  hooks.SubagentStartHookOutput
>;

/** When a subagent is about to end. */
export type SubagentStopHookInput = Mutable<hook_inputs.SubagentStopHookInput>;

/** When a subagent is about to end. */
export type SubagentStopHookSpecificOutput = Mutable<
  hooks.SubagentStopHookOutput
>;

/** Output of a hook that handled its event. */
export type SyncHookJSONOutput = Mutable<hooks.HookAnswer>;

/** When an entry of the to-do list is completed. */
export type TaskCompletedHookInput = Mutable<
  hook_inputs.TaskCompletedHookInput
>;

/** When an entry of the to-do list is created. */
export type TaskCreatedHookInput = Mutable<hook_inputs.TaskCreatedHookInput>;

/** When a teammate is idle. */
export type TeammateIdleHookInput = Mutable<hook_inputs.TeammateIdleHookInput>;

/** Reason a turn ended. */
export type TerminalReason = Mutable<messages_turn.TerminalReason>;

/** Outcome of a dialog. */
export type UserDialogResult = Mutable<control_cli.DialogReply>;

/** When a slash command expands to a prompt. */
export type UserPromptExpansionHookInput = Mutable<
  hook_inputs.UserPromptExpansionHookInput
>;

/** When a slash command expands to a prompt. */
export type UserPromptExpansionHookSpecificOutput = Mutable<
  hooks.UserPromptExpansionHookOutput
>;

/** Before a prompt is sent to the model. */
export type UserPromptSubmitHookInput = Mutable<
  hook_inputs.UserPromptSubmitHookInput
>;

/** Before a prompt is sent to the model. */
export type UserPromptSubmitHookSpecificOutput = Mutable<
  hooks.UserPromptSubmitHookOutput
>;

/** When a worktree is needed; the hook must create it. */
export type WorktreeCreateHookInput = Mutable<
  hook_inputs.WorktreeCreateHookInput
>;

/** When a worktree is needed; the hook must create it. */
export type WorktreeCreateHookSpecificOutput = Mutable<
  hooks.WorktreeCreateHookOutput
>;

/** When a worktree is removed. */
export type WorktreeRemoveHookInput = Mutable<
  hook_inputs.WorktreeRemoveHookInput
>;
