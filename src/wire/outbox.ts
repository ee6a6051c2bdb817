import type { Deadline, Deadlines } from "../async/deadline.ts";
import { Deferred } from "../async/deferred.ts";

export interface LineSink {
  /** Writes whole lines; resolves when they were accepted. */
  write(text: string): Promise<void>;
  /** No more lines. */
  end(): Promise<void>;
}

class Batch {
  readonly lines: string[] = [];
  /** Whether one of them makes the CLI work: a prompt, or the answer to a served request. */
  isWork = false;
  /** Senders that wait for their lines; answers have none. */
  readonly takers: Deferred<void>[] = [];

  get hasAnswers(): boolean {
    return this.takers.length < this.lines.length;
  }

  reject(reason: unknown): void {
    for (const taker of this.takers) taker.reject(reason);
  }
}

/**
 * Everything that goes to stdin: one order of lines, one write at a time.
 *
 * While a write is in flight, or the outbox is held, lines gather and leave together in the next write. That is worth
 * a factor of two to five with many answers at once. Measured: performance reference.
 */
export class Outbox {
  readonly #init;
  #sink: LineSink | undefined;
  #waiting = new Batch();
  #inFlight: Batch | undefined;
  #isHeld = false;
  #isFlushScheduled = false;
  #limit: Deadline | undefined;
  #end: Deferred<void> | undefined;
  #isEnded = false;
  #refusal: unknown;

  constructor(init: {
    readonly deadlines: Deadlines;
    /** Limit of one write, in milliseconds. */
    readonly writeMs: number;
    /** Makes the error for a write that failed or took too long. */
    readonly toError: (message: string, cause?: unknown) => Error;
    /** Called when answers were lost with a write. */
    readonly onLost: (error: Error) => void;
    /** Called for each completed write. */
    readonly onWritten: (
      text: string,
      batch: { readonly lines: readonly string[]; readonly isWork: boolean },
    ) => void;
  }) {
    this.#init = init;
  }

  /** Connects the sink; waiting lines leave now. */
  connect(sink: LineSink): void {
    this.#sink = sink;
    this.#flush();
  }

  /** Adds a line; its loss is reported, not thrown. */
  post(line: string, isWork = true): void {
    if (this.#refusal !== undefined) return;
    this.#waiting.lines.push(line);
    this.#waiting.isWork ||= isWork;
    this.#scheduleFlush();
  }

  /** Adds a line; resolves when it was written. */
  send(line: string, isWork = true): Promise<void> {
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal);
    const taken = new Deferred<void>();
    this.#waiting.lines.push(line);
    this.#waiting.isWork ||= isWork;
    this.#waiting.takers.push(taken);
    this.#scheduleFlush();
    return taken.promise;
  }

  /** Lets lines gather until {@link release}. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Writes the gathered lines at once. */
  release(): void {
    this.#isHeld = false;
    this.#flush();
  }

  /** Ends the input after the added lines; never rejects. */
  end(): Promise<void> {
    if (this.#end === undefined) {
      this.#end = new Deferred();
      if (this.#refusal !== undefined) this.#end.resolve();
      else this.#flush();
    }
    return this.#end.promise;
  }

  /** Rejects waiting and later lines with this. */
  close(refusal: unknown): void {
    this.#refusal ??= refusal;
    this.#limit?.cancel();
    this.#inFlight?.reject(refusal);
    this.#waiting.reject(refusal);
    this.#waiting = new Batch();
    this.#end?.resolve();
  }

  /** Lines added in one turn share a write. */
  #scheduleFlush(): void {
    if (this.#isHeld || this.#isFlushScheduled) return;
    this.#isFlushScheduled = true;
    queueMicrotask(() => {
      this.#isFlushScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#sink === undefined || this.#isHeld) return;
    if (this.#inFlight !== undefined) return;
    if (this.#waiting.lines.length === 0) {
      if (this.#end !== undefined) this.#finish(this.#sink, this.#end);
    } else if (this.#isEnded) this.#loseWaiting();
    else this.#write(this.#sink);
  }

  async #write(sink: LineSink): Promise<void> {
    const batch = this.#inFlight = this.#waiting;
    this.#waiting = new Batch();
    this.#limit = this.#startLimit(batch);
    const text = batch.lines.join("");
    try {
      await sink.write(text);
      this.#init.onWritten(text, batch);
      for (const taker of batch.takers) taker.resolve();
    } catch (cause) {
      // A stuck or late write was reported already.
      if (batch.lines.length > 0 && this.#refusal === undefined) {
        this.#lose(batch, this.#init.toError("Cannot write to the CLI", cause));
      }
    }
    this.#limit?.cancel();
    this.#inFlight = undefined;
    this.#flush();
  }

  /** A stuck write cannot be undone; the lines behind it can. */
  #startLimit(stuck: Batch): Deadline {
    const { deadlines, writeMs, toError } = this.#init;
    return deadlines.add(writeMs, () => {
      const behind = this.#waiting;
      this.#waiting = new Batch();
      this.#limit = this.#startLimit(new Batch());
      const lost = [stuck, behind].filter(({ lines }) => lines.length > 0);
      if (lost.length === 0) return;
      const error = toError(`CLI did not take its input within ${writeMs} ms`);
      for (const batch of lost) this.#lose(batch, error);
    });
  }

  #loseWaiting(): void {
    const late = this.#waiting;
    this.#waiting = new Batch();
    this.#lose(
      late,
      this.#init.toError("Cannot write to the CLI: its input has ended"),
    );
  }

  /** The lines of a batch did not arrive. */
  #lose(batch: Batch, error: Error): void {
    batch.reject(error);
    if (batch.hasAnswers && this.#refusal === undefined) {
      this.#init.onLost(error);
    }
    // Reported once, however often it fails.
    batch.lines.length = batch.takers.length = 0;
  }

  async #finish(sink: LineSink, ended: Deferred<void>): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    try {
      await sink.end();
    } catch {
      // The process may be gone already.
    }
    ended.resolve();
  }
}
