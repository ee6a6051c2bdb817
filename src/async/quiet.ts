/** The same promise; a rejection that nobody looks at does not become an unhandled one. */
export function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
