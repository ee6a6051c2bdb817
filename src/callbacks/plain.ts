import { show, typeOf } from "../errors/text.ts";
import { nearest } from "../errors/nearest.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";

/**
 * How a callback failed: too late, by throwing, by what it returned, by wanting to run what may not run, or when nobody
 * wanted to know any more.
 */
type FailureKind =
  | "timeout"
  | "threw"
  | "shape"
  | "refused"
  | "aborted";

/** A callback did not give what it is for. */
export class CallbackFailure extends Error {
  override readonly name = "CallbackFailure";
  readonly kind: FailureKind;
  /** The limit that passed, in milliseconds. */
  readonly limitMs: number | undefined;

  /** Takes the end of a sentence that begins with the callback: `failed: boom`. */
  constructor(
    kind: FailureKind,
    message: string,
    { cause, limitMs }: { cause?: unknown; limitMs?: number } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.limitMs = limitMs;
  }
}

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

/** Where a value stands in what a callback returned. */
export interface Place {
  /** What holds it; absent at the top. */
  readonly up?: Place;
  /** Its name there; one place does for all values of an object, one after the other. */
  key: string;
}

/** One reading under way. */
export interface Walk {
  /** How much may still come. */
  left: number;
  /** How many objects and lists are open. */
  depth: number;
}

/** Reads a value that has to be of a kind: gives a copy of its own; throws `CallbackFailure` for any other. */
export type Shape = (value: unknown, at: Place, walk: Walk) => JsonValue;

/** The keys of an object: each is known, and those that must be there. */
export interface Keys {
  /** A shape for every key. */
  readonly known: ReadonlyMap<string, Shape>;
  /** Those that must not be missing. */
  readonly required: readonly string[];
  /** What to do about keys that are often meant to be here, each a clause. */
  readonly hints?: Readonly<Record<string, string>>;
}

/** Says which keys an object must have; it has what it has, and nothing in it was read further. */
type KeysOf = (object: Readonly<Record<string, unknown>>, at: Place) => Keys;

/**
 * Reads what a callback returned: a copy of its own that has the shape.
 *
 * The copy is made of own enumerable data properties of plain objects and lists alone, each looked at once: a getter,
 * a prototype, a proxy or a method can neither hide something from a check nor add something after it. What has no
 * value is left out. `path` is what stands before its keys in an error.
 */
