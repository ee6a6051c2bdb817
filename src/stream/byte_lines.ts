const NEWLINE = 0x0a;

export interface ByteLine {
  /** Without its newline; of a line that is longer than may be its beginning. */
  readonly bytes: Uint8Array;
  readonly isCut: boolean;
  /** Whether a newline ends it; only the last line may have none. */
  readonly isEnded: boolean;
}

/** Cuts bytes into lines, and holds no more than the longest line that is allowed; `LineFramer` decodes chunks as a whole instead. */
export class ByteLines {
  readonly #maxBytes: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Calls back with the lines that a chunk completes, whose memory may be used again after the call.
   *
   * @param isWanted Asked once for each line: one that is not wanted costs nothing but the look for its end
   */
  push(
    chunk: Uint8Array,
    take: (line: ByteLine) => void,
    isWanted: () => boolean = () => true,
  ): void {
    let from = 0;
    for (
      let to = chunk.indexOf(NEWLINE);
      to !== -1;
      to = chunk.indexOf(NEWLINE, from)
    ) {
      if (isWanted()) take(this.#finish(chunk.subarray(from, to), true));
      else if (this.#bytes > 0) this.#drop();
      from = to + 1;
    }
    // A copy: the chunk's memory may be used again, or be much more than this.
    if (from < chunk.length) this.#hold(chunk.subarray(from), true);
  }

  /** The last line, if it had no newline. */
  end(): ByteLine | undefined {
    if (this.#bytes === 0) return undefined;
    return this.#finish(new Uint8Array(0), false);
  }

  #hold(piece: Uint8Array, isCopied: boolean): void {
    const room = Math.max(0, this.#maxBytes - this.#bytes);
    this.#bytes += piece.length;
    if (room === 0) return;
    this.#pieces.push(
      isCopied ? piece.slice(0, room) : piece.subarray(0, room),
    );
  }

  #finish(rest: Uint8Array, isEnded: boolean): ByteLine {
    if (this.#bytes === 0) {
      const isCut = rest.length > this.#maxBytes;
      const bytes = isCut ? rest.subarray(0, this.#maxBytes) : rest;
      return { bytes, isCut, isEnded };
    }
    this.#hold(rest, false);
    const bytes = joined(this.#pieces);
    const isCut = this.#bytes > this.#maxBytes;
    this.#drop();
    return { bytes, isCut, isEnded };
  }

  #drop(): void {
    this.#pieces = [];
    this.#bytes = 0;
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array(0)] = pieces;
  if (pieces.length < 2) return first;
  const whole = new Uint8Array(
    pieces.reduce((sum, { length }) => sum + length, 0),
  );
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
