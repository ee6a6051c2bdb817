import { unlessAborted } from "../async/on_abort.ts";
import { systemClock } from "../async/system_clock.ts";
import type { Clock } from "../ports/clock.ts";
import type { JsonObject } from "../types/json.ts";
import { blockEvents, messageOf } from "./blocks.ts";
import type {
  ModelAnswer,
  ModelError,
  ModelRequest,
  ModelToolCall,
} from "./model_script.ts";

/** A response of the API; a stream is server-sent events. */
export interface ModelReply {
  readonly body: JsonObject | ReadableStream<Uint8Array> | null;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export type ModelMessage = JsonObject & {
  readonly content: readonly JsonObject[];
};

/** Kind and text of errors by HTTP status. Source: Messages API. */
const ERRORS: Readonly<Record<number, readonly [string, string]>> = {
  400: ["invalid_request_error", "Invalid request"],
  401: ["authentication_error", "invalid x-api-key"],
  403: ["permission_error", "Request not allowed"],
  404: ["not_found_error", "Not found"],
  413: ["request_too_large", "Request exceeds the maximum size"],
  429: ["rate_limit_error", "Number of requests has exceeded your rate limit"],
  500: ["api_error", "Internal server error"],
  504: ["timeout_error", "Request timed out"],
  529: ["overloaded_error", "Overloaded"],
};

export function refusal(
  { status, type, message, headers }: ModelError,
): ModelReply {
  const [usualType, usualMessage] = ERRORS[status] ??
    ["api_error", `Scripted error ${status}`];
  const error = { type: type ?? usualType, message: message ?? usualMessage };
  return { status, body: { type: "error", error }, headers };
}

export function otherReply({ method, path, body }: ModelRequest): ModelReply {
  if (path === "/v1/messages/count_tokens") {
    const tokens = Math.ceil(JSON.stringify(body).length / 4);
    return { body: { input_tokens: tokens } };
  }
  if (path === "/v1/models") {
    const page = { has_more: false, first_id: null, last_id: null };
    return { body: { data: [], ...page } };
  }
  if (method === "HEAD" || path === "/api/hello") return { body: null };
  const message = `Scripted model has nothing at ${method} ${path}`;
  return refusal({ status: 404, message });
}

export function messageFor(
  answer: ModelAnswer,
  requestedModel: string,
  nextId: (kind: string) => string,
): ModelMessage {
  const { model = requestedModel, thinking, redactedThinking, text } = answer;
  const { tool, input, tools = [], content: raw = [], usage } = answer;
  const calls = tool === undefined ? tools : [{ name: tool, input }, ...tools];
  const blocks: (JsonObject | false)[] = [
    thinking !== undefined &&
    { type: "thinking", thinking, signature: btoa("scripted") },
    redactedThinking !== undefined &&
    { type: "redacted_thinking", data: redactedThinking },
    text !== undefined && { type: "text", text },
    ...calls.map(({ name, input, id = nextId("toolu") }: ModelToolCall) => (
      { type: "tool_use", id, name, input: input ?? {} }
    )),
    ...raw,
  ];
  const content = blocks.filter((block) => block !== false);
  const hasTool = content.some(({ type }) => type === "tool_use");
  return {
    ...messageOf(model, nextId("msg"), content, { ...usage }),
    content,
    stop_reason: answer.stopReason ?? (hasTool ? "tool_use" : "end_turn"),
  };
}

/** Time of an answer: its clock, its end, and the end of a hang. */
interface Pace {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly released: Promise<void>;
}

const encoder = new TextEncoder();

/** An answer as server-sent events, as fast as it is read. */
export function eventBody(
  answer: ModelAnswer,
  message: ModelMessage,
  pace: Pace,
): ReadableStream<Uint8Array> {
  const left = new AbortController();
  const signal = AbortSignal.any([pace.signal, left.signal]);
  const events = eventsOf(answer, message, { ...pace, signal });
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value: event } = await events.next();
        if (done) return controller.close();
        const data = JSON.stringify(event);
        const text = `event: ${event["type"]}\ndata: ${data}\n\n`;
        controller.enqueue(encoder.encode(text));
      } catch {
        // The connection is cut, without a reason, which Bun would print.
        controller.error();
      }
    },
    cancel() {
      left.abort(new Error("The reader of the answer is gone"));
    },
  }, { highWaterMark: 0 });
}

/** Pieces of one block without `chunks`: a long text would be thousands of words. */
const MOST_PIECES = 200;

/** Time for earlier output to leave before the connection is cut. */
const FLUSH_MS = 10;

async function* eventsOf(
  { chunks, delayMs = 0, disconnect, hang, streamError }: ModelAnswer,
  { stop_reason, usage, ...message }: ModelMessage,
  { clock, signal, released }: Pace,
): AsyncGenerator<JsonObject, void> {
  const begun = { ...usage as JsonObject, output_tokens: 1 };
  const content = message.content.flatMap((block, index) =>
    blockEvents(block, index, chunks, MOST_PIECES)
  );
  yield {
    type: "message_start",
    message: { ...message, content: [], stop_reason: null, usage: begun },
  };
  yield { type: "ping" };
  // Half of it, so that a reader has begun and not finished.
  const sent = disconnect ? Math.ceil(content.length / 2) : content.length;
  for (const event of content.slice(0, sent)) {
    const isDelayed = delayMs > 0 && event["type"] === "content_block_delta";
    if (isDelayed) await clock.sleep(delayMs, signal);
    yield event;
  }
  if (disconnect) {
    await systemClock.sleep(FLUSH_MS, signal);
    throw new Error("Disconnected, as the script wants it");
  }
  if (streamError) {
    const { type = "overloaded_error", message = "Overloaded" } =
      typeof streamError === "object" ? streamError : {};
    return yield { type: "error", error: { type, message } };
  }
  if (hang) await unlessAborted(released, signal);
  const delta = { stop_reason, stop_sequence: null };
  yield { type: "message_delta", delta, usage };
  yield { type: "message_stop" };
}
