import { textOfError } from "../errors/text.ts";
import { jsonCheckOf, showPath, showProblems } from "../json_schema/compile.ts";
import type { Schema, StandardResult } from "../types/schema.ts";
import { isStandard, toJsonSchema } from "./output_schema.ts";

export type Verdict =
  | { readonly value: unknown; readonly problem?: undefined }
  | { readonly problem: string };

/** Looks at a value; a promise only where the schema's library gives one. */
export type Check = (value: unknown) => Verdict | Promise<Verdict>;

/**
 * The check of a schema of any make.
 *
 * A Standard Schema validates by itself, and may change the value. Everything else is checked as the JSON Schema that
 * it is or gives: TypeBox is JSON Schema, whichever version of it made it.
 */
export function checkOf(schema: Schema, json: () => unknown): Check {
  const standard = isStandard(schema) ? schema["~standard"] : undefined;
  const validate = standard?.validate?.bind(standard);
  if (validate === undefined) {
    const problemOf = jsonCheckOf(json());
    return (value) => {
      const problem = problemOf(value);
      return problem === undefined ? { value } : { problem };
    };
  }
  return (value) => {
    const result = validate(value);
    return "then" in result ? result.then(toVerdict) : toVerdict(result);
  };
}

/** Reads a structured output by its schema. */
export async function readOutput(
  schema: Schema,
  value: unknown,
): Promise<Verdict> {
  if (value === undefined) return { problem: "The result has none" };
  try {
    return await checkOf(
      schema,
      () => isStandard(schema) ? toJsonSchema(schema) : schema,
    )(value);
  } catch (error) {
    return { problem: `Its schema threw: ${textOfError(error)}` };
  }
}

function toVerdict({ value, issues }: {
  readonly value?: unknown;
  readonly issues?: StandardResult<unknown>["issues"];
}): Verdict {
  if (issues === undefined) return { value };
  return {
    problem: showProblems(issues.map(({ message, path = [] }) => ({
      path: showPath(
        path.map((part) => typeof part === "object" ? part.key : part),
      ),
      message,
    }))),
  };
}
