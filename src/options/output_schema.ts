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
      `Schemas of "${standard.vendor}" cannot give their JSON Schema, convert it or give plain JSON Schema`,
    );
  }
  return convert.call(standard.jsonSchema, { target: "draft-07" });
}

/** Whether a schema is a Standard Schema. */
export function isStandard(schema: object): schema is StandardSchema {
  return "~standard" in schema && typeof schema["~standard"] === "object" &&
    schema["~standard"] !== null;
}
