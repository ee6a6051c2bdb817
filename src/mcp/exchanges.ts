import { cut, show } from "../errors/text.ts";
import type { Log } from "../observe/log.ts";
import type { FullClock } from "../ports/clock.ts";
import { sentOnce } from "../runtime/host.ts";
import type { McpRemoteConfig } from "../types/mcp.ts";
import type { JsonObject } from "../types/json.ts";
import { answersTo, isAnswer, repairedAnswer } from "./answers.ts";
import { malformedWarning } from "./connection.ts";
import { EventLines } from "./event_lines.ts";
import { McpFailure, reasonOf, wasNotSent } from "./failure.ts";
import { LONGEST_MESSAGE_BYTES } from "./jsonrpc.ts";
import { readText, refusalOf } from "./refusal.ts";

/** Time in which the transport may still read a stream after its end, in milliseconds. */
const READING_MS = 100;

/** A server that is reached by HTTP. */
export interface RemoteServer {
  readonly name: string;
  readonly config: McpRemoteConfig;
  readonly clock: FullClock;
  readonly log: Log;
}

/**
 * The HTTP exchanges of one connection: a `fetch` for the transports of the MCP SDK that notices what they do not report.
 *
 * - Each exchange has an `AbortController` of its own: Node warns when many requests hang on one signal.
 * - A status of 400 and more becomes an {@link McpFailure} with status, `Retry-After` and whether the session is lost.
 * - An answer that is malformed is repaired, one of more than 64 MiB refused.
 * - A request that is accepted without its answer fails, as one whose event stream ends before it.
 * - A request that was cancelled gives its connection back.
 */
export class Exchanges {
  readonly #server: RemoteServer;
  /** Whether a request is answered where it was sent; the older transport answers on its one stream. */
  readonly #answersInPlace: boolean;
  readonly #onMalformed: (fault: string) => void;
  /** Requests that wait for their answers. */
  readonly #awaited = new Set<number>();
  readonly #open = new Set<Exchange>();
  /** The last event of each answer that the transport can ask for the rest of. */
  readonly #tokens = new Map<number, string>();
  readonly #closing = new AbortController();
  /** The session that the server gave. */
  #sessionId: string | undefined;
  /** Called when the answer to a request is lost, with the id it travelled under; for answered requests as well. */
  onLost: (id: number, failure: McpFailure) => void = () => {};
  /** Called when the server no longer knows the session. */
  onSessionLost: (failure: McpFailure) => void = () => {};

  constructor(
    server: RemoteServer,
    { answersInPlace }: { readonly answersInPlace: boolean },
  ) {
    this.#server = server;
    this.#answersInPlace = answersInPlace;
    this.#onMalformed = malformedWarning(server.name, server.log);
  }

