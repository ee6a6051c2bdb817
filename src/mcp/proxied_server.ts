import { isPromise } from "../async/deferred.ts";
import { isObject } from "../errors/is_object.ts";
import { ServerUnavailableError } from "../errors/mcp.ts";
import { ProtocolError } from "../errors/protocol.ts";
import { show, textOfError } from "../errors/text.ts";
import type { ControlContext } from "../types/controls.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { Call, type Callee } from "./call.ts";
import { detailsOf, JsonRpcError, McpFailure } from "./failure.ts";
import {
  errorMessage,
  INTERNAL_ERROR,
  internalError,
  INVALID_REQUEST,
  KNOWN_VERSIONS,
  METHOD_NOT_FOUND,
  notification,
  type RequestId,
  resultMessage,
  type RpcMessage,
  tokenOf,
  withoutToken,
} from "./jsonrpc.ts";
import { initializeResult } from "./manifest.ts";
import {
  type Proxied,
  type ProxyServices,
  type ServerVoice,
  serverVoice,
} from "./server_voice.ts";
import { usableList } from "./tool_list.ts";

/** The methods that every server behind a proxy is asked. Source: specification, 4.4. */
const SIX: ReadonlySet<string> = new Set([
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
]);

/** A notification is carried by a request, which wants an answer all the same. */
const ACKNOWLEDGED: JsonObject = {
  mcp_response: { jsonrpc: "2.0", result: {}, id: 0 },
};

/** Why a call ended that the CLI took back. */
class TakenBack extends Error {
  override readonly name = "AbortError";
}

/** Answers the CLI in the name of one server. */
export class ProxiedServer {
  readonly #server: Proxied;
  readonly #services: ProxyServices;
  readonly #voice: ServerVoice;
  readonly #callee: Callee;
  /** Calls of the CLI by id, which starts at 0 for each server. */
  readonly #pending = new Map<RequestId, Call>();
  #isClosed = false;

  constructor(server: Proxied, services: ProxyServices) {
    this.#server = server;
    this.#services = services;
    this.#voice = serverVoice(server, services);
    const { deadlines } = services;
    this.#callee = { server: server.connection.name, deadlines };
    server.connection.closed.then((cause) => this.#onGone(cause));
  }

  /** The CLI listens: what the server says goes out. */
  begin(): void {
    this.#voice.begin();
  }

  /** Serves one message; `undefined` when the call was taken back. */
  handle(
    message: RpcMessage,
    context: ControlContext,
  ): JsonObject | Promise<JsonObject | undefined> {
    const { id, method, params } = message;
    if (method === undefined) this.#voice.hear(message);
    else if (id === undefined) this.#notify(method, params);
    else return this.#request(id, method, params, context);
    return ACKNOWLEDGED;
  }

  /** Ends every call; the connection stays. */
  close(reason: unknown): void {
    this.#isClosed = true;
    this.#voice.close();
    for (const call of this.#pending.values()) call.end(reason);
  }

  #request(
    id: RequestId,
    method: string,
    params: JsonObject | undefined,
    context: ControlContext,
  ): JsonObject | Promise<JsonObject | undefined> {
    if (this.#pending.has(id)) {
      const text = `Id is in use by a request that is open: ${show(id)}`;
      return wrap(errorMessage(id, new JsonRpcError(INVALID_REQUEST, text)));
    }
    try {
      const call = this.#callFor(method, params, context);
      const answer = method === "initialize"
        ? this.#introduce(params)
        : this.#ask(method, params, call);
      if (!isPromise(answer)) return this.#answered(id, answer);
      return this.#await(id, method, call, answer);
    } catch (error) {
      return this.#failed(id, method, error);
    }
  }

  /** One promise and no more: this is where calls of many tools at once pass. */
  #await(
    id: RequestId,
    method: string,
    call: Call,
    answer: Promise<JsonValue>,
  ): Promise<JsonObject | undefined> {
    this.#pending.set(id, call);
    return new Promise((resolve, reject) => {
      call.watch(answer, (result) => {
        this.#pending.delete(id);
        resolve(this.#answered(id, result));
      }, (error) => {
        this.#pending.delete(id);
        if (error instanceof TakenBack) return resolve(undefined);
        try {
          resolve(this.#failed(id, method, error));
        } catch (failure) {
          reject(failure);
        }
      });
    });
  }

  #callFor(
    method: string,
    params: JsonObject | undefined,
    source: ControlContext,
  ): Call {
    const { connection: { name, answer }, callMs } = this.#server;
    const progressToken = tokenOf(params);
    const onProgress = progressToken === undefined
      ? undefined
      : (progress: JsonObject) => {
        const facts = { ...progress, progressToken };
        this.#services.send(
          name,
          notification("notifications/progress", facts),
        );
      };
    return new Call(method, {
      get signal() {
        return source.signal;
      },
      // A connection with a wire keeps the limit itself, since progress on the wire starts it anew.
      timeoutMs: answer === undefined ? undefined : callMs,
      onProgress,
    }, this.#callee);
  }

  #ask(
    method: string,
    params: JsonObject | undefined,
    call: Call,
  ): JsonValue | Promise<JsonValue> {
    const answer = this.#forward(method, params, call);
    if (method !== "tools/list") return answer;
    // The CLI refuses the whole list for one tool that it does not take.
    const { connection: { name } } = this.#server;
    const toUsable = (list: JsonValue) =>
      usableList(name, list, (text) => this.#services.log.warn(text));
    return isPromise(answer) ? answer.then(toUsable) : toUsable(answer);
  }

  #forward(
    method: string,
    params: JsonObject | undefined,
    call: Call,
  ): JsonValue | Promise<JsonValue> {
    const { connection, callMs } = this.#server;
    if (connection.answer !== undefined) {
      return connection.answer(method, params, call);
    }
    const wantsProgress = tokenOf(params) !== undefined;
    return connection.request(
      method,
      wantsProgress ? withoutToken(params) : params,
      {
        signal: call.signal,
        timeoutMs: callMs,
        ...(wantsProgress && { onProgress: (one) => call.onProgress(one) }),
      },
    );
  }

