import type {
  ContentBlock,
  ToolResultBlock,
  ToolUseBlock,
} from "../protocol/content.ts";
import type { HookToolInput } from "../protocol/hook_inputs.ts";
import type { Message } from "../protocol/messages_other.ts";
import type {
  ResultMessage,
  TerminalReason,
} from "../protocol/messages_turn.ts";
import type { BuiltinToolInputs } from "../protocol/tools.ts";
import type { BuiltinToolName } from "../types/conversation.ts";

/**
 * Returns the text of a message for a reader.
 *
 * Shape: of an assistant or user message its text blocks, joined without anything between them; of a text delta the
 * piece; of a result the final text, or the errors, one line each; of anything else the empty string. The text of
 * a turn occurs up to three times: as deltas, as assistant messages, as its result. Thinking and tool results are
 * left out.
 *
 * @param message Any message
 * @returns The text, empty without one
 *
 * @example Print the text of the model
 * ```ts
 * import { type Message, textOf } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const message: Message = {
 *   type: "user",
 *   message: { role: "user", content: [{ type: "text", text: "Hello, " }, { type: "text", text: "you" }] },
 *   parent_tool_use_id: null,
 * };
 * assert.equal(textOf(message), "Hello, you");
 * ```
 */
export function textOf(message: Message): string {
  switch (message.type) {
    case "assistant":
    case "user":
      return textOfContent(message.message.content);
    case "stream_event":
      return message.event.type === "content_block_delta" &&
          message.event.delta?.type === "text_delta"
        ? message.event.delta.text
        : "";
    case "result":
      // A subtype that came later has neither, or both.
      if ("result" in message && typeof message.result === "string") {
        return message.result;
      }
      return "errors" in message && Array.isArray(message.errors)
        ? message.errors.join("\n")
        : "";
    default:
      return "";
  }
}

/**
 * Returns the tool calls of a message, in their order.
 *
 * Shape: the blocks themselves. The CLI writes one line per block, so an assistant message holds one call or none;
 * calls of tools that the API runs itself are not among them.
 *
 * @param message Any message
 * @returns The calls, empty when there are none
 *
 * @example List the tool calls of a message
 * ```ts
 * import { type AssistantMessage, toolUsesOf } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const message: AssistantMessage = {
 *   type: "assistant",
 *   message: {
 *     id: "msg_1",
 *     type: "message",
 *     role: "assistant",
 *     model: "claude-sonnet-4-5",
 *     content: [{ type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "ls" } }],
 *     stop_reason: null,
 *     stop_sequence: null,
 *     usage: { input_tokens: 10, output_tokens: 1 },
 *   },
 *   parent_tool_use_id: null,
 *   uuid: "u1",
 *   session_id: "s1",
 * };
 * assert.deepEqual(toolUsesOf(message).map((call) => call.name), ["Bash"]);
 * ```
 */
export function toolUsesOf(message: Message): readonly ToolUseBlock[] {
  return message.type === "assistant"
    ? message.message.content.filter((block) => block.type === "tool_use")
    : [];
}

/**
 * Returns whether a tool call is one of a built-in tool, and narrows the type of its input.
 *
 * Shape: a block of an assistant message (`name`, `input`), or the input of a hook (`tool_name`, `tool_input`). The model
 * wrote the input: in a block it is unchecked, a hook is called after the CLI has checked it.
 *
 * @typeParam Name The tool
 * @param call A content block, or the input of a hook about a tool
 * @param name Name of the tool
 * @returns Whether it is one
 *
 * @example Read the command of a Bash call
 * ```ts
 * import { type HookCallback, isToolUse } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const guard: HookCallback<"PreToolUse"> = (input) =>
 *   isToolUse(input, "Bash") && input.tool_input.command.includes("rm ")
 *     ? { decision: "block", reason: "Nothing is removed here" }
 *     : {};
 * assert.equal(guard.length, 1);
 * ```
 */
export function isToolUse<
  Name extends BuiltinToolName,
  Call extends HookToolInput,
>(
  call: Call,
  name: Name,
): call is Call & {
  readonly tool_name: Name;
  readonly tool_input: BuiltinToolInputs[Name];
};
/** Returns whether a content block is a call of a built-in tool, and narrows the type of its input. */
export function isToolUse<Name extends BuiltinToolName>(
  call: ContentBlock,
  name: Name,
): call is ToolUseBlock & {
  readonly name: Name;
  readonly input: BuiltinToolInputs[Name];
};
export function isToolUse(
  call: HookToolInput | ContentBlock,
  name: string,
): boolean {
  return "tool_name" in call
    ? call.tool_name === name
    : call.type === "tool_use" && call.name === name;
}

/**
 * Returns the tool results of a message, in their order.
 *
 * Shape: the blocks themselves; `tool_use_id` names the call. They come in user messages, which the CLI writes to the
 * model; results of tools that the API runs itself are not among them.
 *
 * @param message Any message
 * @returns The results, empty when there are none
 *
 * @example Read the result of a tool
 * ```ts
 * import { type Message, toolResultsOf } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const message: Message = {
 *   type: "user",
 *   message: {
 *     role: "user",
 *     content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "a.txt", is_error: false }],
 *   },
 *   parent_tool_use_id: null,
 * };
 * assert.deepEqual(toolResultsOf(message).map((result) => result.content), ["a.txt"]);
 * ```
 */
export function toolResultsOf(message: Message): readonly ToolResultBlock[] {
  if (message.type !== "user") return [];
  const { content } = message.message;
  return typeof content === "string"
    ? []
    : content.filter((block) => block.type === "tool_result");
}

const INTERRUPTED: ReadonlySet<TerminalReason | undefined> = new Set(
  [
    "aborted_streaming",
    "aborted_tools",
  ] as const,
);

/**
 * Returns whether a turn was interrupted: by `interrupt()`, or by a denial with `interrupt`.
 *
 * Such a result is an error and its text a diagnostic of the CLI, of no use to a reader.
 *
 * @param result The result of the turn
 * @returns Whether it was interrupted
 *
 * @example Leave out messages that are not for people
 * ```ts
 * import { query, textOf, wasInterrupted } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli("Done.");
 * const result = await query("Tidy up.", { cliPath }).result();
 * assert.equal(wasInterrupted(result) ? "Stopped." : textOf(result), "Done.");
 * ```
 */
export function wasInterrupted(result: ResultMessage): boolean {
  return INTERRUPTED.has(result.terminal_reason);
}

function textOfContent(content: string | readonly ContentBlock[]): string {
  if (typeof content === "string") return content;
  let text = "";
  for (const block of content) if (block.type === "text") text += block.text;
  return text;
}
