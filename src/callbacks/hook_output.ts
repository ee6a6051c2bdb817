import { show, typeOf } from "../errors/text.ts";
import type { HookOutputFields } from "../types/hook_output.ts";
import type { HookEvent } from "../types/hooks.ts";
import type { JsonObject } from "../types/json.ts";
import {
  checkShape,
  isObject,
  type Shape,
  type ValueShape,
  wrongShape,
} from "./shape.ts";

const COMMON: Shape = {
  continue: "boolean",
  suppressOutput: "boolean",
  stopReason: "string",
  decision: ["approve", "block"],
  reason: "string",
  systemMessage: "string",
  terminalSequence: "string",
  hookSpecificOutput: "object",
  async: "boolean",
  asyncTimeout: "number",
};

const CONTEXT = { additionalContext: "string" } as const;
const WATCH = { watchPaths: "strings" } as const;
const ANSWER = {
  action: ["accept", "decline", "cancel"],
  content: "object",
} as const;

/** Fields of `hookSpecificOutput` by event. Source: protocol reference, section Hooks. */
const SPECIFIC: {
  readonly [E in HookEvent]: Readonly<
    Record<keyof HookOutputFields[E], ValueShape>
  >;
} = {
  PreToolUse: {
    ...CONTEXT,
    permissionDecision: ["allow", "deny", "ask", "defer"],
    permissionDecisionReason: "string",
    updatedInput: "object",
  },
  PostToolUse: {
    ...CONTEXT,
    classifierContext: "string",
    updatedToolOutput: "anything",
    updatedMCPToolOutput: "anything",
  },
  PostToolUseFailure: CONTEXT,
  PostToolBatch: CONTEXT,
  PermissionRequest: { decision: "object" },
  PermissionDenied: { retry: "boolean" },
  UserPromptSubmit: {
    ...CONTEXT,
    sessionTitle: "string",
    suppressOriginalPrompt: "boolean",
  },
  UserPromptExpansion: { ...CONTEXT, suppressOriginalPrompt: "boolean" },
  SessionStart: {
    ...CONTEXT,
    ...WATCH,
    initialUserMessage: "string",
    sessionTitle: "string",
    reloadSkills: "boolean",
  },
  SessionEnd: {},
  Setup: CONTEXT,
  Stop: CONTEXT,
  StopFailure: {},
  SubagentStart: CONTEXT,
  SubagentStop: CONTEXT,
  PreCompact: {},
  PostCompact: {},
  PreModelSwitch: {
    permissionDecision: ["allow", "deny", "ask"],
    permissionDecisionReason: "string",
  },
  PostModelSwitch: CONTEXT,
  Notification: CONTEXT,
  MessageDisplay: { displayContent: "string" },
  Elicitation: ANSWER,
  ElicitationResult: ANSWER,
  ConfigChange: {},
  InstructionsLoaded: {},
  CwdChanged: WATCH,
  FileChanged: WATCH,
  DirectoryAdded: {},
  WorktreeCreate: { worktreePath: "string" },
  WorktreeRemove: {},
  TaskCreated: {},
  TaskCompleted: {},
  TeammateIdle: {},
};

/** What `hookSpecificOutput` makes no sense without. */
const REQUIRED: { readonly [E in HookEvent]?: string } = {
  PermissionRequest: "decision",
  WorktreeCreate: "worktreePath",
};

const DECISION: Shape = {
  behavior: ["allow", "deny"],
  updatedInput: "object",
  updatedPermissions: "objects",
  message: "string",
  interrupt: "boolean",
};

/** Events that `decision: "block"` stops. Source: documentation of the CLI, Hooks reference. */
const BLOCKABLE: ReadonlySet<HookEvent> = new Set<HookEvent>([
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "Stop",
  "SubagentStop",
  "PreCompact",
  "ConfigChange",
]);

/** What a hook returned as its answer: nothing counts as `{}`, the event is filled in; throws for a wrong shape. */
export function toHookAnswer(event: HookEvent, output: unknown): JsonObject {
  if (output === undefined) return {};
  if (!isObject(output)) {
    wrongShape(`must be an object, is ${typeOf(output)}`);
  }
  checkShape(output, COMMON);
  const specific = output.hookSpecificOutput;
  if (!isObject(specific)) return output;
  const name = specific.hookEventName ?? event;
  if (name !== event) {
    wrongShape(
      `field "hookSpecificOutput.hookEventName" must be "${event}", is ${
        show(name)
      }`,
    );
  }
  checkSpecific(event, specific);
  if (specific.hookEventName === event) return output;
  return {
    ...output,
    hookSpecificOutput: { ...specific, hookEventName: event },
  };
}

function checkSpecific(event: HookEvent, specific: JsonObject): void {
  const at = "hookSpecificOutput.";
  // An event that came later is set by name, past the types.
  checkShape(specific, SPECIFIC[event] ?? {}, at);
  const required = REQUIRED[event];
  if (required !== undefined && specific[required] === undefined) {
    wrongShape(`field "${at}${required}" is missing`);
  }
  if (event !== "PermissionRequest" || !isObject(specific.decision)) return;
  checkShape(specific.decision, DECISION, `${at}decision.`);
  if (specific.decision.behavior === undefined) {
    wrongShape(`field "${at}decision.behavior" is missing`);
  }
}

/** The answer that keeps an event from going on, as far as the CLI lets it. */
export function toBlock(event: HookEvent, reason: string): JsonObject {
  const denied = {
    permissionDecision: "deny",
    permissionDecisionReason: reason,
  };
  const stopped = { continue: false, stopReason: reason };
  switch (event) {
    case "PreToolUse":
      return { hookSpecificOutput: { hookEventName: event, ...denied } };
    case "PermissionRequest":
      return {
        hookSpecificOutput: {
          hookEventName: event,
          decision: { behavior: "deny", message: reason },
        },
      };
    case "PreModelSwitch":
      return {
        ...stopped,
        hookSpecificOutput: { hookEventName: event, ...denied },
      };
    case "Elicitation":
    case "ElicitationResult":
      return {
        ...stopped,
        hookSpecificOutput: { hookEventName: event, action: "decline" },
      };
    default:
      return BLOCKABLE.has(event) ? { decision: "block", reason } : stopped;
  }
}
