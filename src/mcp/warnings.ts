import { textOfError } from "../errors/text.ts";
import { isPromise } from "./jsonrpc.ts";

/** A server that is strange in ever new ways must not fill the memory. */
const MOST_REMEMBERED = 1_000;

/** Who hears of what goes wrong in the background. */
export class Warnings {
  readonly #listener: ((text: string) => void) | undefined;
  readonly #told = new Set<string>();

  /** Takes the user's listener. */
  constructor(listener: ((text: string) => void) | undefined) {
    this.#listener = listener;
  }

  /** Tells it. */
  readonly tell = (text: string): void => {
    // What this one throws has nobody to go to.
    undisturbed(() => this.#listener?.(text), () => {});
  };

  /** Tells it once: a list that is read again is as strange as before. */
  readonly once = (text: string): void => {
    if (this.#told.has(text)) return;
    if (this.#told.size === MOST_REMEMBERED) this.#told.clear();
    this.#told.add(text);
    this.tell(text);
  };

  /** A listener of the user's that disturbs nobody; its failure is told once. */
  guard<T>(listener: (value: T) => unknown, label: string): (value: T) => void {
    return (value) =>
      undisturbed(() => listener(value), (error) => {
        this.once(`${label}: ${textOfError(error)}`);
      });
  }
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
