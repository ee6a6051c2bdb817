import { $ZodObject, globalRegistry, toJSONSchema } from "zod/v4/core";
import type { JsonObject } from "../types/json.ts";

/** A schema that returns its own metadata. */
interface Described {
  meta?(): object | undefined;
}

/**
 * The JSON Schema of a schema of zod 4, whichever copy and version made it.
 *
 * A copy of zod before 4.2 keeps titles and descriptions to itself; its schemas tell them by `meta()`, those of its
 * `zod/mini` do not.
 *
 * @throws {Error} If JSON Schema cannot express it
 */
export function zodJsonSchema(
  schema: object,
  target: "draft-07" | "draft-2020-12",
): JsonObject {
  const metadata = {
    get: (one: Described) => one.meta?.() ?? globalRegistry.get(one as never),
  };
  // Told by its shape; and the converter asks its registry for nothing else.
  return toJSONSchema(schema as never, {
    target,
    io: "input",
    metadata: metadata as never,
  }) as JsonObject;
}

/** An object with these fields, as a schema of zod 4. */
export function zodObject(shape: object): object {
  return new $ZodObject({ type: "object", shape: shape as never });
}
