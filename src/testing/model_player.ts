import { Deferred } from "../async/deferred.ts";
import { unlessAborted } from "../async/on_abort.ts";
import { systemClock } from "../async/system_clock.ts";
import type { Clock } from "../ports/clock.ts";
import { eventBody } from "./model_body.ts";
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
import { toMessage, toParts, toWhole } from "./model_stream.ts";
import { type WaitOptions, Watch } from "./watch.ts";

/** The one status that the CLI takes for final and whose text it shows as it is. */
const FINAL = 410;

/** A turn of the script and how often it may still answer. */
interface Place {
  readonly turn: ModelTurn;
  readonly match: ModelMatch | undefined;
  left: number;
  isUsed: boolean;
}

/** Plays the script: gives each request its turn, and each turn its form on the wire. */
export class ModelPlayer {
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
  waitFor(count: number, options: WaitOptions): Promise<ModelRequest> {
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
