import type { AgentError } from "../errors/base.ts";
import type { Message } from "../protocol/messages_other.ts";
import {
  BatchIterator,
  batchStream,
  itemStream,
  PutBack,
} from "../stream/iterate.ts";
import type { BatchSource, Cut } from "../stream/window.ts";
import type { MessageStream } from "../types/conversation.ts";
import type { Ownership, Taker } from "./ownership.ts";
import type { ReadTurn, TurnReader, TurnSettings } from "./turn_reader.ts";
import type { Turn } from "./turn_ends.ts";
import type { Turns } from "./turns.ts";

/** The conversation whose messages are read. */
interface Consumed {
  readonly source: BatchSource<Message>;
  readonly ownership: Ownership;
  readonly errors: ReadableStream<AgentError>;
  readonly turns: Turns;
  readonly readTurn: ReadTurn;
}

/** What helps who uses a client for two things at once. */
const ONE_AT_A_TIME = "await that first, or take a client for each dialogue";

/** The messages of a client: all of them, or turn by turn. Takers come one after the other, and may leave early. */
export class TurnsOutlet {
  /** All messages: the same object for one connection. */
  readonly all: MessageStream;
  /** What all takers take from, and give back what they did not read. */
  readonly source: PutBack<Message>;
  readonly #conversation: Consumed;
  #leftovers: readonly Turn[] = [];
  /** Drops what the taker of the moment holds. */
  #onCut: ((cut: Cut) => void) | undefined;

  constructor(conversation: Consumed) {
    const { source } = conversation;
    this.#conversation = conversation;
    source.onCut?.((cut) => this.#onCut?.(cut));
    this.source = new PutBack({
      onCut: (listener) => source.onCut?.(listener),
      used: () => source.used?.(),
      // Nothing may be left of a batch, and still a turn be over.
      take: async () => {
        const batch = await source.take();
        return batch && conversation.turns.handOver(batch);
      },
    });
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

  /** The messages of one turn: that of the prompt named, or the next that nobody has read. */
  turn(taker: Taker, settings: TurnSettings = {}): TurnReader {
    return this.#conversation.readTurn(this, taker, settings);
  }

  /** Takes the messages, and says how what was taken is dropped; gives the turns that were left early, to be read first. */
  claim(taker: Taker, onCut?: (cut: Cut) => void): readonly Turn[] {
    this.#conversation.ownership.claim(taker, ONE_AT_A_TIME);
    this.#onCut = onCut;
    const leftovers = this.#leftovers;
    this.#leftovers = [];
    return leftovers;
  }

  /** Gives the messages back, with the turns that were not read to their end. */
  release(leftovers: readonly Turn[] = []): void {
    this.#leftovers = leftovers;
    this.#onCut = undefined;
    this.#conversation.ownership.release();
  }

  #iterate(): AsyncIterableIterator<Message> {
    const everything = this.#everything();
    return new BatchIterator(everything, (rest) => everything.leave(rest));
  }

  /** The source for one taker of all messages; what it did not read goes back when it leaves. */
  #everything(): BatchSource<Message> & {
    leave(rest: readonly Message[]): Promise<void>;
  } {
    let isOwner = false;
    /** The batch that the consumer works on: what it leaves of that is not read. */
    let held: readonly Message[] = [];
    let onCut: ((cut: Cut) => void) | undefined;
    const markRead = (rest: readonly Message[]) => {
      const { length } = held;
      this.#conversation.turns.ends.markRead(
        held.slice(0, length - rest.length),
      );
      held = [];
    };
    const release = () => {
      if (!isOwner) return;
      isOwner = false;
      this.release();
    };
    return {
      onCut: (listener) => void (onCut = listener),
      used: () => this.source.used(),
      take: async () => {
        if (!isOwner) {
          this.claim("receiveMessages()", onCut);
          isOwner = true;
        }
        if (held.length > 0) markRead([]);
        try {
          let batch = await this.source.take();
          while (batch?.length === 0) batch = await this.source.take();
          if (batch === undefined) release();
          else held = batch;
          return batch;
        } catch (error) {
          release();
          throw error;
        }
      },
      leave: (rest) => {
        this.source.putBack(rest);
        if (held.length > 0) markRead(rest);
        release();
        return Promise.resolve();
      },
    };
  }
}
