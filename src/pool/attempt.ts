import { MessageTooLargeError } from "../errors/cli.ts";
import { ParseError } from "../errors/protocol.ts";
import type { AgentError } from "../errors/base.ts";
import type { LiveConversation } from "../conversation/conversation.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";

interface Outcome<O> {
  readonly answer: { readonly text: string; readonly output: O } | undefined;
  readonly result: ResultMessage | undefined;
  readonly error: unknown;
  /** Whether a tool was called: what it did must not be done again. */
  readonly hasRun: boolean;
  readonly costUsd: number;
}

/** One conversation from its prompt to its end. */
export async function attempt<O>(
  begin: () => LiveConversation<O>,
): Promise<Outcome<O>> {
  let conversation: LiveConversation<O> | undefined;
  let isLineLost: Promise<boolean> | undefined;
  let result: ResultMessage | undefined;
  let hasRun = false;
  const outcome = (
    answer: { readonly text: string; readonly output: O } | undefined,
    error?: unknown,
  ): Outcome<O> => ({
    answer,
    result,
    error,
    hasRun,
    costUsd: conversation?.cost().totalUsd ?? 0,
  });
  try {
    conversation = begin();
    isLineLost = losesLine(conversation.errors);
    for await (const message of conversation) {
      if (message.type === "result") result = message;
      else hasRun ||= showsTool(message);
    }
    // Both asked for at once: the pool may be closed before the first is there.
    const text = conversation.text();
    const output = conversation.hasSchema
      ? await conversation.output()
      : undefined as O;
    return outcome({ text: await text, output });
  } catch (error) {
    // An unread line may have been a tool call; that is known at the end.
    await conversation?.close().catch(() => {});
    hasRun ||= conversation?.hasAskedTool === true || await isLineLost === true;
    return outcome(undefined, error);
  } finally {
    // The next one begins when nothing is left of this one.
    await conversation?.close().catch(() => {});
  }
}

const WORDS: ReadonlySet<string> = new Set([
  "text",
  "thinking",
  "redacted_thinking",
]);

function showsTool(message: Message): boolean {
  switch (message.type) {
    case "assistant":
      return message.message.content.some(({ type }) => !WORDS.has(type));
    case "user": {
      const { content } = message.message;
      return typeof content !== "string" &&
        content.some(({ type }) => type === "tool_result");
    }
    case "stream_event": {
      const { event } = message;
      return event.type === "content_block_start" &&
        !WORDS.has(event.content_block.type);
    }
    case "tool_progress":
    case "tool_use_summary":
      return true;
    case "system":
      return message.subtype === "task_started";
    default:
      return false;
  }
}

/** Whether a line could not be read; known when the conversation is over. */
async function losesLine(errors: ReadableStream<AgentError>): Promise<boolean> {
  let isLost = false;
  for await (const error of errors) {
    isLost ||= error instanceof ParseError ||
      error instanceof MessageTooLargeError;
  }
  return isLost;
}
