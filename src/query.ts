import { LiveConversation } from "./conversation/conversation.ts";
import { firstPrompt } from "./conversation/user_line.ts";
import { resolveOptions } from "./options/resolve.ts";
import type { Conversation, Prompt } from "./types/conversation.ts";
import type { AgentOptions } from "./types/options.ts";
import type { Infer, Schema } from "./types/schema.ts";

/**
 * Starts one conversation with the Claude Code CLI.
 *
 * Returns and starts immediately; errors at run time are reported through the conversation and never thrown by this call.
 *
 * Ends of its streams: at a normal end the messages end, then `errors`. The messages throw a fatal error once every
 * message that arrived before it was delivered; it is also the last item of `errors`. If the start fails, `ready`
 * rejects with the same object and no message is delivered. If one MCP server cannot be connected, the others are
 * closed and the start fails. An abort rejects at once with the signal's reason; `close()` waits until the process
 * has exited. A result with `is_error` is a message like any other.
 *
 * @typeParam S The schema of the structured output
 * @param prompt The prompt: a string, content blocks, or an async iterable of several prompts
 * @param options Settings, all optional
 * @returns The conversation: iterate it, or await `text()`, `result()` or `output()`
 * @throws {ConfigError} If an option or the prompt is invalid
 *
 * @example Send a prompt and get the answer
 * ```ts
 * import { query } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli("Hello from the agent.");
 * assert.equal(await query("Say hello.", { cliPath }).text(), "Hello from the agent.");
 * ```
 *
 * @example Read messages as they arrive
 * ```ts
 * import { query, textOf } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli("One, two.");
 * const texts: string[] = [];
 * for await (const message of query("Count.", { cliPath })) {
 *   if (message.type === "assistant") texts.push(textOf(message));
 * }
 * assert.deepEqual(texts, ["One, two."]);
 * ```
 */
export function query<const S extends Schema>(
  prompt: Prompt,
  options: AgentOptions<S> & { readonly outputSchema: S },
): Conversation<Infer<S>>;
/** Starts one conversation with the Claude Code CLI, without structured output. */
export function query(prompt: Prompt, options?: AgentOptions): Conversation;
export function query(prompt: Prompt, options?: AgentOptions): Conversation {
  const settings = resolveOptions(options);
  // A prompt that the CLI would not take is as wrong as an option.
  const { verbatimPrompts: isVerbatim } = settings.options;
  const first = firstPrompt(prompt, { isVerbatim });
  return new LiveConversation(settings, { prompt: first, isKeptOpen: false });
}
