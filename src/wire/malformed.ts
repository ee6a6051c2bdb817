import { ProtocolError } from "../errors/cli.ts";
import { excerpt } from "../errors/clean.ts";
import type { Scrub } from "../errors/secrets.ts";
import { show, typeOf } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";

/** What is wrong with a field: that it is missing, or which type it has instead. */
export interface FieldProblem {
  readonly field: string;
  /** `is missing`, or `must be a string, is number`. */
  readonly problem: string;
}

/** What is wrong with a field that must be a text; `undefined` when nothing is. */
export function textProblem(
  value: unknown,
  field: string,
): FieldProblem | undefined {
  return typeof value === "string"
    ? undefined
    : { field, problem: problemOf(value, "a string") };
}

/** What is wrong with a field that must be an object; `undefined` when nothing is. */
export function objectProblem(
  value: unknown,
  field: string,
): FieldProblem | undefined {
  return typeOf(value) === "object"
    ? undefined
    : { field, problem: problemOf(value, "an object") };
}

function problemOf(value: unknown, must: string): string {
  return value === undefined
    ? "is missing"
    : `must be ${must}, is ${typeOf(value)}`;
}

/** The error for a control line of a wrong shape. */
export function malformed(
  line: JsonObject,
  { what, field, problem, scrub }: FieldProblem & {
    /** `Control request` */
    readonly what: string;
    readonly scrub: Scrub | undefined;
  },
): ProtocolError {
  const { value: clean, details } = excerpt(line, scrub);
  const { request_id: id } = line;
  return new ProtocolError({
    message: `${what} is malformed: field "${field}" ${problem}: ${
      show(clean)
    }`,
    category: "protocol",
    ...typeof id === "string" && { requestId: id },
    requestData: clean,
    details: { field, ...details },
  });
}
