import { ProtocolError } from "../errors/protocol.ts";
import { show, typeOf } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import type { Telling } from "./telling.ts";

/** Kinds of control lines, as errors call them. */
const KINDS = {
  control_request: "Control request",
  control_cancel_request: "Cancellation of a control request",
  control_response: "Control response",
} as const;

/** Counts and reports a control line of a wrong shape. */
export function reportMalformed(
  kind: keyof typeof KINDS,
  line: JsonObject,
  problem: FieldProblem,
  { metrics, report }: Telling,
): void {
  metrics?.malformedMessage(kind);
  report(malformed(line, { what: KINDS[kind], ...problem }));
}

/** A missing field, or one of a wrong type. */
export interface FieldProblem {
  readonly field: string;
  /** `is missing`, or `must be a string, is number`. */
  readonly problem: string;
}

/** The problem of a field that must be `a string` or `an object`. */
export function wrong(
  field: string,
  value: unknown,
  must: string,
): FieldProblem {
  const problem = value === undefined
    ? "is missing"
    : `must be ${must}, is ${typeOf(value)}`;
  return { field, problem };
}

/** The error for a control line of a wrong shape. */
export function malformed(
  line: JsonObject,
  { what, field, problem }: FieldProblem & {
    /** `Control request` */
    readonly what: string;
  },
): ProtocolError {
  const { request_id: id } = line;
  return new ProtocolError({
    message: `${what} is malformed: field "${field}" ${problem}: ${show(line)}`,
    category: "protocol",
    ...typeof id === "string" && { requestId: id },
    requestData: line,
    details: { field },
  });
}
