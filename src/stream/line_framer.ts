import type { Stage } from "./stage.ts";
import { LongLine } from "./long_line.ts";

const SPACE = 0x20;
const DELETE = 0x7f;
const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = "\ufeff";
/** Bytes that are kept of a line that is skipped: enough to tell what it is. */
const START_BYTES = 4_096;
const DEFAULT_MAX_LINE_BYTES = 32 * 1024 * 1024;

/** Settings of a {@link LineFramer}. */
export interface LineFramerOptions {
  /** Longest line in bytes, without its newline; 32 MiB by default. */
  readonly maxLineBytes?: number | undefined;
  /** Called for each line that was skipped because it was longer, with its full length and its first 4 KiB. */
  readonly onTooLong?: ((bytes: number, start: string) => void) | undefined;
  /** Whether all bytes are ASCII; lets text with wide characters be decoded line by line. */
  readonly isAscii?: ((bytes: Uint8Array) => boolean) | undefined;
  /** Average length in bytes from which lines with characters beyond Latin-1 are decoded one by one; 512 by default. */
  readonly wideLineBytes?: number | undefined;
  /** Whether the memory of chunks is reused after `push()`, so that kept bytes are copied; true by default. */
  readonly isReused?: boolean | undefined;
}

/** Complete lines, still as bytes. */
export interface Piece {
  /** A line that earlier chunks began; text if it was huge. */
  readonly head: Uint8Array | string | undefined;
  /** Lines of this chunk, the last newline left out: a view into the chunk. */
  readonly body: Uint8Array | undefined;
  /** Length of both, in bytes. */
  readonly bytes: number;
}

/**
 * Cuts bytes into lines of text, at `\n` and nowhere else.
 *
 * Works in two steps, so that bytes can be queued undecoded: {@link cut} returns the complete lines of a chunk as
 * bytes, {@link lines} decodes them. Blank lines and a byte-order mark at the start are skipped; {@link end} returns
 * a last line without a newline; invalid UTF-8 becomes replacement characters.
 *
 * A character beyond Latin-1 turns the text of a whole decoded chunk into two-byte strings, which parse slower.
 * Therefore only ASCII is decoded as a whole, other text line by line where that is faster.
 *
 * @example Read a line that spans two chunks
 * ```ts
 * import { LineFramer } from "@sluice/agent/unstable-streams";
 * import assert from "node:assert/strict";
 *
 * const framer = new LineFramer();
 * const encoder = new TextEncoder();
 * assert.deepEqual(framer.push(encoder.encode("one\ntw")), ["one"]);
 * assert.deepEqual(framer.push(encoder.encode("o\nlast")), ["two"]);
 * assert.deepEqual(framer.end(), ["last"]);
 * ```
 */
export class LineFramer implements Stage<Uint8Array, string> {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #open = new LongLine();
  readonly #maxLineBytes: number;
  readonly #onTooLong: LineFramerOptions["onTooLong"];
  readonly #isAscii: ((bytes: Uint8Array) => boolean) | undefined;
  readonly #wideLineBytes: number;
  readonly #isReused: boolean;
  /** Length so far of a line that is being skipped; 0 = none is. */
  #skippedBytes = 0;
  /** The first bytes of that line. */
  #skippedStart: Uint8Array = new Uint8Array(0);
  #isAtStart = true;

  /** Creates a framer; all settings are optional. */
  constructor(options: LineFramerOptions = {}) {
    this.#maxLineBytes = options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES;
    this.#onTooLong = options.onTooLong;
    this.#isAscii = options.isAscii;
    this.#wideLineBytes = options.wideLineBytes ?? 512;
    this.#isReused = options.isReused ?? true;
  }

  /** Bytes of the line in progress. */
  get heldBytes(): number {
    return this.#open.bytes;
  }

  push(chunk: Uint8Array): string[] {
    const piece = this.cut(chunk);
    return piece === undefined ? [] : this.lines(piece);
  }

