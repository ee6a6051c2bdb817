// Made from protocol/ by `npm run generate`; edit that.
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { PermissionMode } from "./permissions.ts";
import type {
  AgentDefinition,
  McpToolPolicy,
  PluginConfig,
  WireMcpServerConfig,
} from "./session.ts";

/** Hooks of one event. */
export interface HookRegistration {
  /** A pattern of tool names such as `Bash|Edit`, or of the value that the event is matched by; absent = always. */
  readonly matcher?: string | undefined;
  /** Ids that the host chose for its hooks; `hook_callback` sends them back. */
  readonly hookCallbackIds: readonly string[];
  /** Timeout of one call, in seconds. */
  readonly timeout?: number | undefined;
  /** Effect of a failing hook. */
  readonly onFailure?: "continue" | "block" | undefined;
  /** Effect of a hook without an answer; wire only. */
  readonly whenUnanswered?: JsonValue | undefined;
  /** Whether the hook decides nothing; wire only. */
  readonly contextOnly?: boolean | undefined;
  /** Not known; wire only. */
  readonly replacedByFrame?: JsonValue | undefined;
}

/** Settings of an MCP server in the host. */
export interface SdkMcpServerSettings {
  /** Timeout of a call, in milliseconds. */
  readonly timeout?: number | undefined;
  /** Rules for its tools. */
  readonly tools?: readonly McpToolPolicy[] | undefined;
}

/** Reply of an MCP server in the host to the handshake. */
export interface SdkMcpManifest {
  /** Its answer to `initialize`. */
  readonly initializeResult: JsonObject;
  /** Its answer to `tools/list`. */
  readonly toolsListResult?: JsonObject | undefined;
}

/** Answer of the model outside of the conversation; wire only. */
export interface SideAnswer {
  /** The answer; null = none. */
  readonly response: string | null;
  /** Whether the CLI generated it itself. */
  readonly synthetic?: boolean;
}

/** A generated title; wire only. */
export interface GeneratedTitle {
  /** The title. */
  readonly title: string;
}

