import { unlessAborted } from "../async/on_abort.ts";
import { systemClock } from "../async/system_clock.ts";
import type { Clock } from "../ports/clock.ts";
import type { JsonObject } from "../types/json.ts";
import { apart, openMessage, USUAL_USAGE } from "./message_blocks.ts";
import type { ModelAnswer, ModelToolCall } from "./model_script.ts";

/** Pieces of one block when the script names no number: a long text would be thousands of words. */
const MOST_PIECES = 200;

/** A message as the API gives it without streaming. */
export type ModelMessage = JsonObject & {
  readonly content: readonly JsonObject[];
  readonly usage: JsonObject;
};

/** Makes the message that an answer stands for. */
export function toMessage(
  answer: ModelAnswer,
  model: string,
  nextId: (kind: string) => string,
): ModelMessage {
  const content = toBlocks(answer, nextId);
  const usage = { ...USUAL_USAGE, ...answer.usage };
  const hasTool = content.some(({ type }) => type === "tool_use");
  return {
    ...openMessage(answer.model ?? model, nextId("msg")),
    content,
    stop_reason: answer.stopReason ?? (hasTool ? "tool_use" : "end_turn"),
    usage,
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
  const { id, model, stop_reason, usage } = message;
  const opening = openMessage(String(model), String(id), usage);
  const body = message.content.flatMap((block, index) =>
    blockEvents(block, index, answer.chunks)
  );
  const { delayMs = 0 } = answer;
  const parts: StreamPart[] = [
    { event: { type: "message_start", message: opening } },
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
        delta: { stop_reason, stop_sequence: null },
        usage,
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
  const signature = btoa("scripted");
  const blocks: (JsonObject | false)[] = [
    thinking !== undefined && { type: "thinking", thinking, signature },
    redactedThinking !== undefined &&
    { type: "redacted_thinking", data: redactedThinking },
    text !== undefined && { type: "text", text },
    ...calls.map(({ name, input = {}, id }: ModelToolCall) => ({
      type: "tool_use",
      id: id ?? nextId("toolu"),
      name,
      input,
    })),
    ...(answer.content ?? []),
  ];
  return blocks.filter((block) => block !== false);
}

function blockEvents(
  block: JsonObject,
  index: number,
  chunks: number | undefined,
): readonly JsonObject[] {
  const { empty, deltas } = apart(block, chunks, MOST_PIECES);
  return [
    { type: "content_block_start", index, content_block: empty },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

function errorEvent(error: ModelAnswer["streamError"]): JsonObject {
  const { type = "overloaded_error", message = "Overloaded" } =
    typeof error === "object" ? error : {};
  return { type: "error", error: { type, message } };
}

/** Characters that are gathered before they go out. */
const WRITE_CHARS = 65_536;

/** Time for what was said to get out before the connection is cut. */
const FLUSH_MS = 10;

const encoder = new TextEncoder();

/** Server-sent events, as the API gives them, until the signal is aborted; what hangs goes on when it is released. Whoever reads decides the pace. */
export function eventBody(
  parts: readonly StreamPart[],
  clock: Clock,
  signal: AbortSignal,
  released: Promise<void>,
): ReadableStream<Uint8Array> {
  const left = new AbortController();
  const ending = AbortSignal.any([signal, left.signal]);
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      let text = "";
      try {
        while (at < parts.length && text.length < WRITE_CHARS) {
          const part = parts[at];
          if (part === undefined) break;
          if ("event" in part) {
            text += toFrame(part.event);
          } else if (text !== "") {
            // What was said goes out before the wait.
            break;
          } else if ("pauseMs" in part) {
            await clock.sleep(part.pauseMs, ending);
          } else if (part.end === "hang") {
            await unlessAborted(released, ending);
          } else {
            await systemClock.sleep(FLUSH_MS, ending);
            return controller.error();
          }
          at++;
        }
      } catch {
        // Closed, or left: the connection is cut. Bun prints a reason, so there is none.
        return controller.error();
      }
      if (text !== "") controller.enqueue(encoder.encode(text));
      if (at >= parts.length) controller.close();
    },
    cancel() {
      left.abort(new Error("Nobody reads the answer any more"));
    },
  }, { highWaterMark: 0 });
}

function toFrame(event: JsonObject): string {
  return `event: ${event["type"]}\ndata: ${JSON.stringify(event)}\n\n`;
}
