// Made from protocol/ by `npm run generate`; edit that.
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { ContentBlockInput } from "./content.ts";
import type {
  CanUseToolRequest,
  DialogRequest,
  HookCallbackRequest,
  HostAuthTokenRefreshRequest,
  McpElicitationRequest,
  McpMessageRequest,
  OauthTokenRefreshRequest,
  RemoteControlWorkSecretRequest,
  RemotePlumbingCallRequest,
  RemoteToolCallRequest,
  RemoteToolsProbeRequest,
  RemoteToolsReannounceRequest,
  UiCopyRequest,
  UiPromptFillRequest,
  UiPromptPaintRequest,
  UiPromptReadRequest,
  UiPromptSuggestRequest,
  UiReadSelectionRequest,
} from "./control_cli.ts";
import type {
  AddDirectoryRequest,
  ApplyFlagSettingsRequest,
  BackgroundTasksRequest,
  CancelAsyncMessageRequest,
  ChannelEnableRequest,
  ClaimSessionRequest,
  ClaudeAuthenticateRequest,
  ClaudeOauthCallbackRequest,
  ClaudeOauthWaitForCompletionRequest,
  ComparisonForkRequest,
  EndSessionRequest,
  ExportConversationRequest,
  FileSuggestionsRequest,
  ForkConversationRequest,
  GenerateSessionTitleRequest,
  GetBinaryVersionRequest,
  GetChromeBrowsersRequest,
  GetChromeDialogRequest,
  GetCloudSessionRequest,
  GetCloudSessionTranscriptRequest,
  GetContextUsageRequest,
  GetHooksListingRequest,
  GetMemoryDialogRequest,
  GetPlanRequest,
  GetSandboxDialogRequest,
  GetSessionCostRequest,
  GetSettingsRequest,
  GetSkillsDialogRequest,
  GetStatusRequest,
  GetTaskOutputRequest,
  GetUsageRequest,
  GetWorkspaceDiffRequest,
  InitializeRequest,
  InterruptRequest,
  ListCloudSessionsRequest,
  ListDirectoryRequest,
  ListModelsRequest,
  ListPermissionRulesRequest,
  McpAuthenticateRequest,
  McpCallRequest,
  McpClearAuthRequest,
  McpOauthCallbackUrlRequest,
  McpReadResourceRequest,
  McpReconnectRequest,
  McpSetServersRequest,
  McpStatusRequest,
  McpTasksChangedRequest,
  McpToggleRequest,
  MessageRatedRequest,
  PollEventRequest,
  PromptDraftActivityRequest,
  ReadFileRequest,
  RegisterDeviceHooksRequest,
  RegisterRepoRootRequest,
  ReloadConnectorsRequest,
  ReloadOutputStylesRequest,
  ReloadPluginsRequest,
  ReloadSkillsRequest,
  RemoteControlRequest,
  RemoteToolsAnnounceRequest,
  RenameSessionRequest,
  RewindConversationRequest,
  RewindFilesRequest,
  SeedReadStateRequest,
  SelectChromeBrowserRequest,
  SetChromeBrowserHintsRequest,
  SetColorRequest,
  SetCwdRequest,
  SetHasSubscribersRequest,
  SetMaxThinkingTokensRequest,
  SetMcpPermissionModeOverrideRequest,
  SetMessageWaitingRequest,
  SetModelRequest,
  SetPermissionModeRequest,
  SetProactivityLevelRequest,
  SetPromptSuggestionsPausedRequest,
  SideQuestionRequest,
  StageFileRequest,
  StartShellTaskRequest,
  StopTaskRequest,
  SubmitFeedbackRequest,
  SubmitSurveyFeedbackRequest,
  TurnHandoffRequest,
  UiAttachRequest,
  UiClientFaultRequest,
  UiClientModuleRequest,
  UiClientPressRequest,
  UiCloseRequest,
  UiDetachRequest,
  UiFocusRequest,
  UiInputRequest,
  UiMessageRequest,
  UiPaneFocusRequest,
  UiPaneShowRequest,
  UiPanesRequest,
  UiPressRequest,
  UiPromptAutocompleteRequest,
  UiPromptEditRequest,
  UiRenderRequest,
  UiScrollRequest,
  UiSelectRequest,
  UltrareviewLaunchRequest,
  UpdateCloudSessionRequest,
  UpdateSettingsRequest,
  UploadDeviceHookTemplateRequest,
} from "./control_host.ts";
import type { Message } from "./messages_other.ts";
import type { MessageOrigin, QueuePriority } from "./messages_turn.ts";

/** Line with a control request of the CLI. */
export interface CliControlRequest {
  /** Discriminator. */
  readonly type: "control_request";
  /** Id of the request; unique among those of the CLI. */
  readonly request_id: string;
  /** The request. */
  readonly request: ControlRequestOfCli;
}

