import { Deferred } from "./deferred.ts";

/** Wakes everyone who waits for the next change. */
export class Change {
  #next: Deferred<void> | undefined;

  /** Resolves with the next change. */
  get next(): Promise<void> {
    return (this.#next ??= new Deferred()).promise;
  }

  /** Resolves all pending waits. */
  tell(): void {
    const next = this.#next;
    this.#next = undefined;
    next?.resolve();
  }
}
