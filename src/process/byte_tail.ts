const FIRST_BYTES = 1024;

const decoder = new TextDecoder();

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
