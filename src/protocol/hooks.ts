// Made from protocol/ by `deno task protocol`; edit that.
import type { JsonInput, JsonObject, JsonValue } from "../types/json.ts";
import type { AssistantError } from "./messages_turn.ts";
import type { PermissionMode, PermissionUpdate } from "./permissions.ts";

/**
 * What every hook is told.
 *
 * Source: protocol reference, section Hooks.
 */
export interface HookInputBase {
  /** Id of the session. */
  readonly session_id: string;
  /** File of the session. */
  readonly transcript_path: string;
  /** Working directory. */
  readonly cwd: string;
  /** Id of the prompt that is being worked on. */
  readonly prompt_id?: string;
  /** The permission mode. */
  readonly permission_mode?: PermissionMode | (string & Record<never, never>);
  /** Id of the subagent it happened in. */
  readonly agent_id?: string;
  /** Kind of that subagent. */
  readonly agent_type?: string;
  /** How hard the model thinks. */
  readonly effort?: {
    /** The level. */
    readonly level: string;
  };
}

/** The MCP server behind a tool. */
export interface HookMcpServer {
  /** Its name. */
  readonly name: string;
  /** Where its configuration came from. */
  readonly source: string;
}

/** What hooks about one tool call are told. */
export interface HookToolInput extends HookInputBase {
  /** Name of the tool. */
  readonly tool_name: string;
  /** What it is called with. */
  readonly tool_input: JsonObject;
  /** The MCP server behind it. */
  readonly mcp_server?: HookMcpServer;
}

/** Work that goes on in the background. */
export interface HookBackgroundTask {
  /** Id of the task. */
  readonly id: string;
  /** Kind of task. */
  readonly type: string;
  /** How it stands. */
  readonly status: string;
  /** What it does, in short. */
  readonly description: string;
  /** The command it runs. */
  readonly command?: string;
  /** Kind of the subagent. */
  readonly agent_type?: string;
  /** The MCP server it runs on. */
  readonly server?: string;
  /** The tool it runs. */
  readonly tool?: string;
  /** Its name. */
  readonly name?: string;
}

/** A prompt that comes back by the clock. */
export interface HookSessionCron {
  /** Its id. */
  readonly id: string;
  /** When it comes. */
  readonly schedule: string;
  /** Whether it comes more than once. */
  readonly recurring: boolean;
  /** The prompt. */
  readonly prompt: string;
}

/** What hooks about the end of a turn are told. */
export interface HookStopInput extends HookInputBase {
  /** Whether the turn goes on already because of such a hook; block again only with care. */
  readonly stop_hook_active: boolean;
  /** The last text of the model. */
  readonly last_assistant_message?: string;
  /** Work that goes on in the background. */
  readonly background_tasks?: readonly HookBackgroundTask[];
  /** Prompts that come back by the clock. */
  readonly session_crons?: readonly HookSessionCron[];
}

/** What hooks about a change of the model are told. */
export interface HookModelSwitchInput extends HookInputBase {
  /** The model before. */
  readonly from_model: string;
  /** The model after. */
  readonly to_model: string;
  /** The name that was asked for; null = the default. */
  readonly requested_model: string | null;
  /** Tokens of the context. */
  readonly context_tokens: number;
  /** Whether the cache is still there. */
  readonly prompt_cache_warm: boolean;
  /** How long the cache lives. */
  readonly cache_ttl: "5m" | "1h";
  /** What filling the cache will probably cost, in US dollars. */
  readonly estimated_cache_write_usd: number;
  /** Where the prices come from. */
  readonly pricing: "configured" | "catalog" | "default";
}

/** What hooks about a task of a team are told. */
export interface HookTeamTaskInput extends HookInputBase {
  /** Id of the task. */
  readonly task_id: string;
  /** What it is about. */
  readonly task_subject: string;
  /** What is to be done. */
  readonly task_description?: string;
  /** Whose task it is. */
  readonly teammate_name?: string;
  /** Name of the team. */
  readonly team_name?: string;
}

