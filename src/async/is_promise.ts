/** Whether a value is not there yet, whoever made the promise. */
export function isPromise<T>(value: T | PromiseLike<T>): value is Promise<T> {
  return typeof (value as PromiseLike<T> | undefined)?.then === "function";
}

/** Keeps a promise that the user's code gave back from becoming an unhandled rejection: nobody waits for it. */
export function ignoreResult(result: unknown): void {
  if (isPromise(result)) Promise.resolve(result).catch(() => {});
}
