import type { JsonObject } from "../types/json.ts";

/** The line of a success answer. Throws what `JSON.stringify` throws for data that is no JSON. */
export function success(requestId: string, response: JsonObject): string {
  return line({ subtype: "success", request_id: requestId, response });
}

/** The line of an error answer. */
export function failure(
  requestId: string,
  error: string,
  errorCode?: string,
): string {
  return line({
    subtype: "error",
    request_id: requestId,
    error,
    ...(errorCode === undefined ? {} : { error_code: errorCode }),
  });
}

function line(response: JsonObject): string {
  return JSON.stringify({ type: "control_response", response }) + "\n";
}
