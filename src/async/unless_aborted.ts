/** Waits for a promise, or rejects with the signal's reason when it is aborted first; leaves no listener behind. */
export function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      promise.catch(() => {});
      return reject(signal.reason);
    }
    const stop = () => reject(signal.reason);
    const leave = () => signal.removeEventListener("abort", stop);
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(leave);
  });
}
