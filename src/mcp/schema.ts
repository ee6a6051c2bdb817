import { ANY_OBJECT } from "./tool_list.ts";
import { isObject, textOfError } from "../errors/text.ts";
import { ConfigError } from "../errors/base.ts";
import { jsonValue, refuse } from "../options/fields.ts";
import {
  formWithJsonSchema,
  isBareZod,
  isStandard,
} from "../options/output_schema.ts";
import { type Check, checkOf } from "../options/schema_check.ts";
import type { JsonObject } from "../types/json.ts";
import type { Schema, StandardSchema } from "../types/schema.ts";

/** A schema of any make, ready for use. */
export interface ReadSchema {
  /** The same as JSON Schema of an object; of any object where `load()` knows more. */
  readonly json: JsonObject;
  /** Makes the JSON Schema, where a library has to be loaded for it. */
  load?(): Promise<JsonObject>;
  readonly check: Check;
}

/** What Standard JSON Schema is asked for. */
const TARGET = "draft-2020-12";

/**
 * Reads the schema of arguments or of structured content.
 *
 * Told apart by shape, `~standard` first: some libraries carry a `static` as well.
 */
export function readSchema(schema: Schema, key: string): ReadSchema {
  if (!isStandard(schema)) {
    refuseShape(schema, key);
    // A schema is data: symbols and functions of its library stay behind, and nobody can change it later.
    const copy = copyOf(schema, key);
    const json = toObjectSchema(copy, key);
    // How references are read depends on the draft.
    const $schema = isObject(copy) ? copy.$schema : undefined;
    return { json, check: checkOf(schema, () => ({ ...json, $schema })) };
  }
  const described = isBareZod(schema)
    ? { json: ANY_OBJECT, load: () => load(schema, key) }
    : { json: toObjectSchema(toJsonSchema(schema["~standard"], key), key) };
  return { ...described, check: checkOf(schema, () => described.json) };
}

async function load(schema: Schema, key: string): Promise<JsonObject> {
  const { zodJsonSchema } = await import("../options/zod_schema.ts");
  const json = expressed(() => zodJsonSchema(schema, TARGET), key);
  return toObjectSchema(json, key);
}

/** Keywords that hold a schema, or schemas by name; what else has an object or the name of a type is meant as a field. */
const HOLDING_SCHEMAS: ReadonlySet<string> = new Set([
  "$defs",
  "additionalProperties",
  "definitions",
  "dependencies",
  "dependentRequired",
  "dependentSchemas",
  "else",
  "if",
  "not",
  "patternProperties",
  "properties",
  "propertyNames",
  "then",
  "unevaluatedProperties",
]);
const TYPES: readonly unknown[] = [
  "array",
  "boolean",
  "integer",
  "number",
  "object",
  "string",
];

/** Fields with a schema each are no schema yet: `{ a: z.number() }` in place of `z.object({ a: z.number() })`. */
function refuseShape(schema: unknown, key: string): void {
  if (!isObject(schema)) return;
  const fields = Object.entries(schema);
  if (
    fields.length > 0 && (fields.every(isOfLibrary) || fields.every(isBare))
  ) {
    const must =
      'a schema of an object, as in z.object({ ... }) or { type: "object", properties: { ... } }';
    refuse(key, schema, must);
  }
}

function isOfLibrary([, field]: [string, unknown]): boolean {
  return isObject(field) &&
    ("~standard" in field || "_def" in field || "_zod" in field);
}

/** JSON Schema takes it for a keyword that it does not know, and the model would see a tool without arguments. */
function isBare([name, field]: [string, unknown]): boolean {
  return name !== "type" && !HOLDING_SCHEMAS.has(name) &&
    (isObject(field) || TYPES.includes(field));
}

function toJsonSchema(
  standard: StandardSchema["~standard"],
  key: string,
): unknown {
  if (standard.jsonSchema === undefined) {
    throw new ConfigError({
      message:
        `Option "${key}" has a schema of "${standard.vendor}" that cannot give its JSON Schema: ${
          formWithJsonSchema(standard.vendor)
        }`,
      key,
    });
  }
  const { jsonSchema } = standard;
  return expressed(() => jsonSchema.input({ target: TARGET }), key);
}

/** What a library makes of a schema. */
function expressed(convert: () => unknown, key: string): unknown {
  try {
    return copyOf(convert(), key);
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    throw new ConfigError({
      message: `Option "${key}" has a schema that JSON Schema cannot express: ${
        cause instanceof Error ? cause.message : cause
      }`,
      key,
      cause,
    });
  }
}

function copyOf(schema: unknown, key: string): unknown {
  let text: string | undefined;
  try {
    text = typeof schema === "object" ? JSON.stringify(schema) : undefined;
  } catch (cause) {
    throw new ConfigError({
      message: `Option "${key}" must be a schema that JSON can hold: ${
        textOfError(cause)
      }`,
      key,
      cause,
    });
  }
  if (text === undefined) {
    const must =
      "a TypeBox schema, a Standard JSON Schema or a plain JSON Schema object";
    refuse(key, schema, must);
  }
  const copy = JSON.parse(text);
  jsonValue(copy, key);
  return copy;
}

/**
 * Arguments and structured content are objects; clients refuse a whole list for one schema that does not say so.
 *
 * `$schema` is left out: a dialect that a client does not expect can cost the tool, and every one costs tokens.
 */
function toObjectSchema(schema: unknown, key: string): JsonObject {
  if (isObject(schema)) {
    const { $schema: _, ...rest } = schema;
    if (rest.type === "object") return rest;
    if (rest.type === undefined) return { type: "object", ...rest };
  }
  throw new ConfigError({
    message: `Option "${key}" must be the schema of an object: type ${
      isObject(schema) ? JSON.stringify(schema.type) : JSON.stringify(schema)
    }`,
    key,
    value: schema,
  });
}
