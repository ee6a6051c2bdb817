import { nearest } from "../errors/nearest.ts";
import { show, typeOf } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { CallbackFailure } from "./failure.ts";

/** Deeper than this nothing is taken, so that what refers to itself comes to an end. */
const DEEPEST = 200;

/** Longer than this nothing is taken, in characters of its texts: far more would end the CLI, which reads it as one line. */
const LONGEST = 16 * 1024 * 1024;
/** What a value counts beside its texts. */
const EACH = 8;

/** Where a value stands, and how much may still come. */
export interface Place {
  /** What holds it; absent at the top. */
  readonly up?: Place;
  /** Its name there. */
  readonly key: string;
  /** How many values are round it. */
  readonly depth: number;
  /** Shared by all places of one answer. */
  readonly room: { left: number };
}

/** Reads a value as what it has to be: a copy that is plain JSON. Throws `CallbackFailure` for anything else. */
export type Reader = (value: unknown, at: Place) => JsonValue;

/** The keys of an object: each is known, and those that must be there. */
export interface Keys {
  /** A reader for every key. */
  readonly known: Readonly<Record<string, Reader>>;
  /** Those that must not be missing. */
  readonly required?: readonly string[];
  /** What to do about keys that are often meant to be here, each a clause. */
  readonly hints?: Readonly<Record<string, string>>;
}

/**
 * Reads what a callback returned.
 *
 * The copy is made of own enumerable data properties of plain objects and lists alone, each looked at once: a getter,
 * a prototype, a proxy or a method can neither hide something from a check nor add something after it. `path` is what
 * stands before its keys in an error.
 */
export function readPlain(
  value: unknown,
  reader: Reader,
  path: string = "",
): JsonValue {
  try {
    return reader(value, { key: path, depth: 0, room: { left: LONGEST } });
  } catch (error) {
    if (error instanceof CallbackFailure) throw error;
    // A proxy may throw whatever it likes.
    throw new CallbackFailure("shape", "returned something unreadable", {
      cause: error,
    });
  }
}

/** Throws for a callback that returned something else than it should. */
export function wrongShape(fact: string): never {
  throw new CallbackFailure("shape", `returned a wrong shape: ${fact}`);
}

/** Throws for a value that is something else than it should be. */
export function wrongValue(value: unknown, at: Place, wanted: string): never {
  const actual = typeof value === "string" ? show(value) : kindOf(value);
  const path = pathOf(at);
  const field = path === "" ? "" : `field "${path}" `;
  return wrongShape(`${field}must be ${wanted}, is ${actual}`);
}

/** A truth value. */
export function flag(value: unknown, at: Place): boolean {
  return typeof value === "boolean"
    ? value
    : wrongValue(value, at, "a boolean");
}

/** A number that JSON has. */
export function number(value: unknown, at: Place): number {
  if (typeof value !== "number") wrongValue(value, at, "a number");
  return Number.isFinite(value) ? value : wrongShape(
    `field "${pathOf(at)}" must be a finite number, is ${value}`,
  );
}

/** A text. */
export function text(value: unknown, at: Place): string {
  if (typeof value !== "string") wrongValue(value, at, "a string");
  take(at, value.length);
  return value;
}

/** One of these words. */
export function oneOf(...words: readonly string[]): Reader {
  return (value, at) =>
    typeof value === "string" && words.includes(value)
      ? value
      : wrongValue(value, at, words.map(show).join(" or "));
}

/** A list of things of one kind, and what such a list is called. */
export function listOf(
  reader: Reader,
  wanted: string,
): (value: unknown, at: Place) => readonly JsonValue[] {
  return (value, at) => {
    if (!Array.isArray(value)) wrongValue(value, at, wanted);
    return items(value, at).map((item, index) =>
      reader(item, below(at, String(index)))
    );
  };
}

/** A list of texts. */
export const texts: Reader = listOf(text, "a list of strings");

/** An object with keys that are known. */
export function objectOf(
  keys: Keys,
): (value: unknown, at: Place) => JsonObject {
  const { known, required = [] } = keys;
  return (value, at) => {
    const copy = copyOf(value, at, (key, own) => {
      const reader = Object.hasOwn(known, key) ? known[key] : undefined;
      if (reader === undefined) return unknownKey(key, at, keys);
      return own === undefined ? undefined : reader(own, below(at, key));
    });
    for (const key of required) {
      if (!Object.hasOwn(copy, key)) {
        wrongShape(`field "${pathOf(below(at, key))}" is missing`);
      }
    }
    return copy;
  };
}

