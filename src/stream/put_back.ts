import type { BatchSource } from "./window.ts";

/** A source that takes items back, for consumers that come one after the other and may leave in the middle of a batch. */
export class PutBack<T> implements BatchSource<T> {
  readonly #source: BatchSource<T>;
  #back: readonly T[] = [];
  #pending: Promise<readonly T[] | undefined> | undefined;

  constructor(source: BatchSource<T>) {
    this.#source = source;
  }

  /** What was put back, else the next batch. */
  async take(): Promise<readonly T[] | undefined> {
    // A batch that was asked for and given up may be on its way: it comes first, and goes back.
    await this.#pending?.catch(() => {});
    const back = this.#back;
    if (back.length > 0) {
      this.#back = [];
      return back;
    }
    const pending = this.#pending = this.#source.take();
    try {
      return await pending;
    } finally {
      if (this.#pending === pending) this.#pending = undefined;
    }
  }

  /** Puts items back in front. */
  putBack(items: readonly T[]): void {
    if (items.length > 0) this.#back = [...items, ...this.#back];
  }

  /** Whether an item was put back and not taken again. */
  holds(item: T): boolean {
    return this.#back.includes(item);
  }
}
