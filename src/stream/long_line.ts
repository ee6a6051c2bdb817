/** Beyond it a line is decoded as it arrives, so that it never exists as bytes and as text at once. */
const ROPE_FROM_BYTES = 4 * 1024 * 1024;

/** A line that spans chunks: pieces of bytes, joined once at its end; a rope of text when it is huge. */
export class LongLine {
  bytes = 0;
  #pieces: Uint8Array[] = [];
  #rope = "";
  #decoder: TextDecoder | undefined;

  /** Whether it is text by now, so that bytes are not kept but decoded. */
  get isText(): boolean {
    return this.#decoder !== undefined;
  }

  /** Adds bytes, which are kept as they are. */
  add(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    if (this.#decoder !== undefined) {
      this.#rope += this.#decoder.decode(bytes, { stream: true });
      return;
    }
    this.#pieces.push(bytes);
    if (this.bytes > ROPE_FROM_BYTES) this.#turnToRope();
  }

  /** Ends it with the bytes before its newline; what it was is forgotten. */
  finish(bytes: Uint8Array): Uint8Array | string {
    const line = this.#decoder === undefined
      ? this.#join(bytes)
      : this.#rope + this.#decoder.decode(bytes);
    this.drop();
    return line;
  }

  /** A copy of its beginning, of at most about this many bytes. */
  start(most: number): Uint8Array {
    if (this.#decoder !== undefined) {
      return new TextEncoder().encode(this.#rope.slice(0, most));
    }
    const start = new Uint8Array(Math.min(most, this.bytes));
    let at = 0;
    for (const piece of this.#pieces) {
      const part = piece.subarray(0, start.length - at);
      start.set(part, at);
      at += part.length;
    }
    return start;
  }

  drop(): void {
    this.bytes = 0;
    this.#pieces = [];
    this.#rope = "";
    this.#decoder = undefined;
  }

  #turnToRope(): void {
    this.#decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    for (const piece of this.#pieces) {
      this.#rope += this.#decoder.decode(piece, { stream: true });
    }
    this.#pieces = [];
  }

  #join(last: Uint8Array): Uint8Array {
    const line = new Uint8Array(this.bytes + last.length);
    let at = 0;
    for (const piece of this.#pieces) {
      line.set(piece, at);
      at += piece.length;
    }
    line.set(last, at);
    return line;
  }
}
