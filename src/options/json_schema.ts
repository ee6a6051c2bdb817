import { isObject } from "../errors/is_object.ts";
import { show, typeOf } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";

/**
 * What a value lacks of a JSON Schema, by its basic keywords; `undefined` when nothing.
 *
 * Knows `type`, `enum`, `const`, `required`, `properties`, `additionalProperties: false` and `items`, at every depth.
 * Everything else passes unchecked: this is a second look after the CLI's own validation and no validator.
 */
export function lightProblem(
  schema: JsonValue | undefined,
  value: JsonValue,
  path: string = "$",
): string | undefined {
  if (!isObject(schema)) return undefined;
  return typeProblem(schema, value, path) ??
    choiceProblem(schema, value, path) ??
    (isObject(value) ? objectProblem(schema, value, path) : undefined) ??
    (isList(value) ? listProblem(schema, value, path) : undefined);
}

function typeProblem(
  { type, nullable }: JsonObject,
  value: JsonValue,
  path: string,
): string | undefined {
  if (type === undefined || (nullable === true && value === null)) return;
  const types = isList(type) ? type : [type];
  const actual = typeOf(value);
  const fits = types.some((one) =>
    one === actual || (one === "integer" && Number.isInteger(value))
  );
  if (!fits) {
    return `${path}: Expected ${types.join(" or ")}, not ${show(value)}`;
  }
}

function choiceProblem(
  { enum: choices, const: only }: JsonObject,
  value: JsonValue,
  path: string,
): string | undefined {
  if (only !== undefined && !isSame(only, value)) {
    return `${path}: Expected ${show(only)}, not ${show(value)}`;
  }
  if (isList(choices) && !choices.some((one) => isSame(one, value))) {
    return `${path}: Expected one of ${show(choices)}, not ${show(value)}`;
  }
}

function objectProblem(
  { required, properties, patternProperties, additionalProperties }: JsonObject,
  value: JsonObject,
  path: string,
): string | undefined {
  for (const name of isList(required) ? required : []) {
    if (typeof name === "string" && !Object.hasOwn(value, name)) {
      return `${path}.${name}: Is required and missing`;
    }
  }
  const known = isObject(properties) ? properties : {};
  const isClosed = additionalProperties === false &&
    patternProperties === undefined;
  for (const [name, part] of Object.entries(value)) {
    if (part === undefined) continue;
    if (Object.hasOwn(known, name)) {
      const problem = lightProblem(known[name], part, `${path}.${name}`);
      if (problem !== undefined) return problem;
    } else if (isClosed) {
      return `${path}.${name}: Is not in the schema`;
    }
  }
}

function listProblem(
  { items }: JsonObject,
  value: readonly JsonValue[],
  path: string,
): string | undefined {
  for (const [index, part] of value.entries()) {
    const schema = isList(items) ? items[index] : items;
    const problem = lightProblem(schema, part, `${path}[${index}]`);
    if (problem !== undefined) return problem;
  }
}

/** The same JSON, whatever the order of keys. */
function isSame(one: JsonValue, other: JsonValue): boolean {
  if (isList(one) && isList(other)) {
    return one.length === other.length &&
      one.every((part, index) => isSame(part, other[index] ?? null));
  }
  if (isObject(one) && isObject(other)) {
    const keys = Object.keys(one);
    return keys.length === Object.keys(other).length &&
      keys.every((key) =>
        Object.hasOwn(other, key) &&
        isSame(one[key] ?? null, other[key] ?? null)
      );
  }
  return one === other;
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
