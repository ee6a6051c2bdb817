import type { AgentError } from "../errors/base.ts";
import type { MessageStream } from "../types/conversation.ts";
import { ErrorFeed } from "./error_feed.ts";

/** A stream of a client that is not connected: its messages end at once, or throw, and its errors hold the one reason. */
export function emptyStream(
  error: AgentError,
  { throws = false }: { readonly throws?: boolean } = {},
): MessageStream {
  const feed = new ErrorFeed();
  feed.push(error);
  feed.end();
  function ended<T>(): ReadableStream<T> {
    return new ReadableStream({
      pull(controller) {
        if (throws) controller.error(error);
        else controller.close();
      },
    }, { highWaterMark: 0 });
  }
  return {
    messages: ended(),
    batches: ended(),
    errors: feed.stream,
    [Symbol.asyncIterator]: () => ({
      next: () =>
        throws
          ? Promise.reject(error)
          : Promise.resolve({ value: undefined, done: true }),
    }),
  };
}
