import { cut, isObject, MOST_LEVELS, show } from "../errors/text.ts";
import { nameAlone, refuse } from "./refuse.ts";

/** Any object, its values unknown. */
export type PlainObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object all of whose content is found under its own keys. */
export function isPlainObject(value: unknown): value is PlainObject {
  return isObject<unknown>(value) && hiddenContent(value) === undefined;
}

/**
 * Throws for what is no object, and for one that has content where no option is looked for.
 *
 * @example A map holds nothing under keys of its own
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
): asserts value is PlainObject {
  if (!isObject<unknown>(value)) refuse(key, value, "an object");
  const loss = hiddenContent(value);
  if (loss !== undefined) refuse(key, value, `a plain object, ${loss}`);
}

/** Why a walk over the own keys would miss some of the content of an object. */
function hiddenContent(value: object): string | undefined {
  if (Symbol.iterator in value) return "as Object.fromEntries() makes one";
  const member = inheritedOf(value);
  if (member !== undefined) {
    return `where ${nameOf(member)} is a key of its own, not inherited`;
  }
  const hidden = Reflect.ownKeys(value).find((name) => {
    const isListed = Object.prototype.propertyIsEnumerable.call(value, name);
    // Marks of libraries are symbols, and hidden.
    if (typeof name === "symbol") return isListed;
    return !isListed && Reflect.get(value, name) !== undefined;
  });
  return hidden === undefined
    ? undefined
    : `where ${nameOf(hidden)} is a text that Object.keys() lists`;
}

/** A member that an object has of its class, or of whatever else it was made from. */
function inheritedOf(value: object): string | symbol | undefined {
  let from: object | null = Object.getPrototypeOf(value);
  while (from !== null && !isRoot(from)) {
    const member = Reflect.ownKeys(from).find((name) => name !== "constructor");
    if (member !== undefined) return member;
    from = Object.getPrototypeOf(from);
  }
  return undefined;
}

/** Whether that is `Object.prototype`, perhaps of another realm. */
function isRoot(from: object): boolean {
  return Object.getPrototypeOf(from) === null &&
    Object.hasOwn(from, "hasOwnProperty");
}

function nameOf(name: string | symbol): string {
  return typeof name === "symbol" ? cut(String(name)) : show(nameAlone(name));
}

/** A JSON object: what travels as JSON must survive the journey. */
export function json(value: unknown, key: string): void {
  plainObject(value, key);
  jsonValue(value, key);
}

/**
 * A list, object or plain value that JSON can hold.
 *
 * @param root Where it began: the path to what is too deep is too long to read
 * @param open The objects round the value, to notice one inside itself
 *
 * @example A function cannot travel
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
