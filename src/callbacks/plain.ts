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

/** Where a value stands in what a callback returned. */
export interface Place {
  /** What holds it; absent at the top. */
  readonly up?: Place;
  /** Its name there; one place does for all values of an object, one after the other. */
  key: string;
}

/** Throws `CallbackFailure` when a plain value is not what it has to be. */
export type Shape = (value: JsonValue, at: Place) => void;

/** One copy under way. */
interface Walk {
  /** How much may still come. */
  left: number;
  /** The first value that JSON cannot hold; a shape says better what should stand there. */
  odd: { readonly value: unknown; readonly at: Place } | undefined;
}

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
  const at: Place = { key: path };
  const walk: Walk = { left: LONGEST, odd: undefined };
  let copy: JsonValue;
  try {
    copy = copyOf(value, at, 0, walk);
  } catch (error) {
    if (error instanceof CallbackFailure) throw error;
    // A proxy may throw whatever it likes.
    throw new CallbackFailure("shape", "returned something unreadable", {
      cause: error,
    });
  }
  shape(copy, at);
  const { odd } = walk;
  if (odd !== undefined) {
    wrongValue(odd.value, odd.at, "something that JSON can hold");
  }
  return copy;
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
export function pathOf({ up, key }: Place): string {
  if (up === undefined) return key;
  const before = pathOf(up);
  return before === "" ? key : `${before}.${key}`;
}

function copyOf(
  value: unknown,
  at: Place,
  depth: number,
  walk: Walk,
): JsonValue {
  if (typeof value === "string") {
    take(walk, value.length);
    return value;
  }
  if (typeof value === "boolean" || value === null) return value;
  if (typeof value !== "object") return copyOfOther(value, at, walk);
  if (depth > DEEPEST) {
    wrongShape(`it is more than ${DEEPEST} levels deep, or holds itself`);
  }
  return Array.isArray(value)
    ? copyOfList(value, at, depth, walk)
    : copyOfObject(value, at, depth, walk);
}

/** A number; anything else that is no object is noted, and left for the shape to name. */
function copyOfOther(value: unknown, at: Place, walk: Walk): JsonValue {
  if (Number.isFinite(value)) return value as number;
  walk.odd ??= { value, at: { ...at } };
  return value as JsonValue;
}

function copyOfObject(
  object: object,
  up: Place,
  depth: number,
  walk: Walk,
): JsonObject {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) {
    wrongValue(object, up, "a plain object");
  }
  // Far faster than reading descriptors, which tell no more of a value that is there.
  const copy: Record<string, unknown> = { ...object };
  const at: Place = { up, key: "" };
  const keys = Object.keys(copy);
  const isWhole = Object.getOwnPropertyNames(object).length === keys.length &&
    Object.getOwnPropertySymbols(object).length === 0;
  if (!isWhole) refuseHidden(object, at);
  for (const key of keys) {
    at.key = key;
    take(walk, key.length);
    if (LOOKUP_GETTER.call(object, key) !== undefined) ownValue(object, at);
    const own = copy[key];
    if (typeof own === "string") take(walk, own.length);
    else if (own === undefined) {
      // A setter alone has no value either.
      ownValue(object, at);
      delete copy[key];
    } else if (typeof own !== "boolean") {
      copy[key] = copyOf(own, at, depth + 1, walk);
    }
  }
  return copy as JsonObject;
}

function copyOfList(
  list: readonly unknown[],
  up: Place,
  depth: number,
  walk: Walk,
): readonly JsonValue[] {
  const { length } = list;
  const isPlain = Object.getPrototypeOf(list) === Array.prototype &&
    Reflect.ownKeys(list).length === length + 1;
  if (!isPlain) wrongValue(list, up, "a plain list without gaps");
  const at: Place = { up, key: "" };
  return Array.from({ length }, (_, index) => {
    at.key = String(index);
    take(walk, 0);
    return copyOf(ownValue(list, at), at, depth + 1, walk);
  });
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

function take(walk: Walk, length: number): void {
  walk.left -= length + EACH;
  if (walk.left < 0) wrongShape(`it is longer than ${LONGEST} characters`);
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
