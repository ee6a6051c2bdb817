import { Deadlines } from "../async/deadline.ts";
import { isPromise } from "../async/deferred.ts";
import { fromWholeLine, textOfError } from "../errors/text.ts";
import type { Log } from "../observe/log.ts";
import type { Timer } from "../ports/clock.ts";
import { type ByteLine, ByteLines } from "../stream/byte_lines.ts";
import { ByteReader, DRAIN_MS } from "../stream/byte_reader.ts";

/** One into which a grandchild goes on writing is given up after so long, in milliseconds. */
const MOST_DRAIN_MS = 1_000;
/** A longer line is handed out cut. */
const LONGEST_LINE_BYTES = 256 * 1024;

const decoder = new TextDecoder();

export interface StderrOptions {
  /** Newest bytes kept. */
  readonly tailBytes: number;
  /** Lines a second above which `onLine` gets every 10th. */
  readonly linesPerSecond: number;
  readonly warnBytes: number;
  /** Called with the lines; whatever it returns is only watched, never waited for. */
  readonly onLine?: ((line: string) => unknown) | undefined;
}

/** Whose stderr it is, and what it is read with. */
export interface StderrSource {
  /** Process id, for the log. */
  readonly pid: number;
  /** Whether the stream is best read into one buffer. */
  readonly reusesBuffer: boolean;
  readonly clock: Timer;
  /** For warnings of a flood, and of a callback that is slow or throws. */
  readonly log: Log;
}

/** Reads a process's stderr as fast as it comes, whoever listens, and keeps the newest of it. */
export class StderrTail {
  readonly #warnBytes: number;
  readonly #source: StderrSource;
  readonly #reader: ByteReader;
  readonly #tail: ByteTail;
  readonly #callback: LineCallback | undefined;
  readonly #cutter: ByteLines;
  #bytes = 0;
  #lines = 0;
  #hasWarned = false;
  /** Resolves when it has ended, or was given up; never rejects. */
  readonly ended: Promise<void>;

  constructor(
    stream: ReadableStream<Uint8Array>,
    options: StderrOptions,
    source: StderrSource,
  ) {
    const { onLine, tailBytes, warnBytes, linesPerSecond } = options;
    this.#warnBytes = warnBytes;
    this.#source = source;
    this.#reader = new ByteReader(stream, source.reusesBuffer);
    this.#tail = new ByteTail(tailBytes);
    this.#callback = onLine &&
      new LineCallback(onLine, linesPerSecond, source);
    this.#cutter = new ByteLines(onLine ? LONGEST_LINE_BYTES : 0);
    this.ended = this.#read();
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Lines read so far; a last one without a newline counts when it has ended. */
  get lines(): number {
    return this.#lines;
  }

  text(): string {
    return this.#tail.text();
  }

  /** The process is gone: what it wrote is read, then nothing more is waited for. */
  giveUpSoon(): void {
    this.#reader.endAfterSilence(DRAIN_MS, this.#source.clock, MOST_DRAIN_MS);
  }

  async #read(): Promise<void> {
    try {
      for (;;) {
        const chunk = await this.#reader.read();
        if (chunk === undefined) break;
        this.#take(chunk);
      }
    } catch {
      // A pipe that breaks is at its end.
    }
    const last = this.#cutter.end();
    if (last !== undefined) {
      this.#takeLine(last, this.#source.clock.monotonic());
    }
    this.#callback?.close();
  }

  #take(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    const now = this.#source.clock.monotonic();
    this.#bytes += chunk.length;
    this.#tail.push(chunk);
    this.#warnOfFlood();
    for (const line of this.#cutter.push(chunk)) this.#takeLine(line, now);
  }

  #takeLine({ bytes }: ByteLine, now: number): void {
    this.#lines++;
    if (!this.#callback?.wants(now)) return;
    const line = decoder.decode(bytes);
    this.#callback.call(line.endsWith("\r") ? line.slice(0, -1) : line);
  }

  #warnOfFlood(): void {
    if (this.#hasWarned || this.#bytes <= this.#warnBytes) return;
    this.#hasWarned = true;
    const { log, pid } = this.#source;
    log.warn(`Process wrote over ${this.#warnBytes} bytes to stderr`, { pid });
  }
}

/** The newest so many bytes. */
export class ByteTail {
  readonly #capacity: number;
  #buffer = new Uint8Array(0);
  #length = 0;
  #total = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  push(bytes: Uint8Array): void {
    const news = newest(bytes, this.#capacity);
    if (this.#length + news.length > this.#buffer.length) {
      const old = this.#buffer.subarray(0, this.#length);
      const kept = newest(old, this.#capacity - news.length);
      // Twice what is kept, so that bytes move seldom.
      this.#buffer = new Uint8Array(2 * (kept.length + news.length));
      this.#buffer.set(kept);
      this.#length = kept.length;
    }
    this.#buffer.set(news, this.#length);
    this.#length += news.length;
    this.#total += bytes.length;
  }

  /** The bytes as text; when more came, from a whole line on: nothing redacts half of a secret. */
  text(): string {
    const bytes = newest(
      this.#buffer.subarray(0, this.#length),
      this.#capacity,
    );
    const text = decoder.decode(bytes);
    return this.#total > bytes.length ? fromWholeLine(text) : text;
  }
}

function newest(bytes: Uint8Array, count: number): Uint8Array {
  return bytes.subarray(Math.max(0, bytes.length - count));
}

/** Longest run of one call, in milliseconds; a callback over it is not called again. */
const CALL_LIMIT_MS = 1_000;
const SECOND_MS = 1_000;
/** Of the lines over the rate the first of every so many is handed out. */
const SAMPLE = 10;

/** A user's callback for lines: sampled, timed, dropped when it is slow. */
export class LineCallback {
  readonly #onLine: (line: string) => unknown;
  readonly #linesPerSecond: number;
  readonly #source: StderrSource;
  readonly #deadlines: Deadlines;
  #secondBegan = -Infinity;
  #linesInSecond = 0;
  #isDropped = false;
  #hasThrown = false;

  constructor(
    onLine: (line: string) => unknown,
    linesPerSecond: number,
    source: StderrSource,
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
