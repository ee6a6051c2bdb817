/** The iterator of asynchronous or synchronous items. */
export function iteratorOf<T>(
  items: Iterable<T> | AsyncIterable<T>,
): Iterator<T> | AsyncIterator<T> {
  return Symbol.asyncIterator in items
    ? items[Symbol.asyncIterator]()
    : items[Symbol.iterator]();
}
