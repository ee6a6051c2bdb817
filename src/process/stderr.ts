import type { Log } from "../observe/log.ts";
import type { Clock } from "../ports/clock.ts";
import { ByteReader } from "../stream/byte_reader.ts";
import { ByteTail } from "./byte_tail.ts";
import { LineCallback } from "./line_callback.ts";

/** A dead process's stderr is at its end after so long a silence, in milliseconds: a grandchild may hold it for ever. */
const DRAIN_MS = 200;
/** One into which a grandchild goes on writing is given up after so long, in milliseconds. */
const MOST_DRAIN_MS = 1_000;
/** A longer line is handed out cut. */
const LONGEST_LINE_BYTES = 256 * 1024;
const NEWLINE = 10;

const decoder = new TextDecoder();

/** What is done with stderr. */
export interface StderrOptions {
  /** Newest bytes kept. */
  readonly tailBytes: number;
  /** Lines a second above which `onLine` gets every 10th, fewer if it takes long. */
  readonly linesPerSecond: number;
  /** Bytes that give one warning. */
  readonly warnBytes: number;
  /** Called with the lines; whatever it returns is only watched, never waited for. */
  readonly onLine?: ((line: string) => unknown) | undefined;
}

/** What a {@link StderrTail} is made from. */
export interface StderrInit extends StderrOptions {
  /** Process id, for the log. */
  readonly pid: number;
  /** Whether the stream is best read into one buffer. */
  readonly reusesBuffer: boolean;
  /** Time. */
  readonly clock: Clock;
  /** Hears of a flood, and of a callback that is slow or throws. */
  readonly log: Log;
}

/** Reads a process's stderr as fast as it comes, whoever listens, and keeps the newest of it. */
export class StderrTail {
  readonly #init: StderrInit;
  readonly #reader: ByteReader;
  readonly #tail: ByteTail;
  readonly #callback: LineCallback | undefined;
  /** The line in progress. */
  #pieces: Uint8Array[] = [];
  #heldBytes = 0;
  #bytes = 0;
  #lines = 0;
  #endsWithNewline = true;
  #hasWarned = false;
  /** Resolves when it has ended, or was given up; never rejects. */
  readonly ended: Promise<void>;

  constructor(stream: ReadableStream<Uint8Array>, init: StderrInit) {
    const { onLine } = init;
    this.#init = init;
    this.#reader = new ByteReader(stream, init.reusesBuffer);
    this.#tail = new ByteTail(init.tailBytes);
    this.#callback = onLine && new LineCallback({ ...init, onLine });
    this.ended = this.#read();
  }

  /** Bytes read so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Lines read so far; a last one without a newline counts when it has ended. */
  get lines(): number {
    return this.#lines;
  }

  /** The newest text. */
  text(): string {
    return this.#tail.text();
  }

  /** The process is gone: what it wrote is read, then nothing more is waited for. */
  giveUpSoon(): void {
    this.#reader.endAfterSilence(DRAIN_MS, this.#init.clock, MOST_DRAIN_MS);
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
    if (!this.#endsWithNewline) {
      this.#endLine(new Uint8Array(), this.#init.clock.now());
    }
    this.#callback?.close();
  }

  #take(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    const now = this.#init.clock.now();
    this.#bytes += chunk.length;
    this.#tail.push(chunk);
    this.#warnOfFlood();
    let from = 0;
    for (;;) {
      const at = chunk.indexOf(NEWLINE, from);
      if (at === -1) break;
      this.#endLine(chunk.subarray(from, at), now);
      from = at + 1;
    }
    this.#endsWithNewline = from === chunk.length;
    if (!this.#endsWithNewline) this.#hold(chunk.subarray(from));
  }

  #endLine(end: Uint8Array, now: number): void {
    this.#lines++;
    if (this.#callback?.wants(now)) this.#callback.call(this.#join(end));
    this.#pieces = [];
    this.#heldBytes = 0;
  }

  /** Keeps a copy: the chunk may share its memory with the next one, or pin much more than it shows. */
  #hold(bytes: Uint8Array): void {
    if (this.#callback === undefined) return;
    const piece = bytes.slice(0, LONGEST_LINE_BYTES - this.#heldBytes);
    this.#heldBytes += piece.length;
    this.#pieces.push(piece);
  }

  #join(end: Uint8Array): string {
    let bytes = end;
    if (this.#pieces.length > 0) {
      this.#hold(end);
      bytes = new Uint8Array(this.#heldBytes);
      let at = 0;
      for (const piece of this.#pieces) {
        bytes.set(piece, at);
        at += piece.length;
      }
    }
    const line = decoder.decode(bytes.subarray(0, LONGEST_LINE_BYTES));
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  }

  #warnOfFlood(): void {
    const { warnBytes, log, pid } = this.#init;
    if (this.#hasWarned || this.#bytes <= warnBytes) return;
    this.#hasWarned = true;
    log.warn(`Process wrote over ${warnBytes} bytes to stderr`, { pid });
  }
}
