// Made from protocol/ by `npm run generate`; edit that.
import type { JsonInput, JsonValue } from "../types/json.ts";
import type {
  ConfigChangeHookInput,
  CwdChangedHookInput,
  DirectoryAddedHookInput,
  ElicitationHookInput,
  ElicitationResultHookInput,
  FileChangedHookInput,
  InstructionsLoadedHookInput,
  MessageDisplayHookInput,
  NotificationHookInput,
  PermissionDeniedHookInput,
  PermissionRequestHookInput,
  PostCompactHookInput,
  PostModelSwitchHookInput,
  PostToolBatchHookInput,
  PostToolUseFailureHookInput,
  PostToolUseHookInput,
  PreCompactHookInput,
  PreModelSwitchHookInput,
  PreSkillShellCommandHookInput,
  PreToolUseHookInput,
  SessionEndHookInput,
  SessionStartHookInput,
  SetupHookInput,
  StopFailureHookInput,
  StopHookInput,
  SubagentStartHookInput,
  SubagentStopHookInput,
  TaskCompletedHookInput,
  TaskCreatedHookInput,
  TeammateIdleHookInput,
  UserPromptExpansionHookInput,
  UserPromptSubmitHookInput,
  WorktreeCreateHookInput,
  WorktreeRemoveHookInput,
} from "./hook_inputs.ts";
import type { PermissionUpdate } from "./permissions.ts";

/** Text for the model. */
export interface AdditionalContext {
  /** Text added to the context of the model. */
  readonly additionalContext?: string | undefined;
}

/** Decision of a PermissionRequest hook. */
export type HookPermissionDecision = {
  /** The tool may run. */
  readonly behavior: "allow";
  /** The input it runs with. */
  readonly updatedInput?: JsonInput | undefined;
  /** Rules and modes that apply from now on. */
  readonly updatedPermissions?: readonly PermissionUpdate[] | undefined;
} | {
  /** The tool may not run. */
  readonly behavior: "deny";
  /** Reason; the model reads it. */
  readonly message?: string | undefined;
  /** Whether the turn ends as well; default: false. */
  readonly interrupt?: boolean | undefined;
};

/** Answer of a hook in place of the user. */
export interface ElicitationOutput {
  /** Answer that the MCP server gets. */
  readonly action?: "accept" | "decline" | "cancel" | undefined;
  /** The completed form that the MCP server gets. */
  readonly content?: JsonInput | undefined;
}

/** Paths that a hook wants watched. */
export interface WatchOutput {
  /** Absolute paths to watch; a change causes a FileChanged event. */
  readonly watchPaths?: readonly string[] | undefined;
}

/** Output of a hook that handles its event later; the tool continues at once. */
export interface AsyncHookOutput {
  /** Always true. */
  readonly async: true;
  /** Timeout, in milliseconds. */
  readonly asyncTimeout?: number | undefined;
}

/** Output of a hook, for any event. */
export interface HookOutputCommon {
  /** Whether the turn continues; default: true. */
  readonly continue?: boolean | undefined;
  /** Whether the output stays out of the transcript; default: false. */
  readonly suppressOutput?: boolean | undefined;
  /** Reason for ending the turn; shown to the user. */
  readonly stopReason?: string | undefined;
  /** `block` has an effect on certain events, see the docs of hooks. */
  readonly decision?: "approve" | "block" | undefined;
  /** Reason; the model reads it. */
  readonly reason?: string | undefined;
  /** A warning for the user. */
  readonly systemMessage?: string | undefined;
  /** Control characters for a terminal. */
  readonly terminalSequence?: string | undefined;
}

/** Before a tool runs. */
export interface PreToolUseHookOutput extends AdditionalContext {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "PreToolUse";
  /** Decision; `defer` ends the turn, and the call waits until the session is resumed. */
  readonly permissionDecision?: "allow" | "deny" | "ask" | "defer" | undefined;
  /** Reason for the decision; the model reads the reason for a denial. */
  readonly permissionDecisionReason?: string | undefined;
  /** Replaces the whole input of the tool. */
  readonly updatedInput?: JsonInput | undefined;
}

/** After a tool succeeded. */
export interface PostToolUseHookOutput extends AdditionalContext {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "PostToolUse";
  /** Text for the model that decides in the mode `auto`. */
  readonly classifierContext?: string | undefined;
  /** Replaces the result that the model reads. */
  readonly updatedToolOutput?: JsonValue | JsonInput | undefined;
  /** For MCP tools: replaces the result that the model reads. */
  readonly updatedMCPToolOutput?: JsonValue | JsonInput | undefined;
}

/** After a tool failed. */
export interface PostToolUseFailureHookOutput extends AdditionalContext {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "PostToolUseFailure";
}

/** After all tools of one model message ran. */
export interface PostToolBatchHookOutput extends AdditionalContext {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "PostToolBatch";
}

