import { Change } from "../async/change.ts";
import { unlessAborted } from "../async/on_abort.ts";
import { systemClock } from "../async/system_clock.ts";
import type { JsonObject } from "../types/json.ts";
import {
  eventBody,
  messageFor,
  type ModelReply,
  otherReply,
  refusal,
} from "./model_responses.ts";
import { isFor, readRequest, textAside } from "./model_request.ts";
import type {
  ModelAnswer,
  ModelError,
  ModelRequest,
  ModelTurn,
  ScriptedModelOptions,
} from "./model_script.ts";
import { type WaitOptions, Watch } from "./watch.ts";

/** The one status that the CLI does not retry and whose text it shows. */
const FINAL = 410;

/** A running scripted model. */
export interface ScriptedModel extends AsyncDisposable {
  /** Its address, without a slash at the end. */
  readonly url: string;
  /** Variables that lead the real CLI to it alone, for the option `env`; without `HOME`. */
  readonly env: Readonly<Record<string, string>>;
  /** The requests so far, side requests included. */
  readonly requests: readonly ModelRequest[];
  /** Number of turns that have not answered a request yet. */
  readonly unusedTurns: number;
  /** Waits for the n-th request, counted from 1 without side requests, including past ones; rejects with an `Error` at the timeout. */
  waitForRequest(
    count?: number,
    options?: WaitOptions,
  ): Promise<ModelRequest>;
  /** Completes every answer that hangs. */
  release(): void;
  /** Ends all answers, those that hang too, and stops listening. */
  close(): Promise<void>;
}

/**
 * Starts a Messages API on loopback that answers by a script, for the real CLI or any other client.
 *
 * The n-th request gets the n-th turn: a text, or an object with `thinking`, `text`, `tool` and `input`, `tools`
 * (several calls at once), `content` (raw blocks), `error`, `streamError`, `disconnect`, `hang`. A turn with `match`
 * waits for a matching request, one with `repeat` answers several. Side requests of the CLI (a title, a check of a
 * model, a token count) use up no turn. A request beyond the script gets an error that explains it.
 *
 * @param turns The answers, in order
 * @param options Answer to side requests, and the clock of delays
 * @returns Its address, the environment for the CLI, and its requests
 *
 * @example Run the real CLI without an API key
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
 * @example Call it with any client of the Messages API
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
 *   return await response.json() as {
 *     error?: { type: string };
 *     content?: { input?: object }[];
 *     stop_reason?: string;
 *   };
 * };
 *
 * assert.equal((await ask()).error?.type, "overloaded_error");
 * const { content, stop_reason } = await ask();
 * assert.deepEqual(content?.[1]?.input, { file_path: "a.txt" });
 * assert.equal(stop_reason, "tool_use");
 * await model.close();
 * ```
 */
