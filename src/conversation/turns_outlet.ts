import type { AgentError } from "../errors/base.ts";
import { BatchIterator, batchStream, itemStream } from "../stream/iterate.ts";
import { PutBack } from "../stream/put_back.ts";
import type { BatchSource, Cut } from "../stream/window.ts";
import type { MessageStream } from "../types/conversation.ts";
import type { Message } from "../types/message.ts";
import type { Ownership, Taker } from "./outlet.ts";
import { TurnReader } from "./turn_reader.ts";
import type { Turn, Turns } from "./turns.ts";

/** What a {@link TurnsOutlet} is made from. */
export interface TurnsOutletInit {
  /** Where the messages come from. */
  readonly source: BatchSource<Message>;
  /** Who owns them at the moment. */
  readonly ownership: Ownership;
  /** The prompts and their results; asked when there are messages. */
  readonly turns: () => Turns;
  /** The errors beside them. */
  readonly errors: () => ReadableStream<AgentError>;
}

/** The messages of a client: all of them, or turn by turn. Takers come one after the other, and may leave early. */
export class TurnsOutlet {
  /** All messages: the same object for one connection. */
  readonly all: MessageStream;
  readonly #init: TurnsOutletInit;
  readonly #source: PutBack<Message>;
  #leftovers: readonly Turn[] = [];
  /** Drops what the taker of the moment holds. */
  #onCut: ((cut: Cut) => void) | undefined;

  constructor(init: TurnsOutletInit) {
    const { source, turns } = this.#init = init;
    source.onCut?.((cut) => this.#onCut?.(cut));
    this.#source = new PutBack({
      onCut: (listener) => source.onCut?.(listener),
      used: () => source.used?.(),
      // Nothing may be left of a batch, and still a turn be over.
      take: async () => {
        const batch = await source.take();
        return batch && turns().handOver(batch);
      },
    });
    this.all = this.#messageStream();
  }

  /** The messages of one turn: that of the prompt named, or the next that nobody has read. */
  turn(
    taker: Taker,
    { uuid, signal }: { uuid?: string; signal?: AbortSignal | undefined } = {},
  ): TurnReader {
    const { ownership, turns } = this.#init;
    const reader = new TurnReader({
      source: this.#source,
      turns: turns(),
      signal,
      uuid,
      onBegin: () => {
        ownership.claim(taker);
        this.#onCut = () => reader.drop();
        const leftovers = this.#leftovers;
        this.#leftovers = [];
        return leftovers;
      },
      onEnd: (leftovers) => {
        this.#leftovers = leftovers;
        this.#onCut = undefined;
        ownership.release();
      },
    });
    return reader;
  }

  #messageStream(): MessageStream {
    const { errors } = this.#init;
    const batched = this.#everything();
    return {
      messages: itemStream(this.#iterate()),
      batches: batchStream(batched, (rest) => batched.leave(rest)),
      get errors() {
        return errors();
      },
      [Symbol.asyncIterator]: () => this.#iterate(),
    };
  }

  #iterate(): AsyncIterableIterator<Message> {
    const everything = this.#everything();
    return new BatchIterator(everything, (rest) => everything.leave(rest));
  }

  /** The source for one taker of all messages; what it did not read goes back when it leaves. */
  #everything(): BatchSource<Message> & {
    leave(rest: readonly Message[]): Promise<void>;
  } {
    const { ownership, turns } = this.#init;
    let isOwner = false;
    let onCut: ((cut: Cut) => void) | undefined;
    const release = () => {
      if (!isOwner) return;
      isOwner = false;
      this.#onCut = undefined;
      ownership.release();
    };
    return {
      onCut: (listener) => void (onCut = listener),
      used: () => this.#source.used(),
      take: async () => {
        if (!isOwner) {
          ownership.claim("receiveMessages()");
          isOwner = true;
          this.#onCut = onCut;
          this.#leftovers = [];
        }
        try {
          let batch = await this.#source.take();
          while (batch?.length === 0) batch = await this.#source.take();
          if (batch === undefined) release();
          else turns().markRead(batch, true);
          return batch;
        } catch (error) {
          release();
          throw error;
        }
      },
      leave: (rest) => {
        this.#source.putBack(rest);
        if (rest.length > 0) turns().markRead(rest, false);
        release();
        return Promise.resolve();
      },
    };
  }
}