/** Sets the session up; the first line of stdin. */
export interface InitializeRequest {
  /** Discriminator. */
  readonly subtype: "initialize";
  /** Hooks to call, by event. */
  readonly hooks?:
    | Readonly<Record<string, readonly HookRegistration[]>>
    | undefined;
  /** Names of the MCP servers that the host answers for. */
  readonly sdkMcpServers?: readonly string[] | undefined;
  /** Settings by name. */
  readonly sdkMcpServerConfigs?:
    | Readonly<Record<string, SdkMcpServerSettings>>
    | undefined;
  /** Their replies to the handshake, by name; the CLI then needs no handshake. */
  readonly sdkMcpServerManifests?:
    | Readonly<Record<string, SdkMcpManifest>>
    | undefined;
  /** Marks the manifests as made for this very request. */
  readonly sdkMcpServerManifestsOrigin?: "host_per_send" | undefined;
  /** JSON Schema of the structured output. */
  readonly jsonSchema?: JsonObject | undefined;
  /** The system prompt; absent = the CLI's own for hosts; since 2.1.110. */
  readonly systemPrompt?: readonly string[] | undefined;
  /** Added to the system prompt of the product. */
  readonly appendSystemPrompt?: string | undefined;
  /** Whether the system prompt is kept as it is at the start. */
  readonly systemPromptSnapshot?: boolean | undefined;
  /** Instructions for the model in plan mode. */
  readonly planModeInstructions?: string | undefined;
  /** Tools that run in place of other tools, by the name of the replaced tool. */
  readonly toolAliases?: Readonly<Record<string, string>> | undefined;
  /** Whether sections that change per turn stay out of the system prompt. */
  readonly excludeDynamicSections?: boolean | undefined;
  /** Subagents, by name. */
  readonly agents?: Readonly<Record<string, AgentDefinition>> | undefined;
  /** Title of the session. */
  readonly title?: string | undefined;
  /** Skills that can be used; absent = those of the settings. */
  readonly skills?: readonly string[] | undefined;
  /** Whether `prompt_suggestion` messages are delivered. */
  readonly promptSuggestions?: boolean | undefined;
  /** Whether subagents report progress summaries. */
  readonly agentProgressSummaries?: boolean | undefined;
  /** Whether texts of subagents are delivered as messages. */
  readonly forwardSubagentText?: boolean | undefined;
  /** Dialogs that the host can show. */
  readonly supportedDialogKinds?: readonly string[] | undefined;
  /** Whether the host can stop single tasks. */
  readonly perTaskStopAffordance?: boolean | undefined;
  /** Plugins to load; needs `--await-initialize`. */
  readonly plugins?: readonly PluginConfig[] | undefined;
  /** MCP servers that the CLI connects; needs `--await-initialize`; since 2.1.326. */
  readonly mcpServers?:
    | Readonly<Record<string, WireMcpServerConfig>>
    | undefined;
  /** Settings; needs `--await-initialize` and `--initialize-fields`; wire only; since 2.1.327. */
  readonly settings?: JsonObject | undefined;
  /** Deny rules for tools; needs `--await-initialize` and `--initialize-fields`; wire only. */
  readonly disallowedTools?: readonly string[] | undefined;
  /** Settings of the organization; wire only. */
  readonly managedSettings?: JsonObject | undefined;
  /** Added to the system prompt of subagents; wire only. */
  readonly appendSubagentSystemPrompt?: string | undefined;
  /** MCP tools that run code; wire only. */
  readonly codeRunningMcpTools?: JsonValue | undefined;
  /** MCP servers that stay reachable while the web is searched; wire only. */
  readonly webSearchIsolationExemptMcpServers?: JsonValue | undefined;
  /** Whether the host shows the offer to set Chrome up; wire only. */
  readonly rendersChromeSetupOffer?: boolean | undefined;
  /** Whether tool calls of subagents of subagents come as messages; wire only. */
  readonly forwardNestedSubagentToolCalls?: boolean | undefined;
  /** Whether a prompt soon after another takes its place; wire only. */
  readonly rapidFollowupPreempt?: JsonValue | undefined;
  /** Not known; wire only. */
  readonly cloudEchoBeforeInit?: JsonValue | undefined;
  /** Not known; wire only. */
  readonly cloudStatusBeforeInit?: JsonValue | undefined;
  /** Whether the working directory is trusted; wire only. */
  readonly workspaceTrust?: JsonValue | undefined;
}

/**
 * Interrupts the running turn and stops its tools; the session stays usable.
 *
 * The turn ends with a result (`error_during_execution`). Has no effect when nothing runs.
 */
export interface InterruptRequest {
  /** Discriminator. */
  readonly subtype: "interrupt";
  /** Whether queued prompts are cancelled too; default: false. */
  readonly cancel_queued?: boolean | undefined;
  /** Reason; wire only. */
  readonly reason?: string | undefined;
  /** Whether queued prompts are sent at once; wire only. */
  readonly send_now?: boolean | undefined;
  /** Uuid of one prompt; wire only. */
  readonly message_uuid?: string | undefined;
  /** Only if the turn answers these prompts; wire only. */
  readonly for_user_message_uuids?: readonly string[] | undefined;
  /** Whether background tasks continue; wire only. */
  readonly spare_background_tasks?: boolean | undefined;
  /** The worker that is meant; wire only. */
  readonly worker_epoch?: number | undefined;
}

/** Sets the permission mode; `bypassPermissions` needs the option `permissions.allowBypass`. */
export interface SetPermissionModeRequest {
  /** Discriminator. */
  readonly subtype: "set_permission_mode";
  /** The mode. */
  readonly mode: PermissionMode;
  /** Whether the plan is made elsewhere; wire only. */
  readonly ultraplan?: boolean | undefined;
  /** Whether the mode comes from settings; wire only. */
  readonly from_settings?: boolean | undefined;
}

