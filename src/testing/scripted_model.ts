import { Deferred } from "../async/deferred.ts";
import { systemClock } from "../async/system_clock.ts";
import type { Clock } from "../ports/clock.ts";
import { type Loopback, serveLoopback } from "../runtime/loopback.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { isObject } from "./json_object.ts";
import { eventBody, unlessAborted } from "./model_body.ts";
import { isFor, readRequest, schemaOf } from "./model_request.ts";
import type {
  ModelAnswer,
  ModelError,
  ModelMatch,
  ModelRequest,
  ModelTurn,
  ScriptedModelOptions,
} from "./model_script.ts";
import { toMessage, toParts, toWhole } from "./model_stream.ts";

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

/** Settings of a wait for a request. */
export interface ModelWaitOptions {
  /** Milliseconds until the wait is given up, 10 000 unless given. */
  readonly timeoutMs?: number;
}

/** A scripted model that listens. */
export interface ScriptedModel extends AsyncDisposable {
  /** Its address, without a slash at the end. */
  readonly url: string;
  /** Variables that make the real CLI talk to it and to nobody else, for the option `env`; no `HOME`. */
  readonly env: Readonly<Record<string, string>>;
  /** The requests so far, those on the side included, in the order they came. */
  readonly requests: readonly ModelRequest[];
  /** How many turns of the script have not answered anything yet. */
  readonly unusedTurns: number;
  /** Waits for the n-th request that is not on the side, counted from 1, one that has already come included; rejects with an `Error` when the time is up. */
  waitForRequest(
    count?: number,
    options?: ModelWaitOptions,
  ): Promise<ModelRequest>;
  /** Lets every answer that hangs go on to its end. */
  release(): void;
  /** Ends all answers, those that hang too, and stops listening. */
  close(): Promise<void>;
}

/**
 * Starts a Messages API on loopback that plays a script: what the model says, for the real CLI or any other client.
 *
 * The n-th request gets the n-th turn: a text, or an object with `thinking`, `text`, `tool` and `input`, `tools`
 * (several calls at once), `content` (raw blocks), `error`, `streamError`, `disconnect`, `hang`. A turn with `match`
 * waits for a request that fits, one with `repeat` answers several. What the CLI asks on the
 * side (a title, a check of a model, a token count) is answered without a turn. A request for which no turn is
 * left gets an error that says so.
 *
 * @param turns What it answers, in order
 * @param options Answers on the side, and the clock of delays
 * @returns Its address, the environment for the CLI, and what it was asked
 *
 * @example The real CLI without an API key
 * ```ts ignore
 * import { query } from "@sluice/agent";
 * import { scriptedModel } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const model = await scriptedModel(["Hello, Ada!"]);
 * const answer = await query("Say hello", { env: model.env }).text();
 * assert.equal(answer, "Hello, Ada!");
 * assert.match(model.requests[0]?.lastText ?? "", /Say hello/);
 * await model.close();
 * ```
 *
 * @example Any client of the Messages API
 * ```ts
 * import { scriptedModel } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const model = await scriptedModel([
 *   { error: { status: 529 } },
 *   { text: "Looking.", tool: "Read", input: { file_path: "a.txt" } },
 * ]);
 * const ask = async () => {
 *   const body = JSON.stringify({
 *     model: "claude-opus-5-5",
 *     max_tokens: 100,
 *     messages: [{ role: "user", content: "What is in a.txt?" }],
 *   });
 *   const response = await fetch(`${model.url}/v1/messages`, { method: "POST", body });
 *   return await response.json();
 * };
 *
 * assert.equal((await ask()).error.type, "overloaded_error");
 * const { content, stop_reason } = await ask();
 * assert.deepEqual(content[1].input, { file_path: "a.txt" });
 * assert.equal(stop_reason, "tool_use");
 * await model.close();
 * ```
 */
export async function scriptedModel(
  turns: readonly ModelTurn[],
  options: ScriptedModelOptions = {},
): Promise<ScriptedModel> {
  const model = new Player(turns, options);
  const server = await serveLoopback((request) => model.answer(request));
  return model.listensAt(server);
}

