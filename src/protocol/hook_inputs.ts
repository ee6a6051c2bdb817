// Made from protocol/ by `npm run generate`; edit that.
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { AssistantError } from "./messages_turn.ts";
import type { PermissionMode, PermissionUpdate } from "./permissions.ts";

/** Input of every hook. */
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
  /** Id of the subagent in which the event occurred. */
  readonly agent_id?: string;
  /** Kind of that subagent. */
  readonly agent_type?: string;
  /** Thinking effort of the model. */
  readonly effort?: {
    /** The level. */
    readonly level: string;
  };
}

/** The MCP server behind a tool. */
export interface HookMcpServer {
  /** Its name. */
  readonly name: string;
  /** Origin of its configuration. */
  readonly source: string;
}

/** Input of hooks about one tool call. */
export interface HookToolInput extends HookInputBase {
  /** Name of the tool. */
  readonly tool_name: string;
  /** Input of the call. */
  readonly tool_input: JsonObject;
  /** MCP server of the tool. */
  readonly mcp_server?: HookMcpServer;
}

/** Work in the background. */
export interface HookBackgroundTask {
  /** Id of the task. */
  readonly id: string;
  /** Kind of task. */
  readonly type: string;
  /** State. */
  readonly status: string;
  /** Its action, in short. */
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

/** A scheduled prompt of the session. */
export interface HookSessionCron {
  /** Its id. */
  readonly id: string;
  /** Schedule. */
  readonly schedule: string;
  /** Whether it recurs. */
  readonly recurring: boolean;
  /** The prompt. */
  readonly prompt: string;
}

/** Input of hooks about the end of a turn. */
export interface HookStopInput extends HookInputBase {
  /** Whether a hook has already blocked the end of this turn or subagent. */
  readonly stop_hook_active: boolean;
  /** The last text of the model. */
  readonly last_assistant_message?: string;
  /** Background tasks. */
  readonly background_tasks?: readonly HookBackgroundTask[];
  /** Scheduled prompts of the session. */
  readonly session_crons?: readonly HookSessionCron[];
}

/** Input of hooks about a change of the model. */
export interface HookModelSwitchInput extends HookInputBase {
  /** The old model. */
  readonly from_model: string;
  /** The new model. */
  readonly to_model: string;
  /** The requested model; null = the default model. */
  readonly requested_model: string | null;
  /** Number of tokens in the context. */
  readonly context_tokens: number;
  /** Whether the prompt cache is still valid. */
  readonly prompt_cache_warm: boolean;
  /** Lifetime of the prompt cache. */
  readonly cache_ttl: "5m" | "1h";
  /** Estimated cost of filling the prompt cache, in US dollars. */
  readonly estimated_cache_write_usd: number;
  /** Source of the prices. */
  readonly pricing: "configured" | "catalog" | "default";
}

/** Input of hooks about a task of a team. */
export interface HookTeamTaskInput extends HookInputBase {
  /** Id of the entry. */
  readonly task_id: string;
  /** Title of the entry. */
  readonly task_subject: string;
  /** Description of the entry. */
  readonly task_description?: string;
  /** Teammate who owns the entry. */
  readonly teammate_name?: string;
  /** Name of the team. */
  readonly team_name?: string;
}

/** Before a tool runs. */
export interface PreToolUseHookInput extends HookToolInput {
  /** The event. */
  readonly hook_event_name: "PreToolUse";
  /** Id of the call. */
  readonly tool_use_id: string;
}

/** After a tool succeeded. */
export interface PostToolUseHookInput extends HookToolInput {
  /** The event. */
  readonly hook_event_name: "PostToolUse";
  /** Output of the tool, in its own format. */
  readonly tool_response: JsonValue;
  /** Id of the call. */
  readonly tool_use_id: string;
  /** Run time, in milliseconds. */
  readonly duration_ms?: number;
}

/** After a tool failed. */
export interface PostToolUseFailureHookInput extends HookToolInput {
  /** The event. */
  readonly hook_event_name: "PostToolUseFailure";
  /** Id of the call. */
  readonly tool_use_id: string;
  /** Text of the error. */
  readonly error: string;
  /** Whether the call was interrupted. */
  readonly is_interrupt?: boolean;
  /** Run time, in milliseconds. */
  readonly duration_ms?: number;
}

/** After all tools of one model message ran. */
export interface PostToolBatchHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "PostToolBatch";
  /** The calls of the message, with their outputs. */
  readonly tool_calls: readonly ({
    /** Name of the tool. */
    readonly tool_name: string;
    /** Input of the call. */
    readonly tool_input: JsonObject;
    /** Id of the call. */
    readonly tool_use_id: string;
    /** Output of the tool, in its own format. */
    readonly tool_response?: JsonValue;
  })[];
}

