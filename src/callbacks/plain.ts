import { isObject } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { CallbackFailure, wrongShape, wrongValue } from "./failure.ts";

/** Deeper values are refused, so that one that holds itself comes to an end. */
const DEEPEST = 200;
/** Longer values are refused, in characters of their texts: the CLI reads an answer as one line, and would end. */
const LONGEST = 16 * 1024 * 1024;
/** Characters that a value counts beside its texts. */
const EACH = 8;

/** Characters that may still come. */
interface Budget {
  left: number;
}

/** Throws unless a copy fits; the path leads to its holder, the key to it. */
export type Shape = (
  value: JsonValue,
  path: string,
  key?: string | number,
) => void;

/**
 * Copies what a callback returned and checks the copy, which is all that is used of it.
 *
 * Whatever JSON would lose is refused, so that no verdict gets lost: instances of classes, inherited and hidden keys,
 * functions. Keys without a value are left out. `path` stands before the keys in an error.
 */
export function readPlain(
  value: unknown,
  shape: Shape,
  path: string = "",
): JsonValue {
  let copy: JsonValue;
  try {
    copy = copyOf(value, path, { left: LONGEST }, 0);
  } catch (error) {
    if (error instanceof CallbackFailure) throw error;
    // A getter or a proxy may throw anything.
    throw new CallbackFailure("shape", "returned something unreadable", {
      cause: error,
    });
  }
  shape(copy, path);
  return copy;
}

/** Refuses an `updatedInput` of which the copy keeps nothing: an empty one would mean another call, or no change. */
export function checkKept(
  path: string,
  given: unknown,
  { updatedInput: kept }: JsonObject,
): void {
  if (!isObject(kept) || Object.keys(kept).length > 0) return;
  const { updatedInput } = given as { readonly updatedInput?: unknown };
  if (!isObject(updatedInput) || Reflect.ownKeys(updatedInput).length === 0) {
    return;
  }
  const field = pathTo(path, "updatedInput");
  wrongShape(`field "${field}" holds nothing but undefined`);
}

/** The path of a key within a value; no key stands for the value itself. */
export function pathTo(path: string, key: string | number | undefined): string {
  if (key === undefined) return path;
  return path === "" ? String(key) : `${path}.${key}`;
}

function copyOf(
  value: unknown,
  path: string,
  budget: Budget,
  depth: number,
): JsonValue {
  // A callback may return nothing; what that means is for the shape to say.
  if (isScalar(value, budget) || value === undefined && depth === 0) {
    return value as JsonValue;
  }
  if (typeof value !== "object" || value === null) {
    return wrongValue(value, path, "something that JSON can hold");
  }
  if (depth > DEEPEST) {
    wrongShape(`it is more than ${DEEPEST} levels deep, or holds itself`);
  }
  if (Array.isArray(value)) {
    if (!isPlainList(value)) {
      wrongValue(value, path, "a plain list without gaps");
    }
    return value.map((part, index) =>
      copyOf(part, pathTo(path, index), budget, depth + 1)
    );
  }
  if (!isPlainObject(value)) wrongValue(value, path, "a plain object");
  const copy: Record<string, unknown> = { ...value };
  for (const key of Object.keys(copy)) {
    budget.left -= key.length;
    const part = copy[key];
    if (part === undefined) delete copy[key];
    else if (!isScalar(part, budget)) {
      copy[key] = copyOf(part, pathTo(path, key), budget, depth + 1);
    }
  }
  return copy as JsonValue;
}

/** Whether a value has no parts; counts it. */
function isScalar(
  value: unknown,
  budget: Budget,
): value is string | number | boolean | null {
  budget.left -= EACH + (typeof value === "string" ? value.length : 0);
  if (budget.left < 0) wrongShape(`it is longer than ${LONGEST} characters`);
  return typeof value === "string" || typeof value === "boolean" ||
    value === null || Number.isFinite(value);
}

function isPlainObject(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return (prototype === Object.prototype || prototype === null) &&
    Reflect.ownKeys(object).length === Object.keys(object).length;
}

function isPlainList(list: readonly unknown[]): boolean {
  return Object.getPrototypeOf(list) === Array.prototype &&
    Reflect.ownKeys(list).length === list.length + 1;
}
