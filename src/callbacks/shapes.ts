import { isObject, show } from "../errors/text.ts";
import { nearest } from "../errors/nearest.ts";
import {
  ANSWERS,
  type FieldsForm,
  type Form,
  HOOK_ANSWERS,
} from "../protocol/answers.ts";
import type { HookEvent } from "../protocol/hooks.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { wrongShape, wrongValue } from "./failure.ts";
import { pathTo, type Shape } from "./plain.ts";

/** Shapes by the name of a field. */
type Shapes = Readonly<Record<string, Shape>>;

/** The keys of an object. */
interface Keys {
  /** A shape for every key. */
  readonly known: ReadonlyMap<string, Shape>;
  readonly required: readonly string[];
  /** Advice for keys that are often written here by mistake, each a clause. */
  readonly hints?: Readonly<Record<string, string>>;
}

const flag = ofKind((value) => typeof value === "boolean", "a boolean");
const number = ofKind((value) => typeof value === "number", "a number");
const text = ofKind((value) => typeof value === "string", "a string");
const anObject = ofKind(isObject, "an object");

function ofKind(fits: (value: unknown) => boolean, wanted: string): Shape {
  return (value, path, key) => {
    if (!fits(value)) wrongValue(value, pathTo(path, key), wanted);
  };
}

function oneOf(...words: readonly string[]): Shape {
  return ofKind(
    (value) => typeof value === "string" && words.includes(value),
    words.map(show).join(" or "),
  );
}

function listOf(shape: Shape, wanted: string): Shape {
  return (value, path, key) => {
    const own = pathTo(path, key);
    if (!Array.isArray(value)) wrongValue(value, own, wanted);
    else value.forEach((one, index) => shape(one, own, index));
  };
}

function keysOf(
  known: Shapes,
  { required = [], hints }: Partial<Pick<Keys, "required" | "hints">> = {},
): Keys {
  const all = new Map(Object.entries(known));
  return { known: all, required, ...hints !== undefined && { hints } };
}

/** An object with keys that are known; they may depend on its content. */
function objectOf(
  choose: Keys | ((object: JsonObject, path: string) => Keys),
): Shape {
  return (value, path, key) => {
    const own = pathTo(path, key);
    if (!isObject(value)) return wrongValue(value, own, "an object");
    const object = value as JsonObject;
    const keys = typeof choose === "function" ? choose(object, own) : choose;
    for (const name of Object.keys(object)) {
      const shape = keys.known.get(name) ?? unknownKey(name, own, keys);
      // The copy has no keys without a value.
      shape(object[name] as JsonValue, own, name);
    }
    for (const name of keys.required) {
      if (!Object.hasOwn(object, name)) missing(name, own);
    }
  };
}

function missing(key: string, path: string): never {
  return wrongShape(`field "${pathTo(path, key)}" is missing`);
}

function unknownKey(key: string, path: string, { known, hints }: Keys): never {
  const names = [...known.keys()];
  const near = nearest(key, names);
  const hint = hints !== undefined && Object.hasOwn(hints, key)
    ? hints[key]
    : near !== undefined
    ? `the nearest one is "${near}"`
    : `the known ones are ${names.map((one) => `"${one}"`).join(", ")}`;
  return wrongShape(`field ${show(pathTo(path, key))} is unknown, ${hint}`);
}

/** An object whose keys depend on the word in one of them. */
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
  return objectOf((object, path) => {
    const word = object[key];
    if (word === undefined) missing(key, path);
    return byWord.get(word) ??
      wrongValue(word, pathTo(path, key), words.map(show).join(" or "));
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
      return anObject;
    case "any":
      return () => {};
  }
  if ("words" in form) return oneOf(...form.words);
  if ("list" in form) {
    const wanted = form.list === "text" ? "strings" : "objects";
    return listOf(shapeOf(form.list, own), `a list of ${wanted}`);
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
  return (_value, _path, key) => wrongShape(`field "${key}" ${why}`);
}

/** A change to the permissions. Source: protocol reference, section Permissions. */
export const PERMISSION_UPDATE: Shape = shapeOf(ANSWERS.PermissionUpdate);

// Each is checked where the suggestions of the CLI are known.
const updatedPermissions = listOf(anObject, "a list of objects");

/** The decision of a permission callback: `toolUseID` and the classification are the wire's own. */
export const PERMISSION_DECISION: Shape = shapeOf(ANSWERS.PermissionResult, {
  updatedPermissions,
});

/** A stored decision about one call, without changes for later calls. */
export const APPROVAL_DECISION: Shape = shapeOf(ANSWERS.PermissionResult, {
  updatedPermissions: notHere("must be left out: one call is decided"),
  toolUseID: notHere("must be left out: the question names its call"),
});

/** Answer to a question of an MCP server. */
export const ELICITATION_RESULT: Shape = shapeOf(ANSWERS.McpElicitationReply);

/** Answer to a dialog. */
export const DIALOG_RESULT: Shape = shapeOf(ANSWERS.DialogReply);

const COMMON = shapesOf(ANSWERS.HookOutputCommon);

const LATER = keysOf({
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
  return objectOf(({ async }) => async === undefined ? now : LATER);
}

/** The fields of an event that came later, set by name past the types, are not known. */
function laterEvent(event: string): Shape {
  return (value, path, key) => {
    anObject(value, path, key);
    const { hookEventName = event } = value as JsonObject;
    if (hookEventName !== event) {
      wrongShape(`field "hookSpecificOutput.hookEventName" must be "${event}"`);
    }
  };
}