/** A turn of the script and how often it may still answer. */
interface Place {
  readonly turn: ModelTurn;
  readonly match: ModelMatch | undefined;
  left: number;
  isUsed: boolean;
}

/** Plays the script: gives each request its turn, and each turn its form on the wire. */
class Player {
  readonly #places: readonly Place[];
  readonly #sideText: string | undefined;
  readonly #clock: Clock;
  readonly #requests: ModelRequest[] = [];
  readonly #watchers = new Set<() => void>();
  readonly #closing = new AbortController();
  #released = new Deferred<void>();
  #ids = 0;

  constructor(
    turns: readonly ModelTurn[],
    { sideText, clock = systemClock }: ScriptedModelOptions,
  ) {
    this.#places = turns.map(toPlace);
    this.#sideText = sideText;
    this.#clock = clock;
  }

  /** What the test gets to see. */
  listensAt({ url, close }: Loopback): ScriptedModel {
    const requests = this.#requests;
    const places = this.#places;
    let closed: Promise<void> | undefined;
    const end = () =>
      closed ??= (async () => {
        this.#closing.abort(new Error("Scripted model is closed"));
        await close();
      })();
    return {
      url,
      env: environment(url),
      requests,
      get unusedTurns() {
        return places.filter(({ isUsed }) => !isUsed).length;
      },
      waitForRequest: (count, options) => this.#wait(count, options),
      release: () => {
        this.#released.resolve();
        this.#released = new Deferred();
      },
      close: end,
      [Symbol.asyncDispose]: end,
    };
  }

