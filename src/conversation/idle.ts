import type { Deadline, Deadlines } from "../async/deadline.ts";

/** A silence that lasts. */
export interface Silence {
  /** When it began, milliseconds since 1970. */
  readonly sinceMs: number;
  /** How long it may last, in milliseconds. */
  readonly limitMs: number;
}

/** What an {@link IdleWatch} is made from. */
export interface IdleInit {
  /** Limits. */
  readonly deadlines: Deadlines;
  /** How often it looks, in milliseconds. */
  readonly checkMs: number;
  /** Time. */
  readonly now: () => number;
  /** Since when it is silent, and for how long it may be; `undefined` while silence is nothing to worry about. */
  readonly silence: () => Silence | undefined;
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
    const since = this.#init.silence()?.sinceMs;
    return since !== undefined && since === this.#toldSince;
  }

  /** Stops looking. */
  close(): void {
    this.#check?.cancel();
  }

  #startCheck(): void {
    this.#check = this.#init.deadlines.add(this.#init.checkMs, () => {
      this.#startCheck();
      const { silence, now, onStall } = this.#init;
      const { sinceMs, limitMs } = silence() ?? {};
      if (sinceMs === undefined || limitMs === undefined) return;
      const silenceMs = now() - sinceMs;
      if (sinceMs === this.#toldSince || silenceMs < limitMs) return;
      this.#toldSince = sinceMs;
      onStall(silenceMs);
    });
  }
}
