import { byteLength, BYTES_PER_TOKEN } from "../stream/byte_length.ts";
import type { ContentBlock } from "../protocol/content.ts";
import type { ChatMessage } from "./chat_message.ts";
import { optionError } from "./option_error.ts";

/** An image costs what its size in pixels says, not its bytes; this is the most. Source: the provider's documentation of vision. */
const IMAGE_TOKENS = 1_600;

/** Counts the tokens of a text; any tokenizer can be put in. */
export interface Tokenizer {
  /** How many tokens a text has: a number from 0. */
  count(text: string): number;
}

/**
 * Guesses tokens by length: UTF-8 bytes divided by `bytesPerToken`, rounded up.
 *
 * Close for prose and code (10 to 14 % above a real tokenizer), a third too low for JSON, and so for tool results.
 * Source: specification, Tokenizer; the shares were measured against `o200k`.
 *
 * @example Four bytes are a token
 * ```ts
 * import { LengthHeuristic } from "@sluice/agent/session";
 * import assert from "node:assert/strict";
 *
 * assert.equal(new LengthHeuristic().count("Hello"), 2);
 * assert.equal(new LengthHeuristic(2).count("Hello"), 3);
 * ```
 */
export class LengthHeuristic implements Tokenizer {
  readonly #bytesPerToken: number;

  /**
   * Takes the divisor.
   *
   * @param bytesPerToken Bytes that make a token, 4 unless given
   * @throws {ConfigError} If it is not a finite number above 0
   */
  constructor(bytesPerToken: number = BYTES_PER_TOKEN) {
    if (!Number.isFinite(bytesPerToken) || bytesPerToken <= 0) {
      const fact = "must be a number above 0";
      throw optionError("bytesPerToken", fact, bytesPerToken);
    }
    this.#bytesPerToken = bytesPerToken;
  }

  /** How many tokens a text probably has; 0 for the empty text. */
  count(text: string): number {
    return Math.ceil(byteLength(text) / this.#bytesPerToken);
  }
}

/** Costs by tokenizer and message, since messages do not change. */
const known = new WeakMap<Tokenizer, Known>();

interface Known {
  readonly costs: WeakMap<ChatMessage, number>;
  /** Whether none is in there: to look for one takes longer than to count most messages. */
  isEmpty: boolean;
}

/** Up to so many tokens a length is counted sooner than looked up. */
const COUNTED_AGAIN = 1_000;

/** Gives the tokens of messages, each at least 1: texts, thinking, tool names, inputs and results. Each is counted once, unless that is as quick. */
export function costsBy(
  tokenizer: Tokenizer,
): (message: ChatMessage) => number {
  let found = known.get(tokenizer);
  if (found === undefined) {
    known.set(tokenizer, found = { costs: new WeakMap(), isEmpty: true });
  }
  const counted = found;
  const isQuick = tokenizer instanceof LengthHeuristic;
  return (message) => {
    let cost = counted.isEmpty ? undefined : counted.costs.get(message);
    if (cost === undefined) {
      const { content } = message;
      const tokens = typeof content === "string"
        ? count(content, tokenizer)
        : content.reduce((sum, one) => sum + countBlock(one, tokenizer), 0);
      cost = Math.max(1, tokens);
      if (!isQuick || cost > COUNTED_AGAIN) {
        counted.costs.set(message, cost);
        counted.isEmpty = false;
      }
    }
    return cost;
  };
}

function countBlock(block: ContentBlock, tokenizer: Tokenizer): number {
  switch (block.type) {
    case "text":
      return count(block.text, tokenizer);
    case "thinking":
      return count(block.thinking, tokenizer);
    case "redacted_thinking":
      return count(block.data, tokenizer);
    case "image":
      return IMAGE_TOKENS;
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return count(block.name, tokenizer) + countJson(block.input, tokenizer);
    case "tool_result":
    case "mcp_tool_result":
      return countResult(block.content, tokenizer);
    case "web_search_tool_result":
      return countJson(block.content, tokenizer);
    case "document":
      return countJson(block.source, tokenizer);
    default:
      return countJson(block, tokenizer);
  }
}

function countResult(
  content: string | readonly ContentBlock[] | undefined,
  tokenizer: Tokenizer,
): number {
  if (typeof content !== "object") return countJson(content, tokenizer);
  const images = content.filter(({ type }) => type === "image");
  const rest = content.filter(({ type }) => type !== "image");
  return images.length * IMAGE_TOKENS + countJson(rest, tokenizer);
}

/** Text counts as it is, all else as JSON. */
function countJson(value: unknown, tokenizer: Tokenizer): number {
  if (value === undefined) return 0;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return count(text, tokenizer);
}

function count(text: string, tokenizer: Tokenizer): number {
  const tokens = tokenizer.count(text);
  // Also false for what is no number.
  if (tokens >= 0 && tokens < Infinity) return tokens;
  const fact = "must count with numbers from 0";
  throw optionError("tokenizer", fact, tokens, String(tokens));
}