/** Text for the model. */
export interface AdditionalContext {
  /** Added to what the model reads. */
  readonly additionalContext?: string | undefined;
}

/** What a PermissionRequest hook decides. */
export type HookPermissionDecision = {
  /** The tool may run. */
  readonly behavior: "allow";
  /** The input it runs with. */
  readonly updatedInput?: JsonInput | undefined;
  /** Rules and modes that hold from now on. */
  readonly updatedPermissions?: readonly PermissionUpdate[] | undefined;
} | {
  /** The tool may not run. */
  readonly behavior: "deny";
  /** Why; the model reads it. */
  readonly message?: string | undefined;
  /** Whether the turn ends as well; false. */
  readonly interrupt?: boolean | undefined;
};

/** What a hook may answer for the user. */
export interface ElicitationOutput {
  /** What the user did. */
  readonly action?: "accept" | "decline" | "cancel" | undefined;
  /** What was filled in. */
  readonly content?: JsonInput | undefined;
}

/** What a hook may want watched. */
export interface WatchOutput {
  /** Paths whose changes become FileChanged events; absolute. */
  readonly watchPaths?: readonly string[] | undefined;
}

/** What a hook says that will look at its event later; the tool goes on at once. */
export interface AsyncHookOutput {
  /** Always true. */
  readonly async: true;
  /** How long it may take, in milliseconds. */
  readonly asyncTimeout?: number | undefined;
}

/** What a hook of any event may say. */
export interface HookOutputCommon {
  /** False ends the turn; true. */
  readonly continue?: boolean | undefined;
  /** Whether the output stays out of the transcript; false. */
  readonly suppressOutput?: boolean | undefined;
  /** Why the turn ends; for the user. */
  readonly stopReason?: string | undefined;
  /** `block` stops the event where it can be stopped. */
  readonly decision?: "approve" | "block" | undefined;
  /** Why; the model reads it. */
  readonly reason?: string | undefined;
  /** A warning for the user. */
  readonly systemMessage?: string | undefined;
  /** Control characters for a terminal. */
  readonly terminalSequence?: string | undefined;
}

/** Before a tool runs. */
export interface PreToolUseHookInput extends HookToolInput {
  /** The event. */
  readonly hook_event_name: "PreToolUse";
  /** Id of the call. */
  readonly tool_use_id: string;
}

/** Before a tool runs. */
export interface PreToolUseHookOutput extends AdditionalContext {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "PreToolUse";
  /** `defer` hands the call to the host and ends the turn. */
  readonly permissionDecision?: "allow" | "deny" | "ask" | "defer" | undefined;
  /** Why; for a deny the model reads it. */
  readonly permissionDecisionReason?: string | undefined;
  /** Replaces the tool's input whole. */
  readonly updatedInput?: JsonInput | undefined;
}

/** After a tool ran. */
export interface PostToolUseHookInput extends HookToolInput {
  /** The event. */
  readonly hook_event_name: "PostToolUse";
  /** What the tool gave, in its own form. */
  readonly tool_response: JsonValue;
  /** Id of the call. */
  readonly tool_use_id: string;
  /** How long it ran, in milliseconds. */
  readonly duration_ms?: number;
}

/** After a tool ran. */
export interface PostToolUseHookOutput extends AdditionalContext {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "PostToolUse";
  /** Text for the permission classifier. */
  readonly classifierContext?: string | undefined;
  /** Replaces what the model reads as the result. */
  readonly updatedToolOutput?: JsonValue | JsonInput | undefined;
  /** The same for an MCP tool. */
  readonly updatedMCPToolOutput?: JsonValue | JsonInput | undefined;
}

/** After a tool failed. */
export interface PostToolUseFailureHookInput extends HookToolInput {
  /** The event. */
  readonly hook_event_name: "PostToolUseFailure";
  /** Id of the call. */
  readonly tool_use_id: string;
  /** Why. */
  readonly error: string;
  /** Whether it was interrupted. */
  readonly is_interrupt?: boolean;
  /** How long it ran, in milliseconds. */
  readonly duration_ms?: number;
}

