import type { ByteReader } from "../stream/byte_reader.ts";
import type { Window } from "../stream/window.ts";

/** After so many reads the event loop has its turn: an output that never rests would keep timers and the exit from being seen. */
const READS_A_TURN = 64;
/** The same after so long, in milliseconds: a chunk of bad lines takes long. */
const MOST_MS_A_TURN = 50;

/** What a {@link Pump} is made from. */
export interface PumpInit {
  /** The output of the CLI. */
  readonly reader: ByteReader;
  /** What a chunk goes through. */
  readonly pipeline: {
    readonly heldBytes: number;
    readonly isBehind: boolean;
    push(chunk: Uint8Array): void;
    resume(): void;
    end(): void;
  };
  /** Where its batches wait. */
  readonly window: Pick<Window<unknown>, "bytes" | "demands" | "isWaited">;
  /** How many requests of ours wait for an answer. */
  readonly pending: { readonly size: number };
  /** Unread bytes up to which it reads ahead. */
  readonly readAheadBytes: number;
  /** The same while a request of ours waits. */
  readonly maxBufferedBytes: number;
  /** Requests of ours wait behind more than that. */
  readonly onFull: () => void;
  /** Time. */
  readonly now: () => number;
  /** Calls back in the next turn of the event loop. */
  readonly nextTurn: (callback: () => void) => void;
  /** The output has ended, or broke. */
  readonly onEnd: (error?: unknown) => void;
}

/**
 * The only reader of the CLI's output.
 *
 * Demand comes first: it reads when a consumer waits. A consumer that lets a turn of the event loop pass without asking
 * is busy; then it reads ahead, so that control lines flow. Reading ahead at once instead builds a pile in front of a
 * fast consumer, which costs up to 70 % more time. Measured: performance reference.
 */
export class Pump {
  readonly #init: PumpInit;
  #isRunning = false;
  #isEnded = false;
  #isAhead = false;
  #isDraining = false;
  #isWatching = false;

  constructor(init: PumpInit) {
    this.#init = init;
  }

  /** Reads on if there is a reason to; called by whoever makes one. */
  run(): void {
    if (!this.#isRunning && !this.#isEnded) this.#loop();
  }

  /** Somebody asked for a batch: demand rules again. */
  demanded(): void {
    this.#isAhead = false;
    this.run();
  }

  /** From now on what comes is dropped: a full pipe would keep the CLI from ending. */
  drain(): void {
    this.#isDraining = true;
    this.run();
  }

  /** After every hand-over: has the consumer come back by the next turn? */
  watch(): void {
    if (this.#isWatching || this.#isEnded) return;
    this.#isWatching = true;
    const { window, nextTurn } = this.#init;
    const before = window.demands;
    nextTurn(() => {
      this.#isWatching = false;
      if (window.isWaited) return;
      if (window.demands !== before) return this.watch();
      this.#isAhead = true;
      this.run();
    });
  }

  async #loop(): Promise<void> {
    this.#isRunning = true;
    const { reader, pipeline, now } = this.#init;
    try {
      let turnMs = now();
      for (let reads = 1; this.#mayRead(); reads++) {
        if (reads % READS_A_TURN === 0 || now() - turnMs >= MOST_MS_A_TURN) {
          await this.#nextTurn();
          turnMs = now();
        }
        const chunk = await reader.read();
        if (chunk === undefined) return this.#end();
        if (this.#isDraining) continue;
        pipeline.push(chunk);
        while (pipeline.isBehind && !this.#isDraining) {
          await this.#nextTurn();
          turnMs = now();
          if (reader.isSpent()) {
            await reader.cancel();
            return this.#end();
          }
          pipeline.resume();
        }
      }
    } catch (error) {
      this.#end(error);
    } finally {
      this.#isRunning = false;
      reader.rest();
    }
  }

  #nextTurn(): Promise<void> {
    return new Promise((resolve) => this.#init.nextTurn(resolve));
  }

  #mayRead(): boolean {
    if (this.#isEnded) return false;
    const { window, pending, pipeline, readAheadBytes, maxBufferedBytes } =
      this.#init;
    if (this.#isDraining || window.isWaited) return true;
    const bytes = window.bytes + pipeline.heldBytes;
    if (this.#isAhead && bytes < readAheadBytes) return true;
    if (pending.size === 0) return false;
    if (bytes < maxBufferedBytes) return true;
    this.#init.onFull();
    return false;
  }

  #end(error?: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    try {
      if (!this.#isDraining) this.#init.pipeline.end();
    } catch (cause) {
      return this.#init.onEnd(error ?? cause);
    }
    this.#init.onEnd(error);
  }
}
