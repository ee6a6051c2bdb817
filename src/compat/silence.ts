import { settleWithin } from "../async/deadline.ts";
import { quiet } from "../async/deferred.ts";
import { aborted } from "../async/on_abort.ts";
import { systemClock } from "../async/system_clock.ts";
import type { Channel } from "../ports/transport.ts";
import { exitFailure } from "./errors.ts";

/** Silence that ends a CLI whose input broke, in milliseconds. */
const BROKEN_MS = 10_000;
/** Time to exit for a CLI that has closed its output, or has its result and is silent with a broken input, in milliseconds: it may still work. */
const EXIT_MS = 600_000;
/** Silence after the exit that ends the output, in milliseconds: a process below may hold it, or it comes from another machine. */
const LATE_OUTPUT_MS = 6_000;
/** The same where the exit was clean and there is no result yet: it may be on its way. */
const LATE_RESULT_MS = 60_000;
const STEP_MS = 500;

/** Progress of a CLI. */
export interface Progress {
  readonly bytesRead: number;
  readonly messagesRead: number;
  /** Whether the newest prompt has a result. */
  readonly hasResult: boolean;
}

/** Waits until a CLI has been silent for long enough to be given up. */
export class Silence {
  readonly #progress: () => Progress;
  readonly #signal: AbortSignal;

  /** A signal that aborts ends each wait. */
  constructor(progress: () => Progress, signal: AbortSignal) {
    this.#progress = progress;
    this.#signal = signal;
  }

  /** Resolves when a CLI whose input broke is to be ended. */
  afterBrokenInput(): Promise<void> {
    return this.#lasts(() => this.#hasResult ? EXIT_MS : BROKEN_MS);
  }

  /** Resolves with true when a CLI that has closed its output exits, and with `undefined` if it lives on. */
  untilExit({ exited }: Channel): Promise<true | undefined> {
    const ended = Promise.race([
      exited.catch(() => {}),
      aborted(this.#signal),
    ]).then(() => true as const);
    return settleWithin(ended, EXIT_MS, systemClock);
  }

  /** Resolves when a CLI that is gone will write nothing more: a process below it may still have the result. */
  async afterExit({ gone, exited }: Channel): Promise<void> {
    let hasFailed = false;
    exited.then(
      (report) => hasFailed = exitFailure(report) !== undefined,
      () => hasFailed = true,
    );
    await (gone ?? quiet(exited)).catch(() => {});
    await this.#lasts(() =>
      hasFailed || this.#hasResult ? LATE_OUTPUT_MS : LATE_RESULT_MS
    );
  }

  get #hasResult(): boolean {
    return this.#progress().hasResult;
  }

  async #lasts(limitMs: () => number): Promise<void> {
    const signal = this.#signal;
    const ending = aborted(signal);
    let silentMs = 0;
    // A process that holds the output may write for ever, but no messages.
    let wordlessMs = 0;
    const mostMs = () => this.#hasResult ? limitMs() : LATE_RESULT_MS;
    // In steps: an event loop that was blocked reads in between.
    while (
      silentMs < limitMs() && wordlessMs < mostMs() && !signal.aborted
    ) {
      const before = this.#progress();
      await settleWithin(ending, STEP_MS, systemClock);
      const { bytesRead, messagesRead } = this.#progress();
      const isSilent = bytesRead === before.bytesRead;
      silentMs = isSilent ? silentMs + STEP_MS : 0;
      const isWordless = messagesRead === before.messagesRead;
      wordlessMs = isWordless ? wordlessMs + STEP_MS : 0;
    }
  }
}
