import type { Readable } from "node:stream";

type Chunk = ReadableStreamReadResult<Uint8Array>;

/** Who waits for a chunk. */
interface Taker {
  readonly resolve: (chunk: Chunk) => void;
  readonly reject: (error: Error) => void;
}

/**
 * What a child of Node writes, chunk by chunk.
 *
 * By hand, because `Readable.toWeb()` reads ahead and takes a millisecond more for the first chunk. What flows goes straight
 * to whoever waits; a chunk that nobody waits for is held, and stops the flow. More than one is held after the exit, when
 * Node sets the flow going by itself.
 */
export class NodeOutput {
  readonly #output: Readable;
  readonly #held: Uint8Array[] = [];
  #taker: Taker | undefined;

  constructor(output: Readable) {
    this.#output = output;
    output.pause();
    output.on("data", (chunk: Uint8Array) => this.#take(chunk));
    for (const event of ["end", "error", "close"]) {
      output.on(event, () => this.#end());
    }
  }

  /** The next chunk; calls come one after the other. */
  read(): Promise<Chunk> {
    return new Promise((resolve, reject) => {
      this.#taker = { resolve, reject };
      const value = this.#held.shift();
      if (value !== undefined) this.#take(value);
      else if (this.#isOver) this.#end();
      else this.#output.resume();
    });
  }

  /** Nobody wants the rest. */
  cancel(): void {
    this.#held.length = 0;
    this.#output.destroy();
  }

  get #isOver(): boolean {
    return this.#output.readableEnded || this.#output.destroyed;
  }

  #take(value: Uint8Array): void {
    if (this.#taker === undefined) {
      this.#held.push(value);
      this.#output.pause();
      return;
    }
    const { resolve } = this.#taker;
    this.#taker = undefined;
    resolve({ done: false, value });
  }

  #end(): void {
    const taker = this.#taker;
    this.#taker = undefined;
    const { errored } = this.#output;
    if (errored) taker?.reject(errored);
    else taker?.resolve({ done: true });
  }
}
