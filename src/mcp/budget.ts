import { joinSignals } from "../async/joined_signal.ts";
import { systemClock } from "../async/system_clock.ts";

/** The time of all attempts together. */
export class Budget {
  /** Aborted by the caller, or when the time is over. */
  readonly signal: AbortSignal;
  /** Ends it. */
  readonly release: () => void;
  readonly #endsAt: number;

  /** Begins it; `onOver` makes the reason of its end. */
  constructor(
    ms: number,
    { signal, onOver }: {
      readonly signal: AbortSignal | undefined;
      readonly onOver: () => unknown;
    },
  ) {
    this.#endsAt = systemClock.now() + ms;
    const over = new AbortController();
    const timer = new AbortController();
    const both = joinSignals(signal, over.signal);
    this.signal = both.signal;
    this.release = () => {
      timer.abort();
      both.release();
    };
    systemClock.sleep(ms, timer.signal).then(
      () => over.abort(onOver()),
      () => {},
    );
  }

  /** Whether it would be over after so long. */
  isPassedIn(ms: number): boolean {
    return this.signal.aborted || systemClock.now() + ms >= this.#endsAt;
  }
}
