import type { Deadline, Deadlines } from "../async/deadline.ts";
import { Deferred } from "../async/deferred.ts";
import { LONGEST_TIMER_MS } from "../async/system_clock.ts";
import { textOfError, toError } from "../errors/text.ts";
import type { Log } from "../observe/log.ts";
import type {
  McpConnection,
  McpRequestOptions,
  McpServeHandler,
  McpServerInfo,
} from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { CallSignal } from "./call_signal.ts";
import { CLIENT_INFO } from "./client_info.ts";
import {
  closedFailure,
  JsonRpcError,
  McpFailure,
  timeoutFailure,
} from "./failure.ts";
import {
  isRecord,
  KNOWN_VERSIONS,
  methodNotFound,
  NEWEST_VERSION,
} from "./jsonrpc.ts";

type Sdk = typeof import("@modelcontextprotocol/sdk/client");
type SdkClient = InstanceType<Sdk["Client"]>;
type SdkTransport = Parameters<SdkClient["connect"]>[0];

/** The part of a transport of the MCP SDK that this package makes or uses. */
export interface ClientTransport {
  /** Opens it. */
  start(): Promise<void>;
  /** Sends one message. */
  send(message: JsonObject, options?: object): Promise<void>;
  /** Closes it; idempotent. */
  close(): Promise<void>;
  /** Hears of its end. */
  onclose?: (() => void) | undefined;
  /** Hears of what went wrong without ending it. */
  onerror?: ((error: Error) => void) | undefined;
  /** Hears of each message. */
  onmessage?: ((message: JsonObject) => void) | undefined;
}

/** A transport, and what a connection must know of it beside. */
export interface TransportSetup {
  /** The transport. */
  readonly transport: ClientTransport;
  /** Why it ended; asked when it has. */
  readonly causeOf?: () => unknown;
  /** Ends a session in good order, before the transport is closed. */
  readonly beforeClose?: () => Promise<void>;
  /** Is handed the way to fail one request whose answer was lost, by the id it travelled under. */
  readonly onLost?: (fail: (id: number, failure: McpFailure) => void) => void;
  /** Hears that the transport can ask again for the rest of a request's stream. */
  readonly onResumable?: (id: number) => void;
  /** Makes sense of an error that is neither an answer nor ours. */
  readonly explain?: (error: unknown) => McpFailure | undefined;
}

/** What an {@link SdkConnection} is made from. */
export interface SdkConnectionInit {
  /** Name of the server in the configuration. */
  readonly name: string;
  /** What this client offers to the server. */
  readonly capabilities: JsonObject;
  /** Where limits run. */
  readonly deadlines: Deadlines;
  /** Hears of what went wrong without ending the connection. */
  readonly log: Log;
}

/** Validation is done elsewhere: the schemas of results would drop what they do not know. */
const ANYTHING = {
  safeParse: (data: unknown) => ({ success: true, data }),
} as unknown as Parameters<SdkClient["request"]>[1];

/** Without one the client makes a validator at once, and keeps output schemas of the last page alone. */
const NO_VALIDATOR = {
  getValidator: () => (data: unknown) => ({
    valid: true,
    data,
    errorMessage: undefined,
  }),
} as never;

/** A connection over a transport, through the client of the MCP SDK. */
export class SdkConnection implements McpConnection {
  readonly name: string;
  readonly #init: SdkConnectionInit;
  readonly #setup: TransportSetup;
  readonly #client: SdkClient;
  readonly #errorClass: ErrorClass;
  readonly #closed = new Deferred<unknown>();
  readonly #listeners = new Set<
    (method: string, params?: JsonObject) => void
  >();
  /** Requests by the id they travel under. */
  readonly #calls = new Map<number, Call>();
  #starting: Call | undefined;
  #server: McpServerInfo | undefined;
  #handler: McpServeHandler | undefined;
  #closing: Promise<void> | undefined;

