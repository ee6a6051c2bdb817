import type { ControlContext, ControlFields } from "../types/controls.ts";
import type { JsonObject } from "../types/json.ts";

/** A request that is being served; its signal is made when it is read. */
export class Served implements ControlContext {
  readonly requestId: string;
  readonly request: ControlFields;
  /** By the monotonic clock; 0 without metrics. */
  readonly startedMs: number;
  /** When its wait for an answer began, in milliseconds since 1970. */
  startedAt = 0;
  #controller: AbortController | undefined;
  #reason: unknown;

  constructor(requestId: string, request: ControlFields, startedMs: number) {
    this.requestId = requestId;
    this.request = request;
    this.startedMs = startedMs;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  abort(
    reason: unknown = new DOMException(
      "This operation was aborted",
      "AbortError",
    ),
  ): void {
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

/** A response that is absent from its answer. */
export const NO_RESPONSE: JsonObject = {};

/**
 * The line of a success answer; throws for data that is not JSON, since a malformed line ends the CLI.
 *
 * Put together by hand: the envelope is always the same, and writing it anew costs a quarter of an answer.
 */
export function success(
  requestId: string | number,
  response: JsonObject,
): string {
  const text: string | undefined = JSON.stringify(response);
  if (text === undefined) throw new TypeError("Answer is no JSON: undefined");
  const id = JSON.stringify(requestId);
  const field = response === NO_RESPONSE ? "" : `,"response":${text}`;
  return `{"type":"control_response","response":{"subtype":"success","request_id":${id}${field}}}\n`;
}

/** The line of an error answer. */
export function failure(
  requestId: string | number,
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
