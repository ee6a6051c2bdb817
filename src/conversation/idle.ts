import type { Deadline, Deadlines } from "../async/deadline.ts";

/** What an {@link IdleWatch} is made from. */
export interface IdleInit {
  /** Limits. */
  readonly deadlines: Deadlines;
  /** How often it looks, in milliseconds. */
  readonly checkMs: number;
  /** Silence that counts as a stall, in milliseconds. */
  readonly idleMs: number;
  /** How long it has been silent, in milliseconds; 0 while silence is nothing to worry about. */
  readonly silenceMs: () => number;
  /** A silence has become a stall; called once for each. */
  readonly onStall: (silenceMs: number) => void;
}

/** The watch over turns that say nothing. */
export class IdleWatch {
  readonly #init: IdleInit;
  #check: Deadline | undefined;
  #isStalled = false;

  constructor(init: IdleInit) {
    this.#init = init;
    this.#startCheck();
  }

  /** Whether the silence that lasts has been told. */
  get isStalled(): boolean {
    return this.#isStalled;
  }

  /** Stops looking. */
  close(): void {
    this.#check?.cancel();
    this.#isStalled = false;
  }

  #startCheck(): void {
    this.#check = this.#init.deadlines.add(this.#init.checkMs, () => {
      this.#startCheck();
      const silenceMs = this.#init.silenceMs();
      const wasStalled = this.#isStalled;
      this.#isStalled = silenceMs >= this.#init.idleMs;
      if (this.#isStalled && !wasStalled) this.#init.onStall(silenceMs);
    });
  }
}
