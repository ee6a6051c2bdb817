const NEWLINE = 0x0a;

/** One line of a file, as bytes. */
export interface RawLine {
  /** Counted from 1, blank lines too. */
  readonly number: number;
  /** Without its newline; `undefined` when it is longer than may be. */
  readonly bytes: Uint8Array | undefined;
  /** Whether a newline ends it; only the last line may have none. */
  readonly isEnded: boolean;
}

/** Cuts bytes into numbered lines, and holds no more than the longest line that is allowed. */
export class LineSplitter {
  readonly #maxBytes: number;
  #number = 1;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that a chunk completes; its memory may be used again when they have been read. */
  *push(chunk: Uint8Array): Generator<RawLine> {
    let from = 0;
    for (;;) {
      const to = chunk.indexOf(NEWLINE, from);
      if (to === -1) break;
      yield this.#finish(chunk.subarray(from, to), true);
      from = to + 1;
    }
    // A copy, for the chunk's memory is used again.
    if (from < chunk.length) this.#hold(chunk.slice(from));
  }

  /** The last line, if it had no newline. */
  end(): RawLine | undefined {
    if (this.#bytes === 0) return undefined;
    return this.#finish(new Uint8Array(0), false);
  }

  #hold(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  #finish(rest: Uint8Array, isEnded: boolean): RawLine {
    const total = this.#bytes + rest.length;
    const bytes = total > this.#maxBytes
      ? undefined
      : this.#pieces.length === 0
      ? rest
      : joined([...this.#pieces, rest], total);
    this.#pieces = [];
    this.#bytes = 0;
    return { number: this.#number++, bytes, isEnded };
  }
}

function joined(pieces: readonly Uint8Array[], total: number): Uint8Array {
  const whole = new Uint8Array(total);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
