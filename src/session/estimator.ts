import { byteLength } from "../stream/byte_length.ts";
import { optionError } from "./option_error.ts";
import type { Tokenizer } from "./tokens.ts";

/** Bytes of a token in prose and code, and in JSON and tables. Source: measured against `o200k`. */
const WORDS = 4.4;
const DATA = 2.6;
/** Characters of a token in Chinese, Japanese and Korean; each has three bytes. Source: the same. */
const IDEOGRAPHS = 1.4;
const IDEOGRAPH_BYTES = 3;

/** Data is what has more of these than so much. */
const MARKS = /[\d"'{}[\]:,;|\\/<>=_-]/g;
const IDEOGRAPH =
  /[\u2e80-\u303f\u3040-\u30ff\u31f0-\u33ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/g;
const SHARE_OF_DATA = 0.2;
/** The kind of a long text is seen in its beginning. */
const LOOKED_AT = 4_096;

/** A counted chat says so much more or less than was guessed, and no more: further off, something else was counted. */
const MOST = 4;

/**
 * Guesses tokens by what a text is made of: words, data such as JSON, or Chinese, Japanese and Korean.
 *
 * Closer than {@link LengthHeuristic} for tool calls and their results, which that one takes for a third too few. What the
 * provider counted makes it closer still: see {@link calibrated}.
 *
 * @example Learn from what was counted
 * ```ts
 * import { ContentEstimator, LengthHeuristic } from "@sluice/agent/session";
 * import assert from "node:assert/strict";
 *
 * const json = JSON.stringify({ temperatures: [21.5, 19.25, 18], unit: "C" });
 * const estimator = new ContentEstimator();
 * assert.ok(estimator.count(json) > new LengthHeuristic().count(json));
 *
 * // A request was guessed to have 1,000 tokens, and its usage says 1,250.
 * const closer = estimator.calibrated(1_000, 1_250);
 * assert.equal(closer.factor, 1.25);
 * ```
 */
export class ContentEstimator implements Tokenizer {
  /** What its guesses are multiplied with. */
  readonly factor: number;

  /**
   * Takes the factor of an earlier one.
   *
   * @param factor What guesses are multiplied with, 1 unless given
   * @throws {ConfigError} If it is not a finite number above 0
   */
  constructor(factor: number = 1) {
    if (!Number.isFinite(factor) || factor <= 0) {
      throw optionError("factor", "must be a number above 0", factor);
    }
    this.factor = factor;
  }

  /** How many tokens a text probably has; 0 for the empty text. */
  count(text: string): number {
    const bytes = byteLength(text);
    const seen = text.slice(0, LOOKED_AT);
    const share = (pattern: RegExp) =>
      seen === "" ? 0 : (seen.match(pattern)?.length ?? 0) / seen.length;
    const ideographs = share(IDEOGRAPH) * text.length;
    const rest = Math.max(0, bytes - ideographs * IDEOGRAPH_BYTES);
    const each = share(MARKS) > SHARE_OF_DATA ? DATA : WORDS;
    return Math.ceil((ideographs / IDEOGRAPHS + rest / each) * this.factor);
  }

  /**
   * Makes one that has learned: of the same chat, what this one guessed and what the provider counted.
   *
   * What it counted of a request is `input_tokens` with `cache_creation_input_tokens` and `cache_read_input_tokens` of
   * the usage; the CLI's own prompt and tools are in it, so compare the growth between two requests of one conversation.
   *
   * @param guessed Tokens by this estimator, above 0
   * @param counted Tokens by the provider, above 0
   * @returns A new estimator; this one stays as it is, and so do budgets that were made with it
   * @throws {ConfigError} If one is no number above 0, or they are more than four times apart
   */
  calibrated(guessed: number, counted: number): ContentEstimator {
    for (const [key, value] of [["guessed", guessed], ["counted", counted]]) {
      if (!Number.isFinite(value) || Number(value) <= 0) {
        throw optionError(String(key), "must be a number above 0", value);
      }
    }
    const ratio = counted / guessed;
    if (ratio > MOST || ratio < 1 / MOST) {
      const fact = `is more than ${MOST} times off from what was guessed`;
      throw optionError("counted", fact, counted);
    }
    return new ContentEstimator(this.factor * ratio);
  }
}
