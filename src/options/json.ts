import { isObject } from "../errors/is_object.ts";
import { MOST_LEVELS } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { AgentOptions } from "../types/options.ts";
import { bag, inheritedOf, refuse } from "./fields.ts";

/** A JSON object: what travels as JSON must survive the journey. */
export function json(value: unknown, key: string): void {
  bag(value, key);
  checkObject(value, key, { root: key, open: new Set() });
}

/** A list, object or plain value that JSON can hold. */
export function jsonValue(value: unknown, key: string): void {
  checkValue(value, key, { root: key, open: new Set() });
}

/** Settings as an object, or as the path of a file; a text that begins with a brace is JSON, which no path does. */
export function parseSettings(
  settings: AgentOptions["settings"],
): string | JsonObject | undefined {
  if (typeof settings !== "string" || !settings.trimStart().startsWith("{")) {
    return settings as string | JsonObject | undefined;
  }
  let value: JsonValue;
  try {
    value = JSON.parse(settings);
  } catch {
    refuse("settings", "a text", "an object, valid JSON, or a path");
  }
  if (!isObject(value)) refuse("settings", "a text", "an object");
  return value;
}

interface Walk {
  /** Where it began: the path to what is too deep is too long to read. */
  readonly root: string;
  /** The objects round the value, to notice one inside itself. */
  readonly open: Set<object>;
}

function checkValue(value: unknown, key: string, walk: Walk): void {
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
      if (Array.isArray(value)) checkList(value, key, walk);
      else checkObject(value, key, walk);
      return;
    default:
      refuse(key, value, "something that JSON can hold");
  }
}

function checkList(value: readonly unknown[], key: string, walk: Walk): void {
  enter(value, key, walk);
  for (let at = 0; at < value.length; at++) {
    checkValue(value[at], `${key}[${at}]`, walk);
  }
  walk.open.delete(value);
}

function checkObject(value: object, key: string, walk: Walk): void {
  // A Date or a URL says itself what it is in JSON.
  if ("toJSON" in value && typeof value.toJSON === "function") return;
  // JSON knows own keys alone: a map has none.
  if (inheritedOf(value) !== undefined) {
    refuse(key, value, "something that JSON can hold");
  }
  enter(value, key, walk);
  for (const [name, part] of Object.entries(value)) {
    checkValue(part, `${key}.${name}`, walk);
  }
  walk.open.delete(value);
}

function enter(value: object, key: string, { root, open }: Walk): void {
  if (open.has(value)) refuse(key, value, "free of references to itself");
  if (open.size === MOST_LEVELS) {
    refuse(root, value, `nested at most ${MOST_LEVELS} levels deep`);
  }
  open.add(value);
}
