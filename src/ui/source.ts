import { unlessAborted } from "../async/on_abort.ts";
import type { Client } from "../client.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { Conversation } from "../types/conversation.ts";

/** Messages to stream: of a conversation, of the turns of a client, or any others. */
export type UiSource = Conversation | Client | AsyncIterable<Message>;

/** Messages of one journal. */
export interface Reading {
  /** The messages. */
  readonly messages: AsyncIterator<Message>;
  /** Id of the session, once known. */
  sessionId(): string | undefined;
  /** Ends what produces the messages; never rejects. */
  close(): void;
}

/** Whether its messages come turn by turn. */
export function isClient(source: UiSource): source is Client {
  return "receiveResponse" in source;
}

/** Reads a conversation, or any other messages. */
export function readingOf(source: Exclude<UiSource, Client>): Reading {
  const messages = source[Symbol.asyncIterator]();
  const isConversation = "close" in source && "health" in source;
  return {
    messages,
    sessionId: () => isConversation ? source.sessionId : undefined,
    close() {
      const closing = isConversation ? source.close() : messages.return?.();
      // Errors of a conversation are on its `errors`.
      Promise.resolve(closing).catch(() => {});
    },
  };
}

/** Reads the next turn of a client, once an earlier reader is done. */
export function turnReading(
  client: Client,
  { before, onBegin }: {
    readonly before: Promise<void>;
    onBegin(): void;
  },
): Reading & {
  /** Leaves the rest of the turn to the next reader, which skips it; resolves when that may read. */
  abandon(): Promise<void>;
} {
  const left = new AbortController();
  const { signal } = left;
  let isAnswered = false;
  async function* turn(): AsyncGenerator<Message> {
    await unlessAborted(before, signal);
    onBegin();
    for await (const message of client.receiveResponse({ signal })) {
      isAnswered = message.type === "result";
      yield message;
    }
  }
  const messages = turn();
  return {
    messages,
    sessionId: () => client.sessionId,
    async abandon() {
      left.abort();
      await messages.return(undefined);
    },
    close() {
      // A reader may leave with the result, before the end of the stream.
      if (!isAnswered) client.close().catch(() => {});
    },
  };
}
