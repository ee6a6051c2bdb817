import { isObject } from "../errors/is_object.ts";
import {
  PERMISSION_DESTINATIONS,
  PERMISSION_MODES,
} from "../protocol/values.ts";
import type { HookOutputFields } from "../types/hook_output.ts";
import type { HookEvent } from "../protocol/hooks.ts";
import type { JsonObject } from "../types/json.ts";
import {
  flag,
  json,
  jsonObject,
  type Keys,
  listOf,
  number,
  objectBy,
  objectOf,
  oneOf,
  text,
  texts,
} from "./shapes.ts";
import { type Shape, wrongShape } from "./plain.ts";

/** A key that must not stand here. */
function notHere(why: string): Shape {
  return (_value, { key }) => wrongShape(`field "${key}" ${why}`);
}

const CONTEXT = { additionalContext: text };
const WATCH = { watchPaths: texts };
const ELICITED = {
  action: oneOf("accept", "decline", "cancel"),
  content: jsonObject,
};
const DESTINATION = oneOf(...PERMISSION_DESTINATIONS);
const RULES: Keys = {
  known: {
    rules: listOf(
      objectOf({
        known: { toolName: text, ruleContent: text },
        required: ["toolName"],
      }),
      "a list of rules",
    ),
    behavior: oneOf("allow", "deny", "ask"),
    destination: DESTINATION,
  },
  required: ["rules", "behavior", "destination"],
};
const DIRECTORIES: Keys = {
  known: { directories: texts, destination: DESTINATION },
  required: ["directories", "destination"],
};

/** A change to the permissions. Source: protocol reference, section Permissions. */
export const PERMISSION_UPDATE: Shape = objectBy("type", {
  addRules: RULES,
  replaceRules: RULES,
  removeRules: RULES,
  setMode: {
    known: {
      mode: oneOf(...PERMISSION_MODES),
      destination: DESTINATION,
    },
    required: ["mode", "destination"],
  },
  addDirectories: DIRECTORIES,
  removeDirectories: DIRECTORIES,
});

const ALLOWED = {
  updatedInput: jsonObject,
  // Each is looked at where it is known what the CLI suggested.
  updatedPermissions: listOf(jsonObject, "a list of objects"),
};
const DENIED = { message: text, interrupt: flag };

/** What a permission callback decides: `toolUseID` and the classification are the wire's own. */
export const PERMISSION_DECISION: Shape = (() => {
  const wire = {
    toolUseID: text,
    decisionClassification: oneOf(
      "user_temporary",
      "user_permanent",
      "user_reject",
    ),
  };
  return objectBy("behavior", {
    allow: { known: { ...ALLOWED, ...wire } },
    deny: { known: { ...DENIED, ...wire }, required: ["message"] },
  });
})();

/** What the user did with a question of an MCP server. */
export const ELICITATION_RESULT: Shape = objectOf({
  known: ELICITED,
  required: ["action"],
});

/** What the user did with a dialog. */
export const DIALOG_RESULT: Shape = objectBy("behavior", {
  completed: { known: { result: json }, required: ["result"] },
  cancelled: { known: {} },
});

/** Fields of `hookSpecificOutput` by event. Source: protocol reference, section Hooks. */
const SPECIFIC: {
  readonly [E in HookEvent]: Readonly<
    Record<keyof HookOutputFields[E], Shape>
  >;
} = {
  PreToolUse: {
    ...CONTEXT,
    permissionDecision: oneOf("allow", "deny", "ask", "defer"),
    permissionDecisionReason: text,
    updatedInput: jsonObject,
  },
  PostToolUse: {
    ...CONTEXT,
    classifierContext: text,
    updatedToolOutput: json,
    updatedMCPToolOutput: json,
  },
  PostToolUseFailure: CONTEXT,
  PostToolBatch: CONTEXT,
  PermissionRequest: {
    decision: objectBy("behavior", {
      allow: { known: ALLOWED },
      deny: { known: DENIED },
    }),
  },
  PermissionDenied: { retry: flag },
  UserPromptSubmit: {
    ...CONTEXT,
    sessionTitle: text,
    suppressOriginalPrompt: flag,
  },
  UserPromptExpansion: { ...CONTEXT, suppressOriginalPrompt: flag },
  SessionStart: {
    ...CONTEXT,
    ...WATCH,
    initialUserMessage: text,
    sessionTitle: text,
    reloadSkills: flag,
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
    permissionDecision: oneOf("allow", "deny", "ask"),
    permissionDecisionReason: text,
  },
  PostModelSwitch: CONTEXT,
  Notification: CONTEXT,
  MessageDisplay: { displayContent: text },
  Elicitation: ELICITED,
  ElicitationResult: ELICITED,
  ConfigChange: {},
  InstructionsLoaded: {},
  CwdChanged: WATCH,
  FileChanged: WATCH,
  DirectoryAdded: {},
  WorktreeCreate: { worktreePath: text },
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

const COMMON = {
  continue: flag,
  suppressOutput: flag,
  stopReason: text,
  decision: oneOf("approve", "block"),
  reason: text,
  systemMessage: text,
  terminalSequence: text,
};

const LATER = objectOf({
  known: {
    async: (value) => {
      if (value !== true) wrongShape('field "async" must be true or left out');
    },
    asyncTimeout: number,
    // The CLI would go on at once and never look at them.
    ...Object.fromEntries(
      [...Object.keys(COMMON), "hookSpecificOutput"].map((key) => [
        key,
        notHere('must be left out beside "async"'),
      ]),
    ),
  },
});

/** Makes the shape of what a hook of an event returns. */
export function hookOutput(event: HookEvent): Shape {
  const specific = Object.hasOwn(SPECIFIC, event) ? SPECIFIC[event] : undefined;
  const required = REQUIRED[event];
  const now = objectOf({
    known: {
      ...COMMON,
      asyncTimeout: notHere('needs "async" beside it'),
      hookSpecificOutput: specific === undefined
        ? laterEvent(event)
        : objectOf({
          known: { hookEventName: oneOf(event), ...specific },
          ...required !== undefined && { required: [required] },
        }),
    },
    hints: {
      ...event === "PreToolUse" && {
        behavior: 'use "hookSpecificOutput.permissionDecision"',
      },
      ...Object.fromEntries(
        Object.keys(specific ?? {}).map((
          key,
        ) => [key, 'it belongs into "hookSpecificOutput"']),
      ),
    },
  });
  return (value, at) =>
    (isObject(value) && Object.hasOwn(value, "async") ? LATER : now)(value, at);
}

/** An event that came later is set by name, past the types: its fields are not known. */
function laterEvent(event: string): Shape {
  return (value, at) => {
    jsonObject(value, at);
    if (((value as JsonObject).hookEventName ?? event) !== event) {
      wrongShape(`field "hookSpecificOutput.hookEventName" must be "${event}"`);
    }
  };
}