/** Sets the model; absent or null = the default model. The CLI tests the model with a small API request. */
export interface SetModelRequest {
  /** Discriminator. */
  readonly subtype: "set_model";
  /** The model; absent or null = the default. */
  readonly model?: string | null | undefined;
  /** System prompt from now on; wire only. */
  readonly system_prompt?: JsonValue | undefined;
  /** Only if this model is the current one; wire only. */
  readonly only_if_model_is_current?: string | undefined;
}

/** Sets the maximum number of thinking tokens; null = the default. */
export interface SetMaxThinkingTokensRequest {
  /** Discriminator. */
  readonly subtype: "set_max_thinking_tokens";
  /** Maximum tokens; null = the default. */
  readonly max_thinking_tokens?: number | null | undefined;
  /** Display of the thinking; null = the default. */
  readonly thinking_display?:
    | "summarized"
    | "omitted"
    | "highlights"
    | null
    | undefined;
}

/** Sets the title of the session. */
export interface RenameSessionRequest {
  /** Discriminator. */
  readonly subtype: "rename_session";
  /** The title. */
  readonly title: string;
  /** Side that requested the change. */
  readonly source?: "remote" | "host" | undefined;
  /** Id of the session; default: the running session. */
  readonly session_id?: string | undefined;
  /** Whether the group of browser tabs gets the title too; wire only. */
  readonly names_chrome_tab_group?: boolean | undefined;
}

/** Sets the colour of the session; a session of an SDK refuses it. */
export interface SetColorRequest {
  /** Discriminator. */
  readonly subtype: "set_color";
  /** The colour. */
  readonly color: string;
}

/** Returns the state of all MCP servers, also of those that Sluice serves. */
export interface McpStatusRequest {
  /** Discriminator. */
  readonly subtype: "mcp_status";
  /** Whether the state is queried again. */
  readonly liveReply?: boolean | undefined;
}

/** Replaces the MCP servers. Servers of settings files stay. Servers with `via: "cli"` that you passed at the start stay too. */
export interface McpSetServersRequest {
  /** Discriminator. */
  readonly subtype: "mcp_set_servers";
  /** The servers, by name; others are removed. */
  readonly servers: Readonly<Record<string, WireMcpServerConfig>>;
  /** Not known; wire only. */
  readonly hint?: JsonValue | undefined;
  /** Tools that may not be used; wire only. */
  readonly denied_tools?: JsonValue | undefined;
}

/** Reconnects an MCP server. */
export interface McpReconnectRequest {
  /** Discriminator. */
  readonly subtype: "mcp_reconnect";
  /** Its name. */
  readonly serverName: string;
}

/** Switches an MCP server on or off. */
export interface McpToggleRequest {
  /** Discriminator. */
  readonly subtype: "mcp_toggle";
  /** Its name. */
  readonly serverName: string;
  /** Whether it is on. */
  readonly enabled: boolean;
}

/** Calls an MCP tool by its full name, `mcp__server__tool`. Works only with servers that the CLI itself has connected. On request, the result of a failed tool is returned instead of an error. */
export interface McpCallRequest {
  /** Discriminator. */
  readonly subtype: "mcp_call";
  /** Its full name, `mcp__server__tool`. */
  readonly tool: string;
  /** Its arguments. */
  readonly arguments?: JsonObject | undefined;
  /** Expiry of the call, RFC 3339. */
  readonly expires_at?: string | undefined;
  /** Timeout of the call, in milliseconds. */
  readonly timeout_ms?: number | undefined;
  /** Whether the model never sees the result; default: false. */
  readonly result_not_for_model?: boolean | undefined;
  /** Whether the permission rules are checked first; default: false. */
  readonly check_permissions?: boolean | undefined;
  /** Whether the result of a tool that failed is returned instead of an error; default: false. */
  readonly soft_error_result?: boolean | undefined;
  /** Files for the tool to read. */
  readonly input_files?:
    | readonly ({
      /** Name of the tool's argument. */
      readonly name: string;
      /** Path of the file in the exchange folder. */
      readonly lane_path: string;
    })[]
    | undefined;
  /** Files for the tool to write. */
  readonly output_files?:
    | readonly ({
      /** Name of the tool's argument. */
      readonly name: string;
      /** Path of the file in the exchange folder. */
      readonly lane_path: string;
      /** Only if the file still has this version. */
      readonly if_match?: string | undefined;
    })[]
    | undefined;
}

