import type { Message } from "../protocol/messages_other.ts";
import type { BatchSource } from "../stream/window.ts";

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
  /** Who has them. */
  owner: Taker | undefined;

  constructor(checkOpen: () => void, onRelease: () => void) {
    this.#checkOpen = checkOpen;
    this.#onRelease = onRelease;
  }

  /** Takes the messages; throws `TypeError` that names the owner there is, and what helps. */
  claim(taker: Taker, help?: string): void {
    this.#checkOpen();
    if (this.owner !== undefined) {
      const more = help === undefined ? "" : `; ${help}`;
      throw new TypeError(
        `Messages are already taken by ${this.owner}: ${taker} cannot take them as well${more}`,
      );
    }
    this.owner = taker;
  }

  /** The messages for one taker, who owns them for good, from its first pull on. */
  claimed(taker: Taker, source: BatchSource<Message>): BatchSource<Message> {
    let isOwner = false;
    return {
      onCut: (listener) => source.onCut?.(listener),
      used: () => source.used?.(),
      take: () => {
        try {
          if (!isOwner) this.claim(taker);
        } catch (error) {
          return Promise.reject(error);
        }
        isOwner = true;
        return source.take();
      },
    };
  }

  /** Gives them back. */
  release(): void {
    this.owner = undefined;
    this.#onRelease();
  }
}