/** After a tool failed. */
export interface PostToolUseFailureHookOutput extends AdditionalContext {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "PostToolUseFailure";
}

/** After all tools of one model message ran. */
export interface PostToolBatchHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "PostToolBatch";
  /** Each call. */
  readonly tool_calls: readonly ({
    /** Name of the tool. */
    readonly tool_name: string;
    /** What it was called with. */
    readonly tool_input: JsonObject;
    /** Id of the call. */
    readonly tool_use_id: string;
    /** What the tool gave, in its own form. */
    readonly tool_response?: JsonValue;
  })[];
}

/** After all tools of one model message ran. */
export interface PostToolBatchHookOutput extends AdditionalContext {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "PostToolBatch";
}

/** When a tool needs a permission. */
export interface PermissionRequestHookInput extends HookToolInput {
  /** The event. */
  readonly hook_event_name: "PermissionRequest";
  /** Changes that would answer this question for good. */
  readonly permission_suggestions?: readonly PermissionUpdate[];
}

/** When a tool needs a permission. */
export interface PermissionRequestHookOutput {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "PermissionRequest";
  /** The decision. */
  readonly decision: HookPermissionDecision;
}

/** After a tool was denied. */
export interface PermissionDeniedHookInput extends HookToolInput {
  /** The event. */
  readonly hook_event_name: "PermissionDenied";
  /** Id of the call. */
  readonly tool_use_id: string;
  /** Why. */
  readonly reason: string;
}

/** After a tool was denied. */
export interface PermissionDeniedHookOutput {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "PermissionDenied";
  /** Whether the model is told that it may try again. */
  readonly retry?: boolean | undefined;
}

/** When a prompt comes. */
export interface UserPromptSubmitHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "UserPromptSubmit";
  /** The prompt. */
  readonly prompt: string;
  /** Who sent it. */
  readonly source?:
    | "user"
    | "sdk"
    | "system"
    | "loop_wakeup"
    | "schedule_wakeup"
    | "poll_event";
  /** Title of the session. */
  readonly session_title?: string;
}

/** When a prompt comes. */
export interface UserPromptSubmitHookOutput extends AdditionalContext {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "UserPromptSubmit";
  /** Title of the session. */
  readonly sessionTitle?: string | undefined;
  /** Whether the prompt itself is left out. */
  readonly suppressOriginalPrompt?: boolean | undefined;
}

/** When a command becomes a prompt. */
export interface UserPromptExpansionHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "UserPromptExpansion";
  /** Kind of command. */
  readonly expansion_type: "slash_command" | "mcp_prompt";
  /** Its name. */
  readonly command_name: string;
  /** Its arguments. */
  readonly command_args: string;
  /** Where it comes from. */
  readonly command_source?: string;
  /** The prompt it became. */
  readonly prompt: string;
}

/** When a command becomes a prompt. */
export interface UserPromptExpansionHookOutput extends AdditionalContext {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "UserPromptExpansion";
  /** Whether the prompt itself is left out. */
  readonly suppressOriginalPrompt?: boolean | undefined;
}

/** When a session begins; callbacks for it run after `/clear` and `/compact` only. */
export interface SessionStartHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "SessionStart";
  /** How it begins. */
  readonly source: "startup" | "resume" | "clear" | "compact" | "fork";
  /** The model. */
  readonly model?: string;
  /** Title of the session. */
  readonly session_title?: string;
  /** Since the last answer, in seconds. */
  readonly seconds_since_last_response?: number;
  /** Tokens of the context. */
  readonly context_tokens?: number;
  /** Whether the cache is probably gone. */
  readonly prompt_cache_likely_expired?: boolean;
  /** What filling the cache will probably cost, in US dollars. */
  readonly estimated_cache_write_usd?: number;
}

