import type { Message } from "../protocol/messages_other.ts";
import type {
  InitMessage,
  SystemMessage,
} from "../protocol/messages_system.ts";
import type { UserMessageReplay } from "../protocol/messages_turn.ts";
import type { SystemMessageOf, SystemSubtype } from "../types/conversation.ts";

/**
 * Returns whether a message is the echo of a user message.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example Recognize an echo
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
 * Returns whether a message is of type `system`, with any known subtype or a given one.
 *
 * A subtype that this package does not know makes an unknown message: look for it with {@link isUnknown}.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example Check the subtype
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
 * Returns whether a message is of type `system` and of one subtype.
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
 * Returns whether a message is `system/init`: the beginning of a turn, with the current tools, servers and model.
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
