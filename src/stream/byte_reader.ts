import { after } from "../async/timer.ts";
import type { Timer } from "../ports/clock.ts";
import { DIRECT_READ, type DirectStream } from "../ports/process.ts";

/** Silence after which the output of an ended process counts as complete, in milliseconds: a grandchild may hold it forever. */
export const DRAIN_MS = 200;

const BUFFER_BYTES = 64 * 1024;
/** Steps of a silence: after a blocked event loop one step passes, and the data that came meanwhile is read before the next. */
const STEPS = 4;
/** Most steps that may end too late to count: a busy machine may not have read the available data. */
const MOST_LATE = 20;
/** Default limit of reading, in silences. */
const MOST_SILENCES = 25;

/** Rule for the end of a stream that others may hold open. */
interface Silence {
  readonly stepMs: number;
  readonly mostMs: number;
  readonly clock: Timer;
}

/**
 * Reads a byte stream chunk by chunk, where it pays into one buffer that is used again.
 *
 * A chunk is valid only until the next `read()`. The stream belongs to the reader.
 */
export class ByteReader {
  readonly #next: () => Promise<ReadableStreamReadResult<Uint8Array>>;
  readonly #cancel: (reason?: unknown) => Promise<void>;
  #isReading = false;
  #silence: Silence | undefined;
  /** Time spent reading since then. */
  #spentMs = 0;
  /** When the read of the moment began, or the watch over it. */
  #beganAt = 0;
  /** Time up to which continued reading is counted. */
  #endedAt: number | undefined;
  /** Steps of a silence that the current read has waited. */
  #steps = 0;
  #cancelStep: (() => void) | undefined;
  readonly isReused: boolean;

  /** Takes the stream; `reuse` asks for the one buffer, which only a byte stream can fill. */
  constructor(stream: DirectStream, reuse: boolean) {
    const byob = reuse ? byobReader(stream) : undefined;
    this.isReused = byob !== undefined;
    if (byob === undefined) {
      const reader = stream.getReader();
      this.#next = stream[DIRECT_READ] ?? (() => reader.read());
      this.#cancel = (reason) => reader.cancel(reason);
    } else {
      let buffer = new ArrayBuffer(BUFFER_BYTES);
      this.#next = async () => {
        const result = await byob.read(new Uint8Array(buffer));
        if (result.value !== undefined) buffer = result.value.buffer;
        return result as ReadableStreamReadResult<Uint8Array>;
      };
      this.#cancel = (reason) => byob.cancel(reason);
    }
  }

  /** The next chunk; `undefined` at the end. */
  async read(): Promise<Uint8Array | undefined> {
    const silence = this.#silence;
    if (silence !== undefined) {
      this.#beganAt = silence.clock.monotonic();
      this.goOn();
      if (this.isSpent) await this.cancel();
    }
    this.#isReading = true;
    this.#watchSilence();
    try {
      const { done, value } = await this.#next();
      return done ? undefined : value;
    } finally {
      this.#isReading = false;
      this.#cancelStep?.();
      if (this.#silence !== undefined) this.#count(this.#silence);
    }
  }

  /**
   * From now on silence for `ms` is the end: a grandchild may hold the pipe for ever. One that continues to write is not
   * read for ever either: after `mostMs` of reading it is the end as well.
   */
  endAfterSilence(
    ms: number,
    clock: Timer,
    mostMs: number = ms * MOST_SILENCES,
  ): void {
    this.#silence = { stepMs: ms / STEPS, mostMs, clock };
    this.#beganAt = clock.monotonic();
    if (this.#isReading) this.#watchSilence();
  }

  get isSpent(): boolean {
    return this.#silence !== undefined &&
      this.#spentMs >= this.#silence.mostMs;
  }

  /** Reports that the reader is still busy with a chunk, which counts as reading. */
  goOn(): void {
    if (this.#silence === undefined) return;
    const { clock, mostMs } = this.#silence;
    const now = clock.monotonic();
    // A blocked event loop is no reading either.
    this.#spentMs += Math.min(now - (this.#endedAt ?? now), mostMs / STEPS);
    this.#endedAt = now;
  }

  /** Its reader stops for a while: that is no time of reading, so that a slow one gets all that was there. */
  rest(): void {
    this.#endedAt = undefined;
  }

  /** Ends the stream; a pending read ends as well. */
  async cancel(reason?: unknown): Promise<void> {
    await this.#cancel(reason).catch(() => {});
  }

  /** A read that took long because the event loop was blocked has not waited. */
  #count({ clock, stepMs }: Silence): void {
    this.#endedAt = clock.monotonic();
    const mostMs = (this.#steps + 1) * stepMs;
    this.#spentMs += Math.min(this.#endedAt - this.#beganAt, mostMs);
  }

  #watchSilence(): void {
    if (this.#silence === undefined) return;
    const { stepMs, mostMs, clock } = this.#silence;
    const leftMs = mostMs - this.#spentMs;
    let late = 0;
    this.#steps = 0;
    this.#cancelStep?.();
    const step = () => {
      if (this.#steps >= STEPS || this.#steps * stepMs >= leftMs) {
        return void this.cancel();
      }
      const beganAt = clock.monotonic();
      this.#cancelStep = after(clock, stepMs, () => {
        const isLate = clock.monotonic() - beganAt >= 2 * stepMs;
        if (!isLate || ++late > MOST_LATE) this.#steps++;
        step();
      });
    };
    step();
  }
}

function byobReader(
  stream: ReadableStream<Uint8Array>,
): ReadableStreamBYOBReader | undefined {
  try {
    return stream.getReader({ mode: "byob" });
  } catch {
    // It is no byte stream.
    return undefined;
  }
}
