import { Deadlines } from "../async/deadline.ts";
import { isPromise } from "../async/deferred.ts";
import { textOfError } from "../errors/text.ts";
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
  /** Lines a second above which `onLine` gets every 10th, fewer if it takes long. */
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

const FIRST_BYTES = 1024;

/** The newest so many bytes; memory grows with need. */
export class ByteTail {
  readonly #capacity: number;
  #buffer = new Uint8Array(0);
  /** Where the oldest byte lies; 0 until everything there may be is in use. */
  #start = 0;
  #length = 0;
  #isCut = false;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Adds a copy of the bytes; the oldest go when there are too many. */
  push(bytes: Uint8Array): void {
    const news = bytes.subarray(Math.max(0, bytes.length - this.#capacity));
    const excess = this.#length + bytes.length - this.#capacity;
    if (excess > 0) this.#isCut = true;
    this.#grow(Math.min(this.#length + news.length, this.#capacity));
    const size = this.#buffer.length;
    if (size === 0) return;
    const end = (this.#start + this.#length) % size;
    const fitting = Math.min(news.length, size - end);
    this.#buffer.set(news.subarray(0, fitting), end);
    this.#buffer.set(news.subarray(fitting), 0);
    const forgotten = Math.max(0, this.#length + news.length - size);
    this.#start = (this.#start + forgotten) % size;
    this.#length += news.length - forgotten;
  }

  /** The bytes as text; of a character that was cut at the front nothing is left. */
  text(): string {
    const bytes = new Uint8Array(this.#length);
    const first = this.#buffer.subarray(
      this.#start,
      this.#start + this.#length,
    );
    bytes.set(first);
    bytes.set(
      this.#buffer.subarray(0, this.#length - first.length),
      first.length,
    );
    return decoder.decode(bytes.subarray(this.#isCut ? tornBytes(bytes) : 0));
  }

  #grow(needed: number): void {
    const size = this.#buffer.length;
    if (needed <= size) return;
    const buffer = new Uint8Array(
      Math.min(this.#capacity, Math.max(needed, size * 2, FIRST_BYTES)),
    );
    // Nothing was overwritten yet, so the oldest byte is the first.
    buffer.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = buffer;
  }
}

/** How many bytes at the front belong to a character that began before: 3 at most. */
function tornBytes(bytes: Uint8Array): number {
  const front = bytes.subarray(0, 3);
  const at = front.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return at === -1 ? front.length : at;
}

/** Longest run of one call, in milliseconds; a callback over it is not called again. */
const CALL_LIMIT_MS = 1_000;
const SECOND_MS = 1_000;
/** Of the lines over the rate the first of every so many is handed out. */
const SAMPLE = 10;
/** A callback gets so much of each second of a flood, in milliseconds: one that is slow must not hold up what is read. */
const FLOOD_SHARE_MS = 500;

/** A user's callback for lines, kept from disturbing anybody: sampled, timed, dropped when it is slow. */
export class LineCallback {
  readonly #onLine: (line: string) => unknown;
  /** Above so many every 10th is handed out, fewer to a callback that takes long. */
  readonly #linesPerSecond: number;
  readonly #source: StderrSource;
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

  /** Counts a line and tells whether it is to be handed out, so that the others need not be decoded. */
  wants(now: number): boolean {
    if (this.#isDropped) return false;
    const isOver = this.#linesInSecond > this.#linesPerSecond;
    // In a flood as much time goes by without calls as with them, however long they take.
    const lastsMs = isOver ? Math.max(SECOND_MS, 2 * this.#spentMs) : SECOND_MS;
    if (now - this.#secondBegan >= lastsMs) {
      this.#secondBegan = now;
      this.#isFlood = isOver;
      this.#linesInSecond = 0;
      this.#spentMs = 0;
    }
    const excess = ++this.#linesInSecond - this.#linesPerSecond;
    const isTimeLeft = this.#spentMs < FLOOD_SHARE_MS;
    if (excess <= 0) return isTimeLeft || !this.#isFlood;
    return isTimeLeft && excess % SAMPLE === 1;
  }

  /** Hands a line out. */
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
