import { backoffDelay } from "../async/backoff.ts";
import { settleWithin } from "../async/deadline.ts";
import { Deferred } from "../async/deferred.ts";
import { cut, show, textOfError } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import { answersTo, isAnswer } from "./answers.ts";
import type { ServerEvent } from "./event_stream.ts";
import { McpFailure } from "./failure.ts";
import {
  Exchanges,
  isEventStream,
  messagesIn,
  readEvents,
  readText,
  type RemoteServer,
} from "./http.ts";
import { LONGEST_MESSAGE_BYTES } from "./jsonrpc.ts";
import { refusalOf } from "./refusal.ts";
import type { Transport, TransportEvents } from "./transport.ts";

/** Ending a session is a courtesy; it is not waited for longer. */
const GOODBYE_MS = 2_000;

/** Wait before a stream is opened again, in milliseconds, unless the server asks for another. */
const RETRY_MS = 1_000;

/** A stream that lived this long was worth opening, in milliseconds. */
const WORTH_MS = 5_000;

/** A request on its way. */
interface Request {
  readonly id: number;
  readonly controller: AbortController;
  /** Whether its answer came. */
  isAnswered: boolean;
  /** The last event of its stream, from which the server can resume it. */
  lastEventId: string;
}

/** Streamable HTTP: each request is a POST that carries its answer, and one GET carries the rest. */
export class StreamableHttp implements Transport {
  readonly #server: RemoteServer;
  readonly #url: URL;
  readonly #exchanges: Exchanges;
  readonly #requests = new Map<number, Request>();
  #events: TransportEvents | undefined;
  #sessionId: string | undefined;
  #version: string | undefined;
  #retryMs = RETRY_MS;
  #closing: Promise<void> | undefined;

  constructor(server: RemoteServer) {
    this.#server = server;
    this.#url = new URL(server.config.url);
    this.#exchanges = new Exchanges(server);
  }

  start(events: TransportEvents): Promise<void> {
    this.#events = events;
    return Promise.resolve();
  }

  opened(version: string): void {
    this.#version = version;
  }

