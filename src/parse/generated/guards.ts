// Made from protocol/ by `npm run generate`; edit that.
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
} from "../../protocol/messages_other.ts";
import type {
  AssistantMessage,
  ResultMessage,
  StreamEventMessage,
  UserMessage,
  UserMessageReplay,
} from "../../protocol/messages_turn.ts";

/**
 * Returns whether a message is of the type {@link AssistantMessage}: output of the model: one content block of one API message.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example Check a message of another kind
 * ```ts
 * import { isAssistant, type Message } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const message: Message = { type: "unknown", originalType: "news", raw: { type: "news" } };
 * assert.equal(isAssistant(message), false);
 * ```
 */
export function isAssistant(message: Message): message is AssistantMessage {
  return message.type === "assistant";
}

/**
 * Returns whether a message is of the type {@link UserMessage}: input of the model: tool results and texts that the CLI wrote.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example Check a message of another kind
 * ```ts
 * import { isUser, type Message } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const message: Message = { type: "unknown", originalType: "news", raw: { type: "news" } };
 * assert.equal(isUser(message), false);
 * ```
 */
export function isUser(
  message: Message,
): message is UserMessage | UserMessageReplay {
  return message.type === "user";
}

/**
 * Returns whether a message is of the type {@link ResultMessage}: the end of a turn; several in one run are normal.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example Check a message of another kind
 * ```ts
 * import { isResult, type Message } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const message: Message = { type: "unknown", originalType: "news", raw: { type: "news" } };
 * assert.equal(isResult(message), false);
 * ```
 */
export function isResult(message: Message): message is ResultMessage {
  return message.type === "result";
}

/**
 * Returns whether a message is of the type {@link StreamEventMessage}: a piece of a message that is being written; only with `includePartialMessages`.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example Check a message of another kind
 * ```ts
 * import { isStreamEvent, type Message } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const message: Message = { type: "unknown", originalType: "news", raw: { type: "news" } };
 * assert.equal(isStreamEvent(message), false);
 * ```
 */
export function isStreamEvent(message: Message): message is StreamEventMessage {
  return message.type === "stream_event";
}

/**
 * Returns whether a message is of the type {@link ToolProgressMessage}: a tool is still running.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example Check a message of another kind
 * ```ts
 * import { isToolProgress, type Message } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const message: Message = { type: "unknown", originalType: "news", raw: { type: "news" } };
 * assert.equal(isToolProgress(message), false);
 * ```
 */
export function isToolProgress(
  message: Message,
): message is ToolProgressMessage {
  return message.type === "tool_progress";
}

/**
 * Returns whether a message is of the type {@link ToolUseSummaryMessage}: several tool calls in a sentence.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example Check a message of another kind
 * ```ts
 * import { isToolUseSummary, type Message } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const message: Message = { type: "unknown", originalType: "news", raw: { type: "news" } };
 * assert.equal(isToolUseSummary(message), false);
 * ```
 */
export function isToolUseSummary(
  message: Message,
): message is ToolUseSummaryMessage {
  return message.type === "tool_use_summary";
}

/**
 * Returns whether a message is of the type {@link AuthStatusMessage}: progress of a login.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example Check a message of another kind
 * ```ts
 * import { isAuthStatus, type Message } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const message: Message = { type: "unknown", originalType: "news", raw: { type: "news" } };
 * assert.equal(isAuthStatus(message), false);
 * ```
 */
export function isAuthStatus(message: Message): message is AuthStatusMessage {
  return message.type === "auth_status";
}

/**
 * Returns whether a message is of the type {@link RateLimitMessage}: the account's limits changed.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example Check a message of another kind
 * ```ts
 * import { isRateLimit, type Message } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const message: Message = { type: "unknown", originalType: "news", raw: { type: "news" } };
 * assert.equal(isRateLimit(message), false);
 * ```
 */
export function isRateLimit(message: Message): message is RateLimitMessage {
  return message.type === "rate_limit_event";
}

/**
 * Returns whether a message is of the type {@link PromptSuggestionMessage}: a suggested next prompt; only with `promptSuggestions`.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example Check a message of another kind
 * ```ts
 * import { isPromptSuggestion, type Message } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const message: Message = { type: "unknown", originalType: "news", raw: { type: "news" } };
 * assert.equal(isPromptSuggestion(message), false);
 * ```
 */
export function isPromptSuggestion(
  message: Message,
): message is PromptSuggestionMessage {
  return message.type === "prompt_suggestion";
}

/**
 * Returns whether a message is of the type {@link ConversationResetMessage}: the conversation was emptied; a new session id follows.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example Check a message of another kind
 * ```ts
 * import { isConversationReset, type Message } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const message: Message = { type: "unknown", originalType: "news", raw: { type: "news" } };
 * assert.equal(isConversationReset(message), false);
 * ```
 */
export function isConversationReset(
  message: Message,
): message is ConversationResetMessage {
  return message.type === "conversation_reset";
}

/**
 * Returns whether a message is of the type {@link ActiveGoalMessage}: the goal that the session works towards changed.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example Check a message of another kind
 * ```ts
 * import { isActiveGoal, type Message } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const message: Message = { type: "unknown", originalType: "news", raw: { type: "news" } };
 * assert.equal(isActiveGoal(message), false);
 * ```
 */
export function isActiveGoal(message: Message): message is ActiveGoalMessage {
  return message.type === "active_goal";
}

/**
 * Returns whether a message is of the type {@link CommandLifecycleMessage}: state of a prompt that was sent with a `uuid`.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example Check a message of another kind
 * ```ts
 * import { isCommandLifecycle, type Message } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const message: Message = { type: "unknown", originalType: "news", raw: { type: "news" } };
 * assert.equal(isCommandLifecycle(message), false);
 * ```
 */
export function isCommandLifecycle(
  message: Message,
): message is CommandLifecycleMessage {
  return message.type === "command_lifecycle";
}

/**
 * Returns whether a message is of the type {@link UnknownMessage}: a message of a kind this package does not know.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example Check a message of another kind
 * ```ts
 * import { isUnknown, type Message } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const message: Message = { type: "prompt_suggestion", suggestion: "Go on", uuid: "u1", session_id: "s1" };
 * assert.equal(isUnknown(message), false);
 * ```
 */
export function isUnknown(message: Message): message is UnknownMessage {
  return message.type === "unknown";
}
