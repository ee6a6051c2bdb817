import { isObject, textOfError } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import type { Schema, StandardSchema } from "../types/schema.ts";
import { jsonValue, type PlainObject } from "./plain_object.ts";
import { type Check, either, isText } from "./fields.ts";
import { contradict, refuse } from "./refuse.ts";

/** Keywords of draft 07 that the CLI's validator knows and whose value is not looked at. Source: tried on CLI 2.1.328. */
const PLAIN_KEYWORD =
  /^(?:\$comment|\$id|\$ref|const|content(?:Encoding|MediaType)|default|deprecated|description|enum|examples|exclusive(?:Max|Min)imum|format|(?:max|min)(?:Items|Length|Properties|imum)|multipleOf|nullable|readOnly|required|title|uniqueItems|writeOnly)$/;

/** The others: what stands in them is checked. */
const KEYWORDS: Readonly<Record<string, Check>> = {
  additionalItems: checkSubschema,
  additionalProperties: checkSubschema,
  contains: checkSubschema,
  else: checkSubschema,
  if: checkSubschema,
  not: checkSubschema,
  propertyNames: checkSubschema,
  then: checkSubschema,
  allOf: checkAll,
  anyOf: checkAll,
  oneOf: checkAll,
  $defs: checkMap,
  definitions: checkMap,
  dependencies: checkMap,
  patternProperties: checkMap,
  properties: checkMap,
  items: either(Array.isArray, checkAll, checkSubschema),
  pattern: checkPattern,
  type: checkTypes,
};

const TYPE = /^(?:array|boolean|integer|null|number|object|string)$/;

/**
 * The schema of the structured output, in any of its three forms.
 *
 * The CLI ignores a schema that its validator does not understand, without a word, and the answer then comes
 * unstructured: so what it would ignore is refused here.
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

/**
 * The schema as it travels; only where zod has to be loaded for it is it another one.
 *
 * @throws {ConfigError} If JSON Schema cannot express it, or the CLI would ignore it
 */
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

function checkSchema(schema: PlainObject, key: string): void {
  for (const [keyword, value] of Object.entries(schema)) {
    if (PLAIN_KEYWORD.test(keyword)) continue;
    const check = Object.hasOwn(KEYWORDS, keyword)
      ? KEYWORDS[keyword]
      : undefined;
    const at = `${key}.${keyword}`;
    if (check === undefined) {
      const why =
        "is not a keyword of JSON Schema draft 07, so the CLI would ignore the schema";
      contradict(at, value, why);
    }
    check(value, at);
  }
}

function checkMap(value: unknown, key: string): void {
  if (!isObject<unknown>(value)) refuse(key, value, "an object");
  for (const [name, schema] of Object.entries(value)) {
    // "dependencies" may also list names.
    if (!Array.isArray(schema)) checkSubschema(schema, `${key}.${name}`);
  }
}

function checkTypes(value: unknown, key: string): void {
  for (const type of Array.isArray(value) ? value : [value]) {
    if (!isText(type) || !TYPE.test(type)) {
      refuse(key, type, "a type of JSON Schema");
    }
  }
}

function checkPattern(value: unknown, key: string): void {
  try {
    // The flag that the CLI's validator uses.
    new RegExp(String(value), "u");
  } catch {
    refuse(key, value, "a regular expression");
  }
}

function checkAll(value: unknown, key: string): void {
  if (!Array.isArray(value)) refuse(key, value, "a list of schemas");
  for (let at = 0; at < value.length; at++) {
    checkSubschema(value[at], `${key}[${at}]`);
  }
}

function checkSubschema(value: unknown, key: string): void {
  if (typeof value === "boolean") return;
  if (!isObject<unknown>(value)) refuse(key, value, "a schema");
  checkSchema(value, key);
}

/**
 * A schema of any make as JSON Schema, ready for the wire.
 *
 * `$schema` is left out: naming any draft but 07 makes the CLI drop the schema silently (tried on CLI 2.1.328).
 *
 * @throws {TypeError} If the library behind a Standard Schema cannot give its JSON Schema
 */
export function toJsonSchema(schema: Schema | object): JsonObject {
  const plain = isStandard(schema) ? fromStandard(schema) : { ...schema };
  const { $schema: _, ...rest } = plain as JsonObject;
  return rest;
}

function fromStandard(schema: StandardSchema): object {
  const standard = schema["~standard"];
  const convert = standard.jsonSchema?.input;
  if (convert === undefined) {
    throw new TypeError(
      `schema of "${standard.vendor}" has no JSON Schema with it, ${
        formWithJsonSchema(standard.vendor)
      }`,
    );
  }
  return convert.call(standard.jsonSchema, { target: "draft-07" });
}

/** How a library that keeps its JSON Schema apart has to be asked for it. */
export function formWithJsonSchema(vendor: string): string {
  switch (vendor) {
    case "valibot":
      return "give toStandardJsonSchema(schema) of @valibot/to-json-schema";
    case "zod":
      return "give a schema of zod 4, which zod 3.25 has as zod/v4";
    default:
      return "give the library's Standard JSON Schema form, or plain JSON Schema";
  }
}

/** Whether a schema is one of zod 4 that cannot tell its JSON Schema by itself: before 4.2, or of `zod/mini`. */
export function isBareZod(schema: object): boolean {
  if (!("_zod" in schema && isStandard(schema))) return false;
  const { validate, jsonSchema } = schema["~standard"];
  return validate !== undefined && jsonSchema === undefined;
}

/** Whether a schema is a Standard Schema. */
export function isStandard(schema: unknown): schema is StandardSchema {
  return (typeof schema === "function" || isObject(schema)) &&
    "~standard" in schema && typeof schema["~standard"] === "object" &&
    schema["~standard"] !== null;
}
