import type { Deadline, Deadlines } from "../async/deadline.ts";
import { Deferred } from "../async/deferred.ts";

/** Where lines go to. */
export interface LineSink {
  /** Writes whole lines; resolves when they were taken. */
  write(text: string): Promise<void>;
  /** No more lines. */
  end(): Promise<void>;
}

/** What an {@link Outbox} is made from. */
export interface OutboxInit {
  /** Limits. */
  readonly deadlines: Deadlines;
  /** Limit of one write, in milliseconds. */
  readonly writeMs: number;
  /** Makes the error for a write that failed or took too long. */
  readonly toError: (message: string, cause?: unknown) => Error;
  /** Hears of answers that were lost with a write: nobody waits for them. */
  readonly onLost: (error: Error) => void;
  /** Hears of each write that was taken. */
  readonly onWritten: (text: string, lines: readonly string[]) => void;
}

interface Waiting {
  readonly line: string;
  /** Absent for an answer, which nobody waits for. */
  readonly taken: Deferred<void> | undefined;
}

/**
 * Everything that goes to stdin: one order of lines, one write at a time.
 *
 * While a write is in flight, or the outbox is held, lines gather and leave together in the next write. That is worth
 * a factor of two to five with many answers at once. Measured: performance reference.
 */
export class Outbox {
  readonly #init: OutboxInit;
  #sink: LineSink | undefined;
  #waiting: Waiting[] = [];
  #inFlight: readonly Waiting[] = [];
  #isWriting = false;
  #isHeld = false;
  #isFlushScheduled = false;
  #limit: Deadline | undefined;
  #end: Deferred<void> | undefined;
  #refusal: unknown;

  constructor(init: OutboxInit) {
    this.#init = init;
  }

  /** Gives it the way out; what was posted before leaves now. */
  connect(sink: LineSink): void {
    this.#sink = sink;
    this.#flush();
  }

  /** Adds a line; its loss is reported, not thrown. */
  post(line: string): void {
    if (this.#refusal === undefined) this.#add({ line, taken: undefined });
  }

  /** Adds a line; resolves when it was taken. */
  send(line: string): Promise<void> {
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal);
    const taken = new Deferred<void>();
    this.#add({ line, taken });
    return taken.promise;
  }

  /** Lets lines gather until {@link release}. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Lets what gathered leave in one write. */
  release(): void {
    this.#isHeld = false;
    if (this.#waiting.length > 0) this.#flush();
  }

  /** After what was added: no more input. Resolves when that is done; never rejects. */
  end(): Promise<void> {
    if (this.#end === undefined) {
      this.#end = new Deferred();
      this.#flush();
    }
    return this.#end.promise;
  }

  /** From now on nothing is taken: what waits and what comes is rejected with this. */
  close(refusal: unknown): void {
    this.#refusal ??= refusal;
    this.#limit?.cancel();
    for (const { taken } of [...this.#inFlight, ...this.#waiting]) {
      taken?.reject(refusal);
    }
    this.#inFlight = [];
    this.#waiting = [];
    this.#end?.resolve();
  }

  #add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    if (this.#sink !== undefined) this.#limit ??= this.#startLimit();
    if (this.#isHeld || this.#isFlushScheduled) return;
    // What is added in one turn, such as several answers that settle together, shares a write.
    this.#isFlushScheduled = true;
    queueMicrotask(() => {
      this.#isFlushScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#sink === undefined || this.#isHeld || this.#isWriting) return;
    if (this.#waiting.length > 0) this.#write(this.#sink);
    else if (this.#end !== undefined) this.#finish(this.#sink, this.#end);
  }

  async #write(sink: LineSink): Promise<void> {
    const lines = this.#waiting.map(({ line }) => line);
    const text = lines.length === 1 ? lines[0] as string : lines.join("");
    this.#inFlight = this.#waiting;
    this.#waiting = [];
    this.#isWriting = true;
    this.#restartLimit(true);
    try {
      await sink.write(text);
      this.#init.onWritten(text, lines);
      for (const { taken } of this.#inFlight) taken?.resolve();
    } catch (cause) {
      this.#lose(this.#init.toError("Cannot write to the CLI", cause));
    }
    this.#inFlight = [];
    this.#isWriting = false;
    this.#restartLimit(this.#waiting.length > 0);
    this.#flush();
  }

  #restartLimit(isNeeded: boolean): void {
    this.#limit?.cancel();
    this.#limit = isNeeded ? this.#startLimit() : undefined;
  }

  #startLimit(): Deadline {
    const { deadlines, writeMs } = this.#init;
    return deadlines.add(writeMs, () => {
      this.#limit = undefined;
      const error = this.#init.toError(
        `CLI did not take its input within ${writeMs} ms`,
      );
      // A stuck write cannot be taken back; what stands behind it can.
      this.#inFlight = [...this.#inFlight, ...this.#waiting];
      this.#waiting = [];
      this.#lose(error);
    });
  }

  /** The lines in flight did not arrive. */
  #lose(error: Error): void {
    const lost = this.#inFlight;
    this.#inFlight = [];
    for (const { taken } of lost) taken?.reject(error);
    const isAnswerLost = lost.some(({ taken }) => taken === undefined);
    if (isAnswerLost && this.#refusal === undefined) this.#init.onLost(error);
  }

  async #finish(sink: LineSink, ended: Deferred<void>): Promise<void> {
    if (ended.isSettled) return;
    // The end of input of a process that is gone already is no failure.
    await sink.end().catch(() => {});
    ended.resolve();
  }
}
