import { isObject } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";

export interface Issue {
  readonly path?: readonly PropertyKey[];
}

/** A Zod schema, as far as it is used. */
export interface ZodSchema {
  readonly _zod?: unknown;
  readonly _def?: unknown;
  readonly description?: string;
  safeParseAsync(value: unknown): Promise<{
    readonly success: boolean;
    readonly data?: unknown;
    readonly error?: { readonly issues: readonly Issue[] };
  }>;
}

interface Checked {
  readonly value?: unknown;
  readonly problem?: string;
}

/** Checks arguments by a shape of fields, or by a schema of the whole. */
export async function argumentsOf(
  schema: unknown,
  args: object,
): Promise<Checked> {
  if (isSchema(schema)) {
    const { success, data, error } = await schema.safeParseAsync(args);
    return success ? { value: data } : { problem: textOf(error?.issues) };
  }
  const value: Record<string, unknown> = {};
  const issues: Issue[] = [];
  for (const [name, field] of Object.entries(schema ?? {})) {
    const isThere = Object.hasOwn(args, name);
    const given = isThere ? (args as Record<string, unknown>)[name] : undefined;
    if (!isSchema(field)) {
      value[name] = given;
      continue;
    }
    const { success, data, error } = await field.safeParseAsync(given);
    if (!success) {
      for (const issue of error?.issues ?? []) {
        issues.push({ ...issue, path: [name, ...issue.path ?? []] });
      }
    } else if (data !== undefined || isThere) value[name] = data;
  }
  return issues.length > 0 ? { problem: textOf(issues) } : { value };
}

/**
 * Refuses what is neither a Zod schema nor fields with schemas of one Zod, as the official SDK does: arguments could not be checked.
 *
 * @throws {Error} For a JSON Schema, for example
 */
export function refuseOther(schema: unknown, tool: string): void {
  if (!schema || isSchema(schema)) return;
  const fields = typeof schema === "object" ? Object.values(schema) : [schema];
  if (fields.length === 0) return;
  if (!fields.some(isSchema)) {
    throw new Error(
      `inputSchema must be a Zod schema or raw shape, received an unrecognized object for the tool "${tool}"`,
    );
  }
  const isOne = fields.every(isSchema) &&
    fields.every((field) => isOld(field) === isOld(fields[0]));
  if (!isOne) throw new Error("Mixed Zod versions detected in object shape.");
}

/**
 * The JSON Schema of a shape or a schema; of anything but an object it names no fields, because the CLI would drop the whole list of tools.
 *
 * @throws {Error} If JSON Schema cannot express it
 */
export async function jsonSchemaOf(schema: unknown): Promise<JsonObject> {
  const made = schema ? await converted(schema) : {};
  return made.type === "object" ? made : { type: "object", properties: {} };
}

async function converted(schema: object): Promise<JsonObject> {
  const fields = isSchema(schema) ? [schema] : Object.values(schema);
  if (fields.length > 0 && fields.every(isOld)) {
    const { zodToJsonSchema } = await import("zod-to-json-schema");
    const old = isSchema(schema) ? schema : zod3Object(schema as object);
    return zodToJsonSchema(old as never, { strictUnions: true }) as JsonObject;
  }
  const { zodJsonSchema, zodObject } = await import("../options/zod_schema.ts");
  const whole = isSchema(schema) ? schema : zodObject(schema as object);
  return zodJsonSchema(whole, "draft-07");
}

/** An object schema of Zod 3 as far as the converter looks at it, without loading Zod 3. */
function zod3Object(shape: object): object {
  return {
    _def: {
      typeName: "ZodObject",
      shape: () => shape,
      unknownKeys: "strip",
      catchall: { _def: { typeName: "ZodNever" } },
    },
  };
}

function isSchema(value: unknown): value is ZodSchema {
  return isObject(value) && "safeParseAsync" in value &&
    typeof value.safeParseAsync === "function";
}

function isOld(value: unknown): boolean {
  return isObject(value) && "_def" in value && !("_zod" in value);
}

export function textOf(issues: readonly Issue[] = []): string {
  return JSON.stringify(issues, null, 2);
}
