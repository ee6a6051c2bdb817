import { show } from "../errors/text.ts";
import {
  ANSWERS,
  type FieldsForm,
  type Form,
  HOOK_ANSWERS,
} from "../protocol/answers.ts";
import type { HookEvent } from "../protocol/hooks.ts";
import type { JsonValue } from "../types/json.ts";
import {
  type Keys,
  missing,
  onlyThese,
  type Place,
  readJson,
  readList,
  readObject,
  type Shape,
  take,
  type Walk,
  wrongShape,
  wrongValue,
} from "./plain.ts";

/** Shapes by the name of a field. */
type Shapes = Readonly<Record<string, Shape>>;

/** A truth value. */
function flag(value: unknown, at: Place): JsonValue {
  return typeof value === "boolean"
    ? value
    : wrongValue(value, at, "a boolean");
}

/** A number that JSON has. */
function number(value: unknown, at: Place): JsonValue {
  if (typeof value !== "number") return wrongValue(value, at, "a number");
  return Number.isFinite(value)
    ? value
    : wrongValue(value, at, "a finite number");
}

/** A text. */
function text(value: unknown, at: Place, walk: Walk): JsonValue {
  if (typeof value !== "string") return wrongValue(value, at, "a string");
  take(walk, value.length);
  return value;
}

/** One of these words. */
function oneOf(...words: readonly string[]): Shape {
  return (value, at) =>
    typeof value === "string" && words.includes(value)
      ? value
      : wrongValue(value, at, words.map(show).join(" or "));
}

/** A list of things of one kind, and what such a list is called. */
function listOf(shape: Shape, wanted: string): Shape {
  return (value, at, walk) =>
    Array.isArray(value)
      ? readList(value, at, walk, shape)
      : wrongValue(value, at, wanted);
}

/** A list of texts. */
const texts: Shape = listOf(text, "a list of strings");

/** The keys of an object. */
function keysOf(
  known: Shapes,
  { required = [], hints }: Partial<Pick<Keys, "required" | "hints">> = {},
): Keys {
  const all = new Map(Object.entries(known));
  return { known: all, required, ...hints !== undefined && { hints } };
}

/** An object with keys that are known. */
function objectOf(keys: Keys): Shape {
  return objectBy(() => keys);
}

/** An object whose keys depend on what it holds. */
function objectBy(
  choose: (
    object: Readonly<Record<string, unknown>>,
    at: Place,
  ) => Keys,
): Shape {
  return (value, at, walk) => readObject(value, at, walk, choose);
}

/** An object whose keys depend on the word that stands in one of them. */
function objectByWord(
  key: string,
  kinds: Readonly<Record<string, FieldsForm>>,
  own: Shapes,
): Shape {
  const words = Object.keys(kinds);
  const byWord = new Map<unknown, Keys>(
    Object.entries(kinds).map(([word, { fields, required }]) => {
      const known = { [key]: text, ...shapesOf({ fields }, own) };
      return [word, keysOf(known, { required })];
    }),
  );
  return objectBy((object, at) => {
    const word = object[key];
    if (word === undefined) missing(key, at);
    return byWord.get(word) ??
      wrongValue(word, { up: at, key }, words.map(show).join(" or "));
  });
}

/** The shape of a form; `own` replaces those of fields by name, wherever they stand. */
function shapeOf(form: Form, own: Shapes = {}): Shape {
  switch (form) {
    case "text":
      return text;
    case "number":
      return number;
    case "flag":
      return flag;
    case "object":
      return readObject;
    case "any":
      return readJson;
  }
  if ("words" in form) return oneOf(...form.words);
  if ("list" in form) {
    return form.list === "text"
      ? texts
      : listOf(shapeOf(form.list, own), "a list of objects");
  }
  if (!("fields" in form)) return objectByWord(form.by, form.kinds, own);
  const { required } = form;
  return objectOf(keysOf(shapesOf(form, own), { required }));
}

/** The shape of each field of a form. */
function shapesOf(
  { fields }: Pick<FieldsForm, "fields">,
  own: Shapes = {},
): Shapes {
  return Object.fromEntries(
    Object.entries(fields).map(([key, one]) => [
      key,
      Object.hasOwn(own, key) && own[key] || shapeOf(one, own),
    ]),
  );
}

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