/** When the CLI needs the attention of the user. */
export interface NotificationHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "Notification";
  /** Text of the notification. */
  readonly message: string;
  /** Title of the notification. */
  readonly title?: string;
  /** Kind of notification. */
  readonly notification_type: string;
}

/** Before a prompt is sent to the model. */
export interface UserPromptSubmitHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "UserPromptSubmit";
  /** The prompt. */
  readonly prompt: string;
  /** Origin of the prompt. */
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

/** When a slash command expands to a prompt. */
export interface UserPromptExpansionHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "UserPromptExpansion";
  /** Kind of command. */
  readonly expansion_type: "slash_command" | "mcp_prompt";
  /** Name of the command. */
  readonly command_name: string;
  /** Arguments of the command. */
  readonly command_args: string;
  /** Source of the command. */
  readonly command_source?: string;
  /** The expanded prompt. */
  readonly prompt: string;
}

/** When a session begins. */
export interface SessionStartHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "SessionStart";
  /** Kind of start. */
  readonly source: "startup" | "resume" | "clear" | "compact" | "fork";
  /** The model. */
  readonly model?: string;
  /** Title of the session. */
  readonly session_title?: string;
  /** Time since the last answer, in seconds. */
  readonly seconds_since_last_response?: number;
  /** Number of tokens in the context. */
  readonly context_tokens?: number;
  /** Whether the prompt cache has probably expired. */
  readonly prompt_cache_likely_expired?: boolean;
  /** Estimated cost of filling the prompt cache, in US dollars. */
  readonly estimated_cache_write_usd?: number;
}

/** When a session ends. */
export interface SessionEndHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "SessionEnd";
  /** Reason for the end. */
  readonly reason:
    | "clear"
    | "resume"
    | "logout"
    | "prompt_input_exit"
    | "other";
}

/** When a turn is about to end. */
export interface StopHookInput extends HookStopInput {
  /** The event. */
  readonly hook_event_name: "Stop";
}

/** When an API error ended a turn. */
export interface StopFailureHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "StopFailure";
  /** Kind of error. */
  readonly error: AssistantError;
  /** Text of the error. */
  readonly error_details?: string;
  /** The last text of the model. */
  readonly last_assistant_message?: string;
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

/** When a subagent is about to end. */
export interface SubagentStopHookInput extends HookStopInput {
  /** The event. */
  readonly hook_event_name: "SubagentStop";
  /** Id of the subagent. */
  readonly agent_id: string;
  /** Kind of the subagent. */
  readonly agent_type: string;
  /** Transcript file of the subagent. */
  readonly agent_transcript_path: string;
}

/** Before the context is compacted. */
export interface PreCompactHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "PreCompact";
  /** Whether the user or the CLI started the compaction. */
  readonly trigger: "manual" | "auto";
  /** Instructions of the user for the summary. */
  readonly custom_instructions: string | null;
}

/** After the context was compacted. */
export interface PostCompactHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "PostCompact";
  /** Whether the user or the CLI started the compaction. */
  readonly trigger: "manual" | "auto";
  /** The summary that replaced the history. */
  readonly compact_summary: string;
}

/** Before the model is changed. */
export interface PreModelSwitchHookInput extends HookModelSwitchInput {
  /** The event. */
  readonly hook_event_name: "PreModelSwitch";
  /** Source of the request. */
  readonly source: "command" | "picker" | "sdk";
}

/** After the model was changed. */
export interface PostModelSwitchHookInput extends HookModelSwitchInput {
  /** The event. */
  readonly hook_event_name: "PostModelSwitch";
  /** Source of the request. */
  readonly source: "command" | "picker" | "sdk" | "auto" | "resume";
}

/** When a tool call needs a permission prompt. */
export interface PermissionRequestHookInput extends HookToolInput {
  /** The event. */
  readonly hook_event_name: "PermissionRequest";
  /** Changes of permissions that would allow calls like this one. */
  readonly permission_suggestions?: readonly PermissionUpdate[];
}

/** After a tool was denied. */
export interface PermissionDeniedHookInput extends HookToolInput {
  /** The event. */
  readonly hook_event_name: "PermissionDenied";
  /** Id of the call. */
  readonly tool_use_id: string;
  /** Reason for the denial. */
  readonly reason: string;
}

/** When a project is set up. */
export interface SetupHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "Setup";
  /** Trigger of the setup. */
  readonly trigger: "init" | "maintenance";
}

