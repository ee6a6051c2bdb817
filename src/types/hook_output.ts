import type { JsonInput, JsonValue } from "./json.ts";
import type { PermissionUpdate } from "./permissions.ts";

/** Text for the model. */
export interface AdditionalContext {
  /** Added to what the model reads. */
  readonly additionalContext?: string | undefined;
}

/** An event whose hooks have nothing special to say. */
export type NoSpecificOutput = Record<never, never>;

/** What a PermissionRequest hook decides. */
export type HookPermissionDecision =
  | {
    /** The tool may run. */
    readonly behavior: "allow";
    /** The input it runs with. */
    readonly updatedInput?: JsonInput | undefined;
    /** Rules and modes that hold from now on. */
    readonly updatedPermissions?: readonly PermissionUpdate[] | undefined;
  }
  | {
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

/**
 * What hooks may say beyond the common fields, by event.
 *
 * Source: protocol reference, section Hooks.
 */
export interface HookOutputFields {
  /** Before a tool runs. */
  readonly PreToolUse: AdditionalContext & {
    /** `defer` hands the call to the host and ends the turn. */
    readonly permissionDecision?:
      | "allow"
      | "deny"
      | "ask"
      | "defer"
      | undefined;
    /** Why; for a deny the model reads it. */
    readonly permissionDecisionReason?: string | undefined;
    /** Replaces the tool's input whole. */
    readonly updatedInput?: JsonInput | undefined;
  };
  /** After a tool ran. */
  readonly PostToolUse: AdditionalContext & {
    /** Text for the permission classifier. */
    readonly classifierContext?: string | undefined;
    /** Replaces what the model reads as the result. */
    readonly updatedToolOutput?: JsonValue | JsonInput | undefined;
    /** The same for an MCP tool. */
    readonly updatedMCPToolOutput?: JsonValue | JsonInput | undefined;
  };
  /** After a tool failed. */
  readonly PostToolUseFailure: AdditionalContext;
  /** After all tools of one model message ran. */
  readonly PostToolBatch: AdditionalContext;
  /** When a tool needs a permission. */
  readonly PermissionRequest: {
    /** The decision. */
    readonly decision: HookPermissionDecision;
  };
  /** After a tool was denied. */
  readonly PermissionDenied: {
    /** Whether the model is told that it may try again. */
    readonly retry?: boolean | undefined;
  };
  /** When a prompt comes. */
  readonly UserPromptSubmit: AdditionalContext & {
    /** Title of the session. */
    readonly sessionTitle?: string | undefined;
    /** Whether the prompt itself is left out. */
    readonly suppressOriginalPrompt?: boolean | undefined;
  };
  /** When a command becomes a prompt. */
  readonly UserPromptExpansion: AdditionalContext & {
    /** Whether the prompt itself is left out. */
    readonly suppressOriginalPrompt?: boolean | undefined;
  };
  /** When a session begins. */
  readonly SessionStart: AdditionalContext & WatchOutput & {
    /** A prompt to begin with. */
    readonly initialUserMessage?: string | undefined;
    /** Title of the session. */
    readonly sessionTitle?: string | undefined;
    /** Whether skills are loaded anew. */
    readonly reloadSkills?: boolean | undefined;
  };
  /** When a session ends. */
  readonly SessionEnd: NoSpecificOutput;
  /** When a project is set up. */
  readonly Setup: AdditionalContext;
  /** When a turn is about to end. */
  readonly Stop: AdditionalContext;
  /** When a turn ended by an API error. */
  readonly StopFailure: NoSpecificOutput;
  /** When a subagent begins. */
  readonly SubagentStart: AdditionalContext;
  /** When a subagent is about to end. */
  readonly SubagentStop: AdditionalContext;
  /** Before the context is compacted. */
  readonly PreCompact: NoSpecificOutput;
  /** After the context was compacted. */
  readonly PostCompact: NoSpecificOutput;
  /** Before the model is changed. */
  readonly PreModelSwitch: {
    /** Whether it may be changed. */
    readonly permissionDecision?: "allow" | "deny" | "ask" | undefined;
    /** Why. */
    readonly permissionDecisionReason?: string | undefined;
  };
  /** After the model was changed. */
  readonly PostModelSwitch: AdditionalContext;
  /** When the CLI wants attention. */
  readonly Notification: AdditionalContext;
  /** While a text is shown. */
  readonly MessageDisplay: {
    /** Shown in its place. */
    readonly displayContent?: string | undefined;
  };
  /** When an MCP server asks. */
  readonly Elicitation: ElicitationOutput;
  /** When its question is answered. */
  readonly ElicitationResult: ElicitationOutput;
  /** When settings changed. */
  readonly ConfigChange: NoSpecificOutput;
  /** When instructions were loaded. */
  readonly InstructionsLoaded: NoSpecificOutput;
  /** When the working directory changed. */
  readonly CwdChanged: WatchOutput;
  /** When a watched file changed. */
  readonly FileChanged: WatchOutput;
  /** When a directory was added. */
  readonly DirectoryAdded: NoSpecificOutput;
  /** When a worktree is wanted. */
  readonly WorktreeCreate: {
    /** Where the hook made it. */
    readonly worktreePath: string;
  };
  /** When a worktree goes. */
  readonly WorktreeRemove: NoSpecificOutput;
  /** When a task of a team is made. */
  readonly TaskCreated: NoSpecificOutput;
  /** When a task of a team is done. */
  readonly TaskCompleted: NoSpecificOutput;
  /** When a teammate has nothing to do. */
  readonly TeammateIdle: NoSpecificOutput;
}

/** What a hook of an event may say beyond the common fields. */
export type HookSpecificOutput<
  E extends keyof HookOutputFields = keyof HookOutputFields,
> = {
  readonly [K in E]: {
    /** The event; must be the one that was asked about. */
    readonly hookEventName: K;
  } & HookOutputFields[K];
}[E];

/** What a hook says that looked at its event. */
export interface SyncHookOutput<
  E extends keyof HookOutputFields = keyof HookOutputFields,
> {
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
  /** What belongs to this event alone. */
  readonly hookSpecificOutput?: HookSpecificOutput<E> | undefined;
}

/** What a hook says that will look at its event later; the tool goes on at once. */
export interface AsyncHookOutput {
  /** Always true. */
  readonly async: true;
  /** How long it may take, in milliseconds. */
  readonly asyncTimeout?: number | undefined;
}

/**
 * What a hook returns; `{}` and nothing at all say nothing.
 *
 * @typeParam E The event
 */
export type HookOutput<
  E extends keyof HookOutputFields = keyof HookOutputFields,
> = SyncHookOutput<E> | AsyncHookOutput | undefined | void;
