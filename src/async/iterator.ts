/** The iterator of asynchronous or synchronous items. */
export function iteratorOf<T>(
  items: Iterable<T> | AsyncIterable<T>,
): Iterator<T> | AsyncIterator<T> {
  return Symbol.asyncIterator in items
    ? items[Symbol.asyncIterator]()
    : items[Symbol.iterator]();
}

/** The iterator of a source; a stream is not async iterable everywhere, and `return()` must not wait for a pending read. */
export function asyncIteratorOf<T>(
  source: AsyncIterable<T> | ReadableStream<T>,
): AsyncIterator<T> {
  if (!(source instanceof ReadableStream)) {
    return source[Symbol.asyncIterator]();
  }
  const reader = source.getReader();
  return {
    next: async () => {
      const { value, done } = await reader.read();
      return done ? { value: undefined, done } : { value, done };
    },
    return: async () => {
      await reader.cancel();
      return { value: undefined, done: true };
    },
  };
}
