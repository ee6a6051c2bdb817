import { ConfigError } from "../errors/config.ts";
import { BudgetError } from "../errors/session.ts";
import { show } from "../errors/text.ts";
import type { Tokenizer } from "../ports/tokenizer.ts";
import { type ChatMessage, ROLES } from "./chat_message.ts";
import { costOf } from "./cost.ts";
import { LengthHeuristic } from "./heuristic.ts";
import { groupUnits, singleUnits } from "./units.ts";

/** How much of a chat may be kept, and what counts as one. */
export interface Budget {
  /** Tokens that all messages together may have; `Infinity` keeps all that may be kept. */
  readonly maxTokens: number;
  /** Counts them; `new LengthHeuristic()` unless given. Counts are remembered by tokenizer and message. */
  readonly tokenizer?: Tokenizer | undefined;
  /**
   * What is dropped as one; `"groups"` unless given.
   *
   * `"groups"`: a message, or an assistant message with its tool calls and every message that holds one of their results.
   * `"oldest-first"`: single messages, whatever becomes of their results.
   */
  readonly policy?: "groups" | "oldest-first" | undefined;
  /** Whether it is an error when system messages and the newest unit do not fit; false unless given. */
  readonly strict?: boolean | undefined;
  /** Hears what became of the messages, once for each call. */
  readonly onTruncated?: ((report: TruncationReport) => void) | undefined;
}

/** What a truncation did. */
export interface TruncationReport {
  /** Messages in the result. */
  readonly kept: number;
  /** Messages that did not fit. */
  readonly dropped: number;
  /** Messages that no request may hold, so that they went whatever the budget: results without their call, calls that never got their results. */
  readonly orphans: number;
  /** Tokens of the result. */
  readonly tokens: number;
}

const USUAL: Tokenizer = new LengthHeuristic();

/**
 * Drops the oldest messages of a chat until the rest fits.
 *
 * Shape: the system messages, all of them, and the newest units, in the order they had; the same objects. A unit too large
 * by itself goes with everything before it, so nothing but system messages may be left, or nothing. Changes nothing.
 * With `"groups"` no tool result is without its call, and no call without its results, save in the last exchange, which may
 * still be worked on. No text inside a message is cut.
 *
 * A message costs its texts, thinking, tool names, inputs and results, the latter two as JSON, and at least 1; an image
 * 1,600. Each is counted once, so a message that is changed later keeps its old cost.
 *
 * Source: specification, Truncate; the units are a decision of this package, since half a pair is refused by the API.
 *
 * @param messages A chat, oldest first
 * @param budget Tokens there are, and how they are counted
 * @returns What fits
 * @throws {ConfigError} If `maxTokens` is negative or no number, a policy is unknown, or the tokenizer gives no number
 * @throws {BudgetError} With `strict`, if system messages and the newest unit do not fit
 *
 * @example A call and its result go together
 * ```ts
 * import { type ChatMessage, truncate } from "@sluice/agent/session";
 * import assert from "node:assert/strict";
 *
 * const chat: ChatMessage[] = [
 *   { role: "system", content: "Be brief." },
 *   { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Read", input: { path: "a" } }] },
 *   { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "The text." }] },
 *   { role: "user", content: "Thanks." },
 * ];
 * const roles = (maxTokens: number) => truncate(chat, { maxTokens }).map(({ role }) => role);
 * assert.deepEqual(roles(100), ["system", "assistant", "user", "user"]);
 * assert.deepEqual(roles(9), ["system", "user"]);
 * ```
 */
export function truncate(
  messages: readonly ChatMessage[],
  budget: Budget,
): readonly ChatMessage[] {
  const { maxTokens, tokenizer = USUAL, policy = "groups" } = checked(budget);
  const list = checkMessages(messages);
  const isKept = new Set<number>();
  let tokens = 0;
  for (const [index, message] of list.entries()) {
    if (message.role !== "system") continue;
    isKept.add(index);
    tokens += costOf(message, tokenizer);
  }
  const { units, orphans } = policy === "groups"
    ? groupUnits(list)
    : singleUnits(list);
  for (const unit of units.toReversed()) {
    const cost = unit.messages.reduce(
      (sum, index) => sum + costAt(list, index, tokenizer),
      0,
    );
    if (tokens + cost > maxTokens) {
      if (unit === units.at(-1)) refuse(budget, tokens + cost);
      break;
    }
    tokens += cost;
    for (const index of unit.messages) isKept.add(index);
  }
  if (tokens > maxTokens) refuse(budget, tokens);
  const kept = list.filter((_message, index) => isKept.has(index));
  const dropped = list.length - kept.length - orphans;
  budget.onTruncated?.({ kept: kept.length, dropped, orphans, tokens });
  return kept;
}

function costAt(
  messages: readonly ChatMessage[],
  index: number,
  tokenizer: Tokenizer,
): number {
  const message = messages[index];
  return message === undefined ? 0 : costOf(message, tokenizer);
}

function refuse({ strict, maxTokens }: Budget, needed: number): void {
  if (strict !== true) return;
  throw new BudgetError({
    message:
      `Messages do not fit: ${maxTokens} tokens allowed, system messages and the newest unit have ${needed}`,
    budget: maxTokens,
    needed,
  });
}

function checked(budget: Budget): Budget {
  const { maxTokens, tokenizer, policy } = Object(budget) as Partial<Budget>;
  if (typeof maxTokens !== "number" || !(maxTokens >= 0)) {
    const fact = 'Option "maxTokens" must be a number from 0';
    throw refused(fact, "maxTokens", maxTokens);
  }
  if (tokenizer !== undefined && typeof tokenizer?.count !== "function") {
    const fact = 'Option "tokenizer" must have a method count()';
    throw refused(fact, "tokenizer", tokenizer);
  }
  if (
    policy !== undefined && policy !== "groups" && policy !== "oldest-first"
  ) {
    const fact = 'Option "policy" must be "groups" or "oldest-first"';
    throw refused(fact, "policy", policy);
  }
  return budget;
}

function checkMessages(
  messages: readonly ChatMessage[],
): readonly ChatMessage[] {
  for (const [index, message] of messages.entries()) {
    const { role, content } = Object(message) as Partial<ChatMessage>;
    const isFine = ROLES.has(role) &&
      (typeof content === "string" || Array.isArray(content));
    if (isFine) continue;
    const key = `messages[${index}]`;
    throw refused(`"${key}" is no chat message`, key, message);
  }
  return messages;
}

function refused(fact: string, key: string, value: unknown): ConfigError {
  const shown = typeof value === "number" ? String(value) : show(value);
  return new ConfigError({
    message: `${fact}: ${shown}`,
    key,
    value,
    fatal: false,
  });
}
