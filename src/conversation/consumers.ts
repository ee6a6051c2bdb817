import type { Progress } from "../callbacks/run_callback.ts";
import { type AgentError, ClosedError, ResultError } from "../errors/base.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import { host } from "../runtime/host.ts";
import { BatchIterator, batchStream, singleStream } from "../stream/iterate.ts";
import type { BatchSource } from "../stream/queue.ts";
import type { Life } from "./life.ts";
import { TurnsOutlet } from "./outlet.ts";
import { type Consumer, Ownership } from "./ownership.ts";
import type { Turns } from "./turns.ts";

/** The conversation whose messages are consumed. */
interface Consumed {
  readonly life: Life;
  /** The ledger, once the start has succeeded; rejects if it fails. */
  readonly turns: () => Promise<Turns>;
  /** Why there is no result if there was no prompt. */
  readonly whyNothingRan: () => string;
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
    const { life, checkOpen } = conversation;
    this.#conversation = conversation;
    const ownership = new Ownership(checkOpen, () => life.queue.letPass());
    this.#ownership = ownership;
    this.#final = new FinalResult(conversation, ownership);
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

  /** Progress of the consumer. */
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

/** The last result of a conversation, read as often as it is asked for. */
class FinalResult {
  readonly #conversation: Consumed;
  readonly #ownership: Ownership;
  #drained: Promise<ResultMessage | undefined> | undefined;

  constructor(conversation: Consumed, ownership: Ownership) {
    this.#conversation = conversation;
    this.#ownership = ownership;
  }

  /** Reads all messages if they have no consumer, or else waits for the result to pass by. */
  async read(consumer: Consumer): Promise<ResultMessage> {
    const { life, turns, whyNothingRan } = this.#conversation;
    if (this.#drained === undefined && !this.#ownership.owner) {
      const source = this.#ownership.claimed(consumer, life.queue);
      this.#drained = lastResult(source);
    }
    const result = await (this.#drained ?? this.#passing());
    if (result !== undefined) return result;
    if (life.reason === "closed") throw new ClosedError("Conversation");
    const { ends } = await turns();
    const why = ends.hasBegun ? "" : `: ${whyNothingRan()}`;
    const message = `Conversation ended without a result${why}`;
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
