import { typeOf } from "../errors/text.ts";
import type { Field, FieldType } from "../protocol/tables.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";

/** Fault of a value from outside. */
export class Problem {
  /** The field, dotted with indexes. */
  readonly field: string;
  /** `is missing`, or `must be a string, is number`. */
  readonly fact: string;
  /** The content block that it is in, if it is in one. */
  readonly block: BlockPlace | undefined;

  constructor(field: string, fact: string, block?: BlockPlace) {
    this.field = field;
    this.fact = fact;
    this.block = block;
  }
}

/** A content block: its kind, unless that is what is wrong, and its place. */
export interface BlockPlace {
  readonly type: string | undefined;
  readonly index: number;
}

/** Tells a JSON array; `Array.isArray` does not narrow a readonly one. */
export function isArray(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Place of an object inside its message. */
export interface ObjectPlace {
  /** Stands before the names of its fields. */
  readonly path: string;
  readonly block: BlockPlace;
}

/** Fault of the first field that is missing or has a wrong type; `undefined` if all fit. */
export function firstProblem(
  object: JsonObject,
  fields: readonly Field[],
  place?: ObjectPlace,
): Problem | undefined {
  for (const [name, type] of fields) {
    if (fits(object[name], type)) continue;
    const field = place === undefined ? name : `${place.path}.${name}`;
    return wrong(field, type, object[name], place?.block);
  }
  return undefined;
}

/** Fault of one field: missing or of a wrong type. */
export function wrong(
  field: string,
  type: FieldType,
  value: unknown,
  block?: BlockPlace,
): Problem {
  const fact = value === undefined
    ? "is missing"
    : `must be ${withArticle(type)}, is ${typeOf(value)}`;
  return new Problem(field, fact, block);
}

function fits(value: unknown, type: FieldType): boolean {
  // No name of a type is a part of another one.
  return type.includes(typeOf(value));
}

function withArticle(type: FieldType): string {
  const article = /^[ao]/.test(type) ? "an" : "a";
  return `${article} ${
    type === "string or array" ? "string or an array" : type
  }`;
}
