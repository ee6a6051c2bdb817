import { BatchIterator, batchStream, singleStream } from "../stream/iterate.ts";
import type { BatchSource } from "../stream/window.ts";
import type { Message } from "../types/message.ts";

/** How messages are taken, as it reads in an error. */
export type Taker =
  | "for await"
  | "messages"
  | "batches"
  | "text()"
  | "result()"
  | "output()"
  | "receiveMessages()"
  | "receiveResponse()"
  | "ask()";

/** The messages have one owner at a time. */
export class Ownership {
  readonly #checkOpen: () => void;
  readonly #onRelease: () => void;
  #owner: Taker | undefined;

  constructor(checkOpen: () => void, onRelease: () => void) {
    this.#checkOpen = checkOpen;
    this.#onRelease = onRelease;
  }

  get isTaken(): boolean {
    return this.#owner !== undefined;
  }

  /** Takes the messages; throws `TypeError` that names the owner there is. */
  claim(taker: Taker): void {
    this.#checkOpen();
    if (this.#owner !== undefined) {
      throw new TypeError(
        `Messages are already taken by ${this.#owner}: ${taker} cannot take them as well`,
      );
    }
    this.#owner = taker;
  }

  /** Gives them back. */
  release(): void {
    this.#owner = undefined;
    this.#onRelease();
  }
}

/** The messages of a conversation in several shapes; the first taker owns them for good, from its first pull on. */
export class Outlet {
  readonly #source: BatchSource<Message>;
  readonly #ownership: Ownership;
  readonly #onLeave: () => Promise<void>;
  #messages: ReadableStream<Message> | undefined;
  #batches: ReadableStream<readonly Message[]> | undefined;

  constructor(
    source: BatchSource<Message>,
    ownership: Ownership,
    onLeave: () => Promise<void>,
  ) {
    this.#source = source;
    this.#ownership = ownership;
    this.#onLeave = onLeave;
  }

  /** Single messages as a stream; the same one each time. */
  get messages(): ReadableStream<Message> {
    return this.#messages ??= singleStream(
      this.claimed("messages"),
      this.#onLeave,
    );
  }

  /** Batches as a stream; the same one each time. */
  get batches(): ReadableStream<readonly Message[]> {
    return this.#batches ??= batchStream(
      this.claimed("batches"),
      this.#onLeave,
    );
  }

  /** Single messages, one by one. */
  iterate(): AsyncIterableIterator<Message> {
    const source = this.claimed("for await");
    return new BatchIterator(source, this.#onLeave);
  }

  /** The source for one taker. */
  claimed(taker: Taker): BatchSource<Message> {
    const source = this.#source;
    let isOwner = false;
    return {
      onCut: (listener) => source.onCut?.(listener),
      used: () => source.used?.(),
      take: () => {
        if (!isOwner) {
          try {
            this.#ownership.claim(taker);
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
