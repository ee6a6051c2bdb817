import type {
  ActiveGoalMessage,
  AuthStatusMessage,
  CommandLifecycleMessage,
  ConversationResetMessage,
  Message,
  PromptSuggestionMessage,
  RateLimitMessage,
  ToolProgressMessage,
  ToolUseSummaryMessage,
  UnknownMessage,
} from "../protocol/messages_other.ts";
import type {
  InitMessage,
  SystemMessage,
} from "../protocol/messages_system.ts";
import type { SystemMessageOf, SystemSubtype } from "../types/conversation.ts";
import type {
  AssistantMessage,
  ResultMessage,
  StreamEventMessage,
  UserMessage,
  UserMessageReplay,
} from "../protocol/messages_turn.ts";

/**
 * Tells what the model said.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example Keep what the model said
 * ```ts
 * import { isAssistant, type Message, textOf } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const messages: Message[] = [
 *   { type: "prompt_suggestion", suggestion: "Go on", uuid: "u1", session_id: "s1" },
 *   { type: "unknown", originalType: "news", raw: { type: "news" } },
 * ];
 * assert.deepEqual(messages.filter(isAssistant).map(textOf), []);
 * ```
 */
export function isAssistant(message: Message): message is AssistantMessage {
  return message.type === "assistant";
}

/**
 * Tells what the model was told: tool results, texts of the CLI, echoes.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example Text that the CLI wrote for the model
 * ```ts
 * import { isUser } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * assert.ok(isUser({
 *   type: "user",
 *   message: { role: "user", content: "Done" },
 *   parent_tool_use_id: null,
 * }));
 * ```
 */
export function isUser(
  message: Message,
): message is UserMessage | UserMessageReplay {
  return message.type === "user";
}

/**
 * Tells an echo of a user line.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example An echo says so
 * ```ts
 * import { isReplay, type UserMessage } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const message: UserMessage = {
 *   type: "user",
 *   message: { role: "user", content: "Say hello" },
 *   parent_tool_use_id: null,
 * };
 * assert.equal(isReplay(message), false);
 * assert.ok(isReplay({ ...message, uuid: "u1", session_id: "s1", isReplay: true }));
 * ```
 */
export function isReplay(message: Message): message is UserMessageReplay {
  return message.type === "user" && message.isReplay === true;
}

/**
 * Tells the end of a turn, of any subtype; `is_error` says how it ended.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example Find the end of a turn
 * ```ts
 * import { isResult, type Message } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const messages: Message[] = [
 *   { type: "prompt_suggestion", suggestion: "Go on", uuid: "u1", session_id: "s1" },
 * ];
 * assert.equal(messages.find(isResult), undefined);
 * ```
 */
export function isResult(message: Message): message is ResultMessage {
  return message.type === "result";
}

/**
 * Tells a piece of a message that is being written.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example One piece of text
 * ```ts
 * import { isStreamEvent } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const identity = { uuid: "u1", session_id: "s1" };
 * assert.ok(isStreamEvent({ type: "stream_event", parent_tool_use_id: null, event: { type: "message_stop" }, ...identity }));
 * ```
 */
export function isStreamEvent(message: Message): message is StreamEventMessage {
  return message.type === "stream_event";
}

/**
 * Tells a message of type `system`, of one subtype or of any that is known.
 *
 * A subtype that this package does not know makes an unknown message: look for it with {@link isUnknown}.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example Ask for a subtype
 * ```ts
 * import { isSystem, type Message } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const message: Message = {
 *   type: "system",
 *   subtype: "local_command_output",
 *   content: "Total cost: $0.01",
 *   uuid: "u1",
 *   session_id: "s1",
 * };
 * assert.ok(isSystem(message));
 * assert.ok(isSystem(message, "local_command_output"));
 * assert.equal(isSystem(message, "init"), false);
 * ```
 */
export function isSystem(message: Message): message is SystemMessage;
/**
 * Tells a message of type `system` and of one subtype.
 *
 * @param message Any message
 * @param subtype The subtype
 * @returns Whether it is one
 */
export function isSystem<S extends SystemSubtype>(
  message: Message,
  subtype: S,
): message is SystemMessageOf<S>;
export function isSystem(message: Message, subtype?: SystemSubtype): boolean {
  return message.type === "system" &&
    (subtype === undefined || message.subtype === subtype);
}

