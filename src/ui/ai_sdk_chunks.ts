import type { Message } from "../protocol/messages_other.ts";
import { aiSdkMapping } from "./ai_sdk.ts";
import type { AiSdkChunk } from "./ai_sdk_types.ts";
import { mappedStream } from "./mapped_stream.ts";

/**
 * Maps messages to the UI message stream of the AI SDK 7, which `useChat` reads.
 *
 * Shape: one message with its steps. Text and thinking become `text` and `reasoning` parts, tool calls
 * `dynamic-tool` parts, texts of subagents `data-subagent` parts, a structured output a `data-output` part. The
 * metadata of the message has session, tokens, cost and duration. An error becomes an `error` chunk: the stream itself
 * never fails. For questions of an approval store use `sseResponse()` with the format `"ai-sdk"`.
 *
 * @param messages A conversation, or the turn of a client
 * @returns A stream without a buffer: a slow reader slows the CLI down. Cancelling it ends a conversation
 *
 * @example Stream an answer to useChat
 * ```ts
 * import { query } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import { aiSdkChunks } from "@sluice/agent/ui";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli("Hello.");
 * const types: string[] = [];
 * for await (const { type } of aiSdkChunks(query("Say hello.", { cliPath }))) types.push(type);
 * assert.deepEqual(types, [
 *   ...["start", "start-step", "text-start", "text-delta", "text-end"],
 *   ...["finish-step", "message-metadata", "finish"],
 * ]);
 * ```
 */
export function aiSdkChunks(
  messages: AsyncIterable<Message>,
): ReadableStream<AiSdkChunk> {
  return mappedStream(messages, aiSdkMapping());
}
