import type { JsonObject } from "../types/json.ts";
import type { Schema, StandardSchema } from "../types/schema.ts";

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
  // The schemas of some libraries are functions.
  const isCarrier = typeof schema === "function" ||
    (typeof schema === "object" && schema !== null);
  return isCarrier && "~standard" in schema &&
    typeof schema["~standard"] === "object" && schema["~standard"] !== null;
}
