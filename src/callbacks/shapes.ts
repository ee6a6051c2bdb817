import { nearest } from "../errors/nearest.ts";
import { isObject, show, typeOf } from "../errors/text.ts";
import { type Answer, ANSWERS, HOOK_ANSWERS } from "../protocol/answers.ts";
import type { HookEvent } from "../protocol/hooks.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { wrongShape, wrongValue } from "./failure.ts";
import { pathTo, type Shape } from "./plain.ts";

/** Rules beyond those of the protocol. */
interface More {
  /** Shapes by the names of fields, in place of those of the protocol wherever the fields stand. */
  readonly own?: Readonly<Record<string, Shape>>;
  /** Advice for keys that are often written at the top by mistake, each a clause. */
  readonly hints?: Readonly<Record<string, string>>;
}

/** The shape of an answer: its fields and no others. */
function shapeOf(answer: Answer, more: More = {}): Shape {
  return (value, path, key) => fit(answer, more, value, pathTo(path, key));
}

function fit(answer: Answer, more: More, value: JsonValue, at: string): void {
  const { type, enum: words, anyOf, items, properties } = answer;
  if (anyOf !== undefined) {
    return fit(chosen(anyOf, value, at), more, value, at);
  }
  if (words !== undefined) {
    if (!words.includes(value)) wrongValue(value, at, either(words));
  } else if (type !== undefined && typeOf(value) !== type) {
    wrongValue(value, at, wanted(answer));
  } else if (items !== undefined) {
    (value as readonly JsonValue[])
      .forEach((one, index) => fit(items, more, one, pathTo(at, index)));
  } else if (properties !== undefined) {
    fitFields(answer, more, value as JsonObject, at);
  }
}

function fitFields(
  { properties = {}, required = [] }: Answer,
  more: More,
  value: JsonObject,
  at: string,
): void {
  const { own = {} } = more;
  for (const name of Object.keys(value)) {
    const field = Object.hasOwn(properties, name)
      ? properties[name]
      : undefined;
    if (field === undefined) {
      unknownKey(name, at, Object.keys(properties), more);
    }
    // The copy has no keys without a value.
    const part = value[name] as JsonValue;
    if (Object.hasOwn(own, name)) own[name]?.(part, at, name);
    else fit(field, more, part, pathTo(at, name));
  }
  for (const name of required) {
    if (!Object.hasOwn(value, name)) missing(name, at);
  }
}

/** The alternative that the word in the first field names. */
function chosen(
  answers: readonly Answer[],
  value: JsonValue,
  at: string,
): Answer {
  const [by = ""] = Object.keys(answers[0]?.properties ?? {});
  if (!isObject(value)) return wrongValue(value, at, "an object");
  const word = (value as JsonObject)[by];
  if (word === undefined) missing(by, at);
  const wordsOf = ({ properties }: Answer) => properties?.[by]?.enum ?? [];
  return answers.find((one) => wordsOf(one).includes(word)) ??
    wrongValue(word, pathTo(at, by), either(answers.flatMap(wordsOf)));
}

function wanted({ type = "", items }: Answer): string {
  if (type === "array") {
    return `a list of ${items?.type === "string" ? "strings" : "objects"}`;
  }
  return `${type === "object" ? "an" : "a"} ${type}`;
}

function either(words: readonly unknown[]): string {
  return words.map(show).join(" or ");
}

function missing(key: string, path: string): never {
  return wrongShape(`field "${pathTo(path, key)}" is missing`);
}

function unknownKey(
  key: string,
  path: string,
  names: readonly string[],
  { hints = {} }: More,
): never {
  const near = nearest(key, names);
  const hint = path === "" && Object.hasOwn(hints, key)
    ? hints[key]
    : near !== undefined
    ? `the nearest one is "${near}"`
    : `the known ones are ${names.map((one) => `"${one}"`).join(", ")}`;
  return wrongShape(`field ${show(pathTo(path, key))} is unknown, ${hint}`);
}

/** A key that must not stand here. */
function notHere(why: string): Shape {
  return (_value, _path, key) => wrongShape(`field "${key}" ${why}`);
}

/** A change to the permissions. Source: protocol reference, section Permissions. */
export const PERMISSION_UPDATE: Shape = shapeOf(ANSWERS.PermissionUpdate);

const OBJECT: Answer = { type: "object" };
// Each is checked where the suggestions of the CLI are known.
const updatedPermissions = shapeOf({ type: "array", items: OBJECT });

/** The decision of a permission callback: `toolUseID` and the classification are the wire's own. */
export const PERMISSION_DECISION: Shape = shapeOf(ANSWERS.PermissionResult, {
  own: { updatedPermissions },
});

/** A stored decision about one call, without changes for later calls. */
export const APPROVAL_DECISION: Shape = shapeOf(ANSWERS.PermissionResult, {
  own: {
    updatedPermissions: notHere("must be left out: one call is decided"),
    toolUseID: notHere("must be left out: the question names its call"),
  },
});

/** Answer to a question of an MCP server. */
export const ELICITATION_RESULT: Shape = shapeOf(ANSWERS.McpElicitationReply);

/** Answer to a dialog. */
export const DIALOG_RESULT: Shape = shapeOf(ANSWERS.DialogReply);

const COMMON = ANSWERS.HookOutputCommon.properties ?? {};
const SPECIFIC = { ...COMMON, hookSpecificOutput: OBJECT };

const LATER: Shape = shapeOf({
  ...OBJECT,
  properties: { ...SPECIFIC, async: {}, asyncTimeout: { type: "number" } },
}, {
  own: {
    async(value) {
      if (value !== true) wrongShape('field "async" must be true or left out');
    },
    // The CLI would continue at once and never read them.
    ...Object.fromEntries(
      Object.keys(SPECIFIC).map((key) => [
        key,
        notHere('must be left out beside "async"'),
      ]),
    ),
  },
});

/** Makes the shape of what a hook of an event returns. */
export function hookOutput(event: HookEvent): Shape {
  const answer = Object.hasOwn(HOOK_ANSWERS, event)
    ? HOOK_ANSWERS[event]
    : undefined;
  const { required = [], properties = {} } = answer ?? {};
  const now = shapeOf({
    ...OBJECT,
    properties: {
      ...COMMON,
      asyncTimeout: {},
      hookSpecificOutput: {
        ...answer,
        // It is filled in.
        required: required.filter((key) => key !== "hookEventName"),
      },
    },
  }, {
    own: {
      updatedPermissions,
      asyncTimeout: notHere('needs "async" beside it'),
      ...answer === undefined && { hookSpecificOutput: laterEvent(event) },
    },
    hints: {
      ...event === "PreToolUse" && {
        behavior: 'use "hookSpecificOutput.permissionDecision"',
      },
      ...Object.fromEntries(
        Object.keys(properties).filter((key) => key !== "hookEventName")
          .map((key) => [key, 'it belongs into "hookSpecificOutput"']),
      ),
    },
  });
  return (value, path, key) =>
    isObject(value) && (value as JsonObject)["async"] !== undefined
      ? LATER(value, path, key)
      : now(value, path, key);
}

/** The fields of an event that came later, set by name past the types, are not known. */
function laterEvent(event: string): Shape {
  return (value, path, key) => {
    fit(OBJECT, {}, value, pathTo(path, key));
    const { hookEventName = event } = value as JsonObject;
    if (hookEventName !== event) {
      wrongShape(`field "hookSpecificOutput.hookEventName" must be "${event}"`);
    }
  };
}
