/** A terminal at which a person reads and types. */
export interface Terminal {
  /** Whether it is interactive, with a person at it. */
  readonly isPerson: boolean;
  /** Reason for a denial where `isPerson` is false; "There is no person at a terminal to ask" by default. */
  readonly absence?: string | undefined;
  /** Size of the screen in characters, as it is now; 80 by 24 by default. A longer text is shown in pages, and an answer counts only while it stays the same. */
  size?(): { readonly columns: number; readonly rows: number };
  /** Whether only the word `yes` allows a call, as where the terminal does not report what it has drawn. */
  needsWord?(): boolean;
  /** Whether it draws ASCII alone, as in a locale without UTF-8: other characters are then spelled out. */
  isAscii?(): boolean;
  /**
   * Calls back when what was shown may be gone, as after a suspension or with another size: a question is then shown again.
   *
   * @returns A function that ends this; if it fails, the call is denied
   */
  onChange?(listener: () => void): () => void;
  /**
   * Waits until no other program asks at the same place, before each call's question.
   *
   * @param signal Ends the waiting with its reason
   * @returns A function that lets the next program ask; if it fails, the call is denied
   */
  takeTurn?(signal: AbortSignal): Promise<() => void>;
  /**
   * Shows a text, and waits for a line. Lines that were typed before its last line was shown do not answer.
   *
   * @param text What is shown; nothing is added
   * @param signal Ends the waiting with its reason
   * @returns The line without its end; `undefined` when there will be none
   */
  ask(text: string, signal: AbortSignal): Promise<string | undefined>;
}
