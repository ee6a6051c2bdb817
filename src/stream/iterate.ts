import type { BatchSource } from "./queue.ts";

/**
 * Flattens batches into single items.
 *
 * Written by hand: `next()` gives from the open batch without touching the source, where an async generator would cost
 * up to 10 % more. Calls that come while a batch is awaited are answered in order.
 */
export class BatchIterator<T> implements AsyncIterableIterator<T> {
  readonly #source: BatchSource<T>;
  readonly #onLeave: (rest: readonly T[]) => Promise<void>;
  #batch: readonly T[] = [];
  #at = 0;
  #isDone = false;
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(
    source: BatchSource<T>,
    onLeave: (rest: readonly T[]) => Promise<void>,
  ) {
    this.#source = source;
    this.#onLeave = onLeave;
    source.onCut?.(() => this.#drop());
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Resolves when no `next()` waits. */
  get settled(): Promise<void> {
    return this.#last;
  }

  next(): Promise<IteratorResult<T>> {
    if (this.#waiting === 0 && this.#at < this.#batch.length) {
      // The index is in bounds.
      const value = this.#batch[this.#at++] as T;
      if (this.#at === this.#batch.length) this.#source.used?.();
      return Promise.resolve({ value, done: false });
    }
    return this.#later();
  }

  /** The next item of a batch that is still to come. */
  #later(): Promise<IteratorResult<T>> {
    const result = this.#waiting++ === 0
      ? this.#advance()
      : this.#last.then(() => this.#advance());
    const release = () => void this.#waiting--;
    this.#last = result.then(release, release);
    return result;
  }

  async return(): Promise<IteratorResult<T>> {
    const rest = this.#batch.slice(this.#at);
    this.#end();
    await this.#onLeave(rest);
    return { value: undefined, done: true };
  }

  async #advance(): Promise<IteratorResult<T>> {
    if (this.#at >= this.#batch.length && !this.#isDone) await this.#refill();
    if (this.#at >= this.#batch.length) return { value: undefined, done: true };
    const value = this.#batch[this.#at++] as T;
    if (this.#at === this.#batch.length) this.#source.used?.();
    return { value, done: false };
  }

  async #refill(): Promise<void> {
    // The consumer may wait long, and the batch may be large.
    this.#drop();
    try {
      const batch = await this.#source.take();
      if (batch === undefined) return this.#end();
      // A consumer that leaves while it waits leaves the batch to the queue.
      if (!this.#isDone) this.#batch = batch;
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  #end(): void {
    this.#isDone = true;
    this.#drop();
  }

  #drop(): void {
    this.#batch = [];
    this.#at = 0;
  }
}

/** Batches as a stream; it holds nothing itself, the source does. */
export function batchStream<T>(
  source: BatchSource<T>,
  onCancel: (rest: readonly T[]) => Promise<void>,
): ReadableStream<readonly T[]> {
  return pullStream(source, onCancel, (batch, controller) => {
    controller.enqueue(batch);
  });
}

/** Single items as a stream, for the edge only: each pull hands over a whole batch. */
export function singleStream<T>(
  source: BatchSource<T>,
  onCancel: (rest: readonly T[]) => Promise<void>,
): ReadableStream<T> {
  return pullStream<T, T>(source, onCancel, (batch, controller) => {
    for (const item of batch) controller.enqueue(item);
  });
}

/** Single items as a stream without a buffer: after a cancel the rest stays available. */
export function itemStream<T>(
  items: AsyncIterableIterator<T>,
): ReadableStream<T> {
  return new ReadableStream<T>({
    async pull(controller) {
      const { value, done } = await items.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await items.return?.();
    },
  }, { highWaterMark: 0 });
}

function pullStream<T, Out>(
  source: BatchSource<T>,
  onCancel: (rest: readonly T[]) => Promise<void>,
  handOver: (
    batch: readonly T[],
    controller: ReadableStreamDefaultController<Out>,
  ) => void,
): ReadableStream<Out> {
  let isCancelled = false;
  return new ReadableStream<Out>({
    start(controller) {
      source.onCut?.((cut) => {
        if ("error" in cut && !isCancelled) controller.error(cut.error);
      });
    },
    async pull(controller) {
      const batch = await source.take();
      // A consumer that leaves while it waits leaves the batch to the queue.
      if (isCancelled) return;
      if (batch === undefined) return controller.close();
      handOver(batch, controller);
      // Nothing stands in the queue of the stream.
      if (controller.desiredSize === 0) source.used?.();
    },
    cancel() {
      isCancelled = true;
      return onCancel([]);
    },
  }, { highWaterMark: 0 });
}
