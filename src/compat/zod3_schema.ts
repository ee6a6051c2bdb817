import { zodToJsonSchema } from "zod-to-json-schema";
import type { JsonObject } from "../types/json.ts";

/** The JSON Schema of a schema of zod 3, as the official SDK tells it. */
export function zod3JsonSchema(schema: object): JsonObject {
  return zodToJsonSchema(schema as never, { strictUnions: true }) as JsonObject;
}

/** An object with these fields, as far as the converter looks at it: none of zod 3 is loaded for it. */
export function zod3Object(shape: object): object {
  return {
    _def: {
      typeName: "ZodObject",
      shape: () => shape,
      unknownKeys: "strip",
      catchall: { _def: { typeName: "ZodNever" } },
    },
  };
}
