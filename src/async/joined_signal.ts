import { onAbort } from "./on_abort.ts";

/** A signal that follows several others. */
export interface JoinedSignal {
  /** Aborted with the reason of the first that is. */
  readonly signal: AbortSignal;
  /** Stops following; nothing of it is left at the others. */
  release(): void;
}

/** Joins signals; unlike with `AbortSignal.any()`, long-lived ones forget it when it is released. */
export function joinSignals(
  ...sources: readonly (AbortSignal | undefined)[]
): JoinedSignal {
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