/** Reads a resource of an MCP server. The CLI accepts only `ui://` addresses. */
export interface McpReadResourceRequest {
  /** Discriminator. */
  readonly subtype: "mcp_read_resource";
  /** Its name. */
  readonly serverName: string;
  /** The resource. */
  readonly uri: string;
}

/** Returns the tokens in the context window, in total and by category. */
export interface GetContextUsageRequest {
  /** Discriminator. */
  readonly subtype: "get_context_usage";
  /** Level of detail; the CLI has a default. */
  readonly detail?: "summary" | "full" | undefined;
}

/** Returns the cost of the session so far, as text. */
export interface GetSessionCostRequest {
  /** Discriminator. */
  readonly subtype: "get_session_cost";
}

/** Returns the usage of the session and the account's rate limits. */
export interface GetUsageRequest {
  /** Discriminator. */
  readonly subtype: "get_usage";
  /** Whether to leave out `behaviors`, the slowest part; default: false. */
  readonly skip_behaviors?: boolean | undefined;
}

/** Lists the models that can be chosen. */
export interface ListModelsRequest {
  /** Discriminator. */
  readonly subtype: "list_models";
}

/** Returns the version of the CLI. */
export interface GetBinaryVersionRequest {
  /** Discriminator. */
  readonly subtype: "get_binary_version";
}

/** Suggests files of the project that match a text. */
export interface FileSuggestionsRequest {
  /** Discriminator. */
  readonly subtype: "file_suggestions";
  /** The text. */
  readonly query: string;
}

/** Reads a file. The CLI refuses files that the session may not read. */
export interface ReadFileRequest {
  /** Discriminator. */
  readonly subtype: "read_file";
  /** The file. */
  readonly path: string;
  /** Maximum bytes to read; the CLI has a default. */
  readonly max_bytes?: number | undefined;
  /** Form of the content; default: `"utf-8"`. */
  readonly encoding?: "utf-8" | "base64" | undefined;
  /** Anchor to start at; wire only. */
  readonly anchor?: JsonValue | undefined;
  /** Offset to start at; wire only. */
  readonly offset?: number | undefined;
  /** Whether the file is to be uploaded; wire only. */
  readonly for_upload?: boolean | undefined;
  /** Not known; wire only. */
  readonly liveReply?: boolean | undefined;
}

/** Marks a file as read by the model. `mtime` is the modification time of the version that the model has read. */
export interface SeedReadStateRequest {
  /** Discriminator. */
  readonly subtype: "seed_read_state";
  /** The file. */
  readonly path: string;
  /** The time, in milliseconds since 1970. */
  readonly mtime: number;
}

/** Restores files to their state at a prompt. Needs `enableFileCheckpointing`, and prompts that were sent with a `uuid`. */
export interface RewindFilesRequest {
  /** Discriminator. */
  readonly subtype: "rewind_files";
  /** Uuid of the prompt. */
  readonly user_message_id: string;
  /** Whether to report the changes without making them; default: false. */
  readonly dry_run?: boolean | undefined;
}

/** Removes a queued prompt, identified by the `uuid` that it was sent with. */
export interface CancelAsyncMessageRequest {
  /** Discriminator. */
  readonly subtype: "cancel_async_message";
  /** Uuid of the prompt. */
  readonly message_uuid: string;
}

/** Changes settings for this session only. Other keys keep their values. */
export interface ApplyFlagSettingsRequest {
  /** Discriminator. */
  readonly subtype: "apply_flag_settings";
  /** Keys to change; those that are not named stay. */
  readonly settings: JsonObject;
}