/** Line with a control request of the host. */
export interface HostControlRequest {
  /** Discriminator. */
  readonly type: "control_request";
  /** Id of the request; unique among those of the host. */
  readonly request_id: string;
  /** The request. */
  readonly request: ControlRequestOfHost;
}

/** Requests of the CLI, distinguished by `subtype`. */
export type ControlRequestOfCli =
  | CanUseToolRequest
  | HookCallbackRequest
  | McpMessageRequest
  | McpElicitationRequest
  | DialogRequest
  | OauthTokenRefreshRequest
  | HostAuthTokenRefreshRequest
  | RemoteControlWorkSecretRequest
  | UiCopyRequest
  | UiPromptReadRequest
  | UiPromptFillRequest
  | UiPromptPaintRequest
  | UiPromptSuggestRequest
  | UiReadSelectionRequest
  | RemoteToolCallRequest
  | RemotePlumbingCallRequest
  | RemoteToolsProbeRequest
  | RemoteToolsReannounceRequest;

/** Requests of the host, distinguished by `subtype`. */
export type ControlRequestOfHost =
  | InitializeRequest
  | InterruptRequest
  | SetPermissionModeRequest
  | SetModelRequest
  | SetMaxThinkingTokensRequest
  | RenameSessionRequest
  | SetColorRequest
  | McpStatusRequest
  | McpSetServersRequest
  | McpReconnectRequest
  | McpToggleRequest
  | McpCallRequest
  | McpReadResourceRequest
  | GetContextUsageRequest
  | GetSessionCostRequest
  | GetUsageRequest
  | ListModelsRequest
  | GetBinaryVersionRequest
  | FileSuggestionsRequest
  | ReadFileRequest
  | SeedReadStateRequest
  | RewindFilesRequest
  | CancelAsyncMessageRequest
  | ApplyFlagSettingsRequest
  | GetSettingsRequest
  | UpdateSettingsRequest
  | GetHooksListingRequest
  | ListPermissionRulesRequest
  | ReloadPluginsRequest
  | ReloadSkillsRequest
  | ReloadOutputStylesRequest
  | RegisterRepoRootRequest
  | StopTaskRequest
  | BackgroundTasksRequest
  | GetTaskOutputRequest
  | SetHasSubscribersRequest
  | EndSessionRequest
  | SideQuestionRequest
  | GenerateSessionTitleRequest
  | McpAuthenticateRequest
  | McpClearAuthRequest
  | McpOauthCallbackUrlRequest
  | SetMcpPermissionModeOverrideRequest
  | ExportConversationRequest
  | GetPlanRequest
  | ListDirectoryRequest
  | GetWorkspaceDiffRequest
  | SetCwdRequest
  | GetMemoryDialogRequest
  | GetSkillsDialogRequest
  | GetChromeDialogRequest
  | GetChromeBrowsersRequest
  | SelectChromeBrowserRequest
  | GetSandboxDialogRequest
  | GetStatusRequest
  | ListCloudSessionsRequest
  | GetCloudSessionRequest
  | GetCloudSessionTranscriptRequest
  | UpdateCloudSessionRequest
  | ReloadConnectorsRequest
  | SetChromeBrowserHintsRequest
  | SetPromptSuggestionsPausedRequest
  | SetMessageWaitingRequest
  | PromptDraftActivityRequest
  | ClaimSessionRequest
  | RegisterDeviceHooksRequest
  | UploadDeviceHookTemplateRequest
  | MessageRatedRequest
  | StartShellTaskRequest
  | SubmitFeedbackRequest
  | SubmitSurveyFeedbackRequest
  | RemoteToolsAnnounceRequest
  | TurnHandoffRequest
  | ComparisonForkRequest
  | UiAttachRequest
  | UiDetachRequest
  | UiRenderRequest
  | UiPressRequest
  | UiClientModuleRequest
  | UiClientPressRequest
  | UiMessageRequest
  | UiClientFaultRequest
  | UiInputRequest
  | UiSelectRequest
  | UiPanesRequest
  | UiPaneShowRequest
  | UiPaneFocusRequest
  | UiCloseRequest
  | UiScrollRequest
  | UiFocusRequest
  | UiPromptEditRequest
  | UiPromptAutocompleteRequest
  | RemoteControlRequest
  | ChannelEnableRequest
  | ClaudeAuthenticateRequest
  | ClaudeOauthCallbackRequest
  | ClaudeOauthWaitForCompletionRequest
  | UltrareviewLaunchRequest
  | AddDirectoryRequest
  | ForkConversationRequest
  | RewindConversationRequest
  | StageFileRequest
  | McpTasksChangedRequest
  | PollEventRequest
  | SetProactivityLevelRequest
  | McpMessageRequest;

/** Line with the response to a request of the other side. */
export interface ControlResponse {
  /** Discriminator. */
  readonly type: "control_response";
  /** The answer. */
  readonly response: ControlSuccess | ControlFailure;
}

