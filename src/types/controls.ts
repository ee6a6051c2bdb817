import type { JsonObject } from "./json.ts";

/** Last parameter of every control. */
export interface ControlOptions {
  /** Cancels the request; the CLI is notified. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of the request, in milliseconds; `timeouts.controlMs`, 60 000. */
  readonly timeoutMs?: number | undefined;
}

/** Fields of a control request, by `subtype`. */
export interface ControlFields extends JsonObject {
  /** Kind of request. */
  readonly subtype: string;
}

/** Context of a control request. */
export interface ControlContext {
  /** Id of the request. */
  readonly requestId: string;
  /** Aborted when the CLI takes the request back, the limit passes or the conversation ends; no answer is sent after. */
  readonly signal: AbortSignal;
}

/**
 * Answers one kind of request of the CLI; may be called several times at once.
 *
 * The object becomes the `response` of a success; a throw becomes an error answer. A promise of `undefined` says that
 * the request was taken back in a way of its own (MCP's `notifications/cancelled`): nothing is answered.
 */
export type ControlHandler = (
  request: ControlFields,
  context: ControlContext,
) => JsonObject | Promise<JsonObject | undefined>;

/** Answer to a request whose handler failed; `undefined` = an error answer. */
export type Denial = (
  request: ControlFields,
  reason: string,
) => JsonObject | undefined;