/**
 * Tells the beginning of a turn, which lists tools, servers and models in force.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example Not every system message is one
 * ```ts
 * import { isInit } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const identity = { uuid: "u1", session_id: "s1" };
 * assert.equal(isInit({ type: "system", subtype: "status", status: null, ...identity }), false);
 * ```
 */
export function isInit(message: Message): message is InitMessage {
  return message.type === "system" && message.subtype === "init";
}

/**
 * Tells a sign of life of a running tool.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example A tool that takes long
 * ```ts
 * import { isToolProgress } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * assert.ok(isToolProgress({
 *   type: "tool_progress",
 *   tool_use_id: "toolu_1",
 *   tool_name: "Bash",
 *   parent_tool_use_id: null,
 *   elapsed_time_seconds: 31,
 *   uuid: "u1",
 *   session_id: "s1",
 * }));
 * ```
 */
export function isToolProgress(
  message: Message,
): message is ToolProgressMessage {
  return message.type === "tool_progress";
}

/**
 * Tells a summary of several tool calls.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example A sentence about three calls
 * ```ts
 * import { isToolUseSummary } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const identity = { uuid: "u1", session_id: "s1" };
 * assert.ok(isToolUseSummary({ type: "tool_use_summary", summary: "Read 3 files", preceding_tool_use_ids: [], ...identity }));
 * ```
 */
export function isToolUseSummary(
  message: Message,
): message is ToolUseSummaryMessage {
  return message.type === "tool_use_summary";
}

/**
 * Tells news of a login.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example A login that continues
 * ```ts
 * import { isAuthStatus } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const identity = { uuid: "u1", session_id: "s1" };
 * assert.ok(isAuthStatus({ type: "auth_status", isAuthenticating: true, output: [], ...identity }));
 * ```
 */
export function isAuthStatus(message: Message): message is AuthStatusMessage {
  return message.type === "auth_status";
}

/**
 * Tells news of the account's limits.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example A limit that is near
 * ```ts
 * import { isRateLimit } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const identity = { uuid: "u1", session_id: "s1" };
 * assert.ok(isRateLimit({ type: "rate_limit_event", rate_limit_info: { status: "allowed_warning" }, ...identity }));
 * ```
 */
export function isRateLimit(message: Message): message is RateLimitMessage {
  return message.type === "rate_limit_event";
}

/**
 * Tells a suggestion of what to say next.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example A suggestion
 * ```ts
 * import { isPromptSuggestion } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const identity = { uuid: "u1", session_id: "s1" };
 * assert.ok(isPromptSuggestion({ type: "prompt_suggestion", suggestion: "Run the tests", ...identity }));
 * ```
 */
export function isPromptSuggestion(
  message: Message,
): message is PromptSuggestionMessage {
  return message.type === "prompt_suggestion";
}

/**
 * Tells that the conversation was emptied.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example After `/clear`
 * ```ts
 * import { isConversationReset } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const identity = { uuid: "u1", session_id: "s1" };
 * assert.ok(isConversationReset({ type: "conversation_reset", new_conversation_id: "c2", ...identity }));
 * ```
 */
export function isConversationReset(
  message: Message,
): message is ConversationResetMessage {
  return message.type === "conversation_reset";
}

/**
 * Tells a change of the goal that the session works towards.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example No goal any more
 * ```ts
 * import { isActiveGoal } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const identity = { uuid: "u1", session_id: "s1" };
 * assert.ok(isActiveGoal({ type: "active_goal", value: null, ...identity }));
 * ```
 */
export function isActiveGoal(message: Message): message is ActiveGoalMessage {
  return message.type === "active_goal";
}

/**
 * Tells what became of a prompt that was sent with a `uuid`.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example A prompt that is queued
 * ```ts
 * import { isCommandLifecycle } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const identity = { uuid: "u1", session_id: "s1" };
 * assert.ok(isCommandLifecycle({ type: "command_lifecycle", command_uuid: "p1", state: "queued", ...identity }));
 * ```
 */
export function isCommandLifecycle(
  message: Message,
): message is CommandLifecycleMessage {
  return message.type === "command_lifecycle";
}

/**
 * Tells a message of a kind this package does not know; the whole is in `raw`.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example Look into a kind that came later
 * ```ts
 * import { isUnknown, type Message } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const message: Message = { type: "unknown", originalType: "news", raw: { type: "news", text: "hi" } };
 * assert.ok(isUnknown(message));
 * assert.equal(message.raw.text, "hi");
 * ```
 */
export function isUnknown(message: Message): message is UnknownMessage {
  return message.type === "unknown";
}
