import type { Log } from "../observe/log.ts";
import type { Timer } from "../ports/clock.ts";
import { type ByteLine, ByteLines } from "../stream/byte_lines.ts";
import { ByteReader, DRAIN_MS } from "../stream/byte_reader.ts";
import { ByteTail } from "./byte_tail.ts";
import { LineCallback } from "./line_callback.ts";

/** A stream that a grandchild keeps writing to is given up after this time, in milliseconds. */
const MOST_DRAIN_MS = 1_000;
/** A longer line is handed out cut. */
const LONGEST_LINE_BYTES = 256 * 1024;

const decoder = new TextDecoder();

export interface StderrOptions {
  readonly tailBytes: number;
  /** Lines a second above which `onLine` gets every 10th. */
  readonly linesPerSecond: number;
  readonly warnBytes: number;
  /** Called with the lines; whatever it returns is only watched, never waited for. */
  readonly onLine?: ((line: string) => unknown) | undefined;
}

/** Whose stderr it is, and what it is read with. */
export interface StderrSource {
  readonly pid: number;
  /** Whether the stream is best read into one buffer. */
  readonly reusesBuffer: boolean;
  readonly clock: Timer;
  /** For warnings of a flood, and of a callback that is slow or throws. */
  readonly log: Log;
}

/** Reads a process's stderr as fast as it comes, and keeps the newest of it. */
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
    if (last !== undefined && this.#isWanted(this.#source.clock.monotonic())) {
      this.#handOut(last);
    }
    this.#callback?.close();
  }

  #take(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    const now = this.#source.clock.monotonic();
    this.#bytes += chunk.length;
    this.#tail.push(chunk);
    this.#warnOfFlood();
    this.#cutter.push(
      chunk,
      (line) => this.#handOut(line),
      () => this.#isWanted(now),
    );
  }

  /** Counts a line, and says whether the callback gets it: only then it is decoded. */
  #isWanted(now: number): boolean {
    this.#lines++;
    return this.#callback?.wants(now) === true;
  }

  #handOut({ bytes }: ByteLine): void {
    const line = decoder.decode(bytes);
    this.#callback?.call(line.endsWith("\r") ? line.slice(0, -1) : line);
  }

  #warnOfFlood(): void {
    if (this.#hasWarned || this.#bytes <= this.#warnBytes) return;
    this.#hasWarned = true;
    const { log, pid } = this.#source;
    log.warn(`Process wrote over ${this.#warnBytes} bytes to stderr`, { pid });
  }
}
