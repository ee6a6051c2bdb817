import { type Deadline, Deadlines } from "../async/deadline.ts";
import { textOfError } from "../errors/text.ts";
import type { Log } from "../observe/log.ts";
import type { Clock } from "../ports/clock.ts";

/** Longest run of one call, in milliseconds; a callback over it is not called again. */
const CALL_LIMIT_MS = 1_000;
const SECOND_MS = 1_000;
/** Of the lines over the rate the first of every so many is handed out. */
const SAMPLE = 10;

/** What a {@link LineCallback} is made from. */
export interface LineCallbackInit {
  /** Called with the lines; whatever it returns is only watched, never waited for. */
  readonly onLine: (line: string) => unknown;
  /** Lines a second above which every 10th is handed out. */
  readonly linesPerSecond: number;
  /** Time. */
  readonly clock: Clock;
  /** Hears of a callback that is slow or throws. */
  readonly log: Log;
}

/** A user's callback for lines, kept from disturbing anybody: sampled, timed, dropped when it is slow. */
export class LineCallback {
  readonly #init: LineCallbackInit;
  readonly #deadlines: Deadlines;
  #secondBegan = -Infinity;
  #linesInSecond = 0;
  #isDropped = false;
  #hasThrown = false;

  constructor(init: LineCallbackInit) {
    this.#init = init;
    this.#deadlines = new Deadlines(init.clock);
  }

  /** Counts a line and tells whether it is to be handed out, so that the others need not be decoded. */
  wants(now: number): boolean {
    if (this.#isDropped) return false;
    if (now - this.#secondBegan >= SECOND_MS) {
      this.#secondBegan = now;
      this.#linesInSecond = 0;
    }
    const excess = ++this.#linesInSecond - this.#init.linesPerSecond;
    return excess <= 0 || excess % SAMPLE === 1;
  }

  /** Hands a line out. */
  call(line: string): void {
    const { onLine, clock } = this.#init;
    const began = clock.now();
    let returned: unknown;
    try {
      returned = onLine(line);
    } catch (error) {
      this.#noteThrow(error);
    }
    if (clock.now() - began > CALL_LIMIT_MS) this.#drop();
    else if (isThenable(returned)) this.#watch(returned);
  }

  /** Stops watching. */
  close(): void {
    this.#isDropped = true;
    this.#deadlines.close();
  }

  #watch(running: PromiseLike<unknown>): void {
    const deadline: Deadline = this.#deadlines.add(
      CALL_LIMIT_MS,
      () => this.#drop(),
    );
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
    this.#init.log.warn(
      `Callback for stderr is not called again: it took over ${CALL_LIMIT_MS} ms`,
    );
  }

  #noteThrow(error: unknown): void {
    if (this.#hasThrown) return;
    this.#hasThrown = true;
    this.#init.log.warn(`Callback for stderr failed: ${textOfError(error)}`);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null &&
    "then" in value && typeof value.then === "function";
}
