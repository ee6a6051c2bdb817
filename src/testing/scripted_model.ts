import { Deferred } from "../async/deferred.ts";
import { unlessAborted } from "../async/on_abort.ts";
import { systemClock } from "../async/system_clock.ts";
import type { Clock } from "../ports/clock.ts";
import { serveLoopback } from "../runtime/loopback.ts";
import { isFor, readRequest, textAside } from "./model_request.ts";
import { ModelResponses } from "./model_responses.ts";
import type {
  ModelAnswer,
  ModelError,
  ModelMatch,
  ModelRequest,
  ModelTurn,
  ScriptedModelOptions,
} from "./model_script.ts";
import { eventBody, toMessage, toParts, toWhole } from "./model_stream.ts";
import { type ModelWaitOptions, Watch } from "./watch.ts";

/** The one status that the CLI takes for final and whose text it shows as it is. */
const FINAL = 410;

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
  const player = new ModelPlayer(turns, options);
  const server = await serveLoopback((request) => player.answer(request));
  let closed: Promise<void> | undefined;
  const close = () => {
    player.close();
    return closed ??= server.close();
  };
  return {
    url: server.url,
    env: environment(server.url),
    requests: player.requests,
    get unusedTurns() {
      return player.unusedTurns;
    },
    waitForRequest: (count = 1, options = {}) => player.waitFor(count, options),
    release: () => player.release(),
    close,
    [Symbol.asyncDispose]: close,
  };
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

/** A turn of the script and how often it may still answer. */
interface Place {
  readonly turn: ModelTurn;
  readonly match: ModelMatch | undefined;
  left: number;
  isUsed: boolean;
}

/** Plays the script: gives each request its turn, and each turn its form on the wire. */
class ModelPlayer {
  readonly requests: ModelRequest[] = [];
  readonly #places: readonly Place[];
  readonly #sideText: string | undefined;
  readonly #clock: Clock;
  readonly #responses = new ModelResponses();
  readonly #watch = new Watch();
  readonly #closing = new AbortController();
  #released = new Deferred<void>();

  constructor(
    turns: readonly ModelTurn[],
    { sideText, clock = systemClock }: ScriptedModelOptions,
  ) {
    this.#places = turns.map(toPlace);
    this.#sideText = sideText;
    this.#clock = clock;
  }

  /** How many turns have not answered anything yet. */
  get unusedTurns(): number {
    return this.#places.filter(({ isUsed }) => !isUsed).length;
  }

  /** Lets every answer that was begun go on to its end. */
  release(): void {
    this.#released.resolve();
    this.#released = new Deferred();
  }

  /** Ends every answer. */
  close(): void {
    this.#closing.abort(new Error("Scripted model is closed"));
  }

  /** Answers a request of any kind. */
  async answer(incoming: Request): Promise<Response> {
    const request = await readRequest(incoming);
    this.requests.push(request);
    this.#watch.stir();
    if (request.path !== "/v1/messages" || request.method !== "POST") {
      return this.#responses.other(request);
    }
    const { signal } = this.#closing;
    try {
      return await this.#say(this.#choose(request), request, signal);
    } catch (error) {
      return this.#responses.refusal(
        signal.aborted
          ? { status: 503, message: "Scripted model is closed" }
          : { status: FINAL, message: `Turn of the script threw: ${error}` },
      );
    }
  }

  /** Waits for the n-th request that is not on the side. */
  waitFor(count: number, options: ModelWaitOptions): Promise<ModelRequest> {
    const got = () =>
      this.requests.map(({ method, path }) => `${method} ${path}`).join(", ");
    return this.#watch.within(() => this.#asked()[count - 1], options, {
      missing: `Scripted model did not get request ${count}`,
      got: () => `it got ${got() || "none"}`,
    });
  }

  /** The first turn that is left and fits; what there is when none does. */
  #choose(request: ModelRequest): ModelAnswer {
    const place = this.#places
      .find(({ left, match }) => left > 0 && isFor(match, request));
    if (place === undefined) {
      return request.isSide
        ? { text: this.#sideText ?? textAside(request.body) }
        : { error: this.#outOfTurns(request) };
    }
    place.left--;
    place.isUsed = true;
    const { turn } = place;
    const answer = typeof turn === "function" ? turn(request) : turn;
    return typeof answer === "string" ? { text: answer } : answer;
  }

  async #say(
    answer: ModelAnswer,
    { body }: ModelRequest,
    signal: AbortSignal,
  ): Promise<Response> {
    const responses = this.#responses;
    // Of now: release() is for every answer that was begun before it, at whatever point it is.
    const released = this.#released.promise;
    const { headers = {}, error, hang, startDelayMs = 0 } = answer;
    await this.#clock.sleep(startDelayMs, signal);
    if (error !== undefined) return responses.refusal(error, headers);
    const message = toMessage(
      answer,
      String(body["model"]),
      (kind) => responses.nextId(kind),
    );
    const isStreamed = body["stream"] === true;
    if (hang && (!isStreamed || message.content.length === 0)) {
      await unlessAborted(released, signal);
    }
    if (!isStreamed && !answer.disconnect) {
      return responses.json(200, toWhole(message), headers);
    }
    const parts = toParts(answer, message);
    const events = eventBody(parts, this.#clock, signal, released);
    return responses.stream(events, headers);
  }

  #outOfTurns({ lastText }: ModelRequest): ModelError {
    const asked = this.#asked().length;
    const end = lastText.slice(-100);
    return {
      status: FINAL,
      type: "not_found_error",
      message:
        `Scripted model has no turn for request ${asked}: its script has ${this.#places.length}, the last user message ends with "${end}"`,
    };
  }

  #asked(): readonly ModelRequest[] {
    return this.requests.filter(({ isSide }) => !isSide);
  }
}

function toPlace(turn: ModelTurn): Place {
  const { match, repeat = 1 } = typeof turn === "object" ? turn : {};
  const left = repeat === true ? Infinity : Number(repeat);
  return { turn, match, left, isUsed: false };
}
