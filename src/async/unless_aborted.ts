import { onAbort } from "./on_abort.ts";

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
    const leave = onAbort(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(leave);
  });
}
