import { fromWholeLine } from "../errors/text.ts";

const decoder = new TextDecoder();

/** The newest bytes of a stream. */
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
      const kept = Math.min(this.#length, this.#capacity - news.length);
      const old = this.#buffer.subarray(this.#length - kept, this.#length);
      // Twice what is kept, so that bytes move seldom.
      const size = 2 * (kept + news.length);
      if (size > this.#buffer.length) this.#buffer = new Uint8Array(size);
      this.#buffer.set(old);
      this.#length = kept;
    }
    this.#buffer.set(news, this.#length);
    this.#length += news.length;
    this.#total += bytes.length;
  }

  /** Begins with a whole line if older bytes are gone: half of a secret would not be redacted. */
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
