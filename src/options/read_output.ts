import { show, textOfError } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type {
  Schema,
  StandardResult,
  StandardSchema,
} from "../types/schema.ts";
import { lightProblem } from "./json_schema.ts";
import { isStandard } from "./output_schema.ts";

/** TypeBox marks its schemas with this; the symbol is the same in every copy of TypeBox 0.x. */
const TYPEBOX_KIND = Symbol.for("TypeBox.Kind");

/** What a structured output turned out to be. */
export type OutputReading =
  | { readonly value: unknown; readonly problem?: undefined }
  | { readonly problem: string };

/**
 * Reads a structured output by its schema.
 *
 * A Standard Schema validates by itself, and the value is the one it made. TypeBox schemas are checked by TypeBox.
 * Plain JSON Schema was validated by the CLI already: here only the basic keywords are checked, see {@link lightProblem}.
 */
export async function readOutput(
  schema: Schema,
  value: unknown,
): Promise<OutputReading> {
  if (value === undefined) return { problem: "The result has none" };
  if (isStandard(schema)) return await readStandard(schema, value);
  const problem = TYPEBOX_KIND in schema
    ? await typeBoxProblem(schema, value)
    : lightProblem(schema as JsonObject, value as JsonValue);
  return problem === undefined ? { value } : { problem };
}

/** What is wrong with a structured output; `undefined` when nothing is. */
export async function outputProblem(
  schema: Schema,
  value: unknown,
): Promise<string | undefined> {
  return (await readOutput(schema, value)).problem;
}

async function readStandard(
  schema: StandardSchema,
  value: unknown,
): Promise<OutputReading> {
  const { validate } = schema["~standard"];
  if (validate === undefined) return { value };
  let result: StandardResult<unknown>;
  try {
    result = await validate.call(schema["~standard"], value);
  } catch (error) {
    return { problem: `Its schema threw: ${textOfError(error)}` };
  }
  if (result.issues === undefined) return { value: result.value };
  const [first] = result.issues;
  return { problem: `${at(first?.path)}: ${first?.message ?? "is invalid"}` };
}

/** `$.items[0]` for the path that a Standard Schema gives. */
function at(
  path: readonly (PropertyKey | { readonly key: PropertyKey })[] = [],
): string {
  const keys = path.map((part) => typeof part === "object" ? part.key : part);
  return keys.reduce<string>(
    (text, key) =>
      typeof key === "number" ? `${text}[${key}]` : `${text}.${String(key)}`,
    "$",
  );
}

/**
 * Formats that were never registered are not checked: the CLI knows its own.
 * Kinds may have been registered in the user's own copy of TypeBox, which this one knows nothing of.
 */
async function typeBoxProblem(
  schema: object,
  value: unknown,
): Promise<string | undefined> {
  const { Errors, ValueErrorType, ValueErrorsUnknownTypeError } = await import(
    "@sinclair/typebox/errors"
  );
  try {
    // TypeBox's own type; the symbol says that this is one.
    for (const error of Errors(schema as Parameters<typeof Errors>[0], value)) {
      if (error.type === ValueErrorType.StringFormatUnknown) continue;
      const where = error.path.replaceAll("/", ".");
      return `$${where}: ${error.message}, not ${show(error.value)}`;
    }
  } catch (error) {
    if (!(error instanceof ValueErrorsUnknownTypeError)) throw error;
    return lightProblem(schema as JsonObject, value as JsonValue);
  }
  return undefined;
}
