import { Deferred } from "@sluice/agent/extend";
import { Deadlines } from "../../src/async/deadline.ts";
import { FakeClock } from "@sluice/agent/testing";
import { type LineSink, Outbox } from "../../src/wire/outbox.ts";

/** A way out that takes a write when the test says so, and fails on two at once. */
export class HandSink implements LineSink {
  /** The writes, in order. */
  readonly writes: string[] = [];
  /** How often the end came. */
  ends = 0;
  #open: Deferred<void> | undefined;

  write(text: string): Promise<void> {
    if (this.#open !== undefined) throw new Error("Two writes at once");
    this.writes.push(text);
    this.#open = new Deferred<void>();
    return this.#open.promise;
  }

  end(): Promise<void> {
    if (this.#open !== undefined) throw new Error("End during a write");
    this.ends++;
    return Promise.resolve();
  }

  /** Whether a write is in flight. */
  get isBusy(): boolean {
    return this.#open !== undefined;
  }

  /** The write in flight was taken. */
  take(): void {
    const open = this.#open;
    this.#open = undefined;
    open?.resolve();
  }

  /** The write in flight fails. */
  fail(error: unknown): void {
    const open = this.#open;
    this.#open = undefined;
    open?.reject(error);
  }
}

/** A way out that takes everything at once. */
export class OpenSink implements LineSink {
  /** The writes, in order. */
  readonly writes: string[] = [];
  /** How often the end came. */
  ends = 0;

  write(text: string): Promise<void> {
    this.writes.push(text);
    return Promise.resolve();
  }

  end(): Promise<void> {
    this.ends++;
    return Promise.resolve();
  }

  /** All lines as objects. */
  lines(): Record<string, unknown>[] {
    return this.writes.join("").split("\n").filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  }
}

/** An outbox, its clock, and what it told. */
export interface OutboxRig {
  readonly outbox: Outbox;
  readonly clock: FakeClock;
  readonly deadlines: Deadlines;
  readonly lost: Error[];
  readonly written: { readonly text: string; readonly lines: number }[];
}

/** Makes an outbox with a write limit of 5 s. */
export function outboxRig(): OutboxRig {
  const clock = new FakeClock();
  const deadlines = new Deadlines(clock);
  const lost: Error[] = [];
  const written: { text: string; lines: number }[] = [];
  const outbox = new Outbox({
    deadlines,
    writeMs: 5_000,
    toError: (message, cause) => new Error(message, { cause }),
    onLost: (error) => lost.push(error),
    onWritten: (text, { lines }) => written.push({ text, lines: lines.length }),
  });
  return { outbox, clock, deadlines, lost, written };
}
