import { beginningOf, endOf } from "../errors/text.ts";
import type { ContentBlock } from "../protocol/content.ts";
import type { ChatMessage } from "./messages.ts";
import { optionError } from "./input_error.ts";
import { type Tokenizer, USUAL_TOKENIZER } from "./tokens.ts";

/** Size of tool results. */
export interface ShrinkOptions {
  /** Tokens that one text of a result may have, its mark included; from 50. */
  readonly maxTokens: number;
  /** Counts them; `new LengthHeuristic()` by default. */
  readonly tokenizer?: Tokenizer | undefined;
  /** Messages at the end that stay as they are; 2 by default, which are the newest call and its result. */
  readonly keepLast?: number | undefined;
}

/** Fewer tokens leave no room for the mark and text on both sides. */
const LEAST = 50;
/** Share of the beginning; the end of an output often has its outcome. */
const BEGINNING = 2 / 3;
/** Tries to get a text small enough. */
const MOST_CUTS = 8;

/**
 * Cuts the middle out of large tool results, and leaves a mark with the number of missing characters.
 *
 * Shape:
 * - The same messages in the same order; unchanged ones are the same objects.
 * - Only texts of tool results are cut.
 *
 * Call it before {@link truncate}: a chat then keeps more messages.
 *
 * @param messages A chat, oldest first; it is not changed
 * @param options How large results may be
 * @returns A chat in which they are no larger
 * @throws {ConfigError} If `maxTokens` is below 50, or `keepLast` is no whole number from 0
 *
 * @example A long file, read long ago
 * ```ts
 * import { type ChatMessage, shrinkResults } from "@sluice/agent/session";
 * import assert from "node:assert/strict";
 *
 * const chat: ChatMessage[] = [
 *   { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Read", input: { path: "a" } }] },
 *   { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "line\n".repeat(10_000) }] },
 *   { role: "assistant", content: "It is long." },
 *   { role: "user", content: "So I see." },
 * ];
 * const small = shrinkResults(chat, { maxTokens: 100 });
 * assert.match(JSON.stringify(small[1]), /\[\d+ characters left out\]/);
 * assert.equal(small[0], chat[0]);
 * ```
 */
export function shrinkResults(
  messages: readonly ChatMessage[],
  { maxTokens, tokenizer = USUAL_TOKENIZER, keepLast = 2 }: ShrinkOptions,
): readonly ChatMessage[] {
  if (!(maxTokens >= LEAST)) {
    throw optionError("maxTokens", `must be a number from ${LEAST}`, maxTokens);
  }
  if (!Number.isSafeInteger(keepLast) || keepLast < 0) {
    throw optionError("keepLast", "must be a whole number from 0", keepLast);
  }
  const shorter = (text: string) => shortened(text, maxTokens, tokenizer);
  return messages.map((message, index) => {
    const { content } = message;
    const stays = index >= messages.length - keepLast;
    if (stays || typeof content === "string") return message;
    const blocks = mapped(content, (block) => shrunk(block, shorter));
    return blocks === content
      ? message
      : Object.freeze({ ...message, content: blocks });
  });
}

function shrunk(
  block: ContentBlock,
  shorter: (text: string) => string,
): ContentBlock {
  if (block.type !== "tool_result" && block.type !== "mcp_tool_result") {
    return block;
  }
  const { content } = block;
  if (content === undefined) return block;
  const small = typeof content === "string"
    ? shorter(content)
    : mapped(content, (one) => {
      if (one.type !== "text") return one;
      const text = shorter(one.text);
      return text === one.text ? one : { ...one, text };
    });
  // Both are what the block's content may be.
  return small === content
    ? block
    : { ...block, content: small } as typeof block;
}

/** The same list where nothing became another. */
function mapped<T>(list: readonly T[], change: (one: T) => T): readonly T[] {
  const changed = list.map(change);
  return changed.every((one, index) => one === list[index])
    ? list
    : Object.freeze(changed);
}

function shortened(
  text: string,
  maxTokens: number,
  tokenizer: Tokenizer,
): string {
  let short = text;
  let length = text.length;
  for (let cuts = 0; cuts < MOST_CUTS; cuts++) {
    const tokens = tokenizer.count(short);
    if (!(tokens > maxTokens)) return short;
    // Shrinks by the same share as the tokens, and a little more, for the mark.
    length = Math.floor(length * (maxTokens / tokens) * 0.9);
    const head = beginningOf(text, Math.ceil(length * BEGINNING));
    const tail = endOf(text, Math.floor(length * (1 - BEGINNING)));
    const gone = text.length - head.length - tail.length;
    short = `${head}\n[${gone} characters left out]\n${tail}`;
  }
  return short;
}