/** When a session begins; callbacks for it run after `/clear` and `/compact` only. */
export interface SessionStartHookOutput extends AdditionalContext, WatchOutput {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "SessionStart";
  /** A prompt to begin with. */
  readonly initialUserMessage?: string | undefined;
  /** Title of the session. */
  readonly sessionTitle?: string | undefined;
  /** Whether skills are loaded anew. */
  readonly reloadSkills?: boolean | undefined;
}

/** When a session ends; callbacks for it run at `/clear` only. */
export interface SessionEndHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "SessionEnd";
  /** Why. */
  readonly reason:
    | "clear"
    | "resume"
    | "logout"
    | "prompt_input_exit"
    | "other";
}

/** When a session ends; callbacks for it run at `/clear` only. */
export interface SessionEndHookOutput {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "SessionEnd";
}

/** When a project is set up; callbacks for it were never seen to run. */
export interface SetupHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "Setup";
  /** Why. */
  readonly trigger: "init" | "maintenance";
}

/** When a project is set up; callbacks for it were never seen to run. */
export interface SetupHookOutput extends AdditionalContext {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "Setup";
}

/** When a turn is about to end. */
export interface StopHookInput extends HookStopInput {
  /** The event. */
  readonly hook_event_name: "Stop";
}

/** When a turn is about to end. */
export interface StopHookOutput extends AdditionalContext {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "Stop";
}

/** When a turn ended by an API error. */
export interface StopFailureHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "StopFailure";
  /** Kind of error. */
  readonly error: AssistantError;
  /** The error in words. */
  readonly error_details?: string;
  /** The last text of the model. */
  readonly last_assistant_message?: string;
}

/** When a turn ended by an API error. */
export interface StopFailureHookOutput {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "StopFailure";
}

/** When a subagent begins. */
export interface SubagentStartHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "SubagentStart";
  /** Id of the subagent. */
  readonly agent_id: string;
  /** Kind of the subagent. */
  readonly agent_type: string;
}

/** When a subagent begins. */
export interface SubagentStartHookOutput extends AdditionalContext {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "SubagentStart";
}

/** When a subagent is about to end. */
export interface SubagentStopHookInput extends HookStopInput {
  /** The event. */
  readonly hook_event_name: "SubagentStop";
  /** Id of the subagent. */
  readonly agent_id: string;
  /** Kind of the subagent. */
  readonly agent_type: string;
  /** File of its transcript. */
  readonly agent_transcript_path: string;
}

/** When a subagent is about to end. */
export interface SubagentStopHookOutput extends AdditionalContext {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "SubagentStop";
}

/** Before the context is compacted. */
export interface PreCompactHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "PreCompact";
  /** Who asked for it. */
  readonly trigger: "manual" | "auto";
  /** What the user wants kept. */
  readonly custom_instructions: string | null;
}

/** Before the context is compacted. */
export interface PreCompactHookOutput {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "PreCompact";
}

/** After the context was compacted. */
export interface PostCompactHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "PostCompact";
  /** Who asked for it. */
  readonly trigger: "manual" | "auto";
  /** The summary that took the place of the history. */
  readonly compact_summary: string;
}

/** After the context was compacted. */
export interface PostCompactHookOutput {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "PostCompact";
}

/** Before the model is changed. */
export interface PreModelSwitchHookInput extends HookModelSwitchInput {
  /** The event. */
  readonly hook_event_name: "PreModelSwitch";
  /** Who asked for it. */
  readonly source: "command" | "picker" | "sdk";
}

/** Before the model is changed. */
export interface PreModelSwitchHookOutput {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "PreModelSwitch";
  /** Whether it may be changed. */
  readonly permissionDecision?: "allow" | "deny" | "ask" | undefined;
  /** Why. */
  readonly permissionDecisionReason?: string | undefined;
}

/** After the model was changed. */
export interface PostModelSwitchHookInput extends HookModelSwitchInput {
  /** The event. */
  readonly hook_event_name: "PostModelSwitch";
  /** Who asked for it. */
  readonly source: "command" | "picker" | "sdk" | "auto" | "resume";
}

/** After the model was changed. */
export interface PostModelSwitchHookOutput extends AdditionalContext {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "PostModelSwitch";
}

