import { systemClock } from "../async/system_clock.ts";
import { isReplay } from "../parse/guards.ts";
import type { Clock } from "../ports/clock.ts";
import type { ContentBlock } from "../protocol/content.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { ChatMessage } from "./messages.ts";
import { Session } from "./session.ts";

/** Options of `sessionFromMessages()`. */
export interface FromMessagesOptions {
  /** Whether to include messages of subagents, in their place; false by default. */
  readonly subagents?: boolean | undefined;
  /** Clock for messages without a time; this machine's by default. */
  readonly clock?: Clock | undefined;
}

interface Draft {
  readonly role: "user" | "assistant";
  readonly created: Date;
  readonly lines: {
    readonly uuid: string | undefined;
    readonly content: ChatMessage["content"];
  }[];
}

/**
 * Creates a session from the messages of a conversation.
 *
 * Shape:
 * - The messages of the user, the assistant and the tools in their order; the lines of one API message become one.
 * - A message has the `uuid` of its first line, the session the first `session_id`.
 * - Stream events, replays, superseded messages and other kinds are left out, and so are subagents by default.
 * - Prompts are missing, because the CLI does not repeat them.
 *
 * Resolves when the messages end.
 *
 * @param messages A conversation, or any messages
 * @param options Whether subagents count, and the clock
 * @returns A session in memory
 * @throws {Error} The error of the messages
 *
 * @example Keep a conversation
 * ```ts
 * import { query } from "@sluice/agent";
 * import { sessionFromMessages } from "@sluice/agent/session";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const cli = fakeCli("The Rhine.");
 * const session = await sessionFromMessages(query("Name a river.", { cliPath: cli.cliPath }));
 * assert.deepEqual(session.messages.map(({ role }) => role), ["assistant"]);
 * await cli.close();
 * ```
 */
export async function sessionFromMessages(
  messages: AsyncIterable<Message>,
  options: FromMessagesOptions = {},
): Promise<Session> {
  const { subagents = false, clock = systemClock } = options;
  const drafts: Draft[] = [];
  const byApiId = new Map<string, Draft>();
  const replaced = new Set<string>();
  let id: string | undefined;
  for await (const message of messages) {
    if (message.type !== "assistant" && message.type !== "user") continue;
    if (isReplay(message)) continue;
    if (message.parent_tool_use_id !== null && !subagents) continue;
    // An empty one would be no id.
    id ??= message.session_id || undefined;
    const line = { uuid: message.uuid, content: message.message.content };
    const said = new Date(message.timestamp ?? Number.NaN);
    const draft: Draft = {
      role: message.type,
      created: Number.isNaN(said.getTime()) ? new Date(clock.now()) : said,
      lines: [line],
    };
    if (message.type === "assistant") {
      for (const uuid of message.supersedes ?? []) replaced.add(uuid);
      const begun = byApiId.get(message.message.id);
      begun?.lines.push(line);
      if (begun !== undefined) continue;
      byApiId.set(message.message.id, draft);
    }
    drafts.push(draft);
  }
  const session = Session.create({ ...(id && { id }), clock });
  for (const { role, created, lines } of drafts) {
    const left = lines.filter(({ uuid }) =>
      uuid === undefined || !replaced.has(uuid)
    );
    const [first] = left;
    if (first === undefined) continue;
    const { uuid } = first;
    const content = left.length === 1
      ? first.content
      : left.flatMap(({ content }): readonly ContentBlock[] =>
        typeof content === "string"
          ? [{ type: "text", text: content }]
          : content
      );
    session.append({
      role,
      content,
      ...uuid !== undefined && { id: uuid },
      created,
    });
  }
  return session;
}
