import { isObject, MOST_LEVELS, show } from "../errors/text.ts";
import { refuse } from "./refuse.ts";

/** Any object, its values unknown. */
export type PlainObject = Readonly<Record<string, unknown>>;

/**
 * Checks for a plain object.
 *
 * @throws {ConfigError} If it is no object, or an instance of a class
 *
 * @example Refuse a map
 * ```ts
 * import { plainObject } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * plainObject({ size: 1 }, "options");
 * assert.throws(() => plainObject(new Map(), "options"), { name: "ConfigError" });
 * ```
 */
export function plainObject(
  value: unknown,
  key: string,
): asserts value is Readonly<Record<string, unknown>> {
  if (!isObject<unknown>(value)) refuse(key, value, "an object");
  const member = inheritedOf(value);
  if (member === undefined) return;
  const must =
    `a plain object, as Object.fromEntries() makes one: it inherits ${
      show(String(member))
    }`;
  refuse(key, value, must);
}

/** A member that an object has of its class, or of whatever else it was made from; a walk over its keys would miss that. */
function inheritedOf(value: object): string | symbol | undefined {
  const from: object | null = Object.getPrototypeOf(value);
  const isRoot = from === null ||
    // `Object.prototype`, perhaps of another realm.
    Object.getPrototypeOf(from) === null &&
      Object.hasOwn(from, "hasOwnProperty");
  if (isRoot) return undefined;
  return Reflect.ownKeys(from).find((name) => name !== "constructor") ??
    inheritedOf(from);
}

/** A JSON object: what travels as JSON must survive the journey. */
export function json(value: unknown, key: string): void {
  plainObject(value, key);
  jsonValue(value, key);
}

/**
 * Checks that JSON can represent a value: a list, a plain object, a string, a number, a boolean or `null`.
 *
 * @param root Path of the outermost value, for the error about a value that is nested too deep
 * @param open The enclosing objects, to detect cycles
 * @throws {ConfigError} With the path of the part that JSON cannot represent
 *
 * @example Refuse a function
 * ```ts
 * import { jsonValue } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * jsonValue({ list: [1, "two", null] }, "payload");
 * assert.throws(() => jsonValue({ run() {} }, "payload"), { key: "payload.run" });
 * ```
 */
export function jsonValue(
  value: unknown,
  key: string,
  root: string = key,
  open: Set<object> = new Set(),
): void {
  if (typeof value === "number" && !Number.isFinite(value)) {
    refuse(key, value, "a finite number");
  }
  // A Date or a URL says itself what it is in JSON.
  if (isObject<unknown>(value) && typeof value.toJSON === "function") return;
  // JSON knows own keys alone: a map has none.
  if (
    /^(?:bigint|function|symbol)$/.test(typeof value) ||
    isObject(value) && inheritedOf(value) !== undefined
  ) refuse(key, value, "JSON-serializable");
  if (typeof value !== "object" || value === null) return;
  if (open.has(value)) refuse(key, value, "free of circular references");
  if (open.size === MOST_LEVELS) {
    refuse(root, value, `nested at most ${MOST_LEVELS} levels deep`);
  }
  open.add(value);
  const isList = Array.isArray(value);
  const parts = isList ? value.entries() : Object.entries(value);
  for (const [name, part] of parts) {
    const at = isList ? `${key}[${name}]` : `${key}.${name}`;
    jsonValue(part, at, root, open);
  }
  open.delete(value);
}
