import type { Clock } from "../ports/clock.ts";
import { DIRECT_READ, type DirectStream } from "../ports/process.ts";

const BUFFER_BYTES = 64 * 1024;

/**
 * Reads a byte stream chunk by chunk, where it pays into one buffer that is used again.
 *
 * A chunk is valid only until the next `read()`. The stream belongs to the reader.
 */
export class ByteReader {
  readonly #next: () => Promise<ReadableStreamReadResult<Uint8Array>>;
  readonly #cancel: (reason?: unknown) => Promise<void>;
  #isReading = false;
  #silence: { readonly ms: number; readonly clock: Clock } | undefined;
  #timer: AbortController | undefined;
  /** Whether chunks share memory. */
  readonly isReused: boolean;

  /** Takes the stream; `reuse` asks for the one buffer, which only a byte stream can fill. */
  constructor(stream: DirectStream, reuse: boolean) {
    const byob = reuse ? byobReader(stream) : undefined;
    this.isReused = byob !== undefined;
    if (byob === undefined) {
      const reader = stream.getReader();
      this.#next = stream[DIRECT_READ] ?? (() => reader.read());
      this.#cancel = (reason) => reader.cancel(reason);
    } else {
      let buffer = new ArrayBuffer(BUFFER_BYTES);
      this.#next = async () => {
        const result = await byob.read(new Uint8Array(buffer));
        if (result.value !== undefined) buffer = result.value.buffer;
        return result as ReadableStreamReadResult<Uint8Array>;
      };
      this.#cancel = (reason) => byob.cancel(reason);
    }
  }

  /** The next chunk; `undefined` at the end. */
  async read(): Promise<Uint8Array | undefined> {
    this.#isReading = true;
    this.#watchSilence();
    try {
      const { done, value } = await this.#next();
      return done ? undefined : value;
    } finally {
      this.#isReading = false;
      this.#timer?.abort();
    }
  }

  /** From now on a read that gets nothing for so long is the end: a grandchild may hold the pipe for ever. */
  endAfterSilence(ms: number, clock: Clock): void {
    this.#silence = { ms, clock };
    if (this.#isReading) this.#watchSilence();
  }

  /** Ends the stream; a pending read ends as well. */
  async cancel(reason?: unknown): Promise<void> {
    await this.#cancel(reason).catch(() => {});
  }

  #watchSilence(): void {
    if (this.#silence === undefined) return;
    const { ms, clock } = this.#silence;
    this.#timer?.abort();
    this.#timer = new AbortController();
    clock.sleep(ms, this.#timer.signal).then(() => this.cancel(), () => {});
  }
}

function byobReader(
  stream: ReadableStream<Uint8Array>,
): ReadableStreamBYOBReader | undefined {
  try {
    return stream.getReader({ mode: "byob" });
  } catch {
    // It is no byte stream.
    return undefined;
  }
}
