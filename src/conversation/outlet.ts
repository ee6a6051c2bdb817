import { BatchIterator } from "../stream/iterate.ts";
import { batchStream, singleStream } from "../stream/singles.ts";
import type { BatchSource } from "../stream/window.ts";
import type { Message } from "../types/message.ts";
import type { Ownership, Taker } from "./ownership.ts";

/** What an {@link Outlet} is made from. */
export interface OutletInit {
  /** Where the messages come from. */
  readonly source: BatchSource<Message>;
  /** Who owns them. */
  readonly ownership: Ownership;
  /** The consumer left early. */
  readonly onLeave: () => Promise<void>;
}

/** The messages of a conversation in several shapes; the first taker owns them for good, from its first pull on. */
export class Outlet {
  readonly #init: OutletInit;
  #messages: ReadableStream<Message> | undefined;
  #batches: ReadableStream<readonly Message[]> | undefined;

  constructor(init: OutletInit) {
    this.#init = init;
  }

  /** Single messages as a stream; the same one each time. */
  get messages(): ReadableStream<Message> {
    return this.#messages ??= singleStream(
      this.claimed("messages"),
      this.#init.onLeave,
    );
  }

  /** Batches as a stream; the same one each time. */
  get batches(): ReadableStream<readonly Message[]> {
    return this.#batches ??= batchStream(
      this.claimed("batches"),
      this.#init.onLeave,
    );
  }

  /** Single messages, one by one. */
  iterate(): AsyncIterableIterator<Message> {
    const source = this.claimed("for await");
    return new BatchIterator(source, this.#init.onLeave);
  }

  /** The source for one taker. */
  claimed(taker: Taker): BatchSource<Message> {
    const { source, ownership } = this.#init;
    let isOwner = false;
    return {
      onCut: (listener) => source.onCut?.(listener),
      take: () => {
        if (!isOwner) {
          try {
            ownership.claim(taker);
          } catch (error) {
            return Promise.reject(error);
          }
          isOwner = true;
        }
        return source.take();
      },
    };
  }
}