/** When the CLI wants attention. */
export interface NotificationHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "Notification";
  /** The text. */
  readonly message: string;
  /** Title to show. */
  readonly title?: string;
  /** Kind of text. */
  readonly notification_type: string;
}

/** When the CLI wants attention. */
export interface NotificationHookOutput extends AdditionalContext {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "Notification";
}

/** While a text is shown, piece by piece. */
export interface MessageDisplayHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "MessageDisplay";
  /** Id of the turn. */
  readonly turn_id: string;
  /** Id of the message. */
  readonly message_id: string;
  /** Number of the piece, from 0. */
  readonly index: number;
  /** Whether it is the last one. */
  readonly final: boolean;
  /** The piece. */
  readonly delta: string;
}

/** While a text is shown, piece by piece. */
export interface MessageDisplayHookOutput {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "MessageDisplay";
  /** Shown in its place. */
  readonly displayContent?: string | undefined;
}

/** When an MCP server asks. */
export interface ElicitationHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "Elicitation";
  /** Name of the server. */
  readonly mcp_server_name: string;
  /** The question. */
  readonly message: string;
  /** A form to fill, or a page to open. */
  readonly mode?: "form" | "url";
  /** The page. */
  readonly url?: string;
  /** Id of the question. */
  readonly elicitation_id?: string;
  /** JSON Schema of the form. */
  readonly requested_schema?: JsonObject;
}

/** When an MCP server asks. */
export interface ElicitationHookOutput extends ElicitationOutput {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "Elicitation";
}

/** When the question of an MCP server is answered. */
export interface ElicitationResultHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "ElicitationResult";
  /** Name of the server. */
  readonly mcp_server_name: string;
  /** Id of the question. */
  readonly elicitation_id?: string;
  /** A form to fill, or a page to open. */
  readonly mode?: "form" | "url";
  /** What the user did. */
  readonly action: "accept" | "decline" | "cancel";
  /** What was filled in. */
  readonly content?: JsonObject;
}

/** When the question of an MCP server is answered. */
export interface ElicitationResultHookOutput extends ElicitationOutput {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "ElicitationResult";
}

/** When settings changed. */
export interface ConfigChangeHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "ConfigChange";
  /** Which settings. */
  readonly source:
    | "user_settings"
    | "project_settings"
    | "local_settings"
    | "policy_settings"
    | "skills";
  /** Their file. */
  readonly file_path?: string;
}

/** When settings changed. */
export interface ConfigChangeHookOutput {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "ConfigChange";
}

/** When instructions were loaded. */
export interface InstructionsLoadedHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "InstructionsLoaded";
  /** Their file. */
  readonly file_path: string;
  /** Whose they are. */
  readonly memory_type: "User" | "Project" | "Local" | "Managed";
  /** Why they were loaded. */
  readonly load_reason:
    | "session_start"
    | "nested_traversal"
    | "path_glob_match"
    | "include"
    | "compact";
  /** The patterns that they are for. */
  readonly globs?: readonly string[];
  /** The file that fitted. */
  readonly trigger_file_path?: string;
  /** The file that includes them. */
  readonly parent_file_path?: string;
}

/** When instructions were loaded. */
export interface InstructionsLoadedHookOutput {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "InstructionsLoaded";
}

/** When the working directory changed. */
export interface CwdChangedHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "CwdChanged";
  /** The directory before. */
  readonly old_cwd: string;
  /** The directory after. */
  readonly new_cwd: string;
}

/** When the working directory changed. */
export interface CwdChangedHookOutput extends WatchOutput {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "CwdChanged";
}

/** When a watched file changed. */
export interface FileChangedHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "FileChanged";
  /** The file. */
  readonly file_path: string;
  /** What happened to it. */
  readonly event: "change" | "add" | "unlink";
}

/** When a watched file changed. */
export interface FileChangedHookOutput extends WatchOutput {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "FileChanged";
}