  /** Answers a request of any kind. */
  async answer(incoming: Request): Promise<Response> {
    const request = await readRequest(incoming);
    this.#requests.push(request);
    for (const watcher of [...this.#watchers]) watcher();
    if (request.path !== "/v1/messages" || request.method !== "POST") {
      return this.#answerOther(request);
    }
    const place = this.#places
      .find(({ left, match }) => left > 0 && isFor(match, request));
    if (place === undefined) {
      return request.isSide
        ? await this.#say({ text: this.#textAside(request) }, request)
        : this.#refuse(this.#outOfTurns(request));
    }
    place.left--;
    place.isUsed = true;
    const { turn } = place;
    const answer = typeof turn === "function" ? turn(request) : turn;
    return await this.#say(
      typeof answer === "string" ? { text: answer } : answer,
      request,
    );
  }

  async #say(answer: ModelAnswer, request: ModelRequest): Promise<Response> {
    const { signal } = this.#closing;
    // Of now: release() is for every answer that was begun before it, at whatever point it is.
    const released = this.#released.promise;
    try {
      await this.#clock.sleep(answer.startDelayMs ?? 0, signal);
      const { headers = {} } = answer;
      if (answer.error !== undefined) {
        return this.#refuse(answer.error, headers);
      }
      const model = String(request.body["model"]);
      const message = toMessage(answer, model, (kind) => this.#id(kind));
      if (answer.hang && message.content.length === 0) {
        await unlessAborted(released, signal);
      }
      if (request.body["stream"] !== true) {
        return this.#json(200, toWhole(message), headers);
      }
      const body = eventBody(toParts(answer, message), {
        clock: this.#clock,
        signal,
        released,
      });
      return new Response(body, {
        headers: {
          ...this.#headers("text/event-stream; charset=utf-8"),
          ...headers,
        },
      });
    } catch (error) {
      if (!signal.aborted) throw error;
      return this.#refuse({ status: 503, message: "Scripted model is closed" });
    }
  }

  #answerOther({ method, path, body }: ModelRequest): Response {
    if (path === "/v1/messages/count_tokens") {
      const tokens = Math.ceil(JSON.stringify(body).length / 4);
      return this.#json(200, { input_tokens: tokens });
    }
    if (path === "/v1/models") {
      return this.#json(200, {
        data: [],
        has_more: false,
        first_id: null,
        last_id: null,
      });
    }
    if (method === "HEAD" || path === "/api/hello") {
      return new Response(null, { status: 200 });
    }
    return this.#refuse({
      status: 404,
      message: `Scripted model has nothing at ${method} ${path}`,
    });
  }

  #outOfTurns({ lastText }: ModelRequest): ModelError {
    const asked = this.#requests.filter(({ isSide }) => !isSide).length;
    return {
      // The one status that the CLI takes for final and whose text it shows as it is.
      status: 410,
      type: "not_found_error",
      message:
        `Scripted model has no turn for request ${asked}: its script has ${this.#places.length}, the last user message ends with "${
          lastText.slice(-100)
        }"`,
    };
  }

  #refuse(
    { status, type, message, headers = {} }: ModelError,
    more: Readonly<Record<string, string>> = {},
  ): Response {
    const [usualType, usualMessage] = ERRORS[status] ??
      ["api_error", `Scripted error ${status}`];
    const error = {
      type: type ?? usualType,
      message: message ?? usualMessage,
    };
    return this.#json(status, { type: "error", error }, {
      ...headers,
      ...more,
    });
  }

  #json(
    status: number,
    body: JsonObject,
    headers: Readonly<Record<string, string>> = {},
  ): Response {
    return new Response(JSON.stringify(body), {
      status,
      headers: { ...this.#headers("application/json"), ...headers },
    });
  }

  #headers(type: string): Record<string, string> {
    return {
      "content-type": type,
      "cache-control": "no-cache",
      "request-id": this.#id("req"),
    };
  }

  /** Ids are counted, so that two runs of a test see the same. */
  #id(kind: string): string {
    return `${kind}_${String(++this.#ids).padStart(8, "0")}scripted`;
  }

  #textAside({ body }: ModelRequest): string {
    if (this.#sideText !== undefined) return this.#sideText;
    const schema = schemaOf(body);
    return schema === undefined ? "ok" : JSON.stringify(valueFor(schema));
  }

  async #wait(
    count: number = 1,
    { timeoutMs = 10_000 }: ModelWaitOptions = {},
  ): Promise<ModelRequest> {
    const nth = () => this.#requests.filter(({ isSide }) => !isSide)[count - 1];
    const arrived = new Deferred<ModelRequest>();
    const look = () => {
      const request = nth();
      if (request !== undefined) arrived.resolve(request);
    };
    const timer = setTimeout(() => {
      const got = this.#requests.map(({ method, path }) => `${method} ${path}`);
      arrived.reject(
        new Error(
          `Scripted model did not get request ${count} within ${timeoutMs} ms: it got ${
            got.join(", ") || "none"
          }`,
        ),
      );
    }, timeoutMs);
    this.#watchers.add(look);
    look();
    try {
      return await arrived.promise;
    } finally {
      clearTimeout(timer);
      this.#watchers.delete(look);
    }
  }
}

function toPlace(turn: ModelTurn): Place {
  const { match, repeat = 1 } = typeof turn === "object" ? turn : {};
  const left = repeat === true ? Infinity : Number(repeat);
  return { turn, match, left, isUsed: false };
}

/** What the CLI needs to talk to the model, and to leave everything else alone. Source: runtimes reference, section The real CLI in tests. */
function environment(url: string): Readonly<Record<string, string>> {
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "sk-ant-scripted-model",
    // A token of the user's own would be sent instead of the key.
    ANTHROPIC_AUTH_TOKEN: "",
    CLAUDE_CODE_OAUTH_TOKEN: "",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    // A proxy cannot reach this machine's loopback.
    NO_PROXY: "127.0.0.1",
    no_proxy: "127.0.0.1",
  };
}

/** The least value that fits a simple JSON Schema, and agrees where it is asked. */
function valueFor(schema: JsonValue | undefined): JsonValue {
  if (!isObject(schema)) return null;
  switch (schema["type"]) {
    case "object": {
      const { properties, required } = schema;
      const fields = isObject(properties) ? properties : {};
      const names = Array.isArray(required) ? required : Object.keys(fields);
      return Object.fromEntries(
        names.map((name) => [name, valueFor(fields[String(name)])]),
      );
    }
    case "array":
      return [];
    case "string":
      return "Scripted";
    case "boolean":
      return true;
    case "number":
    case "integer":
      return 0;
    default:
      return null;
  }
}
