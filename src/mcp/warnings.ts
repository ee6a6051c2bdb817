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
    undisturbed(() => this.#listener?.(text));
  };

  /** Tells it once: a list that is read again is as strange as before. */
  readonly once = (text: string): void => {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.tell(text);
  };
}

/** What a listener throws has nobody to go to. */
export function undisturbed(listener: () => void): void {
  try {
    listener();
  } catch {
    // Whoever listens must not disturb.
  }
}
