import type { JsonObject } from "../types/json.ts";
import type { ModelError, ModelRequest } from "./model_script.ts";

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

/** Answers in the form of the API, each with an id of its own. */
export class ModelResponses {
  #ids = 0;

  /** The next id; counted, so that two runs of a test see the same. */
  nextId(kind: string): string {
    return `${kind}_${String(++this.#ids).padStart(8, "0")}scripted`;
  }

  /** Server-sent events. */
  stream(body: ReadableStream<Uint8Array>, headers: Headers): Response {
    return new Response(body, {
      headers: {
        ...this.#usual("text/event-stream; charset=utf-8"),
        ...headers,
      },
    });
  }

  json(status: number, body: JsonObject, headers: Headers = {}): Response {
    return new Response(JSON.stringify(body), {
      status,
      headers: { ...this.#usual("application/json"), ...headers },
    });
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

  #usual(type: string): Headers {
    return {
      "content-type": type,
      "cache-control": "no-cache",
      "request-id": this.nextId("req"),
    };
  }
}
