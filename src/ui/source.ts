import { unlessAborted } from "../async/on_abort.ts";
import type { Client } from "../client.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { Conversation, MessageStream } from "../types/conversation.ts";

/** Messages to stream: of a conversation, of the turns of a client, or any others. */
export type UiSource = Conversation | Client | AsyncIterable<Message>;

/** Messages in batches, as they come. */
export interface Batches {
  /** The next ones; `undefined` at the end. */
  next(): Promise<readonly Message[] | undefined>;
  /** Leaves the rest; never waits for a pending `next()`, and never rejects. */
  leave(): Promise<void>;
}

/** Messages of one journal. */
export interface Reading {
  readonly messages: Batches;
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
  const messages = batchesOf(source);
  const isConversation = "close" in source && "health" in source;
  return {
    messages,
    sessionId: () => isConversation ? source.sessionId : undefined,
    close() {
      // Errors of a conversation are on its `errors`.
      if (isConversation) source.close().catch(() => {});
      else void messages.leave();
    },
  };
}

/** Reads batches where there are any, which costs less than single messages. */
export function batchesOf(source: AsyncIterable<Message>): Batches {
  if ("batches" in source) {
    const reader = (source as MessageStream).batches.getReader();
    return {
      next: async () => (await reader.read()).value,
      leave: () => reader.cancel().catch(() => {}),
    };
  }
  const iterator = source[Symbol.asyncIterator]();
  return {
    async next() {
      const { value, done } = await iterator.next();
      return done ? undefined : [value];
    },
    async leave() {
      await iterator.return?.().catch(() => {});
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
  const messages = batchesOf(turn());
  return {
    messages,
    sessionId: () => client.sessionId,
    async abandon() {
      left.abort();
      await messages.leave();
    },
    close() {
      // A reader may leave with the result, before the end of the stream.
      if (!isAnswered) client.close().catch(() => {});
    },
  };
}
