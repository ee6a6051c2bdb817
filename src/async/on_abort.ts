/** Callbacks that wait for a signal, behind one listener. */
interface Watch {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const watches = new WeakMap<AbortSignal, Watch>();

/**
 * Calls back when a signal is aborted; the returned function takes it back.
 *
 * However many wait for one signal, it has one listener: Node warns of a leak from the eleventh on, and a signal of the
 * user may serve hundreds of calls at once. The last one to leave takes the listener away.
 */
export function onAbort(
  signal: AbortSignal,
  callback: () => void,
): () => void {
  const watch = watches.get(signal) ?? watchOver(signal);
  // Two that wait with one function are two.
  const own = () => callback();
  watch.callbacks.add(own);
  return () => {
    if (!watch.callbacks.delete(own) || watch.callbacks.size > 0) return;
    signal.removeEventListener("abort", watch.listener);
    if (watches.get(signal) === watch) watches.delete(signal);
  };
}

/**
 * Resolves when a signal is aborted.
 */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else onAbort(signal, resolve);
  });
}

/**
 * Waits for a promise or for the abort of a signal, whichever is first; leaves no listener behind.
 *
 * @throws The reason of the signal, or of the promise
 *
 * @example Stop waiting by a signal
 * ```ts
 * import { unlessAborted } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * const signal = AbortSignal.abort(new Error("enough"));
 * await assert.rejects(unlessAborted(new Promise(() => {}), signal), /enough/);
 * ```
 */
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

function watchOver(signal: AbortSignal): Watch {
  const callbacks = new Set<() => void>();
  const listener = () => {
    watches.delete(signal);
    signal.removeEventListener("abort", listener);
    for (const callback of [...callbacks]) {
      // One that is called may take others back.
      if (callbacks.delete(callback)) callback();
    }
  };
  signal.addEventListener("abort", listener);
  const watch = { callbacks, listener };
  watches.set(signal, watch);
  return watch;
}

/**
 * Combines signals into one that aborts with the first of them. Unlike `AbortSignal.any()`, it can be released:
 * long-lived signals then keep no reference to it.
 *
 * @example Stop on either of two signals
 * ```ts
 * import { joinSignals } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * const controller = new AbortController();
 * const { signal, release } = joinSignals(controller.signal, undefined);
 * controller.abort();
 * assert.ok(signal.aborted);
 * release();
 * ```
 */
export function joinSignals(
  ...sources: readonly (AbortSignal | undefined)[]
): {
  /** Aborted with the reason of the first that is. */
  readonly signal: AbortSignal;
  /** Stops following; nothing of it is left at the others. */
  release(): void;
} {
  const controller = new AbortController();
  const followed = sources.flatMap((source) => {
    if (source === undefined) return [];
    const stop = () => controller.abort(source.reason);
    if (!source.aborted) return [onAbort(source, stop)];
    stop();
    return [];
  });
  return {
    signal: controller.signal,
    release: () => followed.forEach((leave) => leave()),
  };
}
