import type { JsonObject } from "../types/json.ts";
import type { ModelAnswer, ModelToolCall } from "./model_script.ts";
import { cut } from "./text_pieces.ts";

/** Pieces of one block when the script names no number: a long text would be thousands of words. */
const MOST_PIECES = 200;

/** An answer with all its ids, ready to be told in one piece or in events. */
export interface ModelMessage {
  /** The message as it begins. */
  readonly opening: JsonObject;
  /** Its blocks. */
  readonly content: readonly JsonObject[];
  /** Why it stops. */
  readonly stopReason: string;
  /** Its tokens. */
  readonly usage: JsonObject;
}

/** Makes the message that an answer stands for. */
export function toMessage(
  answer: ModelAnswer,
  model: string,
  nextId: (kind: string) => string,
): ModelMessage {
  const content = toBlocks(answer, nextId);
  const usage = {
    input_tokens: 100,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 20,
    ...answer.usage,
  };
  const hasTool = content.some(({ type }) => type === "tool_use");
  return {
    opening: {
      id: nextId("msg"),
      type: "message",
      role: "assistant",
      model: answer.model ?? model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usage, output_tokens: 1 },
    },
    content,
    stopReason: answer.stopReason ?? (hasTool ? "tool_use" : "end_turn"),
    usage,
  };
}

/** The message as the API gives it without streaming. */
export function toWhole(message: ModelMessage): JsonObject {
  return {
    ...message.opening,
    content: message.content,
    stop_reason: message.stopReason,
    usage: message.usage,
  };
}

/** What happens on the stream of an answer, in order; an event is its data. */
export type StreamPart =
  | { readonly event: JsonObject }
  | { readonly pauseMs: number }
  | { readonly end: "disconnect" | "hang" };

/** The events of an answer and what happens between them. */
export function toParts(
  answer: ModelAnswer,
  message: ModelMessage,
): readonly StreamPart[] {
  const body = message.content.flatMap((block, index) =>
    blockEvents(block, index, answer.chunks)
  );
  const { delayMs = 0 } = answer;
  const parts: StreamPart[] = [
    { event: { type: "message_start", message: message.opening } },
    { event: { type: "ping" } },
    ...body.flatMap((event): StreamPart[] =>
      delayMs > 0 && event["type"] === "content_block_delta"
        ? [{ pauseMs: delayMs }, { event }]
        : [{ event }]
    ),
  ];
  if (answer.disconnect) {
    // Half of it, so that a reader has begun and not finished.
    const half = 2 + Math.ceil((parts.length - 2) / 2);
    return [...parts.slice(0, half), { end: "disconnect" }];
  }
  if (answer.streamError) {
    return [...parts, { event: errorEvent(answer.streamError) }];
  }
  if (answer.hang) parts.push({ end: "hang" });
  return [
    ...parts,
    {
      event: {
        type: "message_delta",
        delta: { stop_reason: message.stopReason, stop_sequence: null },
        usage: message.usage,
      },
    },
    { event: { type: "message_stop" } },
  ];
}

function toBlocks(
  answer: ModelAnswer,
  nextId: (kind: string) => string,
): readonly JsonObject[] {
  const { thinking, redactedThinking, text, tool, input, tools = [] } = answer;
  const calls = tool === undefined
    ? tools
    : [{ name: tool, input: input ?? {} }, ...tools];
  const blocks: (JsonObject | undefined)[] = [
    thinking === undefined
      ? undefined
      : { type: "thinking", thinking, signature: btoa("scripted") },
    redactedThinking === undefined
      ? undefined
      : { type: "redacted_thinking", data: redactedThinking },
    text === undefined ? undefined : { type: "text", text },
    ...calls.map(({ name, input = {}, id }: ModelToolCall) => ({
      type: "tool_use",
      id: id ?? nextId("toolu"),
      name,
      input,
    })),
    ...(answer.content ?? []),
  ];
  return blocks.filter((block) => block !== undefined);
}

/** A block as the stream tells it: empty at first, then piece by piece. */
function blockEvents(
  block: JsonObject,
  index: number,
  chunks: number | undefined,
): readonly JsonObject[] {
  const { empty, deltas } = apart(block, chunks);
  return [
    { type: "content_block_start", index, content_block: empty },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

function apart(
  block: JsonObject,
  chunks: number | undefined,
): { readonly empty: JsonObject; readonly deltas: readonly JsonObject[] } {
  switch (block["type"]) {
    case "text":
      return {
        empty: { ...block, text: "" },
        deltas: pieces(block["text"], chunks)
          .map((text) => ({ type: "text_delta", text })),
      };
    case "thinking":
      return {
        empty: { ...block, thinking: "", signature: "" },
        deltas: [
          ...pieces(block["thinking"], chunks)
            .map((thinking) => ({ type: "thinking_delta", thinking })),
          { type: "signature_delta", signature: block["signature"] },
        ],
      };
    case "tool_use":
    case "server_tool_use":
      return {
        empty: { ...block, input: {} },
        deltas: pieces(JSON.stringify(block["input"] ?? {}), chunks ?? 4)
          .map((partial_json) => ({ type: "input_json_delta", partial_json })),
      };
    default:
      return { empty: block, deltas: [] };
  }
}

function pieces(value: unknown, chunks: number | undefined): readonly string[] {
  const text = String(value ?? "");
  const words = cut(text, chunks);
  return chunks === undefined && words.length > MOST_PIECES
    ? cut(text, MOST_PIECES)
    : words;
}

function errorEvent(error: ModelAnswer["streamError"]): JsonObject {
  const { type = "overloaded_error", message = "Overloaded" } =
    typeof error === "object" ? error : {};
  return { type: "error", error: { type, message } };
}