  private constructor(
    init: SdkConnectionInit,
    setup: TransportSetup,
    sdk: LoadedSdk,
  ) {
    this.name = init.name;
    this.#init = init;
    this.#setup = setup;
    this.#errorClass = sdk.McpError;
    this.#client = new sdk.Client(CLIENT_INFO, {
      capabilities: init.capabilities,
      jsonSchemaValidator: NO_VALIDATOR,
    });
  }

  /** Opens the transport and shakes hands; who called closes the transport when it fails. */
  static async open(
    init: SdkConnectionInit,
    setup: TransportSetup,
  ): Promise<SdkConnection> {
    const connection = new SdkConnection(init, setup, await loadSdk());
    await connection.#shakeHands();
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
    const { signal } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#closed.isSettled) {
      return Promise.reject(
        closedFailure(this.name, this.#setup.causeOf?.(), false),
      );
    }
    const call = new Call(this.name, method, options, this.#init.deadlines);
    this.#starting = call;
    const answer = this.#client.request(
      params === undefined ? { method } : { method, params },
      ANYTHING,
      {
        // It has the members of a signal that the client uses.
        signal: call.signal as unknown as AbortSignal,
        // The limits are kept here, so that they can be told from an abort.
        timeout: LONGEST_TIMER_MS,
        ...(options.onProgress &&
          { onprogress: (one: unknown) => call.progress(one) }),
      },
    );
    this.#starting = undefined;
    return answer.then(
      (result) => {
        this.#forget(call);
        return result as JsonValue;
      },
      (error) => {
        this.#forget(call);
        throw call.end === undefined ? this.#failureOf(error) : call.end.error;
      },
    );
  }

  async notify(method: string, params?: JsonObject): Promise<void> {
    if (this.#closed.isSettled) {
      throw closedFailure(this.name, this.#setup.causeOf?.(), false);
    }
    await this.#client.notification(
      params === undefined ? { method } : { method, params },
    );
  }

  listen(
    listener: (method: string, params?: JsonObject) => void,
  ): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  serve(handler: McpServeHandler): void {
    this.#handler = handler;
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

  async #shakeHands(): Promise<void> {
    const { transport, onLost } = this.#setup;
    const client = this.#client;
    client.fallbackNotificationHandler = ({ method, params }) => {
      this.#hear(method, params as JsonObject | undefined);
      return Promise.resolve();
    };
    client.fallbackRequestHandler = async ({ method, params }, { signal }) => {
      if (this.#handler === undefined) throw methodNotFound(method);
      const request = params as JsonObject | undefined;
      return await this.#handler(method, request, { signal }) as JsonObject;
    };
    client.onerror = (error) =>
      this.#init.log.debug("MCP server", {
        server: this.name,
        error: error.message,
      });
    client.onclose = () => this.#closed.resolve(this.#setup.causeOf?.());
    onLost?.((id, failure) => this.#calls.get(id)?.stop(failure));
    const seen = watchHandshake(transport);
    this.#watchSends(transport);
    try {
      // It has the members of a transport that the client uses.
      await client.connect(transport as unknown as SdkTransport, {
        timeout: LONGEST_TIMER_MS,
      });
    } catch (error) {
      // Without an answer of the server, the end of the transport says more than the client does.
      const wrong = wrongVersion(seen.result) ?? this.#setup.causeOf?.();
      throw wrong ?? (this.#closed.isSettled ? error : this.#failureOf(error));
    }
    this.#server = infoOf(seen.result ?? {});
  }

  /** The client does not tell under which id a request travels; it sends while it is being called. */
  #watchSends(transport: ClientTransport): void {
    const send = transport.send.bind(transport);
    const { onResumable } = this.#setup;
    transport.send = (message, options) => {
      const call = this.#starting;
      const { id } = message;
      if (call === undefined || typeof id !== "number") {
        return send(message, options);
      }
      this.#starting = undefined;
      call.id = id;
      this.#calls.set(id, call);
      if (onResumable === undefined) return send(message, options);
      return send(message, {
        ...options,
        onresumptiontoken: () => onResumable(id),
      });
    };
  }

  #forget(call: Call): void {
    call.settle();
    if (call.id !== undefined) this.#calls.delete(call.id);
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
    const { causeOf, explain } = this.#setup;
    if (this.#closed.isSettled) {
      return closedFailure(this.name, causeOf?.() ?? error, true);
    }
    if (error instanceof this.#errorClass) {
      const { code, message, data } = error;
      return new JsonRpcError(
        code,
        message.replace(`MCP error ${code}: `, ""),
        data,
      );
    }
    return explain?.(error) ??
      new McpFailure(textOfError(error), { kind: "protocol", cause: error });
  }
}

