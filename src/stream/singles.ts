import type { BatchSource } from "./window.ts";

/** Batches as a stream; it holds nothing itself, the source does. */
export function batchStream<T>(
  source: BatchSource<T>,
  onCancel: () => Promise<void>,
): ReadableStream<readonly T[]> {
  return new ReadableStream<readonly T[]>({
    async pull(controller) {
      const batch = await source.take();
      if (batch === undefined) controller.close();
      else controller.enqueue(batch);
    },
    cancel: onCancel,
  }, { highWaterMark: 0 });
}

/** Single items as a stream, for the edge only: each pull hands over a whole batch. */
export function singleStream<T>(
  source: BatchSource<T>,
  onCancel: () => Promise<void>,
): ReadableStream<T> {
  return new ReadableStream<T>({
    async pull(controller) {
      const batch = await source.take();
      if (batch === undefined) return controller.close();
      for (const item of batch) controller.enqueue(item);
    },
    cancel: onCancel,
  }, { highWaterMark: 0 });
}
