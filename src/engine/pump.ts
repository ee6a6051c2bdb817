import type { Timer } from "../ports/clock.ts";
import type { ByteReader } from "../stream/byte_reader.ts";
import type { Feed, Queue } from "../stream/queue.ts";
import { MOST_MS, type Pipeline } from "./pipeline.ts";
import type { Limits, Profile } from "./profile.ts";

/** Reads after which the event loop has its turn: an output that never rests would keep timers and the exit from being seen. */
const READS_A_TURN = 64;

interface Demand {
  readonly host: Pick<Profile<never>["host"], "nextTurn">;
  readonly queue: Pick<Queue<never>, "bytes" | "isWaited" | "demands">;
  readonly limits: Pick<Limits, "readAheadBytes" | "unreadBytes">;
  readonly clock: Timer;
}

interface Output {
  readonly reader: ByteReader;
  readonly pipeline: Pick<
    Pipeline<unknown>,
    "push" | "resume" | "drop" | "end" | "isBehind" | "heldBack" | "heldBytes"
  >;
  /** Requests of ours without an answer. */
  readonly requests: { readonly size: number };
  /** Requests of ours wait behind more unread messages than there may be. */
  readonly queueFull: () => void;
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
export class Pump implements Feed {
  readonly #demand: Demand;
  #output: Output | undefined;
  #isRunning = false;
  #isEnded = false;
  #isAhead = false;
  #isDraining = false;
  #isWatching = false;

  constructor(demand: Demand) {
    this.#demand = demand;
  }

  /** Begins; before that there is nothing to read. */
  start(output: Output): void {
    this.#output = output;
    if (this.#isDraining) this.run();
    else this.waitEnded();
  }

  /** Reads on if there is a reason to. */
  run(): void {
    if (this.#isRunning || this.#isEnded || this.#output === undefined) return;
    this.#loop(this.#output);
  }

  /** Demand rules again. */
  demanded(): void {
    this.#isAhead = false;
    this.run();
  }

  /** From now on everything is dropped. */
  drain(): void {
    this.#isDraining = true;
    this.run();
  }

  /** Watches whether the consumer has come back by the next turn. */
  waitEnded(): void {
    if (this.#isWatching || this.#isEnded || this.#output === undefined) return;
    this.#isWatching = true;
    const { queue, host } = this.#demand;
    const before = queue.demands;
    host.nextTurn(() => {
      this.#isWatching = false;
      if (queue.isWaited) return;
      if (queue.demands !== before) return this.waitEnded();
      this.#isAhead = true;
      this.run();
    });
  }

  async #loop(output: Output): Promise<void> {
    this.#isRunning = true;
    const { reader, pipeline } = output;
    const { clock } = this.#demand;
    try {
      let turnMs = clock.monotonic();
      for (let reads = 1; this.#mayRead(output); reads++) {
        if (
          reads % READS_A_TURN === 0 || clock.monotonic() - turnMs >= MOST_MS
        ) {
          await this.#nextTurn();
          turnMs = clock.monotonic();
        }
        const chunk = await reader.read();
        if (chunk === undefined) return this.#end(output);
        if (this.#isDraining) {
          pipeline.drop(chunk);
          continue;
        }
        pipeline.push(chunk);
        while (pipeline.isBehind && !this.#isDraining) {
          await pipeline.heldBack;
          await this.#nextTurn();
          turnMs = clock.monotonic();
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
    return new Promise((resolve) => this.#demand.host.nextTurn(resolve));
  }

  #mayRead({ requests, pipeline, queueFull }: Output): boolean {
    if (this.#isEnded) return false;
    const { queue, limits: { readAheadBytes, unreadBytes } } = this.#demand;
    if (this.#isDraining || queue.isWaited) return true;
    const bytes = queue.bytes + pipeline.heldBytes;
    if (this.#isAhead && bytes < readAheadBytes) return true;
    if (requests.size === 0) return false;
    if (bytes < unreadBytes) return true;
    queueFull();
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
