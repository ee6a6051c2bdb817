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

/** In an own property: of a plain object, or of nobody. */
const LOOKUP_GETTER: (this: object, key: string) => unknown =
  // deno-lint-ignore no-explicit-any -- it has no type
  (Object.prototype as any).__lookupGetter__;

/** Where a value stands, and how much may still come. */
export interface Place {
  /** What holds it; absent at the top. */
  readonly up?: Place;
  /** Its name there; one place does for all values of an object, one after the other. */
  key: string;
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
    const place = below(at);
    return items(value, at).map((item, index) => {
      place.key = String(index);
      take(at, 0);
      return reader(item, place);
    });
  };
}

/** A list of texts. */
export const texts: Reader = listOf(text, "a list of strings");

/** An object with keys that are known. */
export function objectOf(
  keys: Keys,
): (value: unknown, at: Place) => JsonObject {
  const known = knownKeys(keys);
  return (value, at) => readKnown(ownCopy(value, at), at, known);
}

/** An object whose keys depend on the word that stands in one of them. */
export function objectBy(
  key: string,
  kinds: Readonly<Record<string, Keys>>,
): Reader {
  const words = Object.keys(kinds).map(show).join(" or ");
  const byWord = new Map<unknown, KnownKeys>(
    Object.entries(kinds).map(([word, keys]) => {
      const all = { ...keys, known: { [key]: text, ...keys.known } };
      return [word, knownKeys(all)];
    }),
  );
  return (value, at) => {
    const copy = ownCopy(value, at);
    const word = copy[key];
    if (word === undefined) return missing(key, at);
    const kind = byWord.get(word) ??
      wrongValue(word, below(at, key), words);
    return readKnown(copy, at, kind);
  };
}

/** Keys as they are looked up. */
interface KnownKeys {
  readonly keys: Keys;
  readonly readers: ReadonlyMap<string, Reader>;
}

function knownKeys(keys: Keys): KnownKeys {
  return { keys, readers: new Map(Object.entries(keys.known)) };
}

/** Reads what a copy of its own holds, in its place. */
function readKnown(
  copy: Record<string, unknown>,
  at: Place,
  { keys, readers }: KnownKeys,
): JsonObject {
  const place = below(at);
  for (const key of Object.keys(copy)) {
    const reader = readers.get(key);
    if (reader === undefined) unknownKey(key, at, keys);
    replace(copy, key, reader, place);
  }
  for (const key of keys.required ?? []) {
    if (!Object.hasOwn(copy, key)) missing(key, at);
  }
  return copy as JsonObject;
}

/** Puts what is read of a value in its place; what has no value goes. */
function replace(
  copy: Record<string, unknown>,
  key: string,
  reader: Reader,
  place: Place,
): void {
  const own = copy[key];
  if (own === undefined) {
    delete copy[key];
    return;
  }
  place.key = key;
  take(place, key.length);
  const read = reader(own, place);
  if (read !== own) copy[key] = read;
}

function missing(key: string, at: Place): never {
  return wrongShape(`field "${pathOf(below(at, key))}" is missing`);
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
  const copy = ownCopy(value, at);
  const place = below(at);
  for (const key of Object.keys(copy)) replace(copy, key, json, place);
  return copy as JsonObject;
}

/** What a plain object holds, each value looked at once. */
function ownCopy(value: unknown, at: Place): Record<string, unknown> {
  const object = plainObject(value, at);
  // Far faster than reading descriptors, which tell no more of a value that is there.
  const copy: Record<string, unknown> = { ...object };
  const keys = Object.keys(copy);
  const isWhole = Object.getOwnPropertyNames(object).length === keys.length &&
    Object.getOwnPropertySymbols(object).length === 0;
  if (!isWhole) refuseHidden(object, at);
  for (const key of keys) {
    const isPlain = copy[key] !== undefined &&
      LOOKUP_GETTER.call(object, key) === undefined;
    if (!isPlain) ownValue(object, key, at);
  }
  return copy;
}

/** Throws for what a copy would lack. */
function refuseHidden(object: object, at: Place): never {
  for (const key of Reflect.ownKeys(object)) {
    if (typeof key === "symbol") {
      wrongShape(`field "${String(key)}" must be left out, it is a symbol`);
    }
    ownValue(object, key, at);
  }
  return wrongShape("it changes while it is read");
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

/** The place of what a value holds. */
function below(up: Place, key: string = ""): Place {
  const { room, depth } = up;
  if (depth >= DEEPEST) {
    wrongShape(`it is more than ${DEEPEST} levels deep, or holds itself`);
  }
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
