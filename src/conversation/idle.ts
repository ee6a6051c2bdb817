import type { Deadline, Deadlines } from "../async/deadline.ts";

/** What an {@link IdleWatch} is made from. */
export interface IdleInit {
  /** Limits. */
  readonly deadlines: Deadlines;
  /** How often it looks, in milliseconds. */
  readonly checkMs: number;
  /** Silence that counts as a stall, in milliseconds. */
  readonly idleMs: number;
  /** Time. */
  readonly now: () => number;
  /** Since when it is silent; `undefined` while silence is nothing to worry about. */
  readonly silentSince: () => number | undefined;
  /** A silence has become a stall; called once for each, with its length in milliseconds. */
  readonly onStall: (silenceMs: number) => void;
}

/** The watch over turns that say nothing. */
export class IdleWatch {
  readonly #init: IdleInit;
  #check: Deadline | undefined;
  /** When the silence began that was told last. */
  #toldSince: number | undefined;

  constructor(init: IdleInit) {
    this.#init = init;
    this.#startCheck();
  }

  /** Whether the silence that lasts has been told. */
  get isStalled(): boolean {
    const since = this.#init.silentSince();
    return since !== undefined && since === this.#toldSince;
  }

  /** Stops looking. */
  close(): void {
    this.#check?.cancel();
  }

  #startCheck(): void {
    this.#check = this.#init.deadlines.add(this.#init.checkMs, () => {
      this.#startCheck();
      const { silentSince, now, idleMs, onStall } = this.#init;
      const since = silentSince();
      if (since === undefined || since === this.#toldSince) return;
      const silenceMs = now() - since;
      if (silenceMs < idleMs) return;
      this.#toldSince = since;
      onStall(silenceMs);
    });
  }
}