/** One request on its way. */
class Call {
  /** The id it travels under. */
  id: number | undefined;
  /** What is handed to the client. */
  readonly signal = new CallSignal();
  /** Why it ended before its answer. */
  end: { readonly error: unknown } | undefined;
  readonly #server: string;
  readonly #method: string;
  readonly #options: McpRequestOptions;
  readonly #deadlines: Deadlines;
  readonly #abort: (() => void) | undefined;
  #limit: Deadline | undefined;

  constructor(
    server: string,
    method: string,
    options: McpRequestOptions,
    deadlines: Deadlines,
  ) {
    this.#server = server;
    this.#method = method;
    this.#options = options;
    this.#deadlines = deadlines;
    const { signal } = options;
    if (signal !== undefined) {
      this.#abort = () => this.stop(signal.reason);
      signal.addEventListener("abort", this.#abort);
    }
    this.#startLimit();
  }

  /** Ends it before its answer; the server is told. */
  stop(error: unknown): void {
    if (this.end !== undefined) return;
    this.end = { error };
    this.signal.abort(textOfError(error));
  }

  /** Hands progress on, and starts the limit anew. */
  progress(progress: unknown): void {
    this.#limit?.cancel();
    this.#startLimit();
    if (isRecord(progress)) this.#options.onProgress?.(progress);
  }

  /** It is over. */
  settle(): void {
    this.#limit?.cancel();
    if (this.#abort !== undefined) {
      this.#options.signal?.removeEventListener("abort", this.#abort);
    }
  }

  #startLimit(): void {
    const { timeoutMs } = this.#options;
    if (timeoutMs === undefined) return;
    this.#limit = this.#deadlines.add(timeoutMs, () => {
      this.stop(timeoutFailure(this.#server, this.#method, timeoutMs));
    });
  }
}

type ErrorClass = typeof import("@modelcontextprotocol/sdk/types").McpError;

interface LoadedSdk {
  readonly Client: Sdk["Client"];
  readonly McpError: ErrorClass;
}

/** The path with `.js` is what exists, the path without is what has types in Deno. */
async function loadSdk(): Promise<LoadedSdk> {
  const [{ Client }, { McpError }] = await Promise.all([
    import("@modelcontextprotocol/sdk/client"),
    import("@modelcontextprotocol/sdk/types.js") as Promise<
      typeof import("@modelcontextprotocol/sdk/types")
    >,
  ]);
  return { Client, McpError };
}

/** Keeps the answer to `initialize` as the server sent it; the client keeps parts of it alone. */
function watchHandshake(
  transport: ClientTransport,
): { result: JsonObject | undefined } {
  const seen: { result: JsonObject | undefined } = { result: undefined };
  const forward = transport.onmessage;
  // The client calls what it finds here before its own.
  transport.onmessage = (message) => {
    if (seen.result === undefined && isRecord(message.result)) {
      seen.result = message.result;
    }
    forward?.(message);
  };
  return seen;
}

function wrongVersion(result: JsonObject | undefined): Error | undefined {
  const version = result?.protocolVersion;
  if (typeof version !== "string" || KNOWN_VERSIONS.includes(version)) return;
  return toError(
    `Protocol version is not supported: the server answered "${version}", this client speaks "${NEWEST_VERSION}" and older`,
  );
}

function infoOf(result: JsonObject): McpServerInfo {
  const { serverInfo, capabilities, instructions, protocolVersion } = result;
  const { name, version } = isRecord(serverInfo) ? serverInfo : {};
  return {
    name: typeof name === "string" ? name : "",
    version: typeof version === "string" ? version : "",
    capabilities: isRecord(capabilities) ? capabilities : {},
    protocolVersion: typeof protocolVersion === "string"
      ? protocolVersion
      : NEWEST_VERSION,
    ...(typeof instructions === "string" ? { instructions } : {}),
  };
}