/** When a teammate is idle. */
export interface TeammateIdleHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "TeammateIdle";
  /** Name of the teammate. */
  readonly teammate_name: string;
  /** Name of the team. */
  readonly team_name: string;
}

/** When an entry of the to-do list is created. */
export interface TaskCreatedHookInput extends HookTeamTaskInput {
  /** The event. */
  readonly hook_event_name: "TaskCreated";
}

/** When an entry of the to-do list is completed. */
export interface TaskCompletedHookInput extends HookTeamTaskInput {
  /** The event. */
  readonly hook_event_name: "TaskCompleted";
}

/** When an MCP server asks the user a question. */
export interface ElicitationHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "Elicitation";
  /** Name of the server. */
  readonly mcp_server_name: string;
  /** The question. */
  readonly message: string;
  /** Kind of question: a form to fill, or a page to open. */
  readonly mode?: "form" | "url";
  /** Address of the page. */
  readonly url?: string;
  /** Id of the question. */
  readonly elicitation_id?: string;
  /** JSON Schema of the form. */
  readonly requested_schema?: JsonObject;
}

/** When a question of an MCP server is answered. */
export interface ElicitationResultHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "ElicitationResult";
  /** Name of the server. */
  readonly mcp_server_name: string;
  /** Id of the question. */
  readonly elicitation_id?: string;
  /** Kind of question: a form to fill, or a page to open. */
  readonly mode?: "form" | "url";
  /** Answer of the user. */
  readonly action: "accept" | "decline" | "cancel";
  /** The completed form. */
  readonly content?: JsonObject;
}

/** When settings changed. */
export interface ConfigChangeHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "ConfigChange";
  /** Kind of settings. */
  readonly source:
    | "user_settings"
    | "project_settings"
    | "local_settings"
    | "policy_settings"
    | "skills";
  /** File of the settings. */
  readonly file_path?: string;
}

/** When a worktree is needed; the hook must create it. */
export interface WorktreeCreateHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "WorktreeCreate";
  /** Name of the worktree. */
  readonly name: string;
}

/** When a worktree is removed. */
export interface WorktreeRemoveHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "WorktreeRemove";
  /** Path of the worktree. */
  readonly worktree_path: string;
}

/** When an instruction file, such as `CLAUDE.md`, was loaded. */
export interface InstructionsLoadedHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "InstructionsLoaded";
  /** Path of the instruction file. */
  readonly file_path: string;
  /** Kind of instructions. */
  readonly memory_type: "User" | "Project" | "Local" | "Managed";
  /** Reason for the load. */
  readonly load_reason:
    | "session_start"
    | "nested_traversal"
    | "path_glob_match"
    | "include"
    | "compact";
  /** Patterns of the files to which the instructions apply. */
  readonly globs?: readonly string[];
  /** File that matched one of `globs`. */
  readonly trigger_file_path?: string;
  /** File that includes the instruction file. */
  readonly parent_file_path?: string;
}

/** When the working directory changed. */
export interface CwdChangedHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "CwdChanged";
  /** The old directory. */
  readonly old_cwd: string;
  /** The new directory. */
  readonly new_cwd: string;
}

/** When a watched file changed. */
export interface FileChangedHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "FileChanged";
  /** The file. */
  readonly file_path: string;
  /** Kind of change. */
  readonly event: "change" | "add" | "unlink";
}

/** When a working directory was added. */
export interface DirectoryAddedHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "DirectoryAdded";
  /** The directory. */
  readonly directory: string;
  /** Source of the addition. */
  readonly source: "slash_command" | "register_repo_root";
}

/** When the CLI shows a piece of text. */
export interface MessageDisplayHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "MessageDisplay";
  /** Id of the turn. */
  readonly turn_id: string;
  /** Id of the message. */
  readonly message_id: string;
  /** Number of the piece, from 0. */
  readonly index: number;
  /** Whether this is the last piece of the message. */
  readonly final: boolean;
  /** Text of the piece. */
  readonly delta: string;
}

/** Before a shell line in a skill or slash command runs. */
export interface PreSkillShellCommandHookInput extends HookInputBase {
  /** The event. */
  readonly hook_event_name: "PreSkillShellCommand";
  /** The shell tool: `Bash` or `PowerShell`. */
  readonly tool_name: string;
  /** Input of the shell tool. */
  readonly tool_input: {
    /** The command, with arguments filled in. */
    readonly command: string;
  };
  /** Id of the command; the transcript has no tool call with this id. */
  readonly tool_use_id: string;
  /** Name of the skill or slash command. */
  readonly command_name: string;
  /** Source of the skill or slash command. */
  readonly command_source?: string;
  /** Who started the skill or slash command. */
  readonly invoked_by: "user" | "claude" | "other";
}
