import { unlessAborted } from "../async/on_abort.ts";
import type { McpServeHandler } from "../ports/mcp.ts";

/** A call whose limit can rest. */
export interface Resting {
  /** Lets it rest. */
  rest(): void;
  /** Ends the rest. */
  goOn(): void;
}

/**
 * Answers the questions of one connection, while the limits of its calls rest.
 *
 * A server that asks a person cannot answer before the person does, and does not tell which call it asks for.
 */
export class Questions {
  readonly #calls: () => Iterable<Resting>;
  #open = 0;

  /** Takes where the calls are. */
  constructor(calls: () => Iterable<Resting>) {
    this.#calls = calls;
  }

  /** A call that begins while a question is open rests at once. */
  admit(call: Resting): void {
    if (this.#open > 0) call.rest();
  }

  /** The same handler, whose answers are waited for so; one that was taken back is not. */
  resting(handler: McpServeHandler): McpServeHandler {
    return async (method, params, context) => {
      if (this.#open++ === 0) { for (const call of this.#calls()) call.rest(); }
      try {
        const answer = Promise.resolve(handler(method, params, context));
        return await unlessAborted(answer, context.signal);
      } finally {
        if (--this.#open === 0) {
          for (const call of this.#calls()) call.goOn();
        }
      }
    };
  }
}