/** When a directory was added. */
export interface DirectoryAddedHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "DirectoryAdded";
  /** The directory. */
  readonly directory: string;
  /** What added it. */
  readonly source: "slash_command" | "register_repo_root";
}

/** When a directory was added. */
export interface DirectoryAddedHookOutput {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "DirectoryAdded";
}

/** When a worktree is wanted; the hook has to make it. */
export interface WorktreeCreateHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "WorktreeCreate";
  /** Name of the worktree. */
  readonly name: string;
}

/** When a worktree is wanted; the hook has to make it. */
export interface WorktreeCreateHookOutput {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "WorktreeCreate";
  /** Where the hook made it. */
  readonly worktreePath: string;
}

/** When a worktree goes. */
export interface WorktreeRemoveHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "WorktreeRemove";
  /** Where it is. */
  readonly worktree_path: string;
}

/** When a worktree goes. */
export interface WorktreeRemoveHookOutput {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "WorktreeRemove";
}

/** When a task of a team is made. */
export interface TaskCreatedHookInput extends HookTeamTaskInput {
  /** The event. */
  readonly hook_event_name: "TaskCreated";
}

/** When a task of a team is made. */
export interface TaskCreatedHookOutput {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "TaskCreated";
}

/** When a task of a team is done. */
export interface TaskCompletedHookInput extends HookTeamTaskInput {
  /** The event. */
  readonly hook_event_name: "TaskCompleted";
}

/** When a task of a team is done. */
export interface TaskCompletedHookOutput {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "TaskCompleted";
}

/** When a teammate has nothing to do. */
export interface TeammateIdleHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "TeammateIdle";
  /** Who. */
  readonly teammate_name: string;
  /** Name of the team. */
  readonly team_name: string;
}

/** When a teammate has nothing to do. */
export interface TeammateIdleHookOutput {
  /** The event; must be the one that was asked about. */
  readonly hookEventName: "TeammateIdle";
}

/** What a hook is told, told apart by `hook_event_name`. */
export type AnyHookInput =
  | PreToolUseHookInput
  | PostToolUseHookInput
  | PostToolUseFailureHookInput
  | PostToolBatchHookInput
  | PermissionRequestHookInput
  | PermissionDeniedHookInput
  | UserPromptSubmitHookInput
  | UserPromptExpansionHookInput
  | SessionStartHookInput
  | SessionEndHookInput
  | SetupHookInput
  | StopHookInput
  | StopFailureHookInput
  | SubagentStartHookInput
  | SubagentStopHookInput
  | PreCompactHookInput
  | PostCompactHookInput
  | PreModelSwitchHookInput
  | PostModelSwitchHookInput
  | NotificationHookInput
  | MessageDisplayHookInput
  | ElicitationHookInput
  | ElicitationResultHookInput
  | ConfigChangeHookInput
  | InstructionsLoadedHookInput
  | CwdChangedHookInput
  | FileChangedHookInput
  | DirectoryAddedHookInput
  | WorktreeCreateHookInput
  | WorktreeRemoveHookInput
  | TaskCreatedHookInput
  | TaskCompletedHookInput
  | TeammateIdleHookInput;

