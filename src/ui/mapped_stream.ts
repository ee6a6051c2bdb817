import type { Message } from "../protocol/messages_other.ts";
import { failureOf } from "./failure.ts";
import type { Mapping } from "./mapping.ts";

/** Maps messages to a stream without a buffer. An error of the messages becomes values at its end. */
export function mappedStream<T>(
  messages: AsyncIterable<Message>,
  mapping: Mapping<T>,
): ReadableStream<T> {
  const iterator = messages[Symbol.asyncIterator]();
  let isLeft = false;
  return new ReadableStream<T>({
    async pull(controller) {
      for (;;) {
        let values: readonly T[];
        let isOver = false;
        try {
          const { value, done } = await iterator.next();
          if (isLeft) return;
          isOver = done === true;
          values = done ? mapping.end() : mapping.message(value);
        } catch (error) {
          if (isLeft) return;
          isOver = true;
          values = mapping.end(failureOf(error));
          iterator.return?.().catch(() => {});
        }
        for (const value of values) controller.enqueue(value);
        if (isOver) return controller.close();
        if (values.length > 0) return;
      }
    },
    async cancel() {
      isLeft = true;
      await iterator.return?.();
    },
  }, { highWaterMark: 0 });
}
