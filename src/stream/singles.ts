import type { BatchSource } from "./window.ts";

/** Batches as a stream; it holds nothing itself, the source does. A batch that comes after the cancel is given back. */
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

/** Single items as a stream that holds none: whoever cancels it leaves the rest to others. */
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
      if (!isCancelled) {
        if (batch === undefined) controller.close();
        else handOver(batch, controller);
      } else if (batch !== undefined) await onCancel(batch);
    },
    cancel() {
      isCancelled = true;
      return onCancel([]);
    },
  }, { highWaterMark: 0 });
}
