import { Change } from "../async/change.ts";
import type { AgentError } from "../errors/base.ts";
import type { Message } from "../protocol/messages_other.ts";
import { BatchIterator, batchStream, itemStream } from "../stream/iterate.ts";
import type { BatchSource, Cut, Queue } from "../stream/queue.ts";
import type { MessageStream } from "../types/conversation.ts";
import type { Consumer, Ownership } from "./ownership.ts";
import type { Turn } from "./turn_ends.ts";
import type {
  Leave,
  TurnReader,
  TurnSettings,
  TurnSource,
} from "./turn_reader.ts";
import type { Turns } from "./turns.ts";

/** The conversation whose messages a client reads. */
interface Consumed {
  readonly queue: Queue<Message>;
  readonly ownership: Ownership;
  readonly errors: ReadableStream<AgentError>;
  /** There before the first message. */
  readonly turns: Turns;
}

const ONE_AT_A_TIME = "await that first, or take a client for each dialogue";

/** The messages of a client: all of them, or turn by turn. Consumers come one after the other, and may leave early. */
export class TurnsOutlet implements TurnSource {
  /** All messages: the same object for one connection. */
  readonly all: MessageStream;
  readonly #conversation: Consumed;
  #leftovers: readonly Turn[] = [];
  /** Drops the batch that the current consumer holds. */
  #onCut: ((cut: Cut) => void) | undefined;
  readonly #change = new Change();

  constructor(conversation: Consumed) {
    this.#conversation = conversation;
    conversation.queue.onCut((cut) => this.#onCut?.(cut));
    const batched = this.#everything();
    this.all = {
      messages: itemStream(this.#iterate()),
      batches: batchStream(batched, (rest) => batched.leave(rest)),
      get errors() {
        return conversation.errors;
      },
      [Symbol.asyncIterator]: () => this.#iterate(),
    };
  }

  /** Number of prompts whose answer no reader has begun to read. */
  get unread(): number {
    return this.#conversation.turns.ends.unread;
  }

  /** The messages of one turn: that of the named prompt, or the next unread one. */
  turn(consumer: Consumer, settings: TurnSettings = {}): TurnReader {
    return this.#conversation.turns.read(this, consumer, settings);
  }

  /** Whether a reader has begun with an answer, and has not ended. */
  get isReading(): boolean {
    const { owner } = this.#conversation.ownership;
    return owner !== undefined && owner !== "receiveMessages()";
  }

  /** Resolves when no answer is unread, or being read. */
  async whenRead(): Promise<void> {
    while (this.isReading || this.unread > 0) {
      await this.#change.next;
    }
  }

  claim(
    consumer: Consumer,
    onCut: ((cut: Cut) => void) | undefined,
  ): readonly Turn[] {
    this.#conversation.ownership.claim(consumer, ONE_AT_A_TIME);
    this.#onCut = onCut;
    const leftovers = this.#leftovers;
    this.#leftovers = [];
    return leftovers;
  }

  async take(): Promise<readonly Message[] | undefined> {
    const { queue, turns } = this.#conversation;
    const batch = await queue.take();
    return batch && turns.handOver(batch);
  }

  used(): void {
    this.#conversation.queue.used();
  }

  holds(message: Message): boolean {
    return this.#conversation.queue.holds(message);
  }

  release({ rest, isTaking, leftovers = [] }: Leave): void {
    const { queue, ownership } = this.#conversation;
    if (isTaking) queue.withdraw();
    queue.putBack(rest);
    this.#leftovers = leftovers;
    this.#onCut = undefined;
    ownership.release();
    this.#change.tell();
  }

  #iterate(): AsyncIterableIterator<Message> {
    const everything = this.#everything();
    return new BatchIterator(everything, (rest) => everything.leave(rest));
  }

  /** The source for one consumer of all messages. */
  #everything(): BatchSource<Message> & {
    leave(rest: readonly Message[]): Promise<void>;
  } {
    let isOwner = false;
    let isTaking = false;
    /** The batch that the consumer works on. */
    let held: readonly Message[] = [];
    let onCut: ((cut: Cut) => void) | undefined;
    const read = (count: number) => {
      if (count > 0) {
        this.#conversation.turns.ends.markRead(held.slice(0, count));
        this.#change.tell();
      }
      held = [];
    };
    const leave = (rest: readonly Message[]) => {
      read(held.length - rest.length);
      if (isOwner) this.release({ rest, isTaking });
      isOwner = false;
    };
    return {
      onCut: (listener) => void (onCut = listener),
      used: () => this.used(),
      take: async () => {
        if (!isOwner) {
          this.claim("receiveMessages()", onCut);
          isOwner = true;
        }
        read(held.length);
        isTaking = true;
        try {
          let batch: readonly Message[] | undefined;
          do {
            batch = await this.take();
          } while (isOwner && batch?.length === 0);
          isTaking = false;
          if (!isOwner) return undefined;
          if (batch === undefined) leave([]);
          else held = batch;
          return batch;
        } catch (error) {
          isTaking = false;
          leave([]);
          throw error;
        }
      },
      leave: (rest) => {
        leave(rest);
        return Promise.resolve();
      },
    };
  }
}
