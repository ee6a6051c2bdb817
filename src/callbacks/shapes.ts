import { isObject } from "../errors/is_object.ts";
import { nearest } from "../errors/nearest.ts";
import { show } from "../errors/text.ts";
import type { FieldsForm, Form } from "../protocol/answers.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import {
  pathOf,
  type Place,
  type Shape,
  wrongShape,
  wrongValue,
} from "./plain.ts";

/** Shapes by the name of a field. */
export type Shapes = Readonly<Record<string, Shape>>;

/** The keys of an object: each is known, and those that must be there. */
export interface Keys {
  /** A shape for every key. */
  readonly known: Shapes;
  /** Those that must not be missing. */
  readonly required?: readonly string[];
  /** What to do about keys that are often meant to be here, each a clause. */
  readonly hints?: Readonly<Record<string, string>>;
}

/** A truth value. */
function flag(value: JsonValue, at: Place): void {
  if (typeof value !== "boolean") wrongValue(value, at, "a boolean");
}

/** A number that JSON has. */
export function number(value: JsonValue, at: Place): void {
  if (typeof value !== "number") wrongValue(value, at, "a number");
  if (!Number.isFinite(value)) wrongValue(value, at, "a finite number");
}

/** A text. */
function text(value: JsonValue, at: Place): void {
  if (typeof value !== "string") wrongValue(value, at, "a string");
}

/** One of these words. */
function oneOf(...words: readonly string[]): Shape {
  return (value, at) => {
    if (typeof value !== "string" || !words.includes(value)) {
      wrongValue(value, at, words.map(show).join(" or "));
    }
  };
}

/** A list of things of one kind, and what such a list is called. */
export function listOf(shape: Shape, wanted: string): Shape {
  return (value, up) => {
    if (!Array.isArray(value)) wrongValue(value, up, wanted);
    const at: Place = { up, key: "" };
    for (const [index, item] of value.entries()) {
      at.key = String(index);
      shape(item, at);
    }
  };
}

/** A list of texts. */
const texts: Shape = listOf(text, "a list of strings");

/** Any JSON. */
function json(): void {}

/** Any JSON object. */
export function jsonObject(value: JsonValue, at: Place): void {
  objectAt(value, at);
}

/** An object with keys that are known. */
export function objectOf(keys: Keys): Shape {
  return (value, at) => checkKeys(objectAt(value, at), at, keys);
}

/** An object whose keys depend on the word that stands in one of them. */
function objectBy(
  key: string,
  kinds: Readonly<Record<string, Keys>>,
): Shape {
  const words = oneOf(...Object.keys(kinds));
  const byWord = new Map<unknown, Keys>(
    Object.entries(kinds).map(([word, keys]) => {
      return [word, { ...keys, known: { [key]: text, ...keys.known } }];
    }),
  );
  return (value, at) => {
    const object = objectAt(value, at);
    const word = object[key];
    if (word === undefined) missing(key, at);
    const keys = byWord.get(word);
    if (keys === undefined) words(word, { up: at, key });
    else checkKeys(object, at, keys);
  };
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
      return jsonObject;
    case "any":
      return json;
  }
  if ("words" in form) return oneOf(...form.words);
  if ("list" in form) {
    return form.list === "text"
      ? texts
      : listOf(shapeOf(form.list, own), "a list of objects");
  }
  if ("fields" in form) return objectOf(keysOf(form, own));
  return objectBy(
    form.by,
    Object.fromEntries(
      Object.entries(form.kinds).map(([word, one]) => [word, keysOf(one, own)]),
    ),
  );
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

function keysOf(form: FieldsForm, own: Shapes): Keys {
  return { known: shapesOf(form, own), required: form.required };
}

function objectAt(value: JsonValue, at: Place): JsonObject {
  return isObject(value) ? value : wrongValue(value, at, "an object");
}

function checkKeys(object: JsonObject, up: Place, keys: Keys): void {
  const { known, required } = keys;
  const at: Place = { up, key: "" };
  for (const key of Object.keys(object)) {
    at.key = key;
    const shape = Object.hasOwn(known, key) ? known[key] : undefined;
    if (shape === undefined) unknownKey(at, keys);
    shape(object[key] as JsonValue, at);
  }
  if (required === undefined) return;
  for (const key of required) if (!Object.hasOwn(object, key)) missing(key, up);
}

function missing(key: string, up: Place): never {
  return wrongShape(`field "${pathOf({ up, key })}" is missing`);
}

function unknownKey(at: Place, { known, hints }: Keys): never {
  const { key } = at;
  const names = Object.keys(known);
  const near = nearest(key, names);
  const hint = hints !== undefined && Object.hasOwn(hints, key)
    ? hints[key]
    : near !== undefined
    ? `the nearest one is "${near}"`
    : `the known ones are ${names.map((one) => `"${one}"`).join(", ")}`;
  return wrongShape(`field ${show(pathOf(at))} is unknown, ${hint}`);
}
