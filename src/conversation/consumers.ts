import type { Progress } from "../callbacks/guard.ts";
import type { AgentError } from "../errors/base.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import { host } from "../runtime/host.ts";
import { BatchIterator, batchStream, singleStream } from "../stream/iterate.ts";
import type { BatchSource } from "../stream/queue.ts";
import { FinalResult } from "./final_result.ts";
import type { Life } from "./life.ts";
import { TurnsOutlet } from "./outlet.ts";
import { type Consumer, Ownership } from "./ownership.ts";
import type { Turns } from "./turns.ts";

/** The conversation whose messages are consumed. */
interface Consumed {
  readonly life: Life;
  /** The ledger, once the start has succeeded; rejects if it fails. */
  readonly turns: () => Promise<Turns>;
  /** Throws when it was closed. */
  readonly checkOpen: () => void;
  /** Ends it for a consumer that leaves early. */
  readonly leave: () => Promise<void>;
}

/** All ways to consume the messages of a conversation; they have one consumer at a time. */
export class Consumers {
  readonly #conversation: Consumed;
  readonly #ownership: Ownership;
  readonly #final: FinalResult;
  #messages: ReadableStream<Message> | undefined;
  #batches: ReadableStream<readonly Message[]> | undefined;
  #byTurns: TurnsOutlet | undefined;

  constructor(conversation: Consumed) {
    const { life, turns, checkOpen } = conversation;
    this.#conversation = conversation;
    const ownership = new Ownership(checkOpen, () => life.queue.letPass());
    this.#ownership = ownership;
    this.#final = new FinalResult({ life, ownership, turns });
    life.queue.drained.then(() => this.#endErrors());
  }

  get messages(): ReadableStream<Message> {
    const { leave } = this.#conversation;
    return this.#messages ??= singleStream(this.#claimedBy("messages"), leave);
  }

  get batches(): ReadableStream<readonly Message[]> {
    const { leave } = this.#conversation;
    return this.#batches ??= batchStream(this.#claimedBy("batches"), leave);
  }

  get errors(): ReadableStream<AgentError> {
    return this.#conversation.life.errors.stream;
  }

  iterate(): AsyncIterator<Message> {
    const { leave } = this.#conversation;
    return new BatchIterator(this.#claimedBy("for await"), leave);
  }

  /** The messages turn by turn, for a client. */
  byTurns(turns: () => Turns): TurnsOutlet {
    const { life: { queue, errors } } = this.#conversation;
    return this.#byTurns ??= new TurnsOutlet({
      queue,
      ownership: this.#ownership,
      get errors() {
        return errors.stream;
      },
      get turns() {
        return turns();
      },
    });
  }

  /** The last result; reads all messages if they have no consumer. */
  result(consumer: Consumer): Promise<ResultMessage> {
    return this.#final.read(consumer);
  }

  /** How far the consumer is. */
  get progress(): Progress {
    const { queue } = this.#conversation.life;
    return {
      position: () => queue.position,
      passed: async (position) => {
        if (this.#ownership.owner) await queue.passed(position);
        await afterConsumer();
      },
    };
  }

  #claimedBy(consumer: Consumer): BatchSource<Message> {
    const { queue } = this.#conversation.life;
    return this.#ownership.claimed(consumer, queue);
  }

  /** Ends the errors after the messages, also for a consumer that waits for both. */
  async #endErrors(): Promise<void> {
    const { errors } = this.#conversation.life;
    if (errors.isAwaited) await afterConsumer().catch(() => {});
    errors.end();
  }
}

/** The consumer of messages has continued by the next turn of the event loop, however many promises stand in between. */
async function afterConsumer(): Promise<void> {
  const { nextTurn } = await host();
  await new Promise<void>((resolve) => nextTurn(resolve));
}