/** Returns the settings in force and their sources. */
export interface GetSettingsRequest {
  /** Discriminator. */
  readonly subtype: "get_settings";
}

/** Changes settings in a settings file. Other keys keep their values. The CLI accepts only two keys: `outputStyle` in local settings, and `effortLevel` in user settings. */
export interface UpdateSettingsRequest {
  /** Discriminator. */
  readonly subtype: "update_settings";
  /** Settings file. */
  readonly source: "localSettings" | "userSettings";
  /** Keys to change; those that are not named stay. */
  readonly settings: JsonObject;
}

/** Lists the hooks of all settings files. Callbacks are not listed. */
export interface GetHooksListingRequest {
  /** Discriminator. */
  readonly subtype: "get_hooks_listing";
}

/** Lists the permission rules in force. */
export interface ListPermissionRulesRequest {
  /** Discriminator. */
  readonly subtype: "list_permission_rules";
}

/** Reloads plugins. */
export interface ReloadPluginsRequest {
  /** Discriminator. */
  readonly subtype: "reload_plugins";
  /** Whether to do nothing if the prompt cache would be lost; default: false. */
  readonly hold_on_cache_impact?: boolean | undefined;
  /** Plugins to add. */
  readonly add_plugins?: readonly PluginConfig[] | undefined;
  /** Whether a running turn makes it fail; default: false. */
  readonly refuse_if_busy?: boolean | undefined;
}

/** Reloads skills. */
export interface ReloadSkillsRequest {
  /** Discriminator. */
  readonly subtype: "reload_skills";
}

/** Reloads output styles. */
export interface ReloadOutputStylesRequest {
  /** Discriminator. */
  readonly subtype: "reload_output_styles";
}

/** Adds a directory, such as a new clone, as a repository root. The directory must be below `cwd` or `additionalDirectories`. */
export interface RegisterRepoRootRequest {
  /** Discriminator. */
  readonly subtype: "register_repo_root";
  /** The directory. */
  readonly directory: string;
  /** Whether its `CLAUDE.md` is read; default: false. */
  readonly reload_claude_md?: boolean | undefined;
  /** Whether plugins are reloaded; default: false. */
  readonly reload_plugins?: boolean | undefined;
  /** Whether skills are reloaded; default: false. */
  readonly reload_skills?: boolean | undefined;
}

/** Stops a background task or a subagent; an unknown id is not an error. */
export interface StopTaskRequest {
  /** Discriminator. */
  readonly subtype: "stop_task";
  /** The task. */
  readonly task_id: string;
}

/** Moves running tool calls to the background: one call, or all. */
export interface BackgroundTasksRequest {
  /** Discriminator. */
  readonly subtype: "background_tasks";
  /** One call; absent = all. */
  readonly tool_use_id?: string | undefined;
}

/** Returns the output of a background task. */
export interface GetTaskOutputRequest {
  /** Discriminator. */
  readonly subtype: "get_task_output";
  /** The task. */
  readonly task_id: string;
}

/** Informs the CLI whether a person currently sees the output; null = unknown. Has an effect only if the environment variable `CLAUDE_CODE_STREAM_EVENT_HOLD_MS` is set. */
export interface SetHasSubscribersRequest {
  /** Discriminator. */
  readonly subtype: "set_has_subscribers";
  /** Whether there are any; null = unknown. */
  readonly has_subscribers: boolean | null;
}

/** Ends the session and the process; wire only. */
export interface EndSessionRequest {
  /** Discriminator. */
  readonly subtype: "end_session";
}

/** Asks the model a question outside of the conversation; wire only. */
export interface SideQuestionRequest {
  /** Discriminator. */
  readonly subtype: "side_question";
  /** The question. */
  readonly question: string;
  /** Earlier questions. */
  readonly history?: JsonValue | undefined;
}

