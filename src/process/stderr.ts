import type { Log } from "../observe/log.ts";
import type { Timer } from "../ports/clock.ts";
import { ByteReader, DRAIN_MS } from "../stream/byte_reader.ts";
import { ByteTail } from "./byte_tail.ts";
import { LineCallback } from "./line_callback.ts";

/** A stream that a grandchild keeps writing to is given up after this time, in milliseconds. */
const MOST_DRAIN_MS = 1_000;
/** A longer line is handed out cut. */
const LONGEST_LINE = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

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
  /** Decodes the line that is still to end. */
  readonly #pieces = new TextDecoder();
  /** The beginning of a line that is still to end; `undefined` = none. */
  #open: string | undefined;
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
    if (
      this.#open !== undefined &&
      this.#isWanted(this.#source.clock.monotonic())
    ) this.#handOut(new Uint8Array(0));
    this.#callback?.close();
  }

  #take(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    const now = this.#source.clock.monotonic();
    this.#bytes += chunk.length;
    this.#tail.push(chunk);
    this.#warnOfFlood();
    let from = 0;
    for (
      let to = chunk.indexOf(NEWLINE);
      to !== -1;
      to = chunk.indexOf(NEWLINE, from)
    ) {
      if (this.#isWanted(now)) this.#handOut(chunk.subarray(from, to));
      else if (this.#open !== undefined) this.#end();
      from = to + 1;
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from));
  }

  /** Counts a line, and says whether the callback gets it: only then it is decoded. */
  #isWanted(now: number): boolean {
    this.#lines++;
    return this.#callback?.wants(now) === true;
  }

  #handOut(rest: Uint8Array): void {
    const line = this.#open === undefined
      ? decoder.decode(rest.subarray(0, LONGEST_LINE))
      : this.#end(rest);
    this.#callback?.call(line.endsWith("\r") ? line.slice(0, -1) : line);
  }

  #hold(bytes: Uint8Array): void {
    const { length } = this.#open ??= "";
    // Without a callback it is only counted.
    if (this.#callback === undefined || length >= LONGEST_LINE) return;
    const room = bytes.subarray(0, LONGEST_LINE - length);
    this.#open += this.#pieces.decode(room, { stream: true });
  }

  /** The whole of the open line, which is over with that. */
  #end(rest: Uint8Array = new Uint8Array(0)): string {
    this.#hold(rest);
    const line = (this.#open ?? "") + this.#pieces.decode();
    this.#open = undefined;
    return line;
  }

  #warnOfFlood(): void {
    if (this.#hasWarned || this.#bytes <= this.#warnBytes) return;
    this.#hasWarned = true;
    const { log, pid } = this.#source;
    log.warn(`Process wrote over ${this.#warnBytes} bytes to stderr`, { pid });
  }
}
