import { isObject, textOfError } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import type { Schema, StandardSchema } from "../types/schema.ts";
import { jsonValue } from "./plain_object.ts";
import { contradict, refuse } from "./refuse.ts";

/** Keywords of draft 07 that the CLI's validator knows and whose value holds no schema. Source: tried on CLI 2.1.328. */
const PLAIN =
  /^(?:\$comment|\$id|\$ref|const|content(?:Encoding|MediaType)|default|deprecated|description|enum|examples|exclusive(?:Max|Min)imum|format|(?:max|min)(?:Items|Length|Properties|imum)|multipleOf|nullable|pattern|readOnly|required|title|uniqueItems|writeOnly)$/;
const TYPE = /^(?:array|boolean|integer|null|number|object|string)$/;
/** Those that hold a schema, or a list of them. */
const SCHEMAS =
  /^(?:additional(?:Items|Properties)|allOf|anyOf|contains|else|if|items|not|oneOf|propertyNames|then)$/;
/** Those that hold schemas by names; "dependencies" may also list names. */
const NAMED =
  /^(?:\$defs|definitions|dependencies|patternProperties|properties)$/;

/**
 * The schema of the structured output, in any of its three forms.
 *
 * The CLI ignores a schema with a keyword that its validator does not know, without a word, and the answer then comes
 * unstructured: so such a schema is refused here.
 */
export function outputSchema(value: unknown, key: string): void {
  // The schemas of some libraries are functions.
  if (!isObject(value) && typeof value !== "function") {
    const must = "a schema: TypeBox, Standard JSON Schema or JSON Schema";
    refuse(key, value, must);
  }
  // A schema that needs zod is checked when a conversation begins.
  if (!isBareZod(value)) checkedOutput(() => value, key);
}

/** The schema as it travels; only where zod has to be loaded for it is it another one. */
export async function plainOutputSchema(schema: Schema): Promise<Schema> {
  if (!isBareZod(schema)) return schema;
  const { zodJsonSchema } = await import("./zod_schema.ts");
  const convert = () => zodJsonSchema(schema, "draft-07");
  return checkedOutput(convert, "outputSchema");
}

function checkedOutput(convert: () => object, key: string): JsonObject {
  let schema: JsonObject;
  try {
    schema = toJsonSchema(convert());
  } catch (error) {
    const why = "must be convertible to JSON Schema";
    contradict(key, textOfError(error), why);
  }
  // Schemas may carry marks of their library, which JSON leaves out.
  jsonValue(schema, key);
  if (schema.type !== undefined && schema.type !== "object") {
    // The schema becomes the input of a tool, and tools take objects.
    refuse(`${key}.type`, schema.type, '"object"');
  }
  checkSchema(schema, key);
  return schema;
}

function checkSchema(schema: unknown, key: string): void {
  if (Array.isArray(schema)) {
    schema.forEach((one, at) => checkSchema(one, `${key}[${at}]`));
  }
  if (!isObject<unknown>(schema)) return;
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${key}.${keyword}`;
    if (SCHEMAS.test(keyword)) checkSchema(value, at);
    else if (NAMED.test(keyword)) {
      for (const [name, one] of Object.entries(value ?? {})) {
        checkSchema(one, `${at}.${name}`);
      }
    } else if (keyword === "type") {
      const types = [value].flat();
      if (!types.every((one) => TYPE.test(String(one)))) {
        refuse(at, value, "a type of JSON Schema");
      }
    } else if (!PLAIN.test(keyword)) {
      const why =
        "is not a keyword of JSON Schema draft 07, so the CLI would ignore the schema";
      contradict(at, value, why);
    }
  }
}

/**
 * A schema of any make as JSON Schema, ready for the wire; throws where its library cannot give that.
 *
 * `$schema` is left out: naming any draft but 07 makes the CLI drop the schema silently (tried on CLI 2.1.328).
 */
export function toJsonSchema(schema: Schema | object): JsonObject {
  const plain = isStandard(schema)
    ? standardJsonSchema(schema, "draft-07")
    : { ...schema };
  const { $schema: _, ...rest } = plain as JsonObject;
  return rest;
}

/** The JSON Schema of a Standard Schema, as its library makes it; throws `TypeError` where it cannot. */
export function standardJsonSchema(
  schema: StandardSchema,
  target: "draft-07" | "draft-2020-12",
): object {
  const { jsonSchema, vendor } = schema["~standard"];
  if (jsonSchema !== undefined) return jsonSchema.input({ target });
  throw new TypeError(
    `schema of "${vendor}" has no JSON Schema with it: give a schema of zod 4 (zod/v4 in zod 3.25), toStandardJsonSchema(schema) of @valibot/to-json-schema, or JSON Schema`,
  );
}

/** Whether a schema is one of zod 4 that cannot tell its JSON Schema by itself: before 4.2, or of `zod/mini`. */
export function isBareZod(schema: object): boolean {
  if (!("_zod" in schema && isStandard(schema))) return false;
  const { validate, jsonSchema } = schema["~standard"];
  return validate !== undefined && jsonSchema === undefined;
}

export function isStandard(schema: unknown): schema is StandardSchema {
  return (typeof schema === "function" || isObject(schema)) &&
    "~standard" in schema && typeof schema["~standard"] === "object" &&
    schema["~standard"] !== null;
}