/** When the CLI needs the attention of the user. */
export interface NotificationHookOutput extends AdditionalContext {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "Notification";
}

/** Before a prompt is sent to the model. */
export interface UserPromptSubmitHookOutput extends AdditionalContext {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "UserPromptSubmit";
  /** Title of the session. */
  readonly sessionTitle?: string | undefined;
  /** Whether the CLI hides the text of a blocked prompt. */
  readonly suppressOriginalPrompt?: boolean | undefined;
}

/** When a slash command expands to a prompt. */
export interface UserPromptExpansionHookOutput extends AdditionalContext {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "UserPromptExpansion";
  /** Whether the CLI hides the text of a blocked prompt. */
  readonly suppressOriginalPrompt?: boolean | undefined;
}

/** When a session begins. */
export interface SessionStartHookOutput extends AdditionalContext, WatchOutput {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "SessionStart";
  /** First prompt of the session. */
  readonly initialUserMessage?: string | undefined;
  /** Title of the session. */
  readonly sessionTitle?: string | undefined;
  /** Whether the CLI reloads skills. */
  readonly reloadSkills?: boolean | undefined;
}

/** When a session ends. */
export interface SessionEndHookOutput {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "SessionEnd";
}

/** When a turn is about to end. */
export interface StopHookOutput extends AdditionalContext {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "Stop";
}

/** When an API error ended a turn. */
export interface StopFailureHookOutput {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "StopFailure";
}

/** When a subagent begins. */
export interface SubagentStartHookOutput extends AdditionalContext {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "SubagentStart";
}

/** When a subagent is about to end. */
export interface SubagentStopHookOutput extends AdditionalContext {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "SubagentStop";
}

/** Before the context is compacted. */
export interface PreCompactHookOutput {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "PreCompact";
}

/** After the context was compacted. */
export interface PostCompactHookOutput {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "PostCompact";
}

/** Before the model is changed. */
export interface PreModelSwitchHookOutput {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "PreModelSwitch";
  /** Whether the model may be changed. */
  readonly permissionDecision?: "allow" | "deny" | "ask" | undefined;
  /** Reason for the decision. */
  readonly permissionDecisionReason?: string | undefined;
}

/** After the model was changed. */
export interface PostModelSwitchHookOutput extends AdditionalContext {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "PostModelSwitch";
}

/** When a tool call needs a permission prompt. */
export interface PermissionRequestHookOutput {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "PermissionRequest";
  /** Decision about the call: `{ behavior: "allow" }`, or `{ behavior: "deny", message }`. */
  readonly decision: HookPermissionDecision;
}

/** After a tool was denied. */
export interface PermissionDeniedHookOutput {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "PermissionDenied";
  /** Whether the model may try the call again. */
  readonly retry?: boolean | undefined;
}

/** When a project is set up. */
export interface SetupHookOutput extends AdditionalContext {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "Setup";
}

/** When a teammate is idle. */
export interface TeammateIdleHookOutput {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "TeammateIdle";
}

/** When an entry of the to-do list is created. */
export interface TaskCreatedHookOutput {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "TaskCreated";
}

/** When an entry of the to-do list is completed. */
export interface TaskCompletedHookOutput {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "TaskCompleted";
}

/** When an MCP server asks the user a question. */
export interface ElicitationHookOutput extends ElicitationOutput {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "Elicitation";
}

/** When a question of an MCP server is answered. */
export interface ElicitationResultHookOutput extends ElicitationOutput {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "ElicitationResult";
}

/** When settings changed. */
export interface ConfigChangeHookOutput {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "ConfigChange";
}

/** When a worktree is needed; the hook must create it. */
export interface WorktreeCreateHookOutput {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "WorktreeCreate";
  /** Path of the new worktree. */
  readonly worktreePath: string;
}

/** When a worktree is removed. */
export interface WorktreeRemoveHookOutput {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "WorktreeRemove";
}

/** When an instruction file, such as `CLAUDE.md`, was loaded. */
export interface InstructionsLoadedHookOutput {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "InstructionsLoaded";
}

/** When the working directory changed. */
export interface CwdChangedHookOutput extends WatchOutput {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "CwdChanged";
}

/** When a watched file changed. */
export interface FileChangedHookOutput extends WatchOutput {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "FileChanged";
}

/** When a working directory was added. */
export interface DirectoryAddedHookOutput {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "DirectoryAdded";
}

/** When the CLI shows a piece of text. */
export interface MessageDisplayHookOutput {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "MessageDisplay";
  /** Text to show in place of the piece. */
  readonly displayContent?: string | undefined;
}

