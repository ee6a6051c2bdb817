import { Deadlines } from "../async/deadline.ts";
import { isPromise } from "../async/deferred.ts";
import { textOfError } from "../errors/text.ts";
import type { Log } from "../observe/log.ts";
import type { Timer } from "../ports/clock.ts";

/** Longest run of one call, in milliseconds; a callback over it is not called again. */
const CALL_LIMIT_MS = 1_000;
const SECOND_MS = 1_000;
/** Above the rate, one of this many lines is handed out. */
const SAMPLE = 10;

interface Source {
  readonly clock: Timer;
  /** For warnings of a callback that is slow or throws. */
  readonly log: Log;
}

/** A user's callback for lines: sampled, timed, dropped when it is slow. */
export class LineCallback {
  readonly #onLine: (line: string) => unknown;
  readonly #linesPerSecond: number;
  readonly #source: Source;
  readonly #deadlines: Deadlines;
  #secondBegan = -Infinity;
  #linesInSecond = 0;
  #isDropped = false;
  #hasThrown = false;

  constructor(
    onLine: (line: string) => unknown,
    linesPerSecond: number,
    source: Source,
  ) {
    this.#onLine = onLine;
    this.#linesPerSecond = linesPerSecond;
    this.#source = source;
    this.#deadlines = new Deadlines(source.clock);
  }

  /** Counts a line and reports whether to hand it out, so that the others need not be decoded. */
  wants(now: number): boolean {
    if (this.#isDropped) return false;
    if (now - this.#secondBegan >= SECOND_MS) {
      this.#secondBegan = now;
      this.#linesInSecond = 0;
    }
    const excess = ++this.#linesInSecond - this.#linesPerSecond;
    return excess <= 0 || excess % SAMPLE === 1;
  }

  call(line: string): void {
    const { clock } = this.#source;
    const began = clock.monotonic();
    let returned: unknown;
    try {
      returned = this.#onLine(line);
    } catch (error) {
      this.#noteThrow(error);
    }
    const tookMs = clock.monotonic() - began;
    if (tookMs > CALL_LIMIT_MS) this.#drop();
    else if (isPromise(returned)) this.#watch(returned);
  }

  close(): void {
    this.#isDropped = true;
    this.#deadlines.close();
  }

  #watch(running: PromiseLike<unknown>): void {
    const deadline = this.#deadlines.add(CALL_LIMIT_MS, () => this.#drop());
    running.then(
      () => deadline.cancel(),
      (error) => {
        deadline.cancel();
        this.#noteThrow(error);
      },
    );
  }

  #drop(): void {
    if (this.#isDropped) return;
    this.close();
    this.#source.log.warn(
      `Callback for stderr is not called again: it took over ${CALL_LIMIT_MS} ms`,
    );
  }

  #noteThrow(error: unknown): void {
    if (this.#hasThrown) return;
    this.#hasThrown = true;
    this.#source.log.warn(
      `Callback for stderr failed: ${textOfError(error)}`,
    );
  }
}
