import { BudgetError } from "../errors/session.ts";
import { show } from "../errors/text.ts";
import { inputError, optionError } from "./input_error.ts";
import { costsBy, type Tokenizer, USUAL_TOKENIZER } from "./tokens.ts";
import { type ChatMessage, isRole } from "./messages.ts";
import { groupsIn, singlesIn, type Unit } from "./units.ts";

/** Size of the part of a chat to keep, and how it is counted. */
export interface Budget {
  /** Tokens that all messages together may have; `Infinity` keeps all that may be kept. */
  readonly maxTokens: number;
  /** Counts them; `new LengthHeuristic()` by default. Counts of other tokenizers are cached by message. */
  readonly tokenizer?: Tokenizer | undefined;
  /**
   * The unit that is dropped; `"groups"` by default.
   *
   * `"groups"`: a message, or an assistant message with its tool calls and every message that holds one of their results.
   * `"oldest-first"`: single messages, also without their results.
   */
  readonly policy?: "groups" | "oldest-first" | undefined;
  /** Whether to throw if system messages and the newest unit do not fit; false by default. */
  readonly strict?: boolean | undefined;
  /** Called once for each truncation, with its report. */
  readonly onTruncated?: ((report: TruncationReport) => void) | undefined;
}

/** Result of a truncation. */
export interface TruncationReport {
  /** Messages in the result. */
  readonly kept: number;
  /** Messages that did not fit. */
  readonly dropped: number;
  /** Messages dropped whatever the budget: results without a call, calls without results. */
  readonly orphans: number;
  /** Tokens of the result. */
  readonly tokens: number;
}

/**
 * Drops the oldest messages of a chat until the rest fits.
 *
 * Shape:
 * - All system messages and the newest units, in their order, as the same objects.
 * - A unit that does not fit is dropped with everything before it, so the result may be empty.
 * - With `"groups"` every tool result has its call, and every call its results, except in the last exchange, which may be
 *   unfinished. The API refuses one without the other.
 * - No text inside a message is cut, and the input is not changed.
 *
 * Cost of a message, in tokens:
 * - Its texts, thinking, tool names, inputs and results, the latter two as JSON; at least 1.
 * - An image costs 1,600.
 * - Counts are cached, so a message that is changed later may keep its old cost.
 *
 * @param messages A chat, oldest first
 * @param budget Number of tokens, and the way to count them
 * @returns The messages that fit
 * @throws {ConfigError} If `maxTokens` is negative or no number, a policy is unknown, or the tokenizer gives no number
 * @throws {BudgetError} With `strict`, if system messages and the newest unit do not fit
 *
 * @example Drop a call together with its result
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
  checkBudget(budget);
  const { maxTokens, tokenizer = USUAL_TOKENIZER, policy = "groups" } = budget;
  const list = checkMessages(messages);
  const cost = costsBy(tokenizer);
  const costOf = (unit: Unit) =>
    // The places are in bounds.
    unit.reduce((sum, at) => sum + cost(list[at] as ChatMessage), 0);
  const units = policy === "groups" ? groupsIn(list) : singlesIn(list);
  const system = list.flatMap(({ role }, at) => role === "system" ? [at] : []);
  const kept = new Set(system);
  let tokens = costOf(system);
  for (const [index, unit] of units.entries()) {
    const needed = tokens + costOf(unit);
    if (needed > maxTokens) {
      if (index === 0) refuse(budget, needed);
      break;
    }
    tokens = needed;
    for (const at of unit) kept.add(at);
  }
  if (tokens > maxTokens) refuse(budget, tokens);
  const inUnits = units.reduce(
    (sum, { length }) => sum + length,
    system.length,
  );
  budget.onTruncated?.({
    kept: kept.size,
    dropped: inUnits - kept.size,
    orphans: list.length - inUnits,
    tokens,
  });
  return list.filter((_message, at) => kept.has(at));
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

function checkBudget(budget: Budget): void {
  const { maxTokens, tokenizer, policy } = Object(budget) as Partial<Budget>;
  if (typeof maxTokens !== "number" || !(maxTokens >= 0)) {
    throw optionError("maxTokens", "must be a number from 0", maxTokens);
  }
  if (tokenizer !== undefined && typeof tokenizer?.count !== "function") {
    throw optionError("tokenizer", "must have a method count()", tokenizer);
  }
  if (
    policy !== undefined && policy !== "groups" && policy !== "oldest-first"
  ) {
    const fact = 'must be "groups" or "oldest-first"';
    throw optionError("policy", fact, policy);
  }
}

/** The messages in a list of their own: one that is frozen, such as that of a session, is slow to read on Bun. */
function checkMessages(
  messages: readonly ChatMessage[],
): readonly ChatMessage[] {
  // In half the time of a spread, there.
  const list = Array.from(messages);
  for (let index = 0; index < list.length; index++) {
    // An item may be anything.
    const message: unknown = list[index];
    const { role, content } = Object(message) as Partial<ChatMessage>;
    const hasContent = typeof content === "string" || Array.isArray(content);
    if (typeof message === "object" && isRole(role) && hasContent) continue;
    const key = `messages[${index}]`;
    const text = `"${key}" is no chat message: ${show(message)}`;
    throw inputError(key, text, message);
  }
  return list;
}
