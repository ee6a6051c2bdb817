import { isPromise } from "../async/deferred.ts";
import { textOfError } from "../errors/text.ts";

/** A server that is strange in ever new ways must not fill the memory. */
const MOST_REMEMBERED = 1_000;

/** The ways to tell what goes wrong in the background. */
export interface Warnings {
  readonly tell: (text: string) => void;
  /** Tells it once: a list that is read again is as strange as before. */
  readonly once: (text: string) => void;
  /** Wraps a listener of the user's so that it disturbs nobody; its failure is told once. */
  guard<T>(listener: (value: T) => unknown, label: string): (value: T) => void;
}

/** Tells a listener of the user's, if there is one. */
export function makeWarnings(
  listener: ((text: string) => void) | undefined,
): Warnings {
  const told = new Set<string>();
  const tell = (text: string) =>
    // What this one throws has nobody to go to.
    undisturbed(() => listener?.(text), () => {});
  const once = (text: string) => {
    if (told.has(text)) return;
    if (told.size === MOST_REMEMBERED) told.clear();
    told.add(text);
    tell(text);
  };
  return {
    tell,
    once,
    guard: (listener, label) => (value) =>
      undisturbed(
        () => listener(value),
        (error) => once(`${label}: ${textOfError(error)}`),
      ),
  };
}

/** Calls a listener of the user's: what it throws, or rejects with later, is told and disturbs nobody else. */
function undisturbed(
  listener: () => unknown,
  onFailure: (error: unknown) => void,
): void {
  try {
    const returned = listener();
    if (isPromise(returned)) returned.then(undefined, onFailure);
  } catch (error) {
    onFailure(error);
  }
}
