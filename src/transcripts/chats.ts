import { isObject, show } from "../errors/text.ts";
import { TranscriptError } from "../errors/transcript.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { Session } from "../session/session.ts";
import { sessionFromMessages } from "../session/from_messages.ts";
import { truncate } from "../session/truncate.ts";
import { branchOf } from "./branch.ts";
import { linesOn, notFound } from "./shelf.ts";
import type { TranscriptEntry } from "./store.ts";
import { checkId, shelfOf, type TranscriptPlace } from "./place.ts";
import {
  type ChatMessage,
  takeMessage,
  wireContent,
} from "../session/messages.ts";
import { inputError } from "../session/input_error.ts";
import { messageLine } from "../session/records.ts";

/** The CLI's model name for messages of its own, such as API failures. */
const NO_MODEL = "<synthetic>";
/** A conversation of the API begins with the user. */
const OPENING = "[The beginning of this conversation is left out.]";

/**
 * Converts a session of the CLI to a `Session` of `@sluice/agent/session`.
 *
 * Shape:
 * - The messages of the user, the model and the tools on the current branch, in the shape of `sessionFromMessages()`.
 * - Ids and times are kept; tool calls and their results stay blocks.
 * - Subagents, messages of the CLI itself, and summaries of turns that are still in the file are left out.
 *
 * @param sessionId Id of the CLI's session, and of the new one
 * @param options Where to look
 * @returns A session in memory; changes to it do not reach the CLI
 * @throws {ConfigError} If the id is not a UUID
 * @throws {TranscriptError} If there is no such session, the store fails, or a line is no chat message
 *
 * @example Read a session as a chat
 * ```ts
 * import { memoryTranscripts, sessionFromTranscript } from "@sluice/agent/transcripts";
 * import assert from "node:assert/strict";
 *
 * const store = memoryTranscripts();
 * const sessionId = "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11";
 * await store.append({ projectKey: "letters", sessionId }, [
 *   { type: "user", uuid: "1", parentUuid: null, message: { role: "user", content: "Dear Charles" } },
 * ]);
 * const session = await sessionFromTranscript(sessionId, { store, projectKey: "letters" });
 * assert.equal(session.messages[0]?.content, "Dear Charles");
 * ```
 */
export async function sessionFromTranscript(
  sessionId: string,
  options: TranscriptPlace = {},
): Promise<Session> {
  checkId(sessionId);
  const entries = await linesOn(await shelfOf(options), sessionId);
  if (entries === undefined) throw notFound(sessionId);
  return await sessionFromMessages(saidIn(sessionId, entries));
}

async function* saidIn(
  sessionId: string,
  entries: readonly TranscriptEntry[],
): AsyncGenerator<Message> {
  let isBegun = false;
  for (const entry of branchOf(entries, { includeCompacted: true })) {
    const { type, uuid, timestamp, isMeta, isCompactSummary } = entry;
    if (type !== "user" && type !== "assistant") continue;
    if (isMeta === true) continue;
    if (isCompactSummary === true && isBegun) continue;
    const { message } = entry;
    if (isObject<unknown>(message) && message.model === NO_MODEL) continue;
    isBegun = true;
    const { id, role, content } = Object(message) as ChatMessage;
    let said: ChatMessage;
    try {
      said = takeMessage({ role, content }, "message", 0);
    } catch (cause) {
      throw new TranscriptError({
        message: `Session ${sessionId} cannot become a chat: the ${type} line ${
          show(uuid)
        } says no message`,
        sessionId,
        cause,
      });
    }
    // The fields that a chat reads are present and checked.
    yield {
      type,
      uuid,
      session_id: sessionId,
      parent_tool_use_id: null,
      ...typeof timestamp === "string" && { timestamp },
      // The lines of one answer have the same id; without one, a line is an answer by itself.
      message: { id: id ?? uuid, content: said.content },
    } as unknown as Message;
  }
}

/** Options of `query()`, `Client` and `Pool` that continue a chat. */
export interface ChatStart {
  /** Id of the session that was written. */
  readonly resume: string;
  /** The system messages of the chat; absent where it has none. */
  readonly systemPrompt?: string;
}