/** Generates a title; wire only. */
export interface GenerateSessionTitleRequest {
  /** Discriminator. */
  readonly subtype: "generate_session_title";
  /** Subject of the session. */
  readonly description: string;
  /** Whether it becomes the title of the session. */
  readonly persist?: boolean | undefined;
}

/** Signs in at an MCP server; wire only. */
export interface McpAuthenticateRequest {
  /** Discriminator. */
  readonly subtype: "mcp_authenticate";
  /** Its name. */
  readonly serverName: string;
  /** Redirect address for the browser. */
  readonly redirectUri?: string | undefined;
  /** Whether only that address is allowed. */
  readonly redirectUriOnly?: boolean | undefined;
}

/** Signs out of an MCP server; wire only. */
export interface McpClearAuthRequest {
  /** Discriminator. */
  readonly subtype: "mcp_clear_auth";
  /** Its name. */
  readonly serverName: string;
}

/** Ends an OAuth sign-in with the URL that the browser was sent to; wire only. */
export interface McpOauthCallbackUrlRequest {
  /** Discriminator. */
  readonly subtype: "mcp_oauth_callback_url";
  /** Name of the MCP server. */
  readonly serverName: string;
  /** The address. */
  readonly callbackUrl: string;
}

/** Sets a stricter permission mode for the calls of one MCP server. With `"default"` the CLI asks; with `"auto"` a model of the CLI decides. Neither mode allows more calls than the mode of the session. With `null`, only the mode of the session applies; wire only. */
export interface SetMcpPermissionModeOverrideRequest {
  /** Discriminator. */
  readonly subtype: "set_mcp_permission_mode_override";
  /** Its name. */
  readonly serverName: string;
  /** Asks, or leaves it to the classifier; null removes the override. */
  readonly mode: "default" | "auto" | null;
}

/** Only the name of the request is known; wire only. */
export interface ExportConversationRequest {
  /** Discriminator. */
  readonly subtype: "export_conversation";
}

/** Only the name of the request is known; wire only. */
export interface GetPlanRequest {
  /** Discriminator. */
  readonly subtype: "get_plan";
}

/** Only the name of the request is known; wire only. */
export interface ListDirectoryRequest {
  /** Discriminator. */
  readonly subtype: "list_directory";
}

/** Only the name of the request is known; wire only. */
export interface GetWorkspaceDiffRequest {
  /** Discriminator. */
  readonly subtype: "get_workspace_diff";
}

/** Only the name of the request is known; wire only. */
export interface SetCwdRequest {
  /** Discriminator. */
  readonly subtype: "set_cwd";
}

/** Only the name of the request is known; wire only. */
export interface GetMemoryDialogRequest {
  /** Discriminator. */
  readonly subtype: "get_memory_dialog";
}

/** Only the name of the request is known; wire only. */
export interface GetSkillsDialogRequest {
  /** Discriminator. */
  readonly subtype: "get_skills_dialog";
}

/** Only the name of the request is known; wire only. */
export interface GetChromeDialogRequest {
  /** Discriminator. */
  readonly subtype: "get_chrome_dialog";
}

/** Only the name of the request is known; wire only. */
export interface GetChromeBrowsersRequest {
  /** Discriminator. */
  readonly subtype: "get_chrome_browsers";
}

/** Only the name of the request is known; wire only. */
export interface SelectChromeBrowserRequest {
  /** Discriminator. */
  readonly subtype: "select_chrome_browser";
}

/** Only the name of the request is known; wire only. */
export interface GetSandboxDialogRequest {
  /** Discriminator. */
  readonly subtype: "get_sandbox_dialog";
}

/** Only the name of the request is known; wire only. */
export interface GetStatusRequest {
  /** Discriminator. */
  readonly subtype: "get_status";
}

/** Only the name of the request is known; wire only. */
export interface ListCloudSessionsRequest {
  /** Discriminator. */
  readonly subtype: "list_cloud_sessions";
}