/** Response to a request that succeeded. */
export interface ControlSuccess {
  /** Discriminator. */
  readonly subtype: "success";
  /** Id of the request. */
  readonly request_id: string;
  /** Body of the reply; absent if it has none. */
  readonly response?: JsonObject;
  /** Pending permission requests. */
  readonly pending_permission_requests?: readonly CliControlRequest[];
  /** Dialogs that are still open. */
  readonly pending_user_dialog_requests?: readonly CliControlRequest[];
  /** Questions of MCP servers that are still open. */
  readonly pending_elicitation_requests?: readonly CliControlRequest[];
}

/** Response to a request that failed. */
export interface ControlFailure {
  /** Discriminator. */
  readonly subtype: "error";
  /** Id of the request. */
  readonly request_id: string;
  /** Reason, in words. */
  readonly error: string;
  /** Reason, as a code such as `unsupported_request`; wire only. */
  readonly error_code?: string;
  /** Model concerned; wire only. */
  readonly model?: string;
  /** Pending permission requests. */
  readonly pending_permission_requests?: readonly CliControlRequest[];
  /** Dialogs that are still open. */
  readonly pending_user_dialog_requests?: readonly CliControlRequest[];
  /** Questions of MCP servers that are still open. */
  readonly pending_elicitation_requests?: readonly CliControlRequest[];
}

/** Line that cancels a request; it has no reply. */
export interface ControlCancelRequest {
  /** Discriminator. */
  readonly type: "control_cancel_request";
  /** Id of the request. */
  readonly request_id: string;
  /** Whether a late permission still counts; wire only. */
  readonly takes_late_allow?: true;
  /** Tool call concerned; wire only. */
  readonly tool_use_id?: string;
}

/** Line without content, as a sign of life. */
export interface KeepAlive {
  /** Discriminator. */
  readonly type: "keep_alive";
  /** Phase of the start; wire only. */
  readonly startup_mark?: JsonValue;
}

/** Entries that the CLI appended to the session file; with `--session-mirror`; wire only. */
export interface TranscriptMirror {
  /** Discriminator. */
  readonly type: "transcript_mirror";
  /** The file. */
  readonly filePath: string;
  /** The entries, in order. */
  readonly entries: readonly JsonObject[];
}

/** A prompt on the wire; only `type` and `message` are required. */
export interface UserMessageInput {
  /** Discriminator. */
  readonly type: "user";
  /** The prompt itself. */
  readonly message: {
    /** For any other role the CLI ends with exit code 1. */
    readonly role: "user";
    /** Text or blocks. */
    readonly content: string | readonly ContentBlockInput[];
  };
  /** The tool call this belongs to; null for a prompt. */
  readonly parent_tool_use_id?: string | null | undefined;
  /** Session id; the CLI also accepts an empty one. */
  readonly session_id?: string | undefined;
  /** The host's id of this prompt: handle for `cancelQueued()` and `rewindFiles()`, comes back in `user_message_uuids`. */
  readonly uuid?: string | undefined;
  /** Place in the queue while a turn runs. */
  readonly priority?: QueuePriority | undefined;
  /** False adds to the conversation without starting a turn. */
  readonly shouldQuery?: boolean | undefined;
  /** Whether a program, not a person, wrote this text. */
  readonly isSynthetic?: boolean | undefined;
  /** Origin of the message. */
  readonly origin?: MessageOrigin | undefined;
  /** Time of writing, ISO 8601. */
  readonly timestamp?: string | undefined;
  /** Structured result of the tool whose result this line carries. */
  readonly tool_use_result?: JsonValue | undefined;
  /** The subagent it belongs to. */
  readonly agent_id?: string | undefined;
  /** Kind of that subagent. */
  readonly subagent_type?: string | undefined;
  /** Task of that subagent. */
  readonly task_description?: string | undefined;
  /** A program wrote the text; the CLI takes it literally. */
  readonly client_composed?: true | undefined;
  /** Pasted blocks. */
  readonly pasted_content?: readonly ContentBlockInput[] | undefined;
  /** Pasted texts. */
  readonly inline_pastes?: readonly string[] | undefined;
}

/** Sets variables of the CLI; wire only. */
export interface UpdateEnvironmentVariables {
  /** Discriminator. */
  readonly type: "update_environment_variables";
  /** Values by name. */
  readonly variables: Readonly<Record<string, string>>;
  /** Id of the request. */
  readonly request_id?: string | undefined;
}

/** A line that the CLI writes. */
export type StdoutLine =
  | Message
  | CliControlRequest
  | ControlResponse
  | ControlCancelRequest
  | KeepAlive
  | TranscriptMirror;

/** A line that the host writes. */
export type StdinLine =
  | UserMessageInput
  | HostControlRequest
  | ControlResponse
  | ControlCancelRequest
  | KeepAlive
  | UpdateEnvironmentVariables;
