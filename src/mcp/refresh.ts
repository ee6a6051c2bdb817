import type { Clock } from "../ports/clock.ts";

/** Changes that are told within this time are one, in milliseconds. Source: MCP reference, section 5. */
const GATHER_MS = 75;

/** So many in a row are read at once; a server whose list never rests is read ever more rarely. */
const MOST_IN_A_ROW = 8;
const LONGEST_MS = 5_000;

/** A list that rested for so long, in milliseconds, is read at once again. */
const REST_MS = 2_000;

/** What a {@link Refresh} is made from. */
interface RefreshInit {
  /** Time of the waits. */
  readonly clock: Clock;
  /** Ends them. */
  readonly signal: AbortSignal;
  /** Reads the list again. */
  readonly read: () => Promise<void>;
  /** Hears of a list that could not be read. */
  readonly onFailure: (error: unknown) => void;
}

/** Reads the list of one server again when it was changed: several changes in a row lead to one reading. */
export class Refresh {
  readonly #init: RefreshInit;
  #isRunning = false;
  #isAsked = false;
  #inARow = 0;
  #endedAt = -Infinity;

  /** Takes what it works with. */
  constructor(init: RefreshInit) {
    this.#init = init;
  }

  /** The list was changed. */
  ask(): void {
    this.#isAsked = true;
    if (!this.#isRunning) this.#run();
  }

  async #run(): Promise<void> {
    const { clock, signal, read, onFailure } = this.#init;
    this.#isRunning = true;
    while (this.#isAsked && !signal.aborted) {
      try {
        await clock.sleep(this.#pauseMs(), signal);
      } catch {
        break;
      }
      this.#isAsked = false;
      try {
        await read();
      } catch (error) {
        onFailure(error);
      }
      this.#endedAt = clock.now();
    }
    this.#isRunning = false;
  }

  #pauseMs(): number {
    const hasRested = this.#init.clock.now() - this.#endedAt > REST_MS;
    this.#inARow = hasRested ? 0 : this.#inARow + 1;
    const doublings = Math.max(0, this.#inARow - MOST_IN_A_ROW);
    return Math.min(GATHER_MS * 2 ** doublings, LONGEST_MS);
  }
}