/** Only the name of the request is known; wire only. */
export interface GetCloudSessionRequest {
  /** Discriminator. */
  readonly subtype: "get_cloud_session";
}

/** Only the name of the request is known; wire only. */
export interface GetCloudSessionTranscriptRequest {
  /** Discriminator. */
  readonly subtype: "get_cloud_session_transcript";
}

/** Only the name of the request is known; wire only. */
export interface UpdateCloudSessionRequest {
  /** Discriminator. */
  readonly subtype: "update_cloud_session";
}

/** Only the name of the request is known; wire only. */
export interface ReloadConnectorsRequest {
  /** Discriminator. */
  readonly subtype: "reload_connectors";
}

/** Only the name of the request is known; wire only. */
export interface SetChromeBrowserHintsRequest {
  /** Discriminator. */
  readonly subtype: "set_chrome_browser_hints";
}

/** Only the name of the request is known; wire only. */
export interface SetPromptSuggestionsPausedRequest {
  /** Discriminator. */
  readonly subtype: "set_prompt_suggestions_paused";
}

/** Only the name of the request is known; wire only. */
export interface SetMessageWaitingRequest {
  /** Discriminator. */
  readonly subtype: "set_message_waiting";
}

/** Only the name of the request is known; wire only. */
export interface PromptDraftActivityRequest {
  /** Discriminator. */
  readonly subtype: "prompt_draft_activity";
}

/** Only the name of the request is known; wire only. */
export interface ClaimSessionRequest {
  /** Discriminator. */
  readonly subtype: "claim_session";
}

/** Only the name of the request is known; wire only. */
export interface RegisterDeviceHooksRequest {
  /** Discriminator. */
  readonly subtype: "register_device_hooks";
}

/** Only the name of the request is known; wire only. */
export interface UploadDeviceHookTemplateRequest {
  /** Discriminator. */
  readonly subtype: "upload_device_hook_template";
}

/** Only the name of the request is known; wire only. */
export interface MessageRatedRequest {
  /** Discriminator. */
  readonly subtype: "message_rated";
}

/** Only the name of the request is known; wire only. */
export interface StartShellTaskRequest {
  /** Discriminator. */
  readonly subtype: "start_shell_task";
}

/** Only the name of the request is known; wire only. */
export interface SubmitFeedbackRequest {
  /** Discriminator. */
  readonly subtype: "submit_feedback";
}

/** Only the name of the request is known; wire only. */
export interface SubmitSurveyFeedbackRequest {
  /** Discriminator. */
  readonly subtype: "submit_survey_feedback";
}

/** Only the name of the request is known; wire only. */
export interface RemoteToolsAnnounceRequest {
  /** Discriminator. */
  readonly subtype: "remote_tools_announce";
}

/** Only the name of the request is known; wire only. */
export interface TurnHandoffRequest {
  /** Discriminator. */
  readonly subtype: "turn_handoff";
}

/** Only the name of the request is known; wire only. */
export interface ComparisonForkRequest {
  /** Discriminator. */
  readonly subtype: "comparison_fork";
}

/** Only the name of the request is known; wire only. */
export interface UiAttachRequest {
  /** Discriminator. */
  readonly subtype: "ui_attach";
}

/** Only the name of the request is known; wire only. */
export interface UiDetachRequest {
  /** Discriminator. */
  readonly subtype: "ui_detach";
}

/** Only the name of the request is known; wire only. */
export interface UiRenderRequest {
  /** Discriminator. */
  readonly subtype: "ui_render";
}

/** Only the name of the request is known; wire only. */
export interface UiPressRequest {
  /** Discriminator. */
  readonly subtype: "ui_press";
}

/** Only the name of the request is known; wire only. */
export interface UiClientModuleRequest {
  /** Discriminator. */
  readonly subtype: "ui_client_module";
}

/** Only the name of the request is known; wire only. */
export interface UiClientPressRequest {
  /** Discriminator. */
  readonly subtype: "ui_client_press";
}

