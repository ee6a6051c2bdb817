import type { JsonObject } from "../types/json.ts";
import { AgentError, type AgentErrorInit } from "./base.ts";
import { withoutSecrets } from "./secrets.ts";
import { cut, show, showFacts } from "./text.ts";

/** Category of a failure in the control protocol. */
export type ProtocolCategory =
  | "protocol"
  | "timeout"
  | "transport"
  | "handler";

/** Something in the control protocol failed: nonsense, a limit, the pipe, or a callback. */
export class ProtocolError extends AgentError {
  /** Name of the class. */
  override readonly name = "ProtocolError";
  /** Family: `protocol_` and the category. */
  override readonly code: `protocol_${ProtocolCategory}`;
  /** Category of the failure. */
  readonly category: ProtocolCategory;
  /** Id of the request, if there is one. */
  readonly requestId: string | undefined;
  /** Kind of the request, if there is one. */
  readonly subtype: string | undefined;
  /** The request, if there is one; what stands under a telling name is left out. */
  readonly requestData: JsonObject | undefined;

  /** Takes the category and the request. */
  constructor(
    init:
      & AgentErrorInit
      & Pick<ProtocolError, "category">
      & Partial<Pick<ProtocolError, "requestId" | "subtype" | "requestData">>,
  ) {
    const { message, category, subtype, requestId } = init;
    const facts = showFacts({ category, subtype, request: requestId });
    super({
      fatal: false,
      ...init,
      message: message + facts,
    });
    this.code = `protocol_${category}`;
    this.category = category;
    this.requestId = requestId;
    this.subtype = subtype;
    this.requestData = withoutSecrets(init.requestData);
  }
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
  constructor(
    init:
      & AgentErrorInit
      & Pick<ControlError, "subtype">
      & Partial<Pick<ControlError, "errorCode">>,
  ) {
    super({ fatal: false, ...init });
    this.subtype = init.subtype;
    this.errorCode = init.errorCode;
  }
}

/** One line of the CLI is not a message, or a message lacks a required field. The stream continues. */
export class ParseError extends AgentError {
  /** Name of the class. */
  override readonly name = "ParseError";
  /** Family. */
  override readonly code = "parse";
  /** Kind of the message; `"line"` when the line was no message at all. */
  readonly messageType: string;
  /** The field that is wrong, dotted with indexes; `undefined` when the whole is. */
  readonly field: string | undefined;
  /** The value, or the first 200 characters of a line that is no JSON; of a value above 4,096 characters the beginning, its size in `details.bytes`. */
  readonly rawData: unknown;

  /** Takes what is wrong and the data; the text shows at most 200 characters of it. */
  constructor(
    init:
      & AgentErrorInit
      & Pick<ParseError, "messageType" | "rawData">
      & Partial<Pick<ParseError, "field">>,
  ) {
    super({
      fatal: false,
      ...init,
      message: `${init.message}: ${
        typeof init.rawData === "string"
          ? cut(init.rawData)
          : show(init.rawData)
      }`,
    });
    this.messageType = init.messageType;
    this.field = init.field;
    this.rawData = init.rawData;
  }
}
