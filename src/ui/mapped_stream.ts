import type { Message } from "../protocol/messages_other.ts";
import { failureOf } from "./failure.ts";
import { mapAll, type Mapping } from "./mapping.ts";
import { batchesOf } from "./source.ts";

/** Maps messages to a stream that reads only when it is read. An error of the messages becomes values at its end. */
export function mappedStream<T>(
  messages: AsyncIterable<Message>,
  mapping: Mapping<T>,
): ReadableStream<T> {
  const batches = batchesOf(messages);
  let isLeft = false;
  return new ReadableStream<T>({
    async pull(controller) {
      for (let values: readonly T[] = []; values.length === 0;) {
        let isOver = false;
        try {
          const batch = await batches.next();
          if (isLeft) return;
          isOver = batch === undefined;
          values = batch === undefined
            ? mapping.end()
            : mapAll(batch, mapping.message);
        } catch (error) {
          if (isLeft) return;
          isOver = true;
          values = mapping.end(failureOf(error));
          void batches.leave();
        }
        for (const value of values) controller.enqueue(value);
        if (isOver) return controller.close();
      }
    },
    async cancel() {
      isLeft = true;
      await batches.leave();
    },
  }, { highWaterMark: 0 });
}
