import { isObject } from "../errors/is_object.ts";
import { Deferred } from "../async/deferred.ts";
import { LONGEST_TIMER_MS } from "../async/system_clock.ts";
import { textOfError } from "../errors/text.ts";
import type {
  McpConnection,
  McpRequestOptions,
  McpServeHandler,
  McpServerInfo,
} from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import {
  type ClientTransport,
  createClient,
  type LoadedSdk,
  loadSdk,
  type SdkClient,
  type SdkErrorClass,
  shakeHands,
  type TransportSetup,
} from "./handshake.ts";
import {
  closedFailure,
  type Delivery,
  JsonRpcError,
  McpFailure,
} from "./failure.ts";
import {
  internalError,
  methodNotFound,
  toAnswer,
  withToken,
} from "./jsonrpc.ts";
import { listsOf } from "./manifest.ts";
import { type Call, OpenCalls } from "./call.ts";
import type { ConnectOptions } from "./connect.ts";

/** What a connection over a transport is made with. */
type SdkOptions =
  & Pick<ConnectOptions, "capabilities" | "deadlines" | "log">
  & { readonly name: string };

/** The schemas of results would drop what they do not know; validation is done elsewhere. */
const ANYTHING = {
  safeParse: (data: unknown) => ({ success: true, data }),
} as unknown as Parameters<SdkClient["request"]>[1];

/** A call, and the id it travels under. */
interface Sent {
  readonly call: Call;
  id: number | undefined;
}

/** A connection over a transport, through the client of the MCP SDK. */
export class SdkConnection implements McpConnection {
  readonly name: string;
  readonly #init: SdkOptions;
  readonly #setup: TransportSetup;
  readonly #client: SdkClient;
  readonly #errorClass: SdkErrorClass;
  readonly #closed = new Deferred<unknown>();
  readonly #listeners = new Set<
    (method: string, params?: JsonObject) => void
  >();
  readonly #calls: OpenCalls;
  /** Calls by the id they travel under. */
  readonly #sent = new Map<number, Call>();
  /** Calls with a progress callback, by token. */
  readonly #watched = new Map<number, Call>();
  readonly #seen: { result?: JsonObject } = {};
  /** The one that the client is being called for. */
  #starting: Sent | undefined;
  #nextToken = 1;
  #server: McpServerInfo | undefined;
  #handler: McpServeHandler | undefined;
  #closing: Promise<void> | undefined;

  private constructor(
    init: SdkOptions,
    setup: TransportSetup,
    sdk: LoadedSdk,
  ) {
    this.name = init.name;
    this.#init = init;
    this.#setup = setup;
    const { name: server, deadlines } = init;
    this.#calls = new OpenCalls({ server, deadlines });
    this.#errorClass = sdk.McpError;
    this.#client = createClient(sdk, init.capabilities ?? {});
    setup.onLost?.((id, failure) => this.#sent.get(id)?.end(failure));
    setup.onGap?.(() => {
      for (const list of listsOf(this)) {
        this.#hear(`notifications/${list}/list_changed`, undefined);
      }
    });
    this.#listenToClient();
    this.#watchSends(setup.transport);
    // The client calls what it finds here before its own.
    setup.transport.onmessage = (message) => this.#see(message);
  }

  /** Opens the transport and shakes hands; who called closes the transport when it fails. */
  static async open(
    init: SdkOptions,
    setup: TransportSetup,
  ): Promise<SdkConnection> {
    const connection = new SdkConnection(init, setup, await loadSdk());
    await connection.#open();
    return connection;
  }

  get server(): McpServerInfo {
    if (this.#server === undefined) throw new Error("Handshake has not ended");
    return this.#server;
  }

  get closed(): Promise<unknown> {
    return this.#closed.promise;
  }

  request(
    method: string,
    params?: JsonObject,
    options: McpRequestOptions = {},
  ): Promise<JsonValue> {
    return this.#calls.run(
      method,
      options,
      (call) =>
        options.onProgress === undefined
          ? this.#ask(method, params, call)
          : this.#askWatched(method, params, call),
    );
  }

  async notify(method: string, params?: JsonObject): Promise<void> {
    if (this.#closed.isSettled) throw this.#gone("not_sent");
    await this.#client.notification(withParams(method, params));
  }

  listen(
    listener: (method: string, params?: JsonObject) => void,
  ): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  serve(handler: McpServeHandler): void {
    this.#handler = this.#calls.resting(handler);
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    const { transport, beforeClose } = this.#setup;
    try {
      if (!this.#closed.isSettled) await beforeClose?.();
    } finally {
      await transport.close();
      this.#closed.resolve(undefined);
    }
  }

  async #open(): Promise<void> {
    try {
      this.#server = await shakeHands(this.#client, {
        transport: this.#setup.transport,
        seen: this.#seen,
      });
    } catch (error) {
      // The end of the transport says more than the client does of it.
      const cause = this.#setup.causeOf?.();
      throw cause ?? (this.#closed.isSettled ? error : this.#failureOf(error));
    }
  }

  #listenToClient(): void {
    const client = this.#client;
    const { log } = this.#init;
    client.fallbackRequestHandler = async ({ method, params }, { signal }) => {
      if (this.#handler === undefined) throw methodNotFound(method);
      const request = params as JsonObject | undefined;
      try {
        return await this.#handler(method, request, { signal }) as JsonObject;
      } catch (error) {
        // Of anything else the client would look for a code, or fail at nothing.
        if (error instanceof JsonRpcError) throw error;
        throw internalError(textOfError(error));
      }
    };
    client.onerror = (error) => {
      log.debug("MCP server", { server: this.name, error: error.message });
    };
    client.onclose = () => this.#closed.resolve(this.#setup.causeOf?.());
  }

  /** The same with a token, under which the server tells of progress. */
  async #askWatched(
    method: string,
    params: JsonObject | undefined,
    call: Call,
  ): Promise<JsonValue> {
    const token = this.#nextToken++;
    this.#watched.set(token, call);
    try {
      return await this.#ask(method, withToken(params, token), call);
    } finally {
      this.#watched.delete(token);
    }
  }

