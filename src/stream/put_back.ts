import type { BatchSource } from "./window.ts";

/** A source that takes items back, for consumers that come one after the other and may leave in the middle of a batch. */
export class PutBack<T> implements BatchSource<T> {
  readonly #source: BatchSource<T>;
  #back: readonly T[] = [];
  /** The batch that was asked for and that nobody got yet. */
  #coming: Promise<readonly T[] | undefined> | undefined;
  #onPutBack: (() => void) | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(source: BatchSource<T>) {
    this.#source = source;
    source.onCut?.(() => {
      this.#back = [];
    });
  }

  /** What was put back, else the next batch; one caller after the other, since an earlier one may put its batch back. */
  take(): Promise<readonly T[] | undefined> {
    const batch = this.#last.then(() => this.#next());
    this.#last = batch.catch(() => {});
    return batch;
  }

  /** Puts items back in front, also of what somebody waits for. */
  putBack(items: readonly T[]): void {
    if (items.length === 0) return;
    this.#back = [...items, ...this.#back];
    this.#onPutBack?.();
  }

  /** Says that all of what was taken was handed on. */
  used(): void {
    if (this.#back.length === 0) this.#source.used?.();
  }

  /** Whether an item was put back and not taken again. */
  holds(item: T): boolean {
    return this.#back.includes(item);
  }

  async #next(): Promise<readonly T[] | undefined> {
    if (this.#back.length === 0) {
      this.#coming ??= this.#source.take();
      const returned = new Promise<void>((resolve) => {
        this.#onPutBack = resolve;
      });
      await Promise.race([this.#coming, returned]).catch(() => {});
    }
    const back = this.#back;
    if (back.length > 0) {
      this.#back = [];
      return back;
    }
    const coming = this.#coming;
    this.#coming = undefined;
    return coming;
  }
}
