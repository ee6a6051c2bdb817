import type { JsonObject } from "../types/json.ts";
import { AgentError, type AgentErrorInit } from "./base.ts";
import { withoutSecrets } from "./redact.ts";

/** What kind of thing went wrong in the control protocol. */
export type ProtocolCategory =
  | "protocol"
  | "timeout"
  | "transport"
  | "handler";

/** Arguments of {@link ProtocolError}. */
export interface ProtocolErrorInit extends AgentErrorInit {
  /** What kind of thing went wrong. */
  readonly category: ProtocolCategory;
  /** Id of the request, if there is one. */
  readonly requestId?: string;
  /** Kind of the request, if there is one. */
  readonly subtype?: string;
  /** The request, if there is one; of one above 4,096 characters the beginning. */
  readonly requestData?: JsonObject;
}

/** Something in the control protocol failed: nonsense, a limit, the pipe, or a callback. */
export class ProtocolError extends AgentError {
  /** Name of the class. */
  override readonly name = "ProtocolError";
  /** Family: `protocol_` and the category. */
  override readonly code: `protocol_${ProtocolCategory}`;
  /** What kind of thing went wrong. */
  readonly category: ProtocolCategory;
  /** Id of the request, if there is one. */
  readonly requestId: string | undefined;
  /** Kind of the request, if there is one. */
  readonly subtype: string | undefined;
  /** The request, if there is one; what stands under a telling name is left out. */
  readonly requestData: JsonObject | undefined;

  /** Takes the category and the request. */
  constructor(init: ProtocolErrorInit) {
    super({ fatal: false, ...init, message: init.message + showRequest(init) });
    this.code = `protocol_${init.category}`;
    this.category = init.category;
    this.requestId = init.requestId;
    this.subtype = init.subtype;
    this.requestData = withoutSecrets(init.requestData);
  }
}

/** Arguments of {@link ControlError}. */
export interface ControlErrorInit extends AgentErrorInit {
  /** Kind of the request. */
  readonly subtype: string;
  /** The CLI's own code, if it gave one. */
  readonly errorCode?: string;
}

/** The CLI answered a control request with an error. */
export class ControlError extends AgentError {
  /** Name of the class. */
  override readonly name = "ControlError";
  /** Family. */
  override readonly code = "control";
  /** Kind of the request. */
  readonly subtype: string;
  /** The CLI's own code, such as `invalid_mode`; `undefined` when it gave none. */
  readonly errorCode: string | undefined;

  /** Takes the request and the CLI's words. */
  constructor(init: ControlErrorInit) {
    super({ fatal: false, ...init });
    this.subtype = init.subtype;
    this.errorCode = init.errorCode;
  }
}

function showRequest(init: ProtocolErrorInit): string {
  const facts = [
    `category: ${init.category}`,
    ...(init.subtype === undefined ? [] : [`subtype: ${init.subtype}`]),
    ...(init.requestId === undefined ? [] : [`request: ${init.requestId}`]),
  ];
  return ` (${facts.join(", ")})`;
}