/**
 * Writes a chat as a session of the CLI, so that a new conversation starts with it.
 *
 * Shape:
 * - A new session, in the CLI's files or in a store, with the turns of the chat, their tool calls and results.
 * - System messages become `systemPrompt`.
 * - Results without a call are left out, and so are calls without a result, except in the last exchange.
 * - Thinking is left out, because the API accepts it only from the model that produced it.
 * - A chat that starts with the assistant gets a user message in front.
 *
 * @param messages A chat, oldest first: `session.messages`, or the result of `view()`
 * @param options Where to write: the `cwd` of the conversation, or a `store` that the conversation has as `transcripts`
 * @returns Options of the conversation
 * @throws {ConfigError} If a message is invalid, or there is no message of the user or the assistant
 * @throws {TranscriptError} If the store fails
 * @throws {Error} The system's, with its `code`, if the files cannot be written
 *
 * @example Begin with a chat
 * ```ts
 * import { memoryTranscripts, startWith } from "@sluice/agent/transcripts";
 * import { Session } from "@sluice/agent/session";
 * import { query } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const session = Session.create({ system: "Be brief." });
 * session.append(
 *   { role: "user", content: "Name a river." },
 *   { role: "assistant", content: "The Rhine." },
 * );
 * const transcripts = { store: memoryTranscripts() };
 * const start = await startWith(session.view({ maxTokens: 8_000 }), transcripts);
 * assert.equal(start.systemPrompt, "Be brief.");
 * const goOn = () => query("Where does it end?", { transcripts, ...start });
 * ```
 */
export async function startWith(
  messages: readonly ChatMessage[],
  options: TranscriptPlace = {},
): Promise<ChatStart> {
  const now = Date.now();
  const taken = messages.map((message, index) => {
    const one = takeMessage(message, `messages[${index}]`, now);
    // Refuses what is no JSON, before any of it is written.
    messageLine(one, index);
    return one;
  });
  const system = taken.filter(({ role }) => role === "system");
  const sessionId = crypto.randomUUID();
  const entries = linesOf(sessionId, taken, options.cwd);
  if (entries.length === 0) {
    const text = '"messages" must hold one of the user or the assistant';
    throw inputError("messages", text, messages);
  }
  const { store, projectKey } = await shelfOf(options);
  await store.append({ projectKey, sessionId }, entries);
  return {
    resume: sessionId,
    ...system.length > 0 && {
      systemPrompt: system.map(textOf).join("\n\n"),
    },
  };
}

function linesOf(
  sessionId: string,
  messages: readonly ChatMessage[],
  cwd: string | undefined,
): readonly TranscriptEntry[] {
  // All that may be sent: half a pair of call and result is refused by the API.
  const sound = truncate(messages, { maxTokens: Infinity });
  const turns = sound.flatMap((message): readonly ChatMessage[] => {
    const { role, content } = message;
    if (role === "system") return [];
    if (typeof content === "string") return content === "" ? [] : [message];
    const kept = content.filter(({ type }) =>
      type !== "thinking" && type !== "redacted_thinking"
    );
    return kept.length === 0 ? [] : [{ ...message, content: kept }];
  });
  const [first] = turns;
  if (first === undefined) return [];
  const { created } = first;
  const opening: ChatMessage = {
    role: "user",
    content: OPENING,
    ...created && { created },
  };
  let parentUuid: string | null = null;
  return (first.role === "user" ? turns : [opening, ...turns]).map(
    ({ role, content, created }): TranscriptEntry => {
      const uuid = crypto.randomUUID();
      const entry = {
        parentUuid,
        isSidechain: false,
        userType: "external",
        ...cwd !== undefined && { cwd },
        sessionId,
        type: role,
        message: saying(role, content),
        uuid,
        timestamp: created?.toISOString(),
      };
      parentUuid = uuid;
      return entry;
    },
  );
}

/** A message of the API, which requires more fields of an answer. */
function saying(
  role: ChatMessage["role"],
  content: ChatMessage["content"],
): Readonly<Record<string, unknown>> {
  const said = wireContent(content);
  if (role === "user") return { role, content: said };
  return {
    id: `msg_${crypto.randomUUID().replaceAll("-", "")}`,
    type: "message",
    role,
    content: typeof said === "string" ? [{ type: "text", text: said }] : said,
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0 },
  };
}

function textOf({ content }: ChatMessage): string {
  return typeof content === "string"
    ? content
    : content.map((block) => block.type === "text" ? block.text : "").join(
      "\n",
    );
}
