import type { JsonObject, JsonValue } from "../types/json.ts";
import { AgentError, type AgentErrorInit } from "./base.ts";
import { excerpt } from "./excerpt.ts";
import { withoutSecrets } from "./secrets.ts";
import { cut, show, showFacts } from "./text.ts";

/** Category of a failure in the control protocol. */
export type ProtocolCategory =
  /** A control line is malformed or unsupported; `details.field` names the field. Fatal when the CLI did not accept a field of `initialize`. Update the CLI. */
  | "protocol"
  /** A control request got no reply, or a callback was late. Raise the timeout that the message names. */
  | "timeout"
  /** The CLI exited, or `limits.maxBufferedBytes` was full, before the reply arrived. Read the messages: the reply comes after them. */
  | "transport"
  /** A hook, permission or MCP callback threw or returned invalid output. Repair the callback; `cause` is its error. */
  | "handler";

/**
 * The control protocol failed.
 *
 * Fix: Depends on the code.
 */
export class ProtocolError extends AgentError<{
  readonly category: ProtocolCategory;
  readonly requestId?: string | undefined;
  readonly subtype?: string | undefined;
  readonly requestData?: JsonObject | undefined;
}> {
  /** Name of the class. */
  override readonly name = "ProtocolError";
  /** Error code: `protocol_` and the category. */
  override readonly code: `protocol_${ProtocolCategory}`;
  /** Category of the failure. */
  declare readonly category: ProtocolCategory;
  /** Id of the request, if there is one. */
  declare readonly requestId: string | undefined;
  /** Kind of the request, if there is one. */
  declare readonly subtype: string | undefined;
  /** The request, if there is one, cut at 4,096 characters; values under secret names are redacted. */
  declare readonly requestData: JsonObject | undefined;

  /** Creates the error from the category and the request. */
  constructor(
    init:
      & AgentErrorInit
      & Pick<ProtocolError, "category">
      & Partial<Pick<ProtocolError, "requestId" | "subtype" | "requestData">>,
  ) {
    const { message, category, subtype, requestId } = init;
    const facts = showFacts({ category, subtype, request: requestId });
    const { value, details } = excerpt(init.requestData);
    super({
      ...init,
      message: message + facts,
      details: { ...init.details, ...details },
      requestData: withoutSecrets(value),
    });
    this.code = `protocol_${category}`;
  }
}

/**
 * The CLI refused a control request; fatal when it refused `initialize`.
 *
 * Fix: Read `errorCode` and the message.
 */
export class ControlError extends AgentError<{
  readonly subtype: string;
  readonly errorCode?: string | undefined;
}> {
  /** Name of the class. */
  override readonly name = "ControlError";
  /** Error code, a literal. */
  override readonly code = "control";
  /** Kind of the request. */
  declare readonly subtype: string;
  /** The CLI's own code, such as `invalid_mode`; `undefined` if the CLI gave none. */
  declare readonly errorCode: string | undefined;
}

/**
 * A line of stdout is not a message, or a message lacks a required field; the stream continues.
 *
 * Fix: Report it: the versions of CLI and Sluice may not match.
 */
export class ParseError extends AgentError<{
  readonly messageType: string;
  readonly field?: string | undefined;
  readonly rawData: unknown;
}> {
  /** Name of the class. */
  override readonly name = "ParseError";
  /** Error code, a literal. */
  override readonly code = "parse";
  /** Kind of the message; `"line"` when the line was not a message. */
  declare readonly messageType: string;
  /** Path of the wrong field, dotted, with indexes; `undefined` when the whole message is wrong. */
  declare readonly field: string | undefined;
  /** The value, or the first 200 characters of a line that is not JSON. A value is cut at 4,096 characters; `details.bytes` is its full size. */
  declare readonly rawData: unknown;

  /** Creates the error from the problem and the data; the text shows at most 200 characters of the data. */
  constructor(
    init:
      & AgentErrorInit
      & Pick<ParseError, "messageType" | "rawData">
      & Partial<Pick<ParseError, "field">>,
  ) {
    const { value: rawData, details } = excerpt(init.rawData as JsonValue);
    const shown = typeof rawData === "string" ? cut(rawData) : show(rawData);
    super({
      ...init,
      message: `${init.message}: ${shown}`,
      details: { ...init.details, ...details },
      rawData,
    });
  }
}