export function readPlain(
  value: unknown,
  shape: Shape,
  path: string = "",
): JsonValue {
  try {
    return shape(value, { key: path }, { left: LONGEST, depth: 0 });
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

/** The keys that lead to a value, with a period between them. */
function pathOf({ up, key }: Place): string {
  if (up === undefined) return key;
  const before = pathOf(up);
  return before === "" ? key : `${before}.${key}`;
}

/** Any value that JSON can hold. */
export function readJson(value: unknown, at: Place, walk: Walk): JsonValue {
  switch (typeof value) {
    case "string":
      take(walk, value.length);
      return value;
    case "boolean":
      return value;
    case "object":
      if (value === null) return value;
      return Array.isArray(value)
        ? readList(value, at, walk, readJson)
        : readObject(value, at, walk);
  }
  if (Number.isFinite(value)) return value as number;
  return wrongValue(value, at, "something that JSON can hold");
}

/** An object; one with keys that have to be known where they are given, and with any JSON under any otherwise. */
export function readObject(
  object: unknown,
  up: Place,
  walk: Walk,
  keysOf?: KeysOf,
): JsonObject {
  if (typeof object !== "object" || object === null || Array.isArray(object)) {
    return wrongValue(object, up, "an object");
  }
  if (!isPlain(object)) wrongValue(object, up, "a plain object");
  enter(walk);
  // Far faster than reading descriptors, which tell no more of a value that is there.
  const copy: Record<string, unknown> = { ...object };
  const at: Place = { up, key: "" };
  const names = Object.keys(copy);
  if (hidesMoreThan(names.length, object)) refuseHidden(object, at);
  const keys = keysOf?.(copy, up);
  // By index: most answers are read before they are compiled, and iterators are slow there.
  for (let index = 0; index < names.length; index++) {
    const key = names[index] as string;
    const own = copy[key];
    at.key = key;
    if (isOdd(own, object, key)) ownValue(object, at);
    walk.left -= key.length + EACH;
    if (keys === undefined && typeof own === "string") {
      walk.left -= own.length + EACH;
    } else if (own === undefined) delete copy[key];
    else {
      const shape = keys === undefined ? readJson : keys.known.get(key);
      if (shape === undefined) unknownKey(at, keys as Keys);
      const read = shape(own, at, walk);
      if (read !== own) copy[key] = read;
    }
  }
  if (walk.left < 0) tooLong();
  if (keys !== undefined) {
    const { required } = keys;
    for (let index = 0; index < required.length; index++) {
      const key = required[index] as string;
      if (!Object.hasOwn(copy, key)) missing(key, up);
    }
  }
  walk.depth--;
  return copy as JsonObject;
}

function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === Object.prototype || prototype === null;
}

/** Whether an object has symbols, or other names than the enumerable ones; asked twice, since for all keys at once V8 has no quick way. */
function hidesMoreThan(count: number, object: object): boolean {
  return Object.getOwnPropertyNames(object).length !== count ||
    Object.getOwnPropertySymbols(object).length > 0;
}

/** Whether a copied value may stem from an accessor; a setter alone has no value either. */
function isOdd(own: unknown, object: object, key: string): boolean {
  return own === undefined || LOOKUP_GETTER.call(object, key) !== undefined;
}

/** A copy of a plain object that holds the first of these keys, in this order, and nothing else; `undefined` for any other. */
export function onlyThese(
  object: unknown,
  keys: readonly string[],
): Readonly<Record<string, unknown>> | undefined {
  if (typeof object !== "object" || object === null || !isPlain(object)) {
    return undefined;
  }
  const copy: Record<string, unknown> = { ...object };
  const names = Object.keys(copy);
  for (let index = 0; index < names.length; index++) {
    const key = names[index] as string;
    if (key !== keys[index] || isOdd(copy[key], object, key)) return undefined;
  }
  return hidesMoreThan(names.length, object) ? undefined : copy;
}

/** A list of values of one shape. */
export function readList(
  list: readonly unknown[],
  up: Place,
  walk: Walk,
  shape: Shape,
): readonly JsonValue[] {
  const { length } = list;
  const isPlain = Object.getPrototypeOf(list) === Array.prototype &&
    Reflect.ownKeys(list).length === length + 1;
  if (!isPlain) wrongValue(list, up, "a plain list without gaps");
  enter(walk);
  const at: Place = { up, key: "" };
  const copy = Array.from({ length }, (_, index) => {
    at.key = String(index);
    take(walk, 0);
    return shape(ownValue(list, at), at, walk);
  });
  walk.depth--;
  return copy;
}

function enter(walk: Walk): void {
  if (walk.depth++ > DEEPEST) {
    wrongShape(`it is more than ${DEEPEST} levels deep, or holds itself`);
  }
}

/** Throws for an object without a key that it must have. */
export function missing(key: string, up: Place): never {
  return wrongShape(`field "${pathOf({ up, key })}" is missing`);
}

function unknownKey(at: Place, { known, hints }: Keys): never {
  const { key } = at;
  const names = [...known.keys()];
  const near = nearest(key, names);
  const hint = hints !== undefined && Object.hasOwn(hints, key)
    ? hints[key]
    : near !== undefined
    ? `the nearest one is "${near}"`
    : `the known ones are ${names.map((one) => `"${one}"`).join(", ")}`;
  return wrongShape(`field ${show(pathOf(at))} is unknown, ${hint}`);
}

/** Throws for what a copy would lack. */
function refuseHidden(object: object, at: Place): never {
  for (const key of Reflect.ownKeys(object)) {
    if (typeof key === "symbol") {
      wrongShape(`field "${String(key)}" must be left out, it is a symbol`);
    }
    at.key = key;
    ownValue(object, at);
  }
  return wrongShape("it changes while it is read");
}

/** What an own property holds; `undefined` when there is none. */
function ownValue(object: object, at: Place): unknown {
  const property = Object.getOwnPropertyDescriptor(object, at.key);
  if (property === undefined) return undefined;
  if (!("value" in property) || property.enumerable !== true) {
    const what = "value" in property ? "hidden" : "a getter";
    wrongShape(`field "${pathOf(at)}" must be a plain value, is ${what}`);
  }
  return property.value;
}

/** Counts a text, or a value without one. */
export function take(walk: Walk, length: number): void {
  walk.left -= length + EACH;
  if (walk.left < 0) tooLong();
}

function tooLong(): never {
  return wrongShape(`it is longer than ${LONGEST} characters`);
}

/** `array`, `an instance of Map`, ... */
function kindOf(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const isOdd = typeof value === "number" && !Number.isFinite(value);
    return isOdd ? String(value) : typeOf(value);
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
