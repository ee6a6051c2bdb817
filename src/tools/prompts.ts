const BLANK_LINE = "\n\n";

/**
 * Marker block in a system prompt of several blocks: the blocks before it are the same for all sessions and may be
 * cached across them, the blocks after it differ.
 *
 * @example Shared rules, then the facts of one session
 * ```ts
 * import { SYSTEM_PROMPT_BOUNDARY } from "@sluice/agent/tools";
 * import type { AgentOptions } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const systemPrompt = ["You review code.", SYSTEM_PROMPT_BOUNDARY, "The user is Ann."];
 * const options: AgentOptions = { systemPrompt };
 * assert.equal(options.systemPrompt, systemPrompt);
 * ```
 */
export const SYSTEM_PROMPT_BOUNDARY = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

/**
 * Joins the parts of a system prompt with a blank line.
 *
 * @param parts The parts; empty ones are kept, so leave out what is not meant
 * @returns The whole prompt; the empty text for no parts
 *
 * @example Two parts
 * ```ts
 * import { buildSystemPrompt } from "@sluice/agent/tools";
 * import assert from "node:assert/strict";
 *
 * assert.equal(buildSystemPrompt("You review code.", "Be short."), "You review code.\n\nBe short.");
 * ```
 */
export function buildSystemPrompt(...parts: readonly string[]): string {
  return parts.join(BLANK_LINE);
}

/**
 * Adds to the end of a system prompt, after a blank line.
 *
 * @param base The prompt; may be empty
 * @param addition Text to add; may be empty
 * @returns Both, or the one that is not empty
 *
 * @example No stray blank line
 * ```ts
 * import { appendSystemPrompt } from "@sluice/agent/tools";
 * import assert from "node:assert/strict";
 *
 * assert.equal(appendSystemPrompt("You review code.", "Be short."), "You review code.\n\nBe short.");
 * assert.equal(appendSystemPrompt("", "Be short."), "Be short.");
 * ```
 */
export function appendSystemPrompt(base: string, addition: string): string {
  if (base === "") return addition;
  return addition === "" ? base : base + BLANK_LINE + addition;
}