/** An object whose keys depend on the word that stands in one of them. */
export function objectBy(
  key: string,
  kinds: Readonly<Record<string, Keys>>,
): Reader {
  const words = Object.keys(kinds);
  const readers = new Map(
    Object.entries(kinds).map(([word, keys]) => {
      // The word is read again with the rest: what changes meanwhile fits neither.
      const known = { [key]: oneOf(word), ...keys.known };
      const required = [key, ...keys.required ?? []];
      return [word, objectOf({ ...keys, known, required })];
    }),
  );
  const choice = oneOf(...words);
  return (value, at) => {
    const word = ownValue(plainObject(value, at), key, at);
    if (word === undefined) {
      wrongShape(`field "${pathOf(below(at, key))}" is missing`);
    }
    const reader = readers.get(String(choice(word, below(at, key))));
    return (reader as Reader)(value, at);
  };
}

/** Any JSON; what has no value is left out of an object. */
export function json(value: unknown, at: Place): JsonValue {
  switch (typeof value) {
    case "string":
      return text(value, at);
    case "boolean":
      return value;
    case "number":
      return number(value, at);
    case "object":
      if (value === null) return null;
      return Array.isArray(value) ? jsonList(value, at) : jsonObject(value, at);
    default:
      return wrongValue(value, at, "something that JSON can hold");
  }
}

const jsonList = listOf(json, "a list");

/** Any JSON object. */
export function jsonObject(value: unknown, at: Place): JsonObject {
  return copyOf(
    value,
    at,
    (key, own) => own === undefined ? undefined : json(own, below(at, key)),
  );
}

function copyOf(
  value: unknown,
  at: Place,
  read: (key: string, own: unknown) => JsonValue | undefined,
): JsonObject {
  const object = plainObject(value, at);
  const copy: Record<string, JsonValue> = {};
  for (const key of Reflect.ownKeys(object)) {
    if (typeof key === "symbol") {
      wrongShape(`field "${String(key)}" must be left out, it is a symbol`);
    }
    const read_ = read(key, ownValue(object, key, at));
    if (read_ === undefined) continue;
    take(at, key.length);
    if (key !== "__proto__") copy[key] = read_;
    else {
      // Assigned it would change the prototype.
      Object.defineProperty(copy, key, {
        value: read_,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
  }
  return copy;
}

function plainObject(value: unknown, at: Place): object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    wrongValue(value, at, "an object");
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    wrongValue(value, at, "a plain object");
  }
  return value;
}

function items(list: readonly unknown[], at: Place): readonly unknown[] {
  const { length } = list;
  const isPlain = Object.getPrototypeOf(list) === Array.prototype &&
    Reflect.ownKeys(list).length === length + 1;
  if (!isPlain) wrongValue(list, at, "a plain list without gaps");
  return Array.from(
    { length },
    (_, index) => ownValue(list, String(index), at),
  );
}

/** What an own property holds; `undefined` when there is none. */
function ownValue(object: object, key: string, at: Place): unknown {
  const property = Object.getOwnPropertyDescriptor(object, key);
  if (property === undefined) return undefined;
  if (!("value" in property) || property.enumerable !== true) {
    wrongShape(
      `field "${pathOf(below(at, key))}" must be a plain value, is ${
        "value" in property ? "hidden" : "a getter"
      }`,
    );
  }
  return property.value;
}

function unknownKey(key: string, at: Place, { known, hints }: Keys): never {
  const names = Object.keys(known);
  const near = nearest(key, names);
  const hint = hints !== undefined && Object.hasOwn(hints, key)
    ? hints[key]
    : near !== undefined
    ? `the nearest one is "${near}"`
    : `the known ones are ${names.map((one) => `"${one}"`).join(", ")}`;
  return wrongShape(
    `field ${show(pathOf(below(at, key)))} is unknown, ${hint}`,
  );
}

function below(up: Place, key: string): Place {
  const { room, depth } = up;
  if (depth >= DEEPEST) {
    wrongShape(`it is more than ${DEEPEST} levels deep, or holds itself`);
  }
  take(up, 0);
  return { up, key, depth: depth + 1, room };
}

function take({ room }: Place, length: number): void {
  room.left -= length + EACH;
  if (room.left < 0) wrongShape(`it is longer than ${LONGEST} characters`);
}

function pathOf(at: Place): string {
  const { up, key } = at;
  if (up === undefined) return key;
  const before = pathOf(up);
  return before === "" ? key : `${before}.${key}`;
}

/** `array`, `an instance of Map`, ... */
function kindOf(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return typeOf(value);
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return "object";
  const made = Object.getOwnPropertyDescriptor(prototype, "constructor")?.value;
  const name = typeof made === "function"
    ? Object.getOwnPropertyDescriptor(made, "name")?.value
    : undefined;
  return typeof name === "string" && name !== "" && name !== "Object"
    ? `an instance of ${name}`
    : "an object with another prototype";
}
