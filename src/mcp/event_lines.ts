import type { JsonObject } from "../types/json.ts";
import { isAnswer } from "./answers.ts";

interface EventLinesOptions {
  /** Called with each answer; returns it repaired if it is malformed. */
  readonly onAnswer: (message: JsonObject) => JsonObject | undefined;
  /** Longest line, in UTF-16 code units. */
  readonly maxLength: number;
}

const DATA_LINE = /(^|[\r\n])data: ?(\{[^\r\n]*)/g;

/**
 * Repairs the answers in an event stream, and leaves everything else as it is.
 *
 * A message is looked at when it is on one line, as servers write it.
 */
export class EventLines {
  readonly #options: EventLinesOptions;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #encoder = new TextEncoder();
  /** The beginning of a line. */
  #held: string[] = [];
  #heldLength = 0;

  constructor(options: EventLinesOptions) {
    this.#options = options;
  }

  /** The lines that a chunk completes; throws when one is too long. */
  push(chunk: Uint8Array): Uint8Array | undefined {
    const text = this.#decoder.decode(chunk, { stream: true });
    const end = lastLineEnd(text);
    if (end === 0) {
      this.#hold(text);
      return undefined;
    }
    const lines = this.#take() + text.slice(0, end);
    this.#hold(text.slice(end));
    return this.#encoder.encode(this.#repaired(lines));
  }

  /** The rest at the end of the stream. */
  end(): Uint8Array | undefined {
    const text = this.#take() + this.#decoder.decode();
    return text === "" ? undefined : this.#encoder.encode(text);
  }

  #hold(text: string): void {
    if (text === "") return;
    this.#held.push(text);
    this.#heldLength += text.length;
    const { maxLength } = this.#options;
    if (this.#heldLength > maxLength) {
      throw new RangeError(`A line is longer than ${maxLength} characters`);
    }
  }

  #take(): string {
    const text = this.#held.join("");
    this.#held = [];
    this.#heldLength = 0;
    return text;
  }

  #repaired(lines: string): string {
    const { onAnswer } = this.#options;
    return lines.replace(DATA_LINE, (line, before: string, json: string) => {
      const message = parsed(json);
      if (!isAnswer(message)) return line;
      const repaired = onAnswer(message);
      return repaired === undefined
        ? line
        : `${before}data: ${JSON.stringify(repaired)}`;
    });
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Where the last whole line ends; 0 when there is none. */
function lastLineEnd(text: string): number {
  return Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
}
