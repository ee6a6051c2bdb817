import { cleanCopy } from "../errors/clean.ts";
import type { Scrubber } from "../errors/scrubber.ts";
import type {
  McpConnection,
  McpRequestOptions,
  McpServeHandler,
  McpServerInfo,
} from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";

/** Connects; no error of the connection, nor of connecting, holds a secret of its configuration. */
export async function scrubbed(
  scrubber: Scrubber,
  signal: AbortSignal,
  connect: () => Promise<McpConnection>,
): Promise<McpConnection> {
  try {
    return new ScrubbedConnection(await connect(), scrubber);
  } catch (error) {
    // The reason of a signal is the caller's own.
    throw signal.aborted ? error : cleanCopy(error, scrubber);
  }
}

/** A connection to a server that may say again what it was sent. */
class ScrubbedConnection implements McpConnection {
  readonly #inner: McpConnection;
  readonly #scrubber: Scrubber;
  readonly closed: Promise<unknown>;
  #closing: Promise<void> | undefined;

  constructor(inner: McpConnection, scrubber: Scrubber) {
    this.#inner = inner;
    this.#scrubber = scrubber;
    this.closed = inner.closed.then((cause) => cleanCopy(cause, scrubber));
  }

  get name(): string {
    return this.#inner.name;
  }

  get server(): McpServerInfo {
    return this.#inner.server;
  }

  async request(
    method: string,
    params?: JsonObject,
    options?: McpRequestOptions,
  ): Promise<JsonValue> {
    try {
      return await this.#inner.request(method, params, options);
    } catch (error) {
      if (error === options?.signal?.reason) throw error;
      throw cleanCopy(error, this.#scrubber);
    }
  }

  async notify(method: string, params?: JsonObject): Promise<void> {
    await this.#clean(this.#inner.notify(method, params));
  }

  listen(
    listener: (method: string, params?: JsonObject) => void,
  ): () => void {
    return this.#inner.listen(listener);
  }

  serve(handler: McpServeHandler): void {
    this.#inner.serve(handler);
  }

  close(): Promise<void> {
    return this.#closing ??= this.#clean(this.#inner.close());
  }

  async #clean(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      throw cleanCopy(error, this.#scrubber);
    }
  }
}
