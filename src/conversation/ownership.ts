import type { Message } from "../protocol/messages_other.ts";
import type { BatchSource } from "../stream/queue.ts";

/** A way to consume messages, as errors call it. */
export type Consumer =
  | "for await"
  | "messages"
  | "batches"
  | "text()"
  | "result()"
  | "output()"
  | "receiveMessages()"
  | "receiveResponse()"
  | "ask()";

/** The messages have one consumer at a time. */
export class Ownership {
  readonly #checkOpen: () => void;
  readonly #onRelease: () => void;
  owner: Consumer | undefined;

  constructor(checkOpen: () => void, onRelease: () => void) {
    this.#checkOpen = checkOpen;
    this.#onRelease = onRelease;
  }

  /** Makes it the consumer; throws `TypeError` that names the one there is, and a remedy. */
  claim(consumer: Consumer, remedy?: string): void {
    this.#checkOpen();
    if (this.owner !== undefined) {
      const more = remedy === undefined ? "" : `; ${remedy}`;
      throw new TypeError(
        `Messages are already taken by ${this.owner}: ${consumer} cannot take them as well${more}`,
      );
    }
    this.owner = consumer;
  }

  /** The messages for one consumer, who owns them for good from its first pull on. */
  claimed(
    consumer: Consumer,
    source: BatchSource<Message>,
  ): BatchSource<Message> {
    let isOwner = false;
    return {
      onCut: (listener) => source.onCut?.(listener),
      used: () => source.used?.(),
      take: () => {
        try {
          if (!isOwner) this.claim(consumer);
        } catch (error) {
          return Promise.reject(error);
        }
        isOwner = true;
        return source.take();
      },
    };
  }

  release(): void {
    this.owner = undefined;
    this.#onRelease();
  }
}
