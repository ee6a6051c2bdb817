/** Where a person reads and types. */
export interface Terminal {
  /** Whether a person sits there. */
  readonly isPerson: boolean;
  /** Size of the screen in characters, as it is now; 80 by 24 unless given. A longer text is shown in pages. */
  size?(): { readonly columns: number; readonly rows: number };
  /**
   * Shows a text, and waits for a line. Lines that were typed before do not answer.
   *
   * @param text What is shown; nothing is added
   * @param signal Ends the waiting with its reason
   * @returns The line without its end; `undefined` when there will be none
   */
  ask(text: string, signal: AbortSignal): Promise<string | undefined>;
}
