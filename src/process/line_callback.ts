import { type Deadline, Deadlines } from "../async/deadline.ts";
import { isPromise } from "../async/deferred.ts";
import { textOfError } from "../errors/text.ts";
import type { Log } from "../observe/log.ts";
import type { Clock } from "../ports/clock.ts";

/** Longest run of one call, in milliseconds; a callback over it is not called again. */
const CALL_LIMIT_MS = 1_000;
const SECOND_MS = 1_000;
/** Of the lines over the rate the first of every so many is handed out. */
const SAMPLE = 10;
/** A callback gets so much of each second of a flood, in milliseconds: one that is slow must not hold up what is read. */
const FLOOD_SHARE_MS = 500;

interface LineSettings {
  /** Above so many every 10th is handed out, fewer to a callback that takes long. */
  readonly linesPerSecond: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** A user's callback for lines, kept from disturbing anybody: sampled, timed, dropped when it is slow. */
export class LineCallback {
  readonly #onLine: (line: string) => unknown;
  readonly #settings: LineSettings;
  readonly #deadlines: Deadlines;
  #secondBegan = -Infinity;
  #linesInSecond = 0;
  /** How long calls took in this second. */
  #spentMs = 0;
  /** Whether the second before had lines over the rate. */
  #isFlood = false;
  #isDropped = false;
  #hasThrown = false;

  /** Takes the callback, whose result is only watched. */
  constructor(onLine: (line: string) => unknown, settings: LineSettings) {
    this.#onLine = onLine;
    this.#settings = settings;
    this.#deadlines = new Deadlines(settings.clock);
  }

  /** Counts a line and tells whether it is to be handed out, so that the others need not be decoded. */
  wants(now: number): boolean {
    if (this.#isDropped) return false;
    const { linesPerSecond } = this.#settings;
    const isOver = this.#linesInSecond > linesPerSecond;
    // In a flood as much time goes by without calls as with them, however long they take.
    const lastsMs = isOver ? Math.max(SECOND_MS, 2 * this.#spentMs) : SECOND_MS;
    if (now - this.#secondBegan >= lastsMs) {
      this.#secondBegan = now;
      this.#isFlood = isOver;
      this.#linesInSecond = 0;
      this.#spentMs = 0;
    }
    const excess = ++this.#linesInSecond - linesPerSecond;
    const isTimeLeft = this.#spentMs < FLOOD_SHARE_MS;
    if (excess <= 0) return isTimeLeft || !this.#isFlood;
    return isTimeLeft && excess % SAMPLE === 1;
  }

  /** Hands a line out. */
  call(line: string): void {
    const began = this.#settings.clock.now();
    let returned: unknown;
    try {
      returned = this.#onLine(line);
    } catch (error) {
      this.#noteThrow(error);
    }
    const tookMs = this.#settings.clock.now() - began;
    this.#spentMs += tookMs;
    if (tookMs > CALL_LIMIT_MS) this.#drop();
    else if (isPromise(returned)) this.#watch(returned);
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
    this.#settings.log.warn(
      `Callback for stderr is not called again: it took over ${CALL_LIMIT_MS} ms`,
    );
  }

  #noteThrow(error: unknown): void {
    if (this.#hasThrown) return;
    this.#hasThrown = true;
    this.#settings.log.warn(
      `Callback for stderr failed: ${textOfError(error)}`,
    );
  }
}
