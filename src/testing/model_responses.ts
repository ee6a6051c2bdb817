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

type Headers = Readonly<Record<string, string>>;

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

/** A complete message of the API. */
type ModelMessage = JsonObject & { readonly content: readonly JsonObject[] };

/** Answers in the form of the API, each with an id of its own. */
export class ModelResponses {
  #ids = 0;

  stream(body: ReadableStream<Uint8Array>, headers: Headers): Response {
    return this.#respond(200, body, {
      "content-type": "text/event-stream; charset=utf-8",
      ...headers,
    });
  }

  json(status: number, body: JsonObject, headers: Headers = {}): Response {
    return this.#respond(status, JSON.stringify(body), {
      "content-type": "application/json",
      ...headers,
    });
  }

  refusal(
    { status, type, message, headers = {} }: ModelError,
    more: Headers = {},
  ): Response {
    const [usualType, usualMessage] = ERRORS[status] ??
      ["api_error", `Scripted error ${status}`];
    const error = { type: type ?? usualType, message: message ?? usualMessage };
    return this.json(status, { type: "error", error }, { ...headers, ...more });
  }

  /** Answers a request for anything but a message. */
  other({ method, path, body }: ModelRequest): Response {
    if (path === "/v1/messages/count_tokens") {
      const tokens = Math.ceil(JSON.stringify(body).length / 4);
      return this.json(200, { input_tokens: tokens });
    }
    if (path === "/v1/models") {
      const page = { has_more: false, first_id: null, last_id: null };
      return this.json(200, { data: [], ...page });
    }
    if (method === "HEAD" || path === "/api/hello") {
      return new Response(null, { status: 200 });
    }
    const message = `Scripted model has nothing at ${method} ${path}`;
    return this.refusal({ status: 404, message });
  }

  message(answer: ModelAnswer, model: string): ModelMessage {
    const content = this.#blocks(answer);
    const hasTool = content.some(({ type }) => type === "tool_use");
    const id = this.#nextId("msg");
    return {
      ...messageOf(answer.model ?? model, id, content, { ...answer.usage }),
      content,
      stop_reason: answer.stopReason ?? (hasTool ? "tool_use" : "end_turn"),
    };
  }

  #blocks(answer: ModelAnswer): readonly JsonObject[] {
    const { thinking, redactedThinking, text, tool, input, tools = [] } =
      answer;
    const calls: readonly ModelToolCall[] = tool === undefined
      ? tools
      : [{ name: tool, input: input ?? {} }, ...tools];
    const signature = btoa("scripted");
    const blocks: (JsonObject | false)[] = [
      thinking !== undefined && { type: "thinking", thinking, signature },
      redactedThinking !== undefined &&
      { type: "redacted_thinking", data: redactedThinking },
      text !== undefined && { type: "text", text },
      ...calls.map(({ name, input = {}, id = this.#nextId("toolu") }) => (
        { type: "tool_use", id, name, input }
      )),
      ...(answer.content ?? []),
    ];
    return blocks.filter((block) => block !== false);
  }

  #respond(status: number, body: BodyInit, headers: Headers): Response {
    return new Response(body, {
      status,
      headers: {
        "cache-control": "no-cache",
        "request-id": this.#nextId("req"),
        ...headers,
      },
    });
  }

  /** Counted, so that two runs of a test see the same. */
  #nextId(kind: string): string {
    return `${kind}_${String(++this.#ids).padStart(8, "0")}scripted`;
  }
}

/** Pieces of one block without `chunks`: a long text would be thousands of words. */
const MOST_PIECES = 200;

/** One part of the stream of an answer; an event is its data. */
type StreamPart = JsonObject | { readonly pauseMs: number } | "cut" | "hang";

function toParts(
  { chunks, delayMs = 0, disconnect, hang, streamError }: ModelAnswer,
  { id, model, content, stop_reason, usage }: ModelMessage,
): readonly StreamPart[] {
  const message = messageOf(String(model), String(id), [], {
    ...usage as JsonObject,
    output_tokens: 1,
  });
  const pause = delayMs > 0 ? [{ pauseMs: delayMs }] : [];
  const parts: StreamPart[] = [
    { type: "message_start", message },
    { type: "ping" },
    ...content.flatMap((block, index) =>
      blockEvents(block, index, chunks, MOST_PIECES)
    ).flatMap((event): StreamPart[] =>
      event["type"] === "content_block_delta" ? [...pause, event] : [event]
    ),
  ];
  if (disconnect) {
    // Half of it, so that a reader has begun and not finished.
    return [...parts.slice(0, 2 + Math.ceil((parts.length - 2) / 2)), "cut"];
  }
  if (streamError) {
    const { type = "overloaded_error", message = "Overloaded" } =
      typeof streamError === "object" ? streamError : {};
    return [...parts, { type: "error", error: { type, message } }];
  }
  const delta = { stop_reason, stop_sequence: null };
  return [
    ...parts,
    ...hang ? ["hang"] as const : [],
    { type: "message_delta", delta, usage },
    { type: "message_stop" },
  ];
}

/** Characters collected for one write. */
const WRITE_CHARS = 65_536;

/** Time for earlier output to leave before the connection is cut. */
const FLUSH_MS = 10;

const encoder = new TextEncoder();

/** An answer as server-sent events, as fast as it is read; `released` ends a hang, the signal everything. */
export function eventBody(
  answer: ModelAnswer,
  message: ModelMessage,
  clock: Clock,
  signal: AbortSignal,
  released: Promise<void>,
): ReadableStream<Uint8Array> {
  const parts = toParts(answer, message);
  const left = new AbortController();
  const ending = AbortSignal.any([signal, left.signal]);
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      let text = "";
      try {
        for (; at < parts.length && text.length < WRITE_CHARS; at++) {
          const part = parts[at] ?? "cut";
          if (typeof part === "object" && "type" in part) {
            const data = JSON.stringify(part);
            text += `event: ${part["type"]}\ndata: ${data}\n\n`;
            continue;
          }
          // Earlier output leaves before the wait.
          if (text !== "") break;
          if (typeof part === "object") {
            await clock.sleep(Number(part.pauseMs), ending);
          } else if (part === "hang") {
            await unlessAborted(released, ending);
          } else {
            await systemClock.sleep(FLUSH_MS, ending);
            return controller.error();
          }
        }
      } catch {
        // Closed, or left: the connection is cut, without a reason, which Bun would print.
        return controller.error();
      }
      if (text !== "") controller.enqueue(encoder.encode(text));
      if (at >= parts.length) controller.close();
    },
    cancel() {
      left.abort(new Error("The reader of the answer is gone"));
    },
  }, { highWaterMark: 0 });
}
