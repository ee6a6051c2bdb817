import { LiveConversation } from "./conversation/conversation.ts";
import { firstPrompt } from "./conversation/user_line.ts";
import { resolveOptions } from "./options/resolve.ts";
import type { Conversation, Prompt } from "./types/conversation.ts";
import type { AgentOptions } from "./types/options.ts";
import type { Infer, Schema } from "./types/schema.ts";

/**
 * Starts one conversation with the Claude Code CLI.
 *
 * Returns at once and starts at once; whatever goes wrong at run time comes through the conversation, never as a throw.
 *
 * How its streams end: at a normal end the messages end, then `errors`. A fatal error is thrown by the messages after
 * everything that had arrived was delivered, and is the last item of `errors`; `ready` rejects with the same object if
 * the start failed, and then no message is delivered at all. MCP servers that this package connects are connected all
 * or none. An abort rejects at once with the signal's reason; `close()` waits until the process is gone. A result with
 * `is_error` is a message like any other.
 *
 * @typeParam S The schema of the structured output
 * @param prompt What to say: a text, content blocks, or a source of several prompts
 * @param options Everything that can be set; all of it optional
 * @returns The conversation: iterate it, or take `text()`, `result()` or `output()`
 * @throws {ConfigError} If an option or the prompt is wrong
 *
 * @example Ask, and read the answer
 * ```ts
 * import { query } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli("Hello from the agent.");
 * assert.equal(await query("Say hello.", { cliPath }).text(), "Hello from the agent.");
 * ```
 *
 * @example Read messages as they come
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
/** Starts one conversation without structured output; see above. */
export function query(prompt: Prompt, options?: AgentOptions): Conversation;
export function query(prompt: Prompt, options?: AgentOptions): Conversation {
  const settings = resolveOptions(options);
  // A prompt that the CLI would not take is as wrong as an option.
  const { verbatimPrompts: isVerbatim } = settings.options;
  const first = firstPrompt(prompt, { isVerbatim });
  return new LiveConversation(settings, { prompt: first, isKeptOpen: false });
}
