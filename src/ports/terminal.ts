/** Where a person reads and types. */
export interface Terminal {
  /** Whether a person sits there. */
  readonly isPerson: boolean;
  /**
   * Shows a text, and waits for a line.
   *
   * @param text What is shown; nothing is added
   * @param signal Ends the waiting with its reason
   * @returns The line without its end; `undefined` when there will be none
   */
  ask(text: string, signal: AbortSignal): Promise<string | undefined>;
}
