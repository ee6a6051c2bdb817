import type { Mirror } from "../transcripts/mirror.ts";
import type { TranscriptEntry } from "../transcripts/store.ts";
import type { JsonObject } from "../types/json.ts";

interface Copied {
  readonly mirror: Pick<Mirror, "put" | "flush">;
  /** Bytes that were read so far. */
  readonly bytesRead: () => number;
  /** Gives the consumer a message. */
  readonly put: (message: JsonObject) => void;
}

/** Copies lines into a store, and holds back each result until the store has all that came before it. */
export class StoreFirst {
  readonly #to: Copied;
  #copiedBytes = 0;
  /** Lines that wait for the store, the first of which is a result. */
  #held: JsonObject[] = [];
  /** Resolves when the lines that wait are handed on. */
  releasing: Promise<void> | undefined;

  constructor(to: Copied) {
    this.#to = to;
  }

  /** Takes a line for the store. */
  readonly copy = (line: JsonObject): void => {
    if (this.#held.length > 0) this.#held.push(line);
    else this.#copy(line);
  };

  /** Returns the messages that need not wait. */
  untilResult(messages: readonly JsonObject[]): readonly JsonObject[] {
    if (this.#held.length > 0) {
      this.#held.push(...messages);
      return [];
    }
    const at = messages.findIndex(isResult);
    if (at === -1) return messages;
    this.#held = messages.slice(at);
    this.releasing = this.#release();
    return messages.slice(0, at);
  }

  async flush(): Promise<void> {
    await this.#to.mirror.flush().catch(() => {});
  }

  /** Resolves when nothing waits, and the store has all. */
  async settled(): Promise<void> {
    await this.releasing;
    await this.flush();
  }

  async #release(): Promise<void> {
    while (this.#held.length > 0) {
      await this.flush();
      const next = this.#held.findIndex((one, at) => at > 0 && isResult(one));
      const ready = this.#held.splice(0, next === -1 ? Infinity : next);
      for (const line of ready) {
        if (line.type === "transcript_mirror") this.#copy(line);
        else this.#to.put(line);
      }
    }
    this.releasing = undefined;
  }

  #copy({ filePath, entries = [] }: JsonObject): void {
    const bytesRead = this.#to.bytesRead();
    const lines = entries as readonly TranscriptEntry[];
    const bytes = bytesRead - this.#copiedBytes;
    this.#to.mirror.put(String(filePath), lines, bytes);
    this.#copiedBytes = bytesRead;
  }
}

function isResult({ type }: JsonObject): boolean {
  return type === "result";
}
