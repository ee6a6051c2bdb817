import { unlessAborted } from "./on_abort.ts";

/** Limits how many run at once; the others wait in order of arrival. */
export class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  /** Runs work inside; rejects with the signal's reason when it is aborted while waiting. */
  async run<T>(
    work: () => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    let enter = () => {};
    const turn = new Promise<void>((resolve) => {
      enter = resolve;
    });
    this.#waiting.push(enter);
    try {
      await unlessAborted(turn, signal);
    } catch (error) {
      const at = this.#waiting.indexOf(enter);
      // One whose turn had come just then gives it on.
      if (at >= 0) this.#waiting.splice(at, 1);
      else this.#leave();
      throw error;
    }
  }

  /** Passes the place to the longest waiting. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
