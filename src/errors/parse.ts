import { AgentError, type AgentErrorInit } from "./base.ts";
import { cut, show } from "./text.ts";

/** One line of the CLI is not a message, or a message lacks what its kind requires. The stream goes on. */
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