/** Only the name of the request is known; wire only. */
export interface UiMessageRequest {
  /** Discriminator. */
  readonly subtype: "ui_message";
}

/** Only the name of the request is known; wire only. */
export interface UiClientFaultRequest {
  /** Discriminator. */
  readonly subtype: "ui_client_fault";
}

/** Only the name of the request is known; wire only. */
export interface UiInputRequest {
  /** Discriminator. */
  readonly subtype: "ui_input";
}

/** Only the name of the request is known; wire only. */
export interface UiSelectRequest {
  /** Discriminator. */
  readonly subtype: "ui_select";
}

/** Only the name of the request is known; wire only. */
export interface UiPanesRequest {
  /** Discriminator. */
  readonly subtype: "ui_panes";
}

/** Only the name of the request is known; wire only. */
export interface UiPaneShowRequest {
  /** Discriminator. */
  readonly subtype: "ui_pane_show";
}

/** Only the name of the request is known; wire only. */
export interface UiPaneFocusRequest {
  /** Discriminator. */
  readonly subtype: "ui_pane_focus";
}

/** Only the name of the request is known; wire only. */
export interface UiCloseRequest {
  /** Discriminator. */
  readonly subtype: "ui_close";
}

/** Only the name of the request is known; wire only. */
export interface UiScrollRequest {
  /** Discriminator. */
  readonly subtype: "ui_scroll";
}

/** Only the name of the request is known; wire only. */
export interface UiFocusRequest {
  /** Discriminator. */
  readonly subtype: "ui_focus";
}

/** Only the name of the request is known; wire only. */
export interface UiPromptEditRequest {
  /** Discriminator. */
  readonly subtype: "ui_prompt_edit";
}

/** Only the name of the request is known; wire only. */
export interface UiPromptAutocompleteRequest {
  /** Discriminator. */
  readonly subtype: "ui_prompt_autocomplete";
}

/** Only the name of the request is known; wire only. */
export interface RemoteControlRequest {
  /** Discriminator. */
  readonly subtype: "remote_control";
}

/** Only the name of the request is known; wire only. */
export interface ChannelEnableRequest {
  /** Discriminator. */
  readonly subtype: "channel_enable";
}

/** Only the name of the request is known; wire only. */
export interface ClaudeAuthenticateRequest {
  /** Discriminator. */
  readonly subtype: "claude_authenticate";
}

/** Only the name of the request is known; wire only. */
export interface ClaudeOauthCallbackRequest {
  /** Discriminator. */
  readonly subtype: "claude_oauth_callback";
}

/** Only the name of the request is known; wire only. */
export interface ClaudeOauthWaitForCompletionRequest {
  /** Discriminator. */
  readonly subtype: "claude_oauth_wait_for_completion";
}

/** Only the name of the request is known; wire only. */
export interface UltrareviewLaunchRequest {
  /** Discriminator. */
  readonly subtype: "ultrareview_launch";
}

/** Only the name of the request is known; wire only. */
export interface AddDirectoryRequest {
  /** Discriminator. */
  readonly subtype: "add_directory";
}

/** Only the name of the request is known; wire only. */
export interface ForkConversationRequest {
  /** Discriminator. */
  readonly subtype: "fork_conversation";
}

/** Only the name of the request is known; wire only. */
export interface RewindConversationRequest {
  /** Discriminator. */
  readonly subtype: "rewind_conversation";
}

/** Only the name of the request is known; wire only. */
export interface StageFileRequest {
  /** Discriminator. */
  readonly subtype: "stage_file";
}

/** Only the name of the request is known; wire only. */
export interface McpTasksChangedRequest {
  /** Discriminator. */
  readonly subtype: "mcp_tasks_changed";
}

/** Only the name of the request is known; wire only. */
export interface PollEventRequest {
  /** Discriminator. */
  readonly subtype: "poll_event";
}

/** Only the name of the request is known; wire only. */
export interface SetProactivityLevelRequest {
  /** Discriminator. */
  readonly subtype: "set_proactivity_level";
}
