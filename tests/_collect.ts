/** Everything of a stream, and how it ended. */
export interface Collected<T> {
  /** The items, in order. */
  readonly items: readonly T[];
  /** The error that it threw; `undefined` when it ended. */
  readonly error: unknown;
}

/** Reads to the end, whichever way that comes. */
export async function collect<T>(
  source: AsyncIterable<T> | ReadableStream<T>,
): Promise<Collected<T>> {
  const items: T[] = [];
  try {
    if (source instanceof ReadableStream) {
      const reader = source.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        items.push(value);
      }
    } else for await (const item of source) items.push(item);
  } catch (error) {
    return { items, error };
  }
  return { items, error: undefined };
}

/** The reason of a rejected promise; fails when it resolved. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("Promise resolved instead of rejecting");
}
