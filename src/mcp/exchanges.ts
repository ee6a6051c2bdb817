import { cut, isObject, parsedJson, show } from "../errors/text.ts";
import type { FullClock } from "../ports/clock.ts";
import { sentOnce } from "../runtime/host.ts";
import { limitedText } from "../stream/limited_text.ts";
import type { McpRemoteConfig } from "../types/mcp.ts";
import { answersTo, isAnswer } from "./answers.ts";
import { EventParser } from "./event_stream.ts";
import { McpFailure, reasonOf, wasNotSent } from "./failure.ts";
import { LONGEST_MESSAGE_BYTES, type RpcMessage } from "./jsonrpc.ts";
import { refusalOf } from "./refusal.ts";
import type { TransportEvents } from "./transport.ts";

/** Stands for the id of a request; those begin at 1. */
const OWN = 0;

export interface RemoteServer {
  readonly name: string;
  readonly config: McpRemoteConfig;
  readonly clock: FullClock;
}

/**
 * The HTTP exchanges of one connection: a `fetch` for the transports of the MCP SDK, which send and resume.
 *
 * Responses are read here, where the transports drop them or wait: answers of any form are delivered, and a request
 * without its answer fails at once. A status of 400 and more becomes an {@link McpFailure}. Each exchange has an
 * `AbortController` of its own: Node warns when many requests hang on one signal.
 */
export class Exchanges {
  readonly #server: RemoteServer;
  /** Whether a request is answered where it was sent; the older transport answers on its one stream. */
  readonly #answersInPlace: boolean;
  readonly #open = new Set<Exchange>();
  /** Answers that came whole, until the transport has processed their headers. */
  readonly #whole = new Map<number, readonly [Response, Exchange]>();
  /** The last event of each answer that the transport can ask for the rest of. */
  readonly #tokens = new Map<number, string>();
  readonly #closing = new AbortController();
  /** Whether the server ever offered a stream of its own. */
  #hadStream = false;
  #sessionId: string | undefined;
  events: TransportEvents | undefined;

  constructor(
    server: RemoteServer,
    { answersInPlace }: { readonly answersInPlace: boolean },
  ) {
    this.#server = server;
    this.#answersInPlace = answersInPlace;
  }

  readonly fetch = async (
    url: string | URL,
    init: RequestInit = {},
  ): Promise<Response> => {
    if (!this.#answersInPlace) {
      const response = await this.#do(url, init, {});
      if (!response.ok) await response.body?.cancel();
      return response;
    }
    if (init.method !== "GET") {
      return await this.#do(url, init, { id: requestId(init.body) });
    }
    const token = new Headers(init.headers).get("last-event-id");
    const [id = token === null ? OWN : undefined] =
      [...this.#tokens].find(([, last]) => last === token) ?? [];
    // The rest of an abandoned answer is useless.
    if (id === undefined || this.#closing.signal.aborted) return notOffered();
    if (id === OWN) return await this.#ownStream(url, init);
    let cause: unknown;
    try {
      const response = await this.#do(url, init, { id, token });
      if (isEventStream(response)) return response;
      const { status, body } = response;
      await body?.cancel();
      cause = new Error(`Asked for the rest, it answered HTTP ${status}`);
    } catch (error) {
      cause = error;
    }
    this.#lose(id, cause);
    return notOffered();
  };

  /** Opens the stream on which a server reports by itself; the transport asks for one that is lost until it is there. */
  async #ownStream(url: string | URL, init: RequestInit): Promise<Response> {
    const isAgain = this.#hadStream;
    try {
      const response = await this.#do(url, init, { id: OWN });
      if (isEventStream(response)) {
        this.#hadStream = true;
        // A change that it reported meanwhile was missed.
        if (isAgain) this.events?.gap();
      } else if (isAgain) {
        const failure = await this.#refusal(response, init);
        if (failure.isSessionLost) return notOffered();
        throw failure;
      }
      return response;
    } catch (error) {
      // An error would let the transport ask for ever.
      if (this.#closing.signal.aborted) return notOffered();
      throw error;
    }
  }

  async #do(
    url: string | URL,
    init: RequestInit,
    facts: Pick<Exchange, "id" | "token">,
  ): Promise<Response> {
    this.#closing.signal.throwIfAborted();
    const { method, body } = init;
    const controller = new AbortController();
    const exchange: Exchange = { ...facts, controller, isAnswered: false };
    this.#open.add(exchange);
    const { signal } = controller;
    try {
      const request = this.#server.config.fetch ?? fetch;
      const response = await request(url, {
        ...init,
        // A fetch of the user ends in that of the runtime.
        ...typeof body === "string" && { body: sentOnce(body) },
        signal,
      });
      this.#sessionId = response.headers.get("mcp-session-id") ??
        this.#sessionId;
      // The transports know the answers to GET and DELETE, such as 405.
      if (response.status >= 400 && method === "POST") {
        throw await this.#refusal(response, init);
      }
      if (isEventStream(response)) return this.#watched(response, exchange);
      const { id } = exchange;
      if (id && method === "POST" && response.ok) {
        this.#whole.set(id, [response, exchange]);
        const { headers } = response;
        return new Response(null, { status: 202, headers });
      }
      this.#open.delete(exchange);
      return response;
    } catch (cause) {
      this.#open.delete(exchange);
      if (signal.aborted || cause instanceof McpFailure) throw cause;
      const { name } = this.#server;
      const text = `Request to MCP server "${name}" failed: ${reasonOf(cause)}`;
      const delivery = wasNotSent(cause) ? "not_sent" : "unknown";
      throw new McpFailure(text, { kind: "network", delivery, cause });
    }
  }

  /** Reads the answer to a request that is no stream: the transport knows its session now. */
  async readAnswer(id: number): Promise<void> {
    const [response, exchange] = this.#whole.get(id) ?? [];
    if (response === undefined || exchange === undefined) return;
    this.#whole.delete(id);
    try {
      exchange.reader = response.body?.getReader();
      const { text, isWhole } = await limitedText(
        exchange.reader,
        LONGEST_MESSAGE_BYTES,
      );
      if (!isWhole) {
        throw this.#broken(`more than ${LONGEST_MESSAGE_BYTES} bytes`);
      }
      const body = parsedJson(text);
      const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
      for (const message of messages) this.#take(exchange, message);
      if (exchange.isAnswered) return;
      const more = text === "" ? "" : `: ${cut(text)}`;
      const { status } = response;
      throw this.#broken(`HTTP ${status} without an answer${more}`);
    } catch (error) {
      throw error instanceof McpFailure ? error : this.#lost(error);
    } finally {
      this.#open.delete(exchange);
    }
  }

  /** A request has ended; without its answer, its connection is given back. */
  settled(id: number): void {
    this.#tokens.delete(id);
    for (const exchange of this.#open) {
      if (exchange.id === id && !exchange.isAnswered) this.#cancel(exchange);
    }
  }

  /** Ends what is open; nothing can be opened after it. */
  close(): void {
    this.#closing.abort(ended());
    for (const exchange of this.#open) this.#cancel(exchange);
  }

  /** The failure for a status of 400 and more; reported when the session is lost. */
  async #refusal(
    response: Response,
    { headers }: RequestInit,
  ): Promise<McpFailure> {
    const sentId = new Headers(headers).get("mcp-session-id");
    const failure = await refusalOf(this.#server, response, {
      // Never equal without a session id from the server.
      isOfSession: sentId === this.#sessionId,
    });
    if (failure.isSessionLost) this.events?.sessionLost(failure);
    return failure;
  }

