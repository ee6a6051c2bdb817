import { textOf } from "./parse/read.ts";
import type { Message } from "./protocol/messages_other.ts";

/**
 * Streams the text of the answer: piece by piece with `includePartialMessages`, else message by message.
 *
 * Shape: texts in order, none of them empty; thinking, tool results and the texts of subagents are left out. Consumes
 * the messages as a `for await` loop does: `result()` and `text()` still work beside it, and cancelling it ends the
 * conversation.
 *
 * @param messages A conversation, or the messages of a client
 * @returns A stream without a buffer: a slow reader slows the CLI down
 * @throws {AgentError} From `read()`, the error that ended the messages
 *
 * @example Stream the text of an answer
 * ```ts
 * import { query, textStream } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli("Hello, you.");
 * const texts = textStream(query("Say hello.", { cliPath }));
 * assert.equal(await new Response(texts.pipeThrough(new TextEncoderStream())).text(), "Hello, you.");
 * ```
 */
export function textStream(
  messages: AsyncIterable<Message>,
): ReadableStream<string> {
  const iterator = messages[Symbol.asyncIterator]();
  let streamed: string | undefined;
  const pieceOf = (message: Message): string => {
    if (message.type === "stream_event") {
      if (message.parent_tool_use_id !== null) return "";
      const { event } = message;
      if (event.type === "message_start") streamed = event.message.id;
      return textOf(message);
    }
    if (message.type !== "assistant") return "";
    const isOwn = message.parent_tool_use_id === null;
    return isOwn && message.message.id !== streamed ? textOf(message) : "";
  };
  return new ReadableStream<string>({
    async pull(controller) {
      for (;;) {
        const { value, done } = await iterator.next();
        if (done) return controller.close();
        const piece = pieceOf(value);
        if (piece !== "") return controller.enqueue(piece);
      }
    },
    async cancel() {
      await iterator.return?.();
    },
  }, { highWaterMark: 0 });
}