/** What hooks are told, by event. */
export interface HookInputs {
  /** Before a tool runs. */
  readonly PreToolUse: PreToolUseHookInput;
  /** After a tool ran. */
  readonly PostToolUse: PostToolUseHookInput;
  /** After a tool failed. */
  readonly PostToolUseFailure: PostToolUseFailureHookInput;
  /** After all tools of one model message ran. */
  readonly PostToolBatch: PostToolBatchHookInput;
  /** When a tool needs a permission. */
  readonly PermissionRequest: PermissionRequestHookInput;
  /** After a tool was denied. */
  readonly PermissionDenied: PermissionDeniedHookInput;
  /** When a prompt comes. */
  readonly UserPromptSubmit: UserPromptSubmitHookInput;
  /** When a command becomes a prompt. */
  readonly UserPromptExpansion: UserPromptExpansionHookInput;
  /** When a session begins; callbacks for it run after `/clear` and `/compact` only. */
  readonly SessionStart: SessionStartHookInput;
  /** When a session ends; callbacks for it run at `/clear` only. */
  readonly SessionEnd: SessionEndHookInput;
  /** When a project is set up; callbacks for it were never seen to run. */
  readonly Setup: SetupHookInput;
  /** When a turn is about to end. */
  readonly Stop: StopHookInput;
  /** When a turn ended by an API error. */
  readonly StopFailure: StopFailureHookInput;
  /** When a subagent begins. */
  readonly SubagentStart: SubagentStartHookInput;
  /** When a subagent is about to end. */
  readonly SubagentStop: SubagentStopHookInput;
  /** Before the context is compacted. */
  readonly PreCompact: PreCompactHookInput;
  /** After the context was compacted. */
  readonly PostCompact: PostCompactHookInput;
  /** Before the model is changed. */
  readonly PreModelSwitch: PreModelSwitchHookInput;
  /** After the model was changed. */
  readonly PostModelSwitch: PostModelSwitchHookInput;
  /** When the CLI wants attention. */
  readonly Notification: NotificationHookInput;
  /** While a text is shown, piece by piece. */
  readonly MessageDisplay: MessageDisplayHookInput;
  /** When an MCP server asks. */
  readonly Elicitation: ElicitationHookInput;
  /** When the question of an MCP server is answered. */
  readonly ElicitationResult: ElicitationResultHookInput;
  /** When settings changed. */
  readonly ConfigChange: ConfigChangeHookInput;
  /** When instructions were loaded. */
  readonly InstructionsLoaded: InstructionsLoadedHookInput;
  /** When the working directory changed. */
  readonly CwdChanged: CwdChangedHookInput;
  /** When a watched file changed. */
  readonly FileChanged: FileChangedHookInput;
  /** When a directory was added. */
  readonly DirectoryAdded: DirectoryAddedHookInput;
  /** When a worktree is wanted; the hook has to make it. */
  readonly WorktreeCreate: WorktreeCreateHookInput;
  /** When a worktree goes. */
  readonly WorktreeRemove: WorktreeRemoveHookInput;
  /** When a task of a team is made. */
  readonly TaskCreated: TaskCreatedHookInput;
  /** When a task of a team is done. */
  readonly TaskCompleted: TaskCompletedHookInput;
  /** When a teammate has nothing to do. */
  readonly TeammateIdle: TeammateIdleHookInput;
}

