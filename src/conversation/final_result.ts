import { ClosedError, ResultError } from "../errors/base.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import type { BatchSource } from "../stream/queue.ts";
import type { Life } from "./life.ts";
import type { Consumer, Ownership } from "./ownership.ts";
import type { Turns } from "./turns.ts";

interface Answering {
  readonly life: Life;
  readonly ownership: Ownership;
  /** The ledger, once the start has succeeded; rejects if it fails. */
  readonly turns: () => Promise<Turns>;
}

/** The last result of a conversation, read as often as it is asked for. */
export class FinalResult {
  readonly #conversation: Answering;
  #drained: Promise<ResultMessage | undefined> | undefined;

  constructor(conversation: Answering) {
    this.#conversation = conversation;
  }

  /** Reads all messages if they have no consumer, or else waits for the result to pass by. */
  async read(consumer: Consumer): Promise<ResultMessage> {
    const { life, ownership } = this.#conversation;
    if (this.#drained === undefined && !ownership.owner) {
      const source = ownership.claimed(consumer, life.queue);
      this.#drained = lastResult(source);
    }
    const result = await (this.#drained ?? this.#passing());
    if (result !== undefined) return result;
    if (life.reason === "closed") throw new ClosedError("Conversation");
    const message = "Conversation ended without a result";
    throw new ResultError({ message, result });
  }

  /** Does not wait for the end of the messages: it may be their consumer that asks. */
  async #passing(): Promise<ResultMessage | undefined> {
    const { life, turns } = this.#conversation;
    let known: Turns | undefined;
    const answered = turns().then((one) => {
      known = one;
      return one.answered.promise;
    });
    await Promise.race([answered.catch(() => {}), life.ending.promise]);
    if (life.error !== undefined) throw life.error;
    return known?.state.lastResult;
  }
}

async function lastResult(
  source: BatchSource<Message>,
): Promise<ResultMessage | undefined> {
  let last: ResultMessage | undefined;
  for (;;) {
    const batch = await source.take();
    if (batch === undefined) return last;
    for (const message of batch) if (message.type === "result") last = message;
  }
}
