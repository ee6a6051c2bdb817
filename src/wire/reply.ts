import { jsonOf } from "../stream/written.ts";
import type { JsonObject } from "../types/json.ts";

/** A text that JSON writes as it is. */
const SIMPLE = /^[\w-]*$/;

/**
 * The line of a success answer; throws for data that is no JSON, since a line that is none ends the CLI.
 *
 * Put together by hand: the envelope is always the same, and writing it anew costs a quarter of an answer.
 */
export function success(requestId: string, response: JsonObject): string {
  const text = jsonOf(response);
  return `{"type":"control_response","response":{"subtype":"success","request_id":${
    SIMPLE.test(requestId) ? `"${requestId}"` : JSON.stringify(requestId)
  },"response":${text}}}\n`;
}

/** The line of an error answer. */
export function failure(
  requestId: string,
  error: string,
  errorCode?: string,
): string {
  const response = {
    subtype: "error",
    request_id: requestId,
    error,
    ...errorCode !== undefined && { error_code: errorCode },
  };
  return JSON.stringify({ type: "control_response", response }) + "\n";
}
