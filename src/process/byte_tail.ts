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
      const old = this.#buffer.subarray(0, this.#length);
      const kept = newest(old, this.#capacity - news.length);
      // Twice what is kept, so that bytes move seldom.
      this.#buffer = new Uint8Array(2 * (kept.length + news.length));
      this.#buffer.set(kept);
      this.#length = kept.length;
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
