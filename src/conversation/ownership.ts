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
  #owner: Taker | undefined;

  /** Takes what throws when nobody may take any more. */
  constructor(checkOpen: () => void) {
    this.#checkOpen = checkOpen;
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
  }
}