  /** Aborted when they are closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** A request is about to be sent; returns the callback for each event from which its stream can be resumed. */
  awaits(id: number): (token: string) => void {
    this.#awaited.add(id);
    return (token) => {
      // An event may come after the answer.
      if (this.#awaited.has(id)) this.#tokens.set(id, token);
    };
  }

  /** A request has ended. */
  settled(id: number): void {
    this.#awaited.delete(id);
    this.#tokens.delete(id);
  }

  /** The answer that a request asks for the rest of. */
  restOf({ method, headers }: RequestInit): Rest | undefined {
    const token = method === "GET" && new Headers(headers).get("last-event-id");
    if (!token) return undefined;
    for (const [id, last] of this.#tokens) {
      if (last === token) return { id, token };
    }
    return undefined;
  }

  /** Ends what is open; nothing can be opened after it. */
  close(): void {
    const reason = new DOMException("Connection is closed", "AbortError");
    this.#closing.abort(reason);
    for (const { controller, reader } of this.#open) {
      controller.abort(reason);
      // An answer that is being read may outlive the signal of its request.
      reader?.cancel(reason).catch(() => {});
    }
    this.#open.clear();
  }

  readonly fetch = async (
    url: string | URL,
    init: RequestInit = {},
  ): Promise<Response> => {
    const rest = this.restOf(init);
    if (rest === undefined) return await this.do(url, init);
    let cause: unknown;
    try {
      const response = await this.do(url, init, { rest });
      if (isEventStream(response)) return response;
      const { status } = response;
      cause = new Error(`Asked for the rest, it answered HTTP ${status}`);
    } catch (error) {
      cause = error;
    }
    this.#lose(rest.id, cause);
    return notOffered();
  };

  /** Does one exchange. */
  async do(
    url: string | URL,
    init: RequestInit,
    { rest, onEnd }: { rest?: Rest; onEnd?: () => void } = {},
  ): Promise<Response> {
    this.closing.throwIfAborted();
    const { body } = init;
    const exchange: Exchange = {
      id: rest?.id ?? requestId(body),
      token: rest?.token,
      onEnd,
      controller: new AbortController(),
      isUnwanted: false,
    };
    this.#open.add(exchange);
    const id = cancelledId(body);
    const cancelled = [...this.#open]
      .filter((one) => id !== undefined && one.id === id);
    for (const one of cancelled) one.isUnwanted = true;
    const { signal } = exchange.controller;
    try {
      const request = this.#server.config.fetch ?? fetch;
      const response = await request(url, {
        ...init,
        // A fetch of the user ends in that of the runtime.
        ...typeof body === "string" && { body: sentOnce(body) },
        signal,
      });
      return await this.#receive(response, init, exchange);
    } catch (cause) {
      this.#open.delete(exchange);
      if (signal.aborted || cause instanceof McpFailure) throw cause;
      const { name } = this.#server;
      const text = `Request to MCP server "${name}" failed: ${reasonOf(cause)}`;
      const delivery = wasNotSent(cause) ? "not_sent" : "unknown";
      throw new McpFailure(text, { kind: "network", delivery, cause });
    } finally {
      for (const one of cancelled) {
        this.#open.delete(one);
        one.reader?.cancel().catch(() => {});
      }
    }
  }

  async #receive(
    response: Response,
    { method, headers }: RequestInit,
    exchange: Exchange,
  ): Promise<Response> {
    const { status, body } = response;
    const kind = kindOf(response);
    this.#sessionId = response.headers.get("mcp-session-id") ?? this.#sessionId;
    // The transports know the answers to GET and DELETE, such as 405.
    if (status >= 400 && method === "POST") {
      throw await this.refusal(response, headers);
    }
    if (body !== null && isEventStream(response)) {
      return copyOf(response, this.#handOn(exchange, body));
    }
    const { id } = exchange;
    // Read here, where reading can be ended.
    const isJson = kind.startsWith("application/json");
    const text = status >= 400 || isJson
      ? await this.#textOf(response, exchange)
      : undefined;
    this.#open.delete(exchange);
    if (id !== undefined && this.#answersInPlace && status < 300) {
      if (isJson && text) return copyOf(response, this.#answerIn(text, id));
      if (status === 202 || text === "") {
        if (text === undefined) await body?.cancel();
        throw this.#broken(`HTTP ${status} without an answer`);
      }
    }
    return text === undefined ? response : copyOf(response, text);
  }

  /** The answer to a request, repaired. */
  #answerIn(text: string, id: number): string {
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      throw this.#broken(`a request with what is no JSON: ${cut(text)}`);
    }
    const all: readonly unknown[] = Array.isArray(body) ? body : [body];
    const answers = all.filter(isAnswer);
    if (answers.some((one) => answersTo(one, id))) {
      return JSON.stringify(
        answers.map((one) => repairedAnswer(one, this.#onMalformed) ?? one),
      );
    }
    throw this.#broken(`request ${id} with another message: ${cut(text)}`);
  }

  #broken(fact: string): McpFailure {
    const text = `MCP server "${this.#server.name}" answered ${fact}`;
    return new McpFailure(text, { kind: "protocol" });
  }

  async #textOf(response: Response, exchange: Exchange): Promise<string> {
    const { text, isWhole } = await readText(
      response,
      LONGEST_MESSAGE_BYTES,
      (reader) => exchange.reader = reader,
    );
    if (isWhole) return text;
    throw this.#broken(`more than ${LONGEST_MESSAGE_BYTES} bytes`);
  }

  /** The failure for a status of 400 and more; reported when the session is lost. */
  async refusal(
    response: Response,
    sent: RequestInit["headers"],
  ): Promise<McpFailure> {
    const sentId = new Headers(sent).get("mcp-session-id");
    const failure = await refusalOf(this.#server, response, {
      // Where the server gave no session, none is equal.
      isOfSession: sentId === this.#sessionId,
    });
    if (failure.isSessionLost) this.onSessionLost(failure);
    return failure;
  }