  #cancel(exchange: Exchange): void {
    this.#open.delete(exchange);
    exchange.controller.abort(ended());
    // An answer that is being read may outlive the signal of its request.
    exchange.reader?.cancel().catch(() => {});
  }

  /** The same response, whose events are looked at on their way to the transport. */
  #watched(response: Response, exchange: Exchange): Response {
    const reader = exchange.reader = response.body?.getReader();
    const parser = new EventParser(LONGEST_MESSAGE_BYTES);
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        let cause: unknown;
        try {
          const { value } = await reader?.read() ?? {};
          if (value !== undefined) {
            for (const { data, id } of parser.push(value)) {
              this.#take(exchange, parsedJson(data));
              this.#keep(exchange, id);
            }
            return controller.enqueue(value);
          }
        } catch (error) {
          reader?.cancel(error).catch(() => {});
          cause = error;
        }
        if (this.#end(exchange, cause)) controller.close();
      },
      cancel: async (reason) => {
        this.#end(exchange, reason);
        await reader?.cancel(reason);
      },
    }, { highWaterMark: 0 });
    const { status, headers } = response;
    return new Response(body, { status, headers });
  }

  #take(exchange: Exchange, message: unknown): void {
    const { id } = exchange;
    if (id && isAnswer(message)) {
      if (answersTo(message, id)) exchange.isAnswered = true;
      else {
        const fact = `request ${id} with another message: ${show(message)}`;
        this.events?.lost(id, this.#broken(fact));
      }
    }
    if (isObject(message)) this.events?.message(message as RpcMessage);
  }

  #keep({ id, isAnswered }: Exchange, token: string): void {
    if (id !== undefined && token !== "" && !isAnswered) {
      this.#tokens.set(id, token);
    }
  }

  /** Whether the transport is to notice: it would ask for what follows. */
  #end(exchange: Exchange, cause: unknown): boolean {
    if (!this.#open.delete(exchange)) return false;
    const { id, token, isAnswered } = exchange;
    // With a new token the transport asks for the rest.
    const isLost = id && !isAnswered && this.#tokens.get(id) === token;
    if (isLost) this.#lose(id, cause);
    return !isLost;
  }

  #lose(id: number, cause: unknown): void {
    this.events?.lost(id, this.#lost(cause));
  }

  #lost(cause: unknown): McpFailure {
    const { name } = this.#server;
    const text = `MCP server "${name}" ended the stream before its answer`;
    return new McpFailure(text, { kind: "network", cause });
  }

  #broken(fact: string): McpFailure {
    const text = `MCP server "${this.#server.name}" answered ${fact}`;
    return new McpFailure(text, { kind: "protocol" });
  }
}

interface Exchange {
  /** The id of the JSON-RPC request it is for; {@link OWN} for the server's own stream. */
  readonly id?: number | undefined;
  /** The event that it asks for what follows of. */
  readonly token?: string | null | undefined;
  readonly controller: AbortController;
  reader?: ReadableStreamDefaultReader<Uint8Array> | undefined;
  isAnswered: boolean;
}

function isEventStream({ ok, headers }: Response): boolean {
  const kind = headers.get("content-type")?.toLowerCase() ?? "";
  return ok && kind.startsWith("text/event-stream");
}

/** The answer after which the transport no longer asks for a stream. */
function notOffered(): Response {
  return new Response(null, { status: 405 });
}

function ended(): DOMException {
  return new DOMException("Connection is closed", "AbortError");
}

/** The id of a request of ours; answers to the server's requests carry ids of its own. */
function requestId(body: unknown): number | undefined {
  if (typeof body !== "string" || !body.startsWith('{"method":')) return;
  // `Peer` puts it last.
  const id = /"id":(\d+)\}$/.exec(body.slice(-32))?.[1];
  return id === undefined ? undefined : Number(id);
}
