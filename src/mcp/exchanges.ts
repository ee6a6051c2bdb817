import { cut, show } from "../errors/text.ts";
import type { Log } from "../observe/log.ts";
import type { FullClock } from "../ports/clock.ts";
import { sentOnce } from "../runtime/host.ts";
import type { McpRemoteConfig } from "../types/mcp.ts";
import type { JsonObject } from "../types/json.ts";
import { answersTo, isAnswer, isWellFormed } from "./answers.ts";
import { EventParser, type ServerEvent } from "./event_stream.ts";
import { McpFailure, reasonOf, wasNotSent } from "./failure.ts";
import { LONGEST_MESSAGE_BYTES } from "./jsonrpc.ts";
import { readText, refusalOf } from "./refusal.ts";

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
 * - An answer that is malformed is delivered all the same, one of more than 64 MiB refused.
 * - A request that is accepted without its answer fails, as one whose event stream ends before it.
 * - A request that was cancelled gives its connection back.
 */
export class Exchanges {
  readonly #server: RemoteServer;
  /** Whether a request is answered where it was sent; the older transport answers on its one stream. */
  readonly #answersInPlace: boolean;
  readonly #open = new Set<Exchange>();
  /** The last event of each answer that the transport can ask for the rest of. */
  readonly #tokens = new Map<number, string>();
  /** Answers in JSON, until the transport has processed their responses, by the ids of their requests. */
  readonly #arrived = new Map<number, readonly unknown[]>();
  readonly #closing = new AbortController();
  /** The session that the server gave. */
  #sessionId: string | undefined;
  /** Called with each message that the transport does not deliver. */
  onMessage: (message: JsonObject) => void = () => {};
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
  }

  /** Aborted when they are closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Delivers the answer to a request that came as JSON: the transport knows its session now. */
  deliver(id: number): void {
    const messages = this.#arrived.get(id) ?? [];
    this.#arrived.delete(id);
    for (const message of messages) this.onMessage(message as JsonObject);
  }

  /** A request has ended. */
  settled(id: number): void {
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
      isAnswered: false,
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
      if (isJson && text) {
        this.#arrived.set(id, this.#messagesIn(text, id));
        return copyOf(response, null, 202);
      }
      if (status === 202 || text === "") {
        if (text === undefined) await body?.cancel();
        throw this.#broken(`HTTP ${status} without an answer`);
      }
    }
    return text === undefined ? response : copyOf(response, text);
  }

  /** The messages of an answer in JSON. */
  #messagesIn(text: string, id: number): readonly unknown[] {
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      throw this.#broken(`a request with what is no JSON: ${cut(text)}`);
    }
    const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
    const isAnswered = messages.some((one) =>
      isAnswer(one) && answersTo(one, id)
    );
    if (!isAnswered) {
      throw this.#broken(`request ${id} with another message: ${cut(text)}`);
    }
    return messages;
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
    const parser = new EventParser(LONGEST_MESSAGE_BYTES);
    /** Ends the exchange; whether its reader must not notice, since it would ask for the rest. */
    const end = (cause?: unknown): boolean => {
      const { id, token, isAnswered, isUnwanted } = exchange;
      this.#open.delete(exchange);
      exchange.onEnd?.();
      const isLost = id !== undefined && !isAnswered && !isUnwanted &&
        (this.#tokens.get(id) ?? token) === token;
      if (isLost && !this.closing.aborted) this.#lose(id, cause);
      return isUnwanted || isLost && token !== undefined;
    };
    return new ReadableStream({
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (!done) {
            for (const one of parser.push(value)) this.#watch(exchange, one);
            controller.enqueue(value);
          } else if (!end()) controller.close();
        } catch (error) {
          reader.cancel(error).catch(() => {});
          if (!end(error)) controller.error(error);
        }
      },
      cancel: async (reason) => {
        end(reason);
        await reader.cancel(reason);
      },
    }, { highWaterMark: 0 });
  }

  /** Notes what an event does for its exchange, and delivers an answer that the transport would drop. */
  #watch(exchange: Exchange, { data, id: token }: ServerEvent): void {
    const { id, isUnwanted } = exchange;
    const message = parsed(data);
    if (isAnswer(message)) {
      if (id !== undefined && !isUnwanted) {
        if (answersTo(message, id)) exchange.isAnswered = true;
        else {
          const fact = `request ${id} with another message: ${show(message)}`;
          this.onLost(id, this.#broken(fact));
        }
      }
      if (!isWellFormed(message)) this.onMessage(message);
    }
    const isOpen = !exchange.isAnswered && !isUnwanted;
    if (token !== "" && id !== undefined && isOpen) this.#tokens.set(id, token);
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
  body: string | ReadableStream<Uint8Array> | null,
  as: number = status,
): Response {
  return new Response(body, { status: as, statusText, headers });
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
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
  /** Its stream has the answer. */
  isAnswered: boolean;
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
