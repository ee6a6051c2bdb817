import { ResultError, StructuredOutputError } from "../errors/base.ts";
import { LOG_IN, show } from "../errors/text.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import type { Schema } from "../types/schema.ts";

/** Facts about a CLI that explain its error results. */
export interface ResultOrigin {
  /** Address of the model from `ANTHROPIC_BASE_URL`, without secrets; absent if unset. */
  readonly modelAddress?: string | undefined;
}

/** The error of a request that did not reach the model. Source: tried on CLI 2.1.330. */
const UNREACHED =
  /^API Error:.*(?:\bE(?:CONN|HOST|NET)[A-Z]+|\bE(?:AI_AGAIN|TIMEDOUT|NOTFOUND)\b|Connection ?[Rr]efused|Unable to connect)/s;

/** The result's text; `ResultError` when it is an error. */
export function textOfResult(
  result: ResultMessage,
  origin: ResultOrigin = {},
): string {
  const text = textIn(result);
  if (!isError(result) && text !== undefined) return text;
  throw isError(result) ? errorOf(result, origin) : new ResultError({
    message: "Turn ended with a result without a text",
    result,
  });
}

/** Whether a result is an error; one may lack the word, and tell by its kind. */
function isError({ is_error: isToldSo, subtype }: ResultMessage): boolean {
  return isToldSo || subtype !== "success";
}

function errorOf(result: ResultMessage, origin: ResultOrigin): ResultError {
  return new ResultError({
    message: `Turn ended with an error result: ${explained(result, origin)}`,
    result,
  });
}

/** The structured output as its schema makes it; `ResultError` when the result is an error, `StructuredOutputError` when it is missing or wrong. */
export async function outputOfResult<T>(
  result: ResultMessage,
  schema: Schema | undefined,
  origin: ResultOrigin = {},
): Promise<T> {
  // Of all error results this one alone is about the output.
  const isGivenUp = result.subtype === "error_max_structured_output_retries";
  if (isError(result) && !isGivenUp) throw errorOf(result, origin);
  const value = "structured_output" in result
    ? result.structured_output
    : undefined;
  if (isGivenUp || value === undefined) {
    throw new StructuredOutputError({
      message: `Structured output is missing: ${
        isGivenUp
          ? explained(result, origin)
          : schema === undefined
          ? 'it was not requested: set "outputSchema"'
          : `the model answered in words alone: ${show(textIn(result))}`
      }`,
      result,
    });
  }
  if (schema === undefined) return value as T;
  const { readOutput } = await import("../options/schema_check.ts");
  const reading = await readOutput(schema, value);
  if (reading.problem !== undefined) {
    throw new StructuredOutputError({
      message: `Structured output does not fit its schema: ${reading.problem}`,
      result,
    });
  }
  // The caller names the type that goes with the schema.
  return reading.value as T;
}

/** A result may lack all but how it ended. */
function textIn(result: ResultMessage): string | undefined {
  return result.subtype === "success" && typeof result.result === "string"
    ? result.result
    : undefined;
}

/** The reason, with the address of a model that was not reached, and the remedy if it is known. */
function explained(
  result: ResultMessage,
  { modelAddress }: ResultOrigin,
): string {
  const reason = reasonOf(result);
  // The CLI's advice can be typed into the CLI alone.
  if (reason.includes("Please run /login")) return `${reason}; ${LOG_IN}`;
  return modelAddress !== undefined && UNREACHED.test(reason)
    ? `${reason}; ANTHROPIC_BASE_URL is ${modelAddress}`
    : reason;
}

function reasonOf(result: ResultMessage): string {
  const text = textIn(result);
  if (text !== undefined) return text;
  const errors = "errors" in result && Array.isArray(result.errors)
    ? result.errors
    : [];
  return errors.length > 0
    ? `${result.subtype}: ${errors.join("; ")}`
    : result.subtype;
}
