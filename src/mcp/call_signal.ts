/**
 * The part of an `AbortSignal` that the MCP SDK's client uses.
 *
 * A real one costs a controller a call, and the client never takes its listener back: on a signal that serves many calls
 * they would pile up.
 */
export class CallSignal {
  /** Whether it was aborted. */
  aborted = false;
  /** Why. */
  reason: unknown;
  #listener: (() => void) | undefined;

  /** Throws the reason once it was aborted. */
  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  /** Takes the one listener. */
  addEventListener(_type: string, listener: () => void): void {
    this.#listener = listener;
  }

  /** Takes it back. */
  removeEventListener(): void {
    this.#listener = undefined;
  }

  /** Aborts, once. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#listener?.();
  }
}
