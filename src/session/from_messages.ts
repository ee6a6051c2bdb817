import { systemClock } from "../async/system_clock.ts";
import { isReplay } from "../parse/guards.ts";
import type { Clock } from "../ports/clock.ts";
import type { ContentBlock } from "../protocol/content.ts";
import type { Message } from "../protocol/messages_other.ts";
import type {
  AssistantMessage,
  UserMessage,
} from "../protocol/messages_turn.ts";
import type { ChatMessage } from "./chat_message.ts";
import { Session } from "./session.ts";

/** What is taken from a conversation. */
export interface FromMessagesOptions {
  /** Whether what subagents said is taken, too, in its place; false unless given. */
  readonly subagents?: boolean | undefined;
  /** The time for messages that do not say theirs; this machine's unless given. */
  readonly clock?: Clock | undefined;
}

/** A chat message in the making. */
interface Draft {
  readonly role: "user" | "assistant";
  readonly created: Date;
  /** What the CLI wrote of it, line by line. */
  readonly lines: Line[];
}

interface Line {
  readonly uuid: string | undefined;
  readonly content: string | readonly ContentBlock[];
}

/**
 * Keeps what a conversation said.
 *
 * Shape: what the user, the assistant and the tools said, as it came and in that order; the lines of one API message become
 * one chat message, in the place of the first. Ids are kept: a message has the `uuid` of its first line, the session the first
 * `session_id`. Left out are pieces of a stream, user lines given back, messages that later ones replace, everything that
 * is not said to or by the model, and subagents unless asked for. A prompt is no message: the CLI does not say it back. Resolves
 * when the messages end.
 *
 * @param messages What `query()` gives, or any messages
 * @param options Whether subagents count, and the clock
 * @returns A session that lives in memory
 * @throws {Error} What the messages throw
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
  const drafts = draftsOf(clock);
  let id: string | undefined;
  for await (const message of messages) {
    if (message.type !== "assistant" && message.type !== "user") continue;
    if (isReplay(message)) continue;
    if (message.parent_tool_use_id !== null && !subagents) continue;
    // An empty one would be no id.
    id ??= message.session_id || undefined;
    drafts.add(message);
  }
  const session = Session.create({ ...(id && { id }), clock });
  for (const message of drafts.finish()) session.append(message);
  return session;
}

/** The chat messages that lines of the CLI make. */
function draftsOf(clock: Clock): {
  readonly add: (message: AssistantMessage | UserMessage) => void;
  readonly finish: () => readonly ChatMessage[];
} {
  const drafts: Draft[] = [];
  const byApiId = new Map<string, Draft>();
  const replaced = new Set<string>();
  return {
    add(message) {
      const line = { uuid: message.uuid, content: message.message.content };
      if (message.type === "user") {
        return void drafts.push(draftOf(message, line, clock));
      }
      for (const uuid of message.supersedes ?? []) replaced.add(uuid);
      const { id } = message.message;
      const begun = byApiId.get(id);
      if (begun !== undefined) return void begun.lines.push(line);
      const draft = draftOf(message, line, clock);
      drafts.push(draft);
      byApiId.set(id, draft);
    },
    finish: () =>
      drafts.flatMap(({ role, created, lines }) => {
        const left = lines.filter(({ uuid }) =>
          uuid === undefined || !replaced.has(uuid)
        );
        const [first] = left;
        if (first === undefined) return [];
        const content = left.length === 1
          ? first.content
          : left.flatMap(({ content }) => toBlocks(content));
        const id = first.uuid;
        return [{
          role,
          content,
          ...(id === undefined ? {} : { id }),
          created,
        }];
      }),
  };
}

function draftOf(
  { type, timestamp }: AssistantMessage | UserMessage,
  line: Line,
  clock: Clock,
): Draft {
  const said = new Date(timestamp ?? Number.NaN);
  const created = Number.isNaN(said.getTime()) ? new Date(clock.now()) : said;
  return { role: type, created, lines: [line] };
}

function toBlocks(
  content: string | readonly ContentBlock[],
): readonly ContentBlock[] {
  return typeof content === "string"
    ? [{ type: "text", text: content }]
    : content;
}
