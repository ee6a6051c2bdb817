import { isObject, textOfError } from "../errors/text.ts";
import { ConfigError } from "../errors/base.ts";
import {
  isBareZod,
  isStandard,
  standardJsonSchema,
} from "../options/output_schema.ts";
import { PLACES } from "../json_schema/compile.ts";
import { jsonValue } from "../options/plain_object.ts";
import { refuse } from "../options/refuse.ts";
import { type Check, checkOf } from "../options/schema_check.ts";
import type { JsonObject } from "../types/json.ts";
import type { Schema } from "../types/schema.ts";
import { ANY_OBJECT } from "./usable_tools.ts";

export interface ReadSchema {
  /** The same as JSON Schema of an object; of any object where `load()` knows more. */
  readonly json: JsonObject;
  /** Makes the JSON Schema, where a library has to be loaded for it. */
  load?(): Promise<JsonObject>;
  readonly check: Check;
}

const TARGET = "draft-2020-12";
const TYPES: readonly unknown[] = "array boolean integer number object string"
  .split(" ");

/**
 * Reads the schema of arguments or of structured content.
 *
 * Told apart by shape, `~standard` first: some libraries carry a `static` as well.
 */
export function readSchema(schema: Schema, key: string): ReadSchema {
  if (!isStandard(schema)) {
    refuseFields(schema, key);
    // A schema is data: symbols and functions of its library stay behind, and later changes have no effect.
    const copy = copyOf(schema, key);
    const json = toObjectSchema(copy, key);
    // The draft decides the reading of references.
    const $schema = isObject(copy) ? copy.$schema : undefined;
    return { json, check: checkOf(schema, () => ({ ...json, $schema })) };
  }
  const described = isBareZod(schema)
    ? {
      json: ANY_OBJECT,
      async load() {
        const { zodJsonSchema } = await import("../options/zod_schema.ts");
        return expressed(() => zodJsonSchema(schema, TARGET), key);
      },
    }
    : { json: expressed(() => standardJsonSchema(schema, TARGET), key) };
  return { ...described, check: checkOf(schema, () => described.json) };
}

/**
 * `{ a: z.number() }`, `{ a: { type: "number" } }` or `{ a: "number" }` is meant as fields of an object.
 *
 * JSON Schema takes them for keywords that it does not know, and the model would see a tool without arguments.
 */
function refuseFields(schema: unknown, key: string): void {
  const fields = isObject(schema) ? Object.entries(schema) : [];
  const isField = ([name, one]: readonly [string, unknown]) =>
    isObject(one)
      ? !PLACES.has(name) &&
        ("~standard" in one || typeof one.type === "string")
      : name !== "type" && TYPES.includes(one);
  if (fields.length === 0 || !fields.every(isField)) return;
  const must =
    'a schema of an object, as in z.object({ ... }) or { type: "object", properties: { ... } }';
  refuse(key, schema, must);
}

function expressed(convert: () => unknown, key: string): JsonObject {
  try {
    return toObjectSchema(copyOf(convert(), key), key);
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    throw faultOf(key, "has a schema that JSON Schema cannot express", cause);
  }
}

function copyOf(schema: unknown, key: string): unknown {
  let text: string | undefined;
  try {
    text = typeof schema === "object" ? JSON.stringify(schema) : undefined;
  } catch (cause) {
    throw faultOf(key, "must be a schema that JSON can hold", cause);
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
  const shown = JSON.stringify(isObject(schema) ? schema.type : schema);
  const text = `must be the schema of an object: type ${shown}`;
  throw new ConfigError({
    message: `Option "${key}" ${text}`,
    key,
    value: schema,
  });
}

function faultOf(key: string, fault: string, cause: unknown): ConfigError {
  const message = `Option "${key}" ${fault}: ${textOfError(cause)}`;
  return new ConfigError({ message, key, cause });
}
