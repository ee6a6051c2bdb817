import type { TextSink } from "../ports/process.ts";

/** Writes lines one after the other; those that come during a write leave with the next one. */
export class LineWriter {
  readonly #sink: TextSink;
  #unsent = "";
  #writing: Promise<void> | undefined;
  #isBroken = false;

  constructor(sink: TextSink) {
    this.#sink = sink;
  }

  /** Whether a write failed. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Resolves when the pipe took the line, with whatever else was waiting. */
  write(line: string): Promise<void> {
    this.#unsent += `${line}\n`;
    return this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    // Lines of one turn leave in one write.
    await undefined;
    while (this.#unsent !== "") {
      const text = this.#unsent;
      this.#unsent = "";
      try {
        await this.#sink.write(text);
      } catch (error) {
        this.#isBroken = true;
        throw error;
      }
    }
    this.#writing = undefined;
  }
}