  /** The handshake was done when the server was connected. */
  #introduce(params: JsonObject | undefined): JsonObject {
    const wanted = params?.protocolVersion;
    const { server } = this.#server.connection;
    const isKnown = KNOWN_VERSIONS.some((one) => one === wanted);
    return initializeResult(server, isKnown ? wanted as string : undefined);
  }

  #notify(method: string, params: JsonObject | undefined): void {
    if (method === "notifications/cancelled") {
      const id = params?.requestId;
      const isId = typeof id === "string" || typeof id === "number";
      const reason = String(params?.reason ?? "The CLI took the call back");
      if (isId) this.#pending.get(id)?.end(new TakenBack(reason));
      return;
    }
    // The server had its own when it was connected.
    if (method === "notifications/initialized") return;
    const { connection } = this.#server;
    connection.notify(method, params).catch((error) => {
      this.#services.log.warn("Notification for an MCP server was lost", {
        server: connection.name,
        method,
        error: textOfError(error),
      });
    });
  }

  /** The answer to a request; what a failure says may be what a program threw. */
  #answered(id: RequestId, result: JsonValue): JsonObject {
    const hasFailed = isObject(result) && result.isError === true;
    const { shown } = this.#services;
    return wrap(resultMessage(id, hasFailed ? shown(result) : result));
  }

  /** The answer to a failed request; throws when there is no server any more to answer for. */
  #failed(id: RequestId, method: string, error: unknown): JsonObject {
    const { shown } = this.#services;
    if (error instanceof JsonRpcError) {
      const { code, message, data } = shown(error);
      return wrap(
        errorMessage(id, { code: this.#codeFor(method, code), message, data }),
      );
    }
    const failure = internalError(shown(textOfError(error)));
    if (this.#isClosed) {
      return wrap(errorMessage(id, failure));
    }
    if (error instanceof McpFailure && isTransportFailure(error)) throw error;
    this.#report(method, error);
    return wrap(errorMessage(id, failure));
  }

  /** A method that neither side knows cannot be forwarded: decided so for proxies, not for our own servers. */
  #codeFor(method: string, code: number): number {
    const isUnknown = code === METHOD_NOT_FOUND && !SIX.has(method);
    return isUnknown && !this.#server.isInProcess ? INTERNAL_ERROR : code;
  }

  #report(method: string, cause: unknown): void {
    const { report, metrics } = this.#services;
    const isLate = cause instanceof McpFailure && cause.kind === "timeout";
    if (isLate) metrics?.timeout("mcp_message");
    else metrics?.handlerFailure("mcp_message", cause);
    report(
      new ProtocolError({
        message: `MCP request failed: ${textOfError(cause)}`,
        category: isLate ? "timeout" : "handler",
        subtype: "mcp_message",
        cause,
        details: { ...detailsOf(cause), server: this.#callee.server, method },
      }),
    );
  }

  #onGone(cause: unknown): void {
    if (this.#isClosed) return;
    const { server: name } = this.#callee;
    const reason = cause === undefined ? "" : `: ${textOfError(cause)}`;
    this.#services.report(
      new ServerUnavailableError({
        server: name,
        message: `MCP server "${name}" is gone${reason}`,
        cause,
        details: detailsOf(cause),
      }),
    );
  }
}

/** Transport errors are the caller's to tell. Source: specification, 4.4. */
function isTransportFailure({ kind }: McpFailure): boolean {
  return kind === "closed" || kind === "network";
}

function wrap(message: JsonObject): JsonObject {
  return { mcp_response: message };
}
