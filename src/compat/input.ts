import { Deferred } from "../async/deferred.ts";
import { systemClock } from "../async/system_clock.ts";
import { after } from "../async/timer.ts";
import { Unsettled } from "../async/unsettled.ts";
import type { JsonObject } from "../types/json.ts";
import type { Outbox } from "../wire/outbox.ts";
import { ENDED, operationAborted } from "./errors.ts";

/** Time without a prompt that ends the input of a CLI which has closed its output, in milliseconds. */
const IDLE_MS = 10_000;

/** Parts of a session that the input uses. */
interface Parts {
  readonly outbox: Pick<Outbox, "send" | "end" | "release">;
  /** Aborted by the user. */
  readonly abort: AbortSignal;
  /** Called ahead of each prompt. */
  readonly onPrompt: () => void;
  /** Whether a request of the CLI waits for its answer. */
  readonly isServing: () => boolean;
  /** Resolves when the store has what came before the result; absent without a store. */
  readonly stored?: (() => Promise<void> | undefined) | undefined;
}

/** Lines for the CLI, in the order of the official SDK, and the end of its input. */
export class Input {
  readonly #parts: Parts;
  readonly #begun = new Deferred<void>();
  #hasBegun = false;
  #isClosed = false;
  /** Prompts that are being sent. */
  readonly #leaving = new Unsettled();
  /** Sources of prompts that are being read. */
  #sources = 0;
  #hasEnded = false;
  #hasOutputEnded = false;
  #cancelIdle: (() => void) | undefined;
  /** Whether the input has ended because the output had, and a prompt came behind that. */
  #isGivenUp = false;
  #isLosing = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Lets out what waits for the first `initialize`, which was just sent. */
  begin(): void {
    this.#hasBegun = true;
    this.#begun.resolve();
  }

  /** Lets go what waits for an `initialize` that will not be sent; nothing ends the input later. */
  close(): void {
    this.#isClosed = true;
    this.#begun.resolve();
    this.#cancelIdle?.();
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Resolves when the first `initialize` is on its way, or nothing will be. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  /** Sends a line once `initialize` is on its way. */
  async send(line: JsonObject): Promise<void> {
    await this.#begun.promise;
    const { abort, outbox } = this.#parts;
    if (abort.aborted) throw operationAborted();
    // The CLI would run the prompt without hooks.
    if (!this.#hasBegun) throw new Error(ENDED.closed);
    await outbox.send(JSON.stringify(line) + "\n");
  }

  /** Sends a prompt; behind the end of the input it is dropped, as in the official SDK. */
  async prompt(line: JsonObject): Promise<void> {
    if (this.#hasEnded) {
      this.#isLosing ||= this.#isGivenUp;
      return;
    }
    this.#parts.onPrompt();
    if (this.#cancelIdle !== undefined) this.#startIdle();
    await this.#leaving.add(this.send(line));
  }

  /** Counts a prompt as being sent while it waits. */
  hold(wait: Promise<unknown>): void {
    void this.#leaving.add(wait);
  }

  /** Whether a prompt is being sent. */
  get isSending(): boolean {
    return this.#leaving.size > 0;
  }

  /** Whether a prompt came too late for a CLI that had closed its output. */
  get isLosing(): boolean {
    return this.#isLosing;
  }

  /** Resolves when no prompt is being sent: one of another source must not meet the end of the input. */
  async promptsSent(): Promise<void> {
    while (this.isSending) await this.#leaving.settled();
  }

  /** Reads a source of prompts: meanwhile the input stays open for a CLI that has closed its output. */
  async reading(work: () => Promise<void>): Promise<void> {
    this.#sources++;
    try {
      await work();
    } finally {
      this.#sources--;
      this.endIdle();
    }
  }

  end(): void {
    this.#hasEnded = true;
    const { stored, outbox } = this.#parts;
    if (stored === undefined) void outbox.end();
    else void this.#endStored(stored);
  }

  /** The CLI has closed its output; it may still read. */
  outputEnded(): void {
    this.#hasOutputEnded = true;
    this.endIdle();
    if (!this.#hasEnded) this.#startIdle();
  }

  /** Ends the input of a CLI that has closed its output, once nothing more is to be written. */
  endIdle(): void {
    if (!this.#hasOutputEnded || this.#sources > 0) return;
    if (!this.#parts.isServing()) this.#giveUp();
  }

  #giveUp(): void {
    if (this.#hasEnded) return;
    this.#isGivenUp = true;
    this.end();
  }

  #startIdle(): void {
    this.#cancelIdle?.();
    if (this.#isClosed) return;
    this.#cancelIdle = after(systemClock, IDLE_MS, () => {
      if (this.#parts.isServing()) return this.#startIdle();
      this.#giveUp();
    });
  }

  /** Lets out what was sent right before the end, such as an interrupt: the official SDK writes at once. */
  async leaveLast(): Promise<void> {
    if (!this.#hasBegun) return;
    await this.#begun.promise;
    this.#parts.outbox.release();
  }

  /** Ends the input when the store has what came before the result: the CLI may exit then. */
  async #endStored(stored: () => Promise<void> | undefined): Promise<void> {
    // The store learns of the result after the run does.
    await undefined;
    await stored();
    await this.#parts.outbox.end();
  }
}
