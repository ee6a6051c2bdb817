import { ANSWERS, HOOK_ANSWERS } from "../protocol/answers.ts";
import type { HookEvent } from "../protocol/hooks.ts";
import type { JsonValue } from "../types/json.ts";
import {
  onlyThese,
  type Place,
  readObject,
  type Shape,
  type Walk,
  wrongShape,
} from "./plain.ts";
import {
  keysOf,
  listOf,
  number,
  objectBy,
  objectOf,
  shapeOf,
  shapesOf,
} from "./shapes.ts";

/** A key that must not stand here. */
function notHere(why: string): Shape {
  return (_value, { key }) => wrongShape(`field "${key}" ${why}`);
}

/** A change to the permissions. Source: protocol reference, section Permissions. */
export const PERMISSION_UPDATE: Shape = shapeOf(ANSWERS.PermissionUpdate);

// Each is looked at where it is known what the CLI suggested.
const updatedPermissions = listOf(readObject, "a list of objects");

const ANY_DECISION = shapeOf(ANSWERS.PermissionResult, { updatedPermissions });
const COMMON_KEYS = ["behavior", "updatedInput"];

/**
 * What a permission callback decides: `toolUseID` and the classification are the wire's own.
 *
 * The commonest, an allowance that says at most with which input, is looked for first: it stands in front of a tool call.
 */
export const PERMISSION_DECISION: Shape = readDecision;

function readDecision(value: unknown, at: Place, walk: Walk): JsonValue {
  const common = onlyThese(value, COMMON_KEYS);
  if (common?.behavior !== "allow") return ANY_DECISION(value, at, walk);
  const { behavior, updatedInput: input } = common;
  if (input === undefined) return { behavior };
  const updatedInput = readObject(input, { up: at, key: "updatedInput" }, walk);
  return { behavior, updatedInput };
}

/** What was decided of one call that was stored: nothing in it changes what is asked later. */
export const APPROVAL_DECISION: Shape = shapeOf(ANSWERS.PermissionResult, {
  updatedPermissions: notHere("must be left out: one call is decided"),
  toolUseID: notHere("must be left out: the question names its call"),
});

/** What the user did with a question of an MCP server. */
export const ELICITATION_RESULT: Shape = shapeOf(ANSWERS.McpElicitationReply);

/** What the user did with a dialog. */
export const DIALOG_RESULT: Shape = shapeOf(ANSWERS.DialogReply);

const COMMON = shapesOf(ANSWERS.HookOutputCommon);

const LATER = keysOf({
  async: (value) => {
    if (value !== true) wrongShape('field "async" must be true or left out');
    return value;
  },
  asyncTimeout: number,
  // The CLI would go on at once and never look at them.
  ...Object.fromEntries(
    [...Object.keys(COMMON), "hookSpecificOutput"].map((key) => [
      key,
      notHere('must be left out beside "async"'),
    ]),
  ),
});

/** Makes the shape of what a hook of an event returns. */
export function hookOutput(event: HookEvent): Shape {
  const form = Object.hasOwn(HOOK_ANSWERS, event)
    ? HOOK_ANSWERS[event]
    : undefined;
  const { hookEventName, ...specific } = form === undefined
    ? {}
    : shapesOf(form, { updatedPermissions });
  const now = keysOf({
    ...COMMON,
    asyncTimeout: notHere('needs "async" beside it'),
    hookSpecificOutput: form === undefined || hookEventName === undefined
      ? laterEvent(event)
      : objectOf(keysOf({ hookEventName, ...specific }, {
        required: form.required.filter((key) => key !== "hookEventName"),
      })),
  }, {
    hints: {
      ...event === "PreToolUse" && {
        behavior: 'use "hookSpecificOutput.permissionDecision"',
      },
      ...Object.fromEntries(
        Object.keys(specific).map((
          key,
        ) => [key, 'it belongs into "hookSpecificOutput"']),
      ),
    },
  });
  return objectBy((output) =>
    Object.hasOwn(output, "async") && output.async !== undefined ? LATER : now
  );
}

/** An event that came later is set by name, past the types: its fields are not known. */
function laterEvent(event: string): Shape {
  return (value, at, walk) => {
    const read = readObject(value, at, walk);
    if ((read.hookEventName ?? event) !== event) {
      wrongShape(`field "hookSpecificOutput.hookEventName" must be "${event}"`);
    }
    return read;
  };
}