  /** Hands the body of an event stream on until it ends. */
  #handOn(
    exchange: Exchange,
    body: ReadableStream<Uint8Array>,
  ): ReadableStream<Uint8Array> {
    const reader = exchange.reader = body.getReader();
    const lines = new EventLines({
      onAnswer: (answer) => {
        this.#checkId(exchange, answer);
        return repairedAnswer(answer, this.#onMalformed);
      },
      maxLength: LONGEST_MESSAGE_BYTES,
    });
    /** Whether its reader must wait for ever, so that it asks for nothing again. */
    const mayWait = async (cause?: unknown) => {
      this.#open.delete(exchange);
      exchange.onEnd?.();
      return await this.#endOf(exchange, cause) || exchange.isUnwanted;
    };
    return new ReadableStream({
      pull: async (controller) => {
        try {
          for (;;) {
            const { done, value } = await reader.read();
            const whole = done ? lines.end() : lines.push(value);
            if (whole !== undefined) controller.enqueue(whole);
            if (done) break;
            if (whole !== undefined) return;
          }
          if (!await mayWait()) controller.close();
        } catch (error) {
          reader.cancel(error).catch(() => {});
          if (!await mayWait(error)) controller.error(error);
        }
      },
      cancel: async (reason) => {
        void mayWait(reason);
        await reader.cancel(reason);
      },
    }, { highWaterMark: 0 });
  }

  /** The stream of a request carries no answer but its own. */
  #checkId({ id, isUnwanted }: Exchange, answer: JsonObject): void {
    if (id === undefined || isUnwanted || answersTo(answer, id)) return;
    const fact = `request ${id} with another message: ${show(answer)}`;
    this.onLost(id, this.#broken(fact));
  }

  /** A stream has ended; the answer to its request was in it, or comes with the rest, or is lost. */
  async #endOf({ id, token }: Exchange, cause: unknown): Promise<boolean> {
    if (id === undefined) return false;
    const isLost = () => (this.#tokens.get(id) ?? token) === token;
    if (!isLost()) return false;
    const looking = this.#server.clock.sleep(READING_MS, this.closing)
      .then(() => {
        if (isLost()) this.#lose(id, cause);
      }, () => {});
    // The transport would open the rest of an answer again even if nothing came of it.
    if (token === undefined) return false;
    await looking;
    return isLost();
  }

  #lose(id: number, cause: unknown): void {
    const { name } = this.#server;
    const text = `MCP server "${name}" ended the stream before its answer`;
    this.onLost(id, new McpFailure(text, { kind: "network", cause }));
  }
}

/** Whether a transport reads events from a response. */
export function isEventStream(response: Response): boolean {
  return response.status < 300 &&
    kindOf(response).startsWith("text/event-stream");
}

function kindOf({ headers }: Response): string {
  return headers.get("content-type")?.toLowerCase() ?? "";
}

/** The answer after which the transport no longer asks for a stream. */
export function notOffered(): Response {
  return new Response(null, { status: 405 });
}

function copyOf(
  { status, statusText, headers }: Response,
  body: string | ReadableStream<Uint8Array>,
): Response {
  return new Response(body, { status, statusText, headers });
}

/** The rest of the answer to a request. */
interface Rest {
  /** The id that the request travels under. */
  readonly id: number;
  /** The last event of it that came. */
  readonly token: string;
}

/** One request and its answer. */
interface Exchange {
  /** The id that the JSON-RPC request it is for travels under. */
  readonly id: number | undefined;
  /** The event that it asks for what follows of. */
  readonly token: string | undefined;
  /** Called at the end of an event stream. */
  readonly onEnd: (() => void) | undefined;
  readonly controller: AbortController;
  reader?: ReadableStreamDefaultReader<Uint8Array>;
  /** The request was cancelled: its end is hidden, or the transport would ask for the rest. */
  isUnwanted: boolean;
}

/** The id of a request of ours; answers to the server's requests carry ids of its own. */
function requestId(body: unknown): number | undefined {
  if (typeof body !== "string" || !body.startsWith('{"method":')) return;
  // `Peer` puts it last.
  const id = /"id":(\d+)\}$/.exec(body.slice(-32))?.[1];
  return id === undefined ? undefined : Number(id);
}

/** The request that a notification cancels. */
function cancelledId(body: unknown): number | undefined {
  const start = '{"method":"notifications/cancelled"';
  if (typeof body !== "string" || !body.startsWith(start)) return;
  const { params } = JSON.parse(body) as { params?: { requestId?: unknown } };
  const id = params?.requestId;
  return typeof id === "number" ? id : undefined;
}
