import { show } from "../errors/text.ts";
import type { FieldsForm, Form } from "../protocol/answers.ts";
import type { JsonValue } from "../types/json.ts";
import {
  type Keys,
  missing,
  type Place,
  readJson,
  readList,
  readObject,
  type Shape,
  take,
  type Walk,
  wrongValue,
} from "./plain.ts";

/** Shapes by the name of a field. */
export type Shapes = Readonly<Record<string, Shape>>;

/** A truth value. */
function flag(value: unknown, at: Place): JsonValue {
  return typeof value === "boolean"
    ? value
    : wrongValue(value, at, "a boolean");
}

/** A number that JSON has. */
export function number(value: unknown, at: Place): JsonValue {
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
export function listOf(shape: Shape, wanted: string): Shape {
  return (value, at, walk) =>
    Array.isArray(value)
      ? readList(value, at, walk, shape)
      : wrongValue(value, at, wanted);
}

/** A list of texts. */
const texts: Shape = listOf(text, "a list of strings");

/** The keys of an object. */
export function keysOf(
  known: Shapes,
  { required = [], hints }: Partial<Pick<Keys, "required" | "hints">> = {},
): Keys {
  const all = new Map(Object.entries(known));
  return { known: all, required, ...hints !== undefined && { hints } };
}

/** An object with keys that are known. */
export function objectOf(keys: Keys): Shape {
  return objectBy(() => keys);
}

/** An object whose keys depend on what it holds. */
export function objectBy(
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
export function shapeOf(form: Form, own: Shapes = {}): Shape {
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
export function shapesOf(
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
