import { unlessAborted } from "../async/on_abort.ts";
import { systemClock } from "../async/system_clock.ts";
import type { Clock } from "../ports/clock.ts";
import type { JsonObject } from "../types/json.ts";
import { apart, openMessage, USUAL_USAGE } from "./wire_lines.ts";
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

/** A message as the API gives it without streaming. */
type ModelMessage = JsonObject & {
  readonly content: readonly JsonObject[];
  readonly usage: JsonObject;
};

/** Answers in the form of the API, each with an id of its own. */
export class ModelResponses {
  #ids = 0;

  /** Server-sent events. */
  stream(body: ReadableStream<Uint8Array>, headers: Headers): Response {
    return this.#respond(
      200,
      body,
      "text/event-stream; charset=utf-8",
      headers,
    );
  }

  json(status: number, body: JsonObject, headers: Headers = {}): Response {
    const text = JSON.stringify(body);
    return this.#respond(status, text, "application/json", headers);
  }

  /** An error; its kind and its text are those of the real API unless given. */
  refusal(
    { status, type, message, headers = {} }: ModelError,
    more: Headers = {},
  ): Response {
    const [usualType, usualMessage] = ERRORS[status] ??
      ["api_error", `Scripted error ${status}`];
    const error = {
      type: type ?? usualType,
      message: message ?? usualMessage,
    };
    return this.json(status, { type: "error", error }, { ...headers, ...more });
  }

  /** Everything that is not a message: token counts, models, a sign of life. */
  other({ method, path, body }: ModelRequest): Response {
    if (path === "/v1/messages/count_tokens") {
      const tokens = Math.ceil(JSON.stringify(body).length / 4);
      return this.json(200, { input_tokens: tokens });
    }
    if (path === "/v1/models") {
      return this.json(200, {
        data: [],
        has_more: false,
        first_id: null,
        last_id: null,
      });
    }
    if (method === "HEAD" || path === "/api/hello") {
      return new Response(null, { status: 200 });
    }
    return this.refusal({
      status: 404,
      message: `Scripted model has nothing at ${method} ${path}`,
    });
  }

  /** The message that an answer stands for. */
  message(answer: ModelAnswer, model: string): ModelMessage {
    const content = this.#blocks(answer);
    const usage = { ...USUAL_USAGE, ...answer.usage };
    const hasTool = content.some(({ type }) => type === "tool_use");
    return {
      ...openMessage(answer.model ?? model, this.#nextId("msg")),
      content,
      stop_reason: answer.stopReason ?? (hasTool ? "tool_use" : "end_turn"),
      usage,
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
      ...calls.map(({ name, input = {}, id }) => ({
        type: "tool_use",
        id: id ?? this.#nextId("toolu"),
        name,
        input,
      })),
      ...(answer.content ?? []),
    ];
    return blocks.filter((block) => block !== false);
  }

  #respond(
    status: number,
    body: BodyInit,
    type: string,
    headers: Headers,
  ): Response {
    return new Response(body, {
      status,
      headers: {
        "content-type": type,
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

/** Pieces of one block when the script names no number: a long text would be thousands of words. */
const MOST_PIECES = 200;

/** What happens on the stream of an answer, in order; an event is its data. */
type StreamPart =
  | { readonly event: JsonObject }
  | { readonly pauseMs: number }
  | { readonly end: "disconnect" | "hang" };

/** The events of an answer and what happens between them. */
function toParts(
  { chunks, delayMs = 0, disconnect, hang, streamError }: ModelAnswer,
  { id, model, content, stop_reason, usage }: ModelMessage,
): readonly StreamPart[] {
  const message = openMessage(String(model), String(id), usage);
  const pause = delayMs > 0 ? [{ pauseMs: delayMs }] : [];
  const parts: StreamPart[] = [
    { event: { type: "message_start", message } },
    { event: { type: "ping" } },
    ...content.flatMap((block, index): StreamPart[] => {
      const { empty, deltas } = apart(block, chunks, MOST_PIECES);
      return [
        { event: { type: "content_block_start", index, content_block: empty } },
        ...deltas.flatMap((delta) => [
          ...pause,
          { event: { type: "content_block_delta", index, delta } },
        ]),
        { event: { type: "content_block_stop", index } },
      ];
    }),
  ];
  if (disconnect) {
    // Half of it, so that a reader has begun and not finished.
    const half = 2 + Math.ceil((parts.length - 2) / 2);
    return [...parts.slice(0, half), { end: "disconnect" }];
  }
  if (streamError) {
    const { type = "overloaded_error", message = "Overloaded" } =
      typeof streamError === "object" ? streamError : {};
    return [...parts, { event: { type: "error", error: { type, message } } }];
  }
  const delta = { stop_reason, stop_sequence: null };
  return [
    ...parts,
    ...hang ? [{ end: "hang" } as const] : [],
    { event: { type: "message_delta", delta, usage } },
    { event: { type: "message_stop" } },
  ];
}

/** Characters that are gathered before they go out. */
const WRITE_CHARS = 65_536;

/** Time for what was said to get out before the connection is cut. */
const FLUSH_MS = 10;

const encoder = new TextEncoder();

/** An answer as server-sent events, as the API gives them, until the signal is aborted; what hangs goes on when it is released. Whoever reads decides the pace. */
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
        while (at < parts.length && text.length < WRITE_CHARS) {
          const part = parts[at];
          if (part === undefined) break;
          if ("event" in part) {
            const { event } = part;
            text += `event: ${event["type"]}\ndata: ${
              JSON.stringify(event)
            }\n\n`;
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