  async #ask(
    method: string,
    params: JsonObject | undefined,
    call: Call,
  ): Promise<JsonValue> {
    if (this.#closed.isSettled) throw this.#gone("not_sent");
    const sent: Sent = { call, id: undefined };
    try {
      return await this.#send(method, params, sent) as JsonValue;
    } catch (error) {
      throw this.#failureOf(error);
    } finally {
      if (sent.id !== undefined) {
        this.#sent.delete(sent.id);
        this.#setup.onSettled?.(sent.id);
      }
    }
  }

  #send(
    method: string,
    params: JsonObject | undefined,
    sent: Sent,
  ): Promise<unknown> {
    // One for each: the client never takes its listener back. It tells the server the reason.
    const ended = new AbortController();
    sent.call.onEnd = (reason) => ended.abort(textOfError(reason));
    this.#starting = sent;
    try {
      return this.#client.request(withParams(method, params), ANYTHING, {
        signal: ended.signal,
        // Limits are the call's own.
        timeout: LONGEST_TIMER_MS,
      });
    } finally {
      this.#starting = undefined;
    }
  }

  /** The client does not tell under which id a request travels; it sends while it is being called. */
  #watchSends(transport: ClientTransport): void {
    const send = transport.send.bind(transport);
    const { onResumable } = this.#setup;
    transport.send = (message, options) => {
      const sent = this.#starting;
      const { id } = message;
      if (sent === undefined || typeof id !== "number") {
        return send(message, options);
      }
      this.#starting = undefined;
      sent.id = id;
      this.#sent.set(id, sent.call);
      if (onResumable === undefined) return send(message, options);
      const onresumptiontoken = (token: string) => {
        // An event may come after the answer.
        if (this.#sent.has(id)) onResumable(id, token);
      };
      return send(message, { ...options, onresumptiontoken });
    };
  }

  /**
   * Looks at each message before the client does.
   *
   * The client takes notifications a turn later than answers: progress right before an answer would be lost.
   */
  #see(message: JsonObject): void {
    const { method, id, params } = message;
    if (method === undefined && id !== undefined) toAnswer(message);
    if (isObject(message.result)) this.#seen.result ??= message.result;
    if (typeof method !== "string" || id !== undefined) return;
    const facts = isObject(params) ? params : undefined;
    if (method === "notifications/progress") this.#onProgress(facts);
    else if (method !== "notifications/cancelled") this.#hear(method, facts);
  }

  #onProgress({ progressToken, ...progress }: JsonObject = {}): void {
    // Some servers make a text of the number.
    this.#watched.get(Number(progressToken))?.onProgress(progress);
  }

  #hear(method: string, params: JsonObject | undefined): void {
    for (const listener of this.#listeners) {
      try {
        listener(method, params);
      } catch (error) {
        this.#init.log.warn("Listener of an MCP server failed", {
          server: this.name,
          method,
          error: textOfError(error),
        });
      }
    }
  }

  /** What a rejection of the client means; its own state tells an answer from a lost connection, not the text. */
  #failureOf(error: unknown): unknown {
    if (error instanceof McpFailure || error instanceof JsonRpcError) {
      return error;
    }
    if (this.#closed.isSettled) return this.#gone("unknown");
    if (error instanceof this.#errorClass) {
      const { code, data } = error;
      const text = error.message.replace(`MCP error ${code}: `, "");
      return new JsonRpcError(code, text, { data });
    }
    return this.#setup.explain?.(error) ??
      new McpFailure(textOfError(error), { kind: "protocol", cause: error });
  }

  #gone(delivery: Delivery): McpFailure {
    const cause = this.#setup.causeOf?.();
    return closedFailure(this.name, { cause, delivery });
  }
}

function withParams(
  method: string,
  params: JsonObject | undefined,
): { method: string; params?: { [key: string]: unknown } } {
  return params === undefined ? { method } : { method, params };
}
