import type { JsonObject, JsonValue } from "../types/json.ts";
import { type Bag, isBag, refuse } from "./fields.ts";

/** Objects that JSON turns into `{}`. */
const EMPTY_IN_JSON = [Map, Set, Promise];

/** A JSON object: what travels as JSON must survive the journey. */
export function json(value: unknown, key: string): void {
  if (!isBag(value)) refuse(key, value, "an object");
  checkObject(value, key, new Set());
}

/** A list, object or plain value that JSON can hold. */
export function jsonValue(value: unknown, key: string): void {
  checkValue(value, key, new Set());
}

/** Settings as an object, or as the path of a file; a text that begins with a brace is JSON, which no path does. */
export function parseSettings(
  settings: string | JsonObject | undefined,
): string | JsonObject | undefined {
  if (typeof settings !== "string" || !settings.trimStart().startsWith("{")) {
    return settings;
  }
  let value: JsonValue;
  try {
    value = JSON.parse(settings);
  } catch {
    refuse("settings", "a text", "an object, valid JSON, or a path");
  }
  if (!isBag(value)) refuse("settings", "a text", "an object");
  return value as JsonObject;
}

/** `open` holds the objects round the value, to notice one inside itself. */
function checkValue(value: unknown, key: string, open: Set<object>): void {
  if (value === null) return;
  switch (typeof value) {
    case "string":
    case "boolean":
    case "undefined":
      return;
    case "number":
      if (!Number.isFinite(value)) refuse(key, value, "a finite number");
      return;
    case "object":
      if (Array.isArray(value)) checkList(value, key, open);
      else checkObject(value, key, open);
      return;
    default:
      refuse(key, value, "something that JSON can hold");
  }
}

function checkList(
  value: readonly unknown[],
  key: string,
  open: Set<object>,
): void {
  enter(value, key, open);
  for (let at = 0; at < value.length; at++) {
    checkValue(value[at], `${key}[${at}]`, open);
  }
  open.delete(value);
}

function checkObject(value: object, key: string, open: Set<object>): void {
  // A Date or a URL says itself what it is in JSON.
  if ("toJSON" in value && typeof value.toJSON === "function") return;
  if (EMPTY_IN_JSON.some((kind) => value instanceof kind)) {
    refuse(key, value, "something that JSON can hold");
  }
  enter(value, key, open);
  for (const [name, part] of Object.entries(value as Bag)) {
    checkValue(part, `${key}.${name}`, open);
  }
  open.delete(value);
}

function enter(value: object, key: string, open: Set<object>): void {
  if (open.has(value)) refuse(key, value, "free of references to itself");
  open.add(value);
}