/** What belongs to one event alone in what its hooks say, by event. */
export interface HookOutputs {
  /** Before a tool runs. */
  readonly PreToolUse: PreToolUseHookOutput;
  /** After a tool ran. */
  readonly PostToolUse: PostToolUseHookOutput;
  /** After a tool failed. */
  readonly PostToolUseFailure: PostToolUseFailureHookOutput;
  /** After all tools of one model message ran. */
  readonly PostToolBatch: PostToolBatchHookOutput;
  /** When a tool needs a permission. */
  readonly PermissionRequest: PermissionRequestHookOutput;
  /** After a tool was denied. */
  readonly PermissionDenied: PermissionDeniedHookOutput;
  /** When a prompt comes. */
  readonly UserPromptSubmit: UserPromptSubmitHookOutput;
  /** When a command becomes a prompt. */
  readonly UserPromptExpansion: UserPromptExpansionHookOutput;
  /** When a session begins; callbacks for it run after `/clear` and `/compact` only. */
  readonly SessionStart: SessionStartHookOutput;
  /** When a session ends; callbacks for it run at `/clear` only. */
  readonly SessionEnd: SessionEndHookOutput;
  /** When a project is set up; callbacks for it were never seen to run. */
  readonly Setup: SetupHookOutput;
  /** When a turn is about to end. */
  readonly Stop: StopHookOutput;
  /** When a turn ended by an API error. */
  readonly StopFailure: StopFailureHookOutput;
  /** When a subagent begins. */
  readonly SubagentStart: SubagentStartHookOutput;
  /** When a subagent is about to end. */
  readonly SubagentStop: SubagentStopHookOutput;
  /** Before the context is compacted. */
  readonly PreCompact: PreCompactHookOutput;
  /** After the context was compacted. */
  readonly PostCompact: PostCompactHookOutput;
  /** Before the model is changed. */
  readonly PreModelSwitch: PreModelSwitchHookOutput;
  /** After the model was changed. */
  readonly PostModelSwitch: PostModelSwitchHookOutput;
  /** When the CLI wants attention. */
  readonly Notification: NotificationHookOutput;
  /** While a text is shown, piece by piece. */
  readonly MessageDisplay: MessageDisplayHookOutput;
  /** When an MCP server asks. */
  readonly Elicitation: ElicitationHookOutput;
  /** When the question of an MCP server is answered. */
  readonly ElicitationResult: ElicitationResultHookOutput;
  /** When settings changed. */
  readonly ConfigChange: ConfigChangeHookOutput;
  /** When instructions were loaded. */
  readonly InstructionsLoaded: InstructionsLoadedHookOutput;
  /** When the working directory changed. */
  readonly CwdChanged: CwdChangedHookOutput;
  /** When a watched file changed. */
  readonly FileChanged: FileChangedHookOutput;
  /** When a directory was added. */
  readonly DirectoryAdded: DirectoryAddedHookOutput;
  /** When a worktree is wanted; the hook has to make it. */
  readonly WorktreeCreate: WorktreeCreateHookOutput;
  /** When a worktree goes. */
  readonly WorktreeRemove: WorktreeRemoveHookOutput;
  /** When a task of a team is made. */
  readonly TaskCreated: TaskCreatedHookOutput;
  /** When a task of a team is done. */
  readonly TaskCompleted: TaskCompletedHookOutput;
  /** When a teammate has nothing to do. */
  readonly TeammateIdle: TeammateIdleHookOutput;
}

/** What a hook can be set for. */
export type HookEvent =
  | "PreToolUse"
  | "PostToolUse"
  | "PostToolUseFailure"
  | "PostToolBatch"
  | "PermissionRequest"
  | "PermissionDenied"
  | "UserPromptSubmit"
  | "UserPromptExpansion"
  | "SessionStart"
  | "SessionEnd"
  | "Setup"
  | "Stop"
  | "StopFailure"
  | "SubagentStart"
  | "SubagentStop"
  | "PreCompact"
  | "PostCompact"
  | "PreModelSwitch"
  | "PostModelSwitch"
  | "Notification"
  | "MessageDisplay"
  | "Elicitation"
  | "ElicitationResult"
  | "ConfigChange"
  | "InstructionsLoaded"
  | "CwdChanged"
  | "FileChanged"
  | "DirectoryAdded"
  | "WorktreeCreate"
  | "WorktreeRemove"
  | "TaskCreated"
  | "TaskCompleted"
  | "TeammateIdle";

/** What a hook says that looked at its event. */
export interface HookAnswer extends HookOutputCommon {
  /** What belongs to this event alone. */
  readonly hookSpecificOutput?:
    | PreToolUseHookOutput
    | PostToolUseHookOutput
    | PostToolUseFailureHookOutput
    | PostToolBatchHookOutput
    | PermissionRequestHookOutput
    | PermissionDeniedHookOutput
    | UserPromptSubmitHookOutput
    | UserPromptExpansionHookOutput
    | SessionStartHookOutput
    | SetupHookOutput
    | StopHookOutput
    | SubagentStartHookOutput
    | SubagentStopHookOutput
    | PreModelSwitchHookOutput
    | PostModelSwitchHookOutput
    | NotificationHookOutput
    | MessageDisplayHookOutput
    | ElicitationHookOutput
    | ElicitationResultHookOutput
    | CwdChangedHookOutput
    | FileChangedHookOutput
    | WorktreeCreateHookOutput
    | undefined;
}

/** What a hook says; `{}` says nothing. */
export type HookCallbackReply = HookAnswer | AsyncHookOutput;