export async function scriptedModel(
  turns: readonly ModelTurn[],
  options: ScriptedModelOptions = {},
): Promise<ScriptedModel> {
  const { sideText, clock = systemClock } = options;
  const requests: ModelRequest[] = [];
  /** The turns, and how many requests each may still answer. */
  const places = turns.map((turn) => {
    const { match, repeat = 1 } = typeof turn === "object" ? turn : {};
    const left = repeat === true ? Infinity : Number(repeat);
    return { turn, match, left, isUsed: false };
  });
  let ids = 0;
  const watch = new Watch();
  const closing = new AbortController();
  const { signal } = closing;
  const released = new Change();
  let closed: Promise<void> | undefined;
  // On demand: a third of this entry's time to load.
  const { serveLoopback } = await import("../runtime/loopback.ts");
  const server = await serveLoopback(answer);
  return {
    url: server.url,
    env: environment(server.url),
    requests,
    get unusedTurns() {
      return places.filter(({ isUsed }) => !isUsed).length;
    },
    waitForRequest(count = 1, options = {}) {
      const got = () =>
        requests.map(({ method, path }) => `${method} ${path}`).join(", ");
      return watch.withTimeout(() => asked()[count - 1], options, {
        missing: `Scripted model did not get request ${count}`,
        got: () => `it got ${got() || "none"}`,
      });
    },
    release() {
      released.tell();
    },
    close,
    [Symbol.asyncDispose]: close,
  };

  function close(): Promise<void> {
    closing.abort(new Error("Scripted model is closed"));
    return closed ??= server.close();
  }

  /** Answers a request of any kind. */
  async function answer(incoming: Request): Promise<Response> {
    const request = await readRequest(incoming);
    requests.push(request);
    watch.stir();
    if (request.path !== "/v1/messages" || request.method !== "POST") {
      return respond(otherReply(request));
    }
    try {
      return respond(await replyOf(choose(request), request.body));
    } catch (error) {
      return respond(refusal(
        signal.aborted
          ? { status: 503, message: "Scripted model is closed" }
          : { status: FINAL, message: `Turn of the script threw: ${error}` },
      ));
    }
  }

  function respond({ status = 200, body, headers }: ModelReply): Response {
    const isStream = body instanceof ReadableStream;
    const type = isStream ? "text/event-stream" : "application/json";
    return new Response(isStream || !body ? body : JSON.stringify(body), {
      status,
      headers: {
        "content-type": `${type}; charset=utf-8`,
        "cache-control": "no-cache",
        "request-id": nextId("req"),
        ...headers,
      },
    });
  }

  /** Counted, so that two runs of a test see the same. */
  function nextId(kind: string): string {
    return `${kind}_${String(++ids).padStart(8, "0")}scripted`;
  }

  /** The first matching turn that is left. */
  function choose(request: ModelRequest): ModelAnswer {
    const place = places
      .find(({ left, match }) => left > 0 && isFor(match, request));
    if (place === undefined) {
      return request.isSide
        ? { text: sideText ?? textAside(request.body) }
        : { error: outOfTurns(request) };
    }
    place.left--;
    place.isUsed = true;
    const { turn } = place;
    const answer = typeof turn === "function" ? turn(request) : turn;
    return typeof answer === "string" ? { text: answer } : answer;
  }

  async function replyOf(
    answer: ModelAnswer,
    { model, stream }: JsonObject,
  ): Promise<ModelReply> {
    // release() completes every answer that began before it.
    const releasing = released.next;
    const { headers, error, hang, startDelayMs = 0, disconnect } = answer;
    await clock.sleep(startDelayMs, signal);
    if (error !== undefined) {
      return refusal({ ...error, headers: { ...headers, ...error.headers } });
    }
    const body = messageFor(answer, String(model), nextId);
    const isStreamed = stream === true;
    if (hang && (!isStreamed || body.content.length === 0)) {
      await unlessAborted(releasing, signal);
    }
    if (!isStreamed && !disconnect) return { body, headers };
    const pace = { clock, signal, released: releasing };
    return { body: eventBody(answer, body, pace), headers };
  }

  function outOfTurns({ lastText }: ModelRequest): ModelError {
    const end = lastText.slice(-100);
    return {
      status: FINAL,
      type: "not_found_error",
      message:
        `Scripted model has no turn for request ${asked().length}: its script has ${places.length}, the last user message ends with "${end}"`,
    };
  }

  function asked(): readonly ModelRequest[] {
    return requests.filter(({ isSide }) => !isSide);
  }
}

/** Leads the CLI to the model, and keeps it from everything else. Source: runtimes reference, section The real CLI in tests. */
function environment(url: string): Readonly<Record<string, string>> {
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "sk-ant-scripted-model",
    // The developer's token would be sent instead of the key.
    ANTHROPIC_AUTH_TOKEN: "",
    CLAUDE_CODE_OAUTH_TOKEN: "",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    // A proxy cannot reach this loopback.
    NO_PROXY: "127.0.0.1",
    no_proxy: "127.0.0.1",
  };
}