/** Before a shell line in a skill or slash command runs. */
export interface PreSkillShellCommandHookOutput {
  /** The event; must be that of the hook input. */
  readonly hookEventName: "PreSkillShellCommand";
  /** Decision; `deny`, `ask` and `defer` deny the command, and `allow` has no effect. */
  readonly permissionDecision?: "allow" | "deny" | "ask" | "defer" | undefined;
  /** Reason for the decision. */
  readonly permissionDecisionReason?: string | undefined;
  /** Any value denies the command. */
  readonly updatedInput?: JsonInput | undefined;
}

/** Input of a hook, distinguished by `hook_event_name`. */
export type AnyHookInput =
  | PreToolUseHookInput
  | PostToolUseHookInput
  | PostToolUseFailureHookInput
  | PostToolBatchHookInput
  | NotificationHookInput
  | UserPromptSubmitHookInput
  | UserPromptExpansionHookInput
  | SessionStartHookInput
  | SessionEndHookInput
  | StopHookInput
  | StopFailureHookInput
  | SubagentStartHookInput
  | SubagentStopHookInput
  | PreCompactHookInput
  | PostCompactHookInput
  | PreModelSwitchHookInput
  | PostModelSwitchHookInput
  | PermissionRequestHookInput
  | PermissionDeniedHookInput
  | SetupHookInput
  | TeammateIdleHookInput
  | TaskCreatedHookInput
  | TaskCompletedHookInput
  | ElicitationHookInput
  | ElicitationResultHookInput
  | ConfigChangeHookInput
  | WorktreeCreateHookInput
  | WorktreeRemoveHookInput
  | InstructionsLoadedHookInput
  | CwdChangedHookInput
  | FileChangedHookInput
  | DirectoryAddedHookInput
  | MessageDisplayHookInput
  | PreSkillShellCommandHookInput;

/** Input of hooks, by event. */
export interface HookInputs {
  /** Before a tool runs. */
  readonly PreToolUse: PreToolUseHookInput;
  /** After a tool succeeded. */
  readonly PostToolUse: PostToolUseHookInput;
  /** After a tool failed. */
  readonly PostToolUseFailure: PostToolUseFailureHookInput;
  /** After all tools of one model message ran. */
  readonly PostToolBatch: PostToolBatchHookInput;
  /** When the CLI needs the attention of the user. */
  readonly Notification: NotificationHookInput;
  /** Before a prompt is sent to the model. */
  readonly UserPromptSubmit: UserPromptSubmitHookInput;
  /** When a slash command expands to a prompt. */
  readonly UserPromptExpansion: UserPromptExpansionHookInput;
  /** When a session begins. */
  readonly SessionStart: SessionStartHookInput;
  /** When a session ends. */
  readonly SessionEnd: SessionEndHookInput;
  /** When a turn is about to end. */
  readonly Stop: StopHookInput;
  /** When an API error ended a turn. */
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
  /** When a tool call needs a permission prompt. */
  readonly PermissionRequest: PermissionRequestHookInput;
  /** After a tool was denied. */
  readonly PermissionDenied: PermissionDeniedHookInput;
  /** When a project is set up. */
  readonly Setup: SetupHookInput;
  /** When a teammate is idle. */
  readonly TeammateIdle: TeammateIdleHookInput;
  /** When an entry of the to-do list is created. */
  readonly TaskCreated: TaskCreatedHookInput;
  /** When an entry of the to-do list is completed. */
  readonly TaskCompleted: TaskCompletedHookInput;
  /** When an MCP server asks the user a question. */
  readonly Elicitation: ElicitationHookInput;
  /** When a question of an MCP server is answered. */
  readonly ElicitationResult: ElicitationResultHookInput;
  /** When settings changed. */
  readonly ConfigChange: ConfigChangeHookInput;
  /** When a worktree is needed; the hook must create it. */
  readonly WorktreeCreate: WorktreeCreateHookInput;
  /** When a worktree is removed. */
  readonly WorktreeRemove: WorktreeRemoveHookInput;
  /** When an instruction file, such as `CLAUDE.md`, was loaded. */
  readonly InstructionsLoaded: InstructionsLoadedHookInput;
  /** When the working directory changed. */
  readonly CwdChanged: CwdChangedHookInput;
  /** When a watched file changed. */
  readonly FileChanged: FileChangedHookInput;
  /** When a working directory was added. */
  readonly DirectoryAdded: DirectoryAddedHookInput;
  /** When the CLI shows a piece of text. */
  readonly MessageDisplay: MessageDisplayHookInput;
  /** Before a shell line in a skill or slash command runs. */
  readonly PreSkillShellCommand: PreSkillShellCommandHookInput;
}