  /** Returns the last line, if it had no newline. */
  end(): string[] {
    if (this.#skippedBytes > 0) this.#reportSkipped(0);
    if (this.#open.bytes === 0) return [];
    const head = this.#open.finish(new Uint8Array(0));
    return this.lines({ head, body: undefined, bytes: 0 });
  }

  /** Returns the lines that a chunk completes, as bytes; `undefined` when it completes none. */
  cut(chunk: Uint8Array): Piece | undefined {
    const last = chunk.lastIndexOf(NEWLINE);
    if (last === -1) {
      this.#hold(chunk);
      return undefined;
    }
    let head: Uint8Array | string | undefined;
    let bytes = 0;
    let from = 0;
    if (this.#open.bytes > 0 || this.#skippedBytes > 0) {
      const first = chunk.indexOf(NEWLINE);
      const length = this.#open.bytes + first;
      head = this.#finish(chunk.subarray(0, first));
      if (head !== undefined) bytes = length;
      from = first + 1;
    }
    const body = from < last ? chunk.subarray(from, last) : undefined;
    if (body !== undefined) bytes += body.length;
    if (last + 1 < chunk.length) this.#hold(chunk.subarray(last + 1));
    return head === undefined && body === undefined
      ? undefined
      : { head, body, bytes };
  }

  /** Decodes a piece: one string for each line, without blank lines. */
  lines({ head, body }: Piece): string[] {
    const lines = body === undefined ? [] : this.#linesOf(body);
    if (head !== undefined) {
      const line = typeof head === "string" ? head : this.#decoder.decode(head);
      if (!isBlank(line)) lines.unshift(line);
    }
    return this.#isAtStart ? this.#withoutMark(lines) : lines;
  }

  #linesOf(body: Uint8Array): string[] {
    // A chunk above the limit may hold lines above it.
    const isLong = body.length > this.#maxLineBytes;
    if (isLong || this.#isWorthCutting(body)) return this.#decodeEach(body);
    const lines = this.#decoder.decode(body).split("\n");
    return lines.some(isBlank) ? lines.filter((line) => !isBlank(line)) : lines;
  }

  #decodeEach(body: Uint8Array): string[] {
    const lines: string[] = [];
    let from = 0;
    for (
      let at = body.indexOf(NEWLINE);
      at !== -1;
      at = body.indexOf(NEWLINE, from)
    ) {
      this.#decodeLine(body.subarray(from, at), lines);
      from = at + 1;
    }
    this.#decodeLine(body.subarray(from), lines);
    return lines;
  }

  #decodeLine(bytes: Uint8Array, lines: string[]): void {
    if (bytes.length > this.#maxLineBytes) {
      this.#tooLong(bytes.length, bytes.subarray(0, START_BYTES));
      return;
    }
    const line = this.#decoder.decode(bytes);
    if (!isBlank(line)) lines.push(line);
  }

  /** The first lines ever, without the byte-order mark. */
  #withoutMark(lines: string[]): string[] {
    const [first] = lines;
    if (first === undefined) return lines;
    this.#isAtStart = false;
    if (!first.startsWith(BYTE_ORDER_MARK)) return lines;
    return [first.slice(1), ...lines.slice(1)];
  }

  #isWorthCutting(body: Uint8Array): boolean {
    if (this.#isAscii === undefined || this.#isAscii(body)) return false;
    if (this.#wideLineBytes === 0) return true;
    let count = 1;
    for (
      let at = body.indexOf(NEWLINE);
      at !== -1;
      at = body.indexOf(NEWLINE, at + 1)
    ) {
      if (++count * this.#wideLineBytes > body.length) return false;
    }
    return true;
  }

  #hold(bytes: Uint8Array): void {
    if (this.#skippedBytes > 0) {
      this.#skippedBytes += bytes.length;
    } else if (this.#open.bytes + bytes.length > this.#maxLineBytes) {
      this.#skip(bytes);
    } else {
      const isFleeting = this.#isReused && !this.#open.isText;
      this.#open.add(isFleeting ? copyOf(bytes) : bytes);
    }
  }

  /** Ends the line in progress; `undefined` when it was skipped. */
  #finish(bytes: Uint8Array): Uint8Array | string | undefined {
    if (this.#skippedBytes > 0) {
      this.#reportSkipped(bytes.length);
      return undefined;
    }
    if (this.#open.bytes + bytes.length > this.#maxLineBytes) {
      this.#skip(bytes);
      this.#reportSkipped(0);
      return undefined;
    }
    return this.#open.finish(bytes);
  }

  /** Gives up the line in progress, which these bytes continue. */
  #skip(bytes: Uint8Array): void {
    this.#skippedBytes = this.#open.bytes + bytes.length;
    this.#open.add(bytes.subarray(0, START_BYTES));
    this.#skippedStart = this.#open.start(START_BYTES);
    this.#open.drop();
  }

  #reportSkipped(more: number): void {
    const bytes = this.#skippedBytes + more;
    this.#skippedBytes = 0;
    this.#tooLong(bytes, this.#skippedStart);
  }

  #tooLong(bytes: number, start: Uint8Array): void {
    this.#onTooLong?.(bytes, this.#decoder.decode(start));
  }
}

/** The length of each line of a piece in bytes, blank ones included; found without decoding them. */
export function lineSizes({ head, body, bytes }: Piece): number[] {
  const sizes: number[] = [];
  if (head !== undefined) sizes.push(bytes - (body?.length ?? 0));
  if (body === undefined) return sizes;
  for (let from = 0;;) {
    const newline = body.indexOf(NEWLINE, from);
    const end = newline === -1 ? body.length : newline;
    sizes.push(end - from);
    if (newline === -1) return sizes;
    from = newline + 1;
  }
}

/** A copy in memory of its own, also of a `Buffer`, whose `slice()` is a view. */
export function copyOf(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(bytes.length);
  copy.set(bytes);
  return copy;
}

function isBlank(line: string): boolean {
  const first = line.charCodeAt(0);
  // It is looked at first: every line passes here.
  return !(first > SPACE && first < DELETE) && line.trim() === "";
}
