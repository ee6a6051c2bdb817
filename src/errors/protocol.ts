import type { JsonObject, JsonValue } from "../types/json.ts";
import { AgentError, type AgentErrorInit } from "./base.ts";
import { excerpt } from "./excerpt.ts";
import { withoutSecrets } from "./secrets.ts";
import { cut, show, showFacts } from "./text.ts";

/** Category of a failure in the control protocol. */
export type ProtocolCategory =
  /** There are two causes. If the CLI sent a malformed or unsupported control message, update the CLI. If you sent a prompt while a tool call waited for an approval, the CLI dropped the call. Next time, close and resume the conversation before you send a prompt. */
  | "protocol"
  /** A control request got no reply in time, or a callback did not return in time. Raise the timeout that the message names. */
  | "timeout"
  /** A control request cannot get a reply. Either the CLI has exited, or your program has more than 64 MiB of unread messages (`limits.maxBufferedBytes`). In the second case, read the messages and repeat the request. */
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
  /** The request, if there is one, cut to 4,096 characters. */
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
 * The CLI refused a control request.
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
  /** Code of the CLI, such as `invalid_mode`; `undefined` if the CLI sent no code. */
  declare readonly errorCode: string | undefined;
}

/**
 * A line of the CLI's stdout is not a message, or a message lacks a required field. The conversation continues.
 *
 * Fix: Update Sluice and the CLI, because their versions may not match. If the error stays, report it.
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
  /** Type of the message, such as `"assistant"`; `"line"` if the line is not a message. */
  declare readonly messageType: string;
  /** Path of the wrong field, dotted, with indexes of lists; `undefined` if the whole message is wrong. */
  declare readonly field: string | undefined;
  /** The parsed line, cut to 4,096 characters. If the line is not JSON: its first 200 characters, as text. */
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