/** Output fields of hooks, by event. */
export interface HookOutputs {
  /** Before a tool runs. */
  readonly PreToolUse: PreToolUseHookOutput;
  /** After a tool succeeded. */
  readonly PostToolUse: PostToolUseHookOutput;
  /** After a tool failed. */
  readonly PostToolUseFailure: PostToolUseFailureHookOutput;
  /** After all tools of one model message ran. */
  readonly PostToolBatch: PostToolBatchHookOutput;
  /** When the CLI needs the attention of the user. */
  readonly Notification: NotificationHookOutput;
  /** Before a prompt is sent to the model. */
  readonly UserPromptSubmit: UserPromptSubmitHookOutput;
  /** When a slash command expands to a prompt. */
  readonly UserPromptExpansion: UserPromptExpansionHookOutput;
  /** When a session begins. */
  readonly SessionStart: SessionStartHookOutput;
  /** When a session ends. */
  readonly SessionEnd: SessionEndHookOutput;
  /** When a turn is about to end. */
  readonly Stop: StopHookOutput;
  /** When an API error ended a turn. */
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
  /** When a tool call needs a permission prompt. */
  readonly PermissionRequest: PermissionRequestHookOutput;
  /** After a tool was denied. */
  readonly PermissionDenied: PermissionDeniedHookOutput;
  /** When a project is set up. */
  readonly Setup: SetupHookOutput;
  /** When a teammate is idle. */
  readonly TeammateIdle: TeammateIdleHookOutput;
  /** When an entry of the to-do list is created. */
  readonly TaskCreated: TaskCreatedHookOutput;
  /** When an entry of the to-do list is completed. */
  readonly TaskCompleted: TaskCompletedHookOutput;
  /** When an MCP server asks the user a question. */
  readonly Elicitation: ElicitationHookOutput;
  /** When a question of an MCP server is answered. */
  readonly ElicitationResult: ElicitationResultHookOutput;
  /** When settings changed. */
  readonly ConfigChange: ConfigChangeHookOutput;
  /** When a worktree is needed; the hook must create it. */
  readonly WorktreeCreate: WorktreeCreateHookOutput;
  /** When a worktree is removed. */
  readonly WorktreeRemove: WorktreeRemoveHookOutput;
  /** When an instruction file, such as `CLAUDE.md`, was loaded. */
  readonly InstructionsLoaded: InstructionsLoadedHookOutput;
  /** When the working directory changed. */
  readonly CwdChanged: CwdChangedHookOutput;
  /** When a watched file changed. */
  readonly FileChanged: FileChangedHookOutput;
  /** When a working directory was added. */
  readonly DirectoryAdded: DirectoryAddedHookOutput;
  /** When the CLI shows a piece of text. */
  readonly MessageDisplay: MessageDisplayHookOutput;
  /** Before a shell line in a skill or slash command runs. */
  readonly PreSkillShellCommand: PreSkillShellCommandHookOutput;
}

/** Event of a hook. */
export type HookEvent =
  | "PreToolUse"
  | "PostToolUse"
  | "PostToolUseFailure"
  | "PostToolBatch"
  | "Notification"
  | "UserPromptSubmit"
  | "UserPromptExpansion"
  | "SessionStart"
  | "SessionEnd"
  | "Stop"
  | "StopFailure"
  | "SubagentStart"
  | "SubagentStop"
  | "PreCompact"
  | "PostCompact"
  | "PreModelSwitch"
  | "PostModelSwitch"
  | "PermissionRequest"
  | "PermissionDenied"
  | "Setup"
  | "TeammateIdle"
  | "TaskCreated"
  | "TaskCompleted"
  | "Elicitation"
  | "ElicitationResult"
  | "ConfigChange"
  | "WorktreeCreate"
  | "WorktreeRemove"
  | "InstructionsLoaded"
  | "CwdChanged"
  | "FileChanged"
  | "DirectoryAdded"
  | "MessageDisplay"
  | "PreSkillShellCommand";

/** Output of a hook that handled its event. */
export interface HookAnswer extends HookOutputCommon {
  /** Fields of this event. */
  readonly hookSpecificOutput?:
    | PreToolUseHookOutput
    | PostToolUseHookOutput
    | PostToolUseFailureHookOutput
    | PostToolBatchHookOutput
    | NotificationHookOutput
    | UserPromptSubmitHookOutput
    | UserPromptExpansionHookOutput
    | SessionStartHookOutput
    | StopHookOutput
    | SubagentStartHookOutput
    | SubagentStopHookOutput
    | PreModelSwitchHookOutput
    | PostModelSwitchHookOutput
    | PermissionRequestHookOutput
    | PermissionDeniedHookOutput
    | SetupHookOutput
    | ElicitationHookOutput
    | ElicitationResultHookOutput
    | WorktreeCreateHookOutput
    | CwdChangedHookOutput
    | FileChangedHookOutput
    | MessageDisplayHookOutput
    | PreSkillShellCommandHookOutput
    | undefined;
}

/** Output of a hook; `{}` has no effect. */
export type HookCallbackReply = HookAnswer | AsyncHookOutput;
