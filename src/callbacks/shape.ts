import { show, typeOf } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import { CallbackFailure } from "./failure.ts";

/** What a value must be; a list of words = one of them. */
export type ValueShape =
  | "anything"
  | "boolean"
  | "number"
  | "object"
  | "objects"
  | "string"
  | "strings"
  | readonly string[];

/** What the known fields of an object must be; any of them may be absent, others may be there. */
export type Shape = Readonly<Record<string, ValueShape>>;

/** Tells an object from an array and from null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Throws for a callback that returned something else than it should. */
export function wrongShape(fact: string): never {
  throw new CallbackFailure("shape", `returned a wrong shape: ${fact}`);
}

/** Throws for the first field that is there and is something else than it should be. */
export function checkShape(
  object: JsonObject,
  shape: Shape,
  path: string = "",
): void {
  for (const name of Object.keys(object)) {
    const wanted = Object.hasOwn(shape, name) ? shape[name] : undefined;
    const value = object[name];
    if (wanted === undefined || value === undefined || fits(value, wanted)) {
      continue;
    }
    const actual = typeof value === "string" ? show(value) : typeOf(value);
    wrongShape(
      `field "${path}${name}" must be ${nameOf(wanted)}, is ${actual}`,
    );
  }
}

function fits(value: unknown, shape: ValueShape): boolean {
  switch (shape) {
    case "anything":
      return true;
    case "boolean":
      return typeof value === "boolean";
    case "number":
      return typeof value === "number";
    case "object":
      return isObject(value);
    case "objects":
      return Array.isArray(value) && value.every(isObject);
    case "string":
      return typeof value === "string";
    case "strings":
      return Array.isArray(value) &&
        value.every((item) => typeof item === "string");
    default:
      return typeof value === "string" && shape.includes(value);
  }
}

function nameOf(shape: ValueShape): string {
  if (typeof shape !== "string") return shape.map(show).join(" or ");
  if (shape === "objects" || shape === "strings") return `a list of ${shape}`;
  return shape === "object" ? "an object" : `a ${shape}`;
}