  async send(message: JsonObject): Promise<void> {
    const { id, method } = message;
    if (typeof id === "number" && method !== undefined) {
      return await this.#request(id, message);
    }
    await this.#exchanges.run(async (signal) => {
      const response = await this.#post(signal, message);
      await response.body?.cancel();
    });
    if (method === "notifications/initialized") void this.#listen();
  }

  settled(id: number): void {
    const request = this.#requests.get(id);
    this.#requests.delete(id);
    // The end of an answered one is read: its connection serves the next.
    if (request?.isAnswered === false) request.controller.abort();
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    if (this.#version !== undefined) await this.#sayGoodbye();
    this.#exchanges.close();
    this.#events?.end();
  }

  async #request(id: number, message: JsonObject): Promise<void> {
    const controller = new AbortController();
    const request = { id, controller, isAnswered: false, lastEventId: "" };
    this.#requests.set(id, request);
    const sent = new Deferred<void>();
    this.#exchanges.run(async (signal) => {
      const response = await this.#post(signal, message);
      if (!isEventStream(response)) {
        return await this.#readAnswer(request, signal, response);
      }
      sent.resolve();
      await this.#readStream(request, signal, response);
    }, controller).then(() => sent.resolve(), (error) => sent.reject(error));
    return await sent.promise;
  }

  async #post(signal: AbortSignal, message: JsonObject): Promise<Response> {
    const sent = this.#sessionId;
    const response = await this.#exchanges.send(signal, this.#url, "POST", {
      ...this.#headers(),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    }, message);
    const { headers, status } = response;
    this.#sessionId = headers.get("mcp-session-id") ?? this.#sessionId;
    if (status >= 300) throw await this.#refusal(signal, response, sent);
    return response;
  }

  #headers(): Readonly<Record<string, string | undefined>> {
    return {
      "mcp-session-id": this.#sessionId,
      "mcp-protocol-version": this.#version,
    };
  }

  /** Reports a lost session; a refusal of an earlier session says nothing about this one. */
  async #refusal(
    signal: AbortSignal,
    response: Response,
    sent: string | undefined,
  ): Promise<McpFailure> {
    const isOfSession = sent !== undefined && sent === this.#sessionId;
    const failure = await refusalOf(
      this.#server,
      signal,
      response,
      isOfSession,
    );
    if (failure.isSessionLost) this.#events?.sessionLost(failure);
    return failure;
  }

  /** Reads an answer that is not a stream; throws without one, since the request would wait for ever. */
  async #readAnswer(
    request: Request,
    signal: AbortSignal,
    response: Response,
  ): Promise<void> {
    const { status } = response;
    const { text, isWhole } = await readText(signal, response);
    if (!isWhole) throw this.#broken(`over ${LONGEST_MESSAGE_BYTES} bytes`);
    if (status === 202 || text === "") {
      throw this.#broken(`HTTP ${status} without an answer`);
    }
    for (const message of messagesIn(text)) this.#deliver(message, request);
    if (request.isAnswered) return;
    const { id } = request;
    throw this.#broken(`request ${id} with another message: ${cut(text)}`);
  }

  #deliver(message: unknown, request?: Request): void {
    if (request !== undefined && isAnswer(message)) {
      const { id } = request;
      if (answersTo(message, id)) request.isAnswered = true;
      else {
        const fact = `request ${id} with another message: ${show(message)}`;
        return this.#events?.lost(id, this.#broken(fact));
      }
    }
    // Checked by its receiver.
    this.#events?.message(message as JsonObject);
  }

  #broken(fact: string): McpFailure {
    const text = `MCP server "${this.#server.name}" answered ${fact}`;
    return new McpFailure(text, { kind: "protocol" });
  }

  /** Reads the stream of a request, and resumes it until its answer is there or cannot be had. */
  async #readStream(
    request: Request,
    signal: AbortSignal,
    first: Response,
  ): Promise<void> {
    const { clock, name } = this.#server;
    let response = first;
    let cause: unknown;
    for (;;) {
      const { lastEventId: before } = request;
      try {
        await readEvents(signal, response, (event) => {
          request.lastEventId = event.id || request.lastEventId;
          this.#take(event, request);
        });
      } catch (error) {
        cause = error;
      }
      if (request.isAnswered || signal.aborted) return;
      const { lastEventId } = request;
      if (lastEventId === before) break;
      try {
        await clock.sleep(this.#retryMs, signal);
        response = await this.#get(signal, lastEventId);
      } catch (error) {
        if (signal.aborted) return;
        cause = error;
        break;
      }
      if (isEventStream(response)) continue;
      await response.body?.cancel();
      const { status } = response;
      cause = new Error(`Asked for the rest, it answered HTTP ${status}`);
      break;
    }
    const text = `MCP server "${name}" ended the stream before its answer`;
    const failure = new McpFailure(text, { kind: "network", cause });
    this.#events?.lost(request.id, failure);
  }

  #take({ data, type, retryMs }: ServerEvent, request?: Request): void {
    this.#retryMs = retryMs ?? this.#retryMs;
    if (data === "" || type !== "message") return;
    for (const message of messagesIn(data)) {
      this.#deliver(message, request);
    }
  }

  #get(signal: AbortSignal, lastEventId: string): Promise<Response> {
    return this.#exchanges.send(signal, this.#url, "GET", {
      ...this.#headers(),
      accept: "text/event-stream",
      "last-event-id": lastEventId || undefined,
    });
  }

  /**
   * Reads the stream on which a server reports what it was not asked for.
   *
   * A server that never offered one is not asked again. One that was open is opened again with a growing wait, up to
   * half a minute; notifications may have been missed then. A lost session takes its stream with it.
   */
  async #listen(): Promise<void> {
    const { clock, log, name } = this.#server;
    const { closing } = this.#exchanges;
    let lastEventId = "";
    let openedAt = clock.monotonic();
    let hasOpened = false;
    let misses = 0;
    let isReported = false;
    while (!closing.aborted) {
      try {
        if (hasOpened) {
          await clock.sleep(this.#retryMs, closing);
          if (misses > 0) await clock.sleep(backoffDelay(misses - 1), closing);
        }
        await this.#exchanges.run(async (signal) => {
          const sent = this.#sessionId;
          const response = await this.#get(signal, lastEventId);
          if (!isEventStream(response)) {
            if (hasOpened) throw await this.#refusal(signal, response, sent);
            return await response.body?.cancel();
          }
          if (hasOpened && (misses > 0 || lastEventId === "")) {
            this.#events?.gap();
          }
          hasOpened = true;
          isReported = false;
          openedAt = clock.monotonic();
          await readEvents(signal, response, (event) => {
            lastEventId = event.id || lastEventId;
            this.#take(event);
          }).catch((error) => {
            if (signal.aborted) throw error;
          });
          misses = clock.monotonic() - openedAt >= WORTH_MS ? 0 : misses + 1;
        });
        if (!hasOpened) return;
      } catch (error) {
        const isLost = error instanceof McpFailure && error.isSessionLost;
        if (!hasOpened || closing.aborted || isLost) return;
        misses++;
        if (!isReported) {
          const text =
            "MCP server cannot report changes: its event stream is lost, and opened again as soon as possible";
          log.warn(text, { server: name, error: textOfError(error) });
        }
        isReported = true;
      }
    }
  }

  /** Tells the server that the session is over; a refusal of that is a warning. */
  async #sayGoodbye(): Promise<void> {
    if (this.#sessionId === undefined) return;
    const { clock, log, name } = this.#server;
    const ended = this.#exchanges.run(async (signal) => {
      const response = await this.#exchanges.send(
        signal,
        this.#url,
        "DELETE",
        this.#headers(),
      );
      const { ok, status } = response;
      if (ok || status === 404 || status === 405) {
        return await response.body?.cancel();
      }
      throw await refusalOf(this.#server, signal, response);
    }).then(() => true);
    try {
      if (await settleWithin(ended, GOODBYE_MS, clock)) return;
      const text = `No answer within ${GOODBYE_MS} ms`;
      throw new McpFailure(text, { kind: "timeout" });
    } catch (error) {
      if (error instanceof McpFailure && error.kind === "network") return;
      const facts = { server: name, error: textOfError(error) };
      log.warn("MCP server did not end its session", facts);
    }
  }
}
