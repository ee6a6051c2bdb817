import type { JsonObject } from "../types/json.ts";

/**
 * The line of a success answer; throws what `JSON.stringify` throws for data that is no JSON.
 *
 * Put together by hand: the envelope is always the same, and writing it anew costs a quarter of an answer.
 */
export function success(requestId: string, response: JsonObject): string {
  return `{"type":"control_response","response":{"subtype":"success","request_id":${
    JSON.stringify(requestId)
  },"response":${JSON.stringify(response)}}}\n`;
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
