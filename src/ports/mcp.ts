import type { JsonObject, JsonValue } from "../types/json.ts";

/** Identity of a server, from the handshake. */
export interface McpServerInfo {
  /** Its own name. */
  readonly name: string;
  /** Its version. */
  readonly version: string;
  /** Its capabilities. */
  readonly capabilities: JsonObject;
  /** Usage instructions for the model. */
  readonly instructions?: string;
  /** Protocol revision agreed on. */
  readonly protocolVersion: string;
}

/** Settings of one request. */
export interface McpRequestOptions {
  /** Cancels the request; the server is notified. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout in milliseconds; restarts with each progress notification when `onProgress` is given. */
  readonly timeoutMs?: number | undefined;
  /** Called with each progress. */
  readonly onProgress?: ((progress: JsonObject) => void) | undefined;
}

/** Settings of one direct call on an in-process connection. */
export interface McpDirectCall {
  /** Aborted when the call is cancelled; created on first access. */
  readonly signal: AbortSignal;
  /** Called with each progress notification. */
  onProgress(progress: JsonObject): void;
}

/** Context of a request of a server. */
export interface McpServeContext {
  /** Aborted when the server cancels the request or the connection is lost. */
  readonly signal: AbortSignal;
}

/** Answers the requests of a server: elicitation, sampling, roots and whatever comes next. */
export type McpServeHandler = (
  method: string,
  params: JsonObject | undefined,
  context: McpServeContext,
) => JsonValue | Promise<JsonValue>;

/** A connection to an MCP server after the handshake, over any transport. */
export interface McpConnection {
  /** Its name in the configuration. */
  readonly name: string;
  /** Its identity, from the handshake. */
  readonly server: McpServerInfo;
  /**
   * Sends a request.
   *
   * Rejects with a `JsonRpcError` when the server answered an error, with the signal's reason when it was aborted, and
   * with an `McpFailure` for all else: limit, transport, connection.
   */
  request(
    method: string,
    params?: JsonObject,
    options?: McpRequestOptions,
  ): Promise<JsonValue>;
  /** Sends a notification. */
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Registers a listener for notifications of the server; the returned function removes it. */
  listen(
    listener: (method: string, params?: JsonObject) => void,
  ): () => void;
  /** Answers requests of the server; without a handler they are refused. */
  serve(handler: McpServeHandler): void;
  /**
   * Sends a request by a direct call; only on in-process connections.
   *
   * It has no timeout, returns a value without a promise where possible, and throws the errors that `request()` would
   * reject with.
   */
  answer?(
    method: string,
    params: JsonObject | undefined,
    call: McpDirectCall,
  ): JsonValue | Promise<JsonValue>;
  /** Resolves with the cause when the connection is gone; never rejects. */
  readonly closed: Promise<unknown>;
  /** Resolves with the cause when the server no longer knows the session; open requests may still be answered. */
  readonly sessionLost?: Promise<unknown>;
  /** Closes; idempotent and bounded; a child process is gone when it resolves. */
  close(): Promise<void>;
}
