import type { ByteReader } from "../stream/byte_reader.ts";
import type { Pipeline } from "./pipeline.ts";
import type { Services } from "./services.ts";

/** After so many reads the event loop has its turn: an output that never rests would keep timers and the exit from being seen. */
const READS_A_TURN = 64;
/** The same after so long, in milliseconds: a chunk of bad lines takes long. */
const MOST_MS_A_TURN = 50;

/** What a {@link Pump} reads, and who is told. */
export interface Output {
  readonly reader: ByteReader;
  /** What a chunk goes through. */
  readonly pipeline: Pipeline;
  /** Requests of ours that wait for an answer. */
  readonly pending: { readonly size: number };
  /** Requests of ours wait behind more than `maxBufferedBytes`. */
  readonly onFull: () => void;
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
  readonly #services: Services;
  #output: Output | undefined;
  #isRunning = false;
  #isEnded = false;
  #isAhead = false;
  #isDraining = false;
  #isWatching = false;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Begins; before that there is nothing to read. */
  start(output: Output): void {
    this.#output = output;
    if (!this.#isDraining) this.watch();
    else this.run();
  }

  /** Reads on if there is a reason to; called by whoever makes one. */
  run(): void {
    if (this.#isRunning || this.#isEnded || this.#output === undefined) return;
    this.#loop(this.#output);
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
    const { window, host } = this.#services;
    const before = window.demands;
    host.nextTurn(() => {
      this.#isWatching = false;
      if (window.isWaited) return;
      if (window.demands !== before) return this.watch();
      this.#isAhead = true;
      this.run();
    });
  }

  async #loop(output: Output): Promise<void> {
    this.#isRunning = true;
    const { reader, pipeline } = output;
    const { clock } = this.#services.settings;
    try {
      let turnMs = clock.now();
      for (let reads = 1; this.#mayRead(output); reads++) {
        if (
          reads % READS_A_TURN === 0 || clock.now() - turnMs >= MOST_MS_A_TURN
        ) {
          await this.#nextTurn();
          turnMs = clock.now();
        }
        const chunk = await reader.read();
        if (chunk === undefined) return this.#end(output);
        if (this.#isDraining) {
          pipeline.drop(chunk);
          continue;
        }
        pipeline.push(chunk);
        while (pipeline.isBehind && !this.#isDraining) {
          await this.#nextTurn();
          turnMs = clock.now();
          reader.goOn();
          if (reader.isSpent) {
            await reader.cancel();
            return this.#end(output);
          }
          pipeline.resume();
        }
      }
    } catch (error) {
      this.#end(output, error);
    } finally {
      this.#isRunning = false;
      reader.rest();
    }
  }

  #nextTurn(): Promise<void> {
    return new Promise((resolve) => this.#services.host.nextTurn(resolve));
  }

  #mayRead({ pending, pipeline, onFull }: Output): boolean {
    if (this.#isEnded) return false;
    const { window, settings } = this.#services;
    const { readAheadBytes, maxBufferedBytes } = settings.limits;
    if (this.#isDraining || window.isWaited) return true;
    const bytes = window.bytes + pipeline.heldBytes;
    if (this.#isAhead && bytes < readAheadBytes) return true;
    if (pending.size === 0) return false;
    if (bytes < maxBufferedBytes) return true;
    onFull();
    return false;
  }

  #end({ pipeline, onEnd }: Output, error?: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    try {
      if (this.#isDraining) pipeline.drop(undefined);
      else pipeline.end();
    } catch (cause) {
      return onEnd(error ?? cause);
    }
    onEnd(error);
  }
}
