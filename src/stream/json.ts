import type { JsonValue } from "../types/json.ts";
import type { Stage } from "./stage.ts";

/** Ends of the lines within a line: a lone \r behind or before an object ends a line as well. */
const LONE_RETURN = /(?<=\})\r|\r(?=[ \t]*\{)/;

/** Lines after which an incomplete text is given up. */
const MOST_JOINED_LINES = 64;

/** Settings of a {@link JsonDecoder}. */
export interface JsonDecoderOptions {
  /** Longest text that is held, in characters; 33,554,432 (32 Mi) by default. */
  readonly maxTextLength?: number | undefined;
  /** Called with each text that is not JSON, and the parser's error. */
  readonly onBadText?: ((text: string, cause: unknown) => void) | undefined;
}

/**
 * Turns lines into JSON values.
 *
 * A line that begins with `{`, does not end with `}` and does not parse is held and parsed again together with the
 * following lines. The held text is reported as malformed after 64 lines, at the length limit, or when a line is a
 * complete, non-empty object. A line that does not parse is split at each `\r` behind a `}` or before a `{`: progress
 * bars leave such lines. The rest of an overlong text is dropped, up to a line that is an object or begins with
 * `{`.
 *
 * @example Decode an object that spans two lines, and skip a line that is not JSON
 * ```ts
 * import { JsonDecoder } from "@sluice/agent/unstable-streams";
 * import assert from "node:assert/strict";
 *
 * const bad: string[] = [];
 * const decoder = new JsonDecoder({ onBadText: (text) => bad.push(text) });
 * assert.deepEqual(decoder.push(['{"a":', "1}", "noise"]), [{ a: 1 }]);
 * assert.deepEqual(bad, ["noise"]);
 * ```
 */
export class JsonDecoder implements Stage<readonly string[], JsonValue> {
  readonly #maxTextLength: number;
  readonly #onBadText: (text: string, cause: unknown) => void;
  #held: string[] = [];
  #heldLength = 0;
  #heldCause: unknown;
  /** Whether lines are the rest of a text that was given up. */
  #isDropping = false;

  /** Creates a decoder; both settings are optional. */
  constructor(options: JsonDecoderOptions = {}) {
    this.#maxTextLength = options.maxTextLength ?? 32 * 1024 * 1024;
    this.#onBadText = options.onBadText ?? (() => {});
  }

  /** Whether a text is held that the next line may complete. */
  get isJoining(): boolean {
    return this.#held.length > 0 || this.#isDropping;
  }

  /** Returns the values of the lines, in order. */
  push(lines: readonly string[]): JsonValue[] {
    const values: JsonValue[] = [];
    for (let i = 0; i < lines.length; i++) {
      // The index is in bounds.
      const line = lines[i] as string;
      let value: JsonValue;
      try {
        value = JSON.parse(line) as JsonValue;
      } catch (cause) {
        const parts = partsOf(line);
        if (parts !== undefined) {
          for (const part of this.push(parts)) values.push(part);
        } else this.#bad(line, withoutText(cause), values);
        continue;
      }
      if (this.isJoining) {
        // An element or the last value of what is held.
        if (!isWhole(value)) {
          if (!this.#isDropping) this.#join(line, values);
          continue;
        }
        this.giveUp();
        this.#isDropping = false;
      }
      values.push(value);
    }
    return values;
  }

  /** Ends the input; a held text is reported as malformed. */
  end(): JsonValue[] {
    this.giveUp();
    return [];
  }

  /** Reports the held text as malformed; the next line starts anew. */
  giveUp(): void {
    if (this.#held.length === 0) return;
    const text = this.#held.join("\n");
    const cause = this.#heldCause;
    this.#forget();
    this.#onBadText(text, cause);
  }

  #bad(line: string, cause: unknown, values: JsonValue[]): void {
    if (this.#held.length > 0) return this.#join(line, values);
    const isStart = line.trimStart().startsWith("{");
    if (isStart) this.#isDropping = false;
    if (isStart && !line.trimEnd().endsWith("}")) this.#hold(line, cause);
    else if (!this.#isDropping) this.#onBadText(line, cause);
  }

  #hold(line: string, cause?: unknown): void {
    this.#held.push(line);
    this.#heldLength += line.length + 1;
    if (cause !== undefined) this.#heldCause = cause;
  }

  #join(line: string, values: JsonValue[]): void {
    this.#hold(line);
    // Only a closing brace can complete an object; all else would parse the same text again for nothing.
    if (line.trimEnd().endsWith("}")) {
      try {
        values.push(JSON.parse(this.#held.join("\n")) as JsonValue);
        this.#forget();
        return;
      } catch {
        // It is not complete yet.
      }
    }
    if (
      this.#held.length >= MOST_JOINED_LINES ||
      this.#heldLength > this.#maxTextLength
    ) {
      this.giveUp();
      this.#isDropping = true;
    }
  }

  #forget(): void {
    this.#held = [];
    this.#heldLength = 0;
    this.#heldCause = undefined;
  }
}

/** The lines in a line that progress bars wrote into; `undefined` when it is one. */
function partsOf(line: string): readonly string[] | undefined {
  if (!line.includes("\r")) return undefined;
  const parts = line.split(LONE_RETURN).filter((one) => one.trim() !== "");
  return parts.length > 1 ? parts : undefined;
}

/** A message of its own; an empty object is what a pretty printer leaves of a field. */
function isWhole(value: JsonValue): boolean {
  return typeof value === "object" && value !== null &&
    !Array.isArray(value) && Object.keys(value).length > 0;
}

/** V8's own error keeps the whole text alive as long as itself. */
function withoutText(error: unknown): unknown {
  return error instanceof SyntaxError ? new SyntaxError(error.message) : error;
}
