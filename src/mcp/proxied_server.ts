import { isPromise } from "../async/deferred.ts";
import type { Deadlines } from "../async/deadline.ts";
import type { AgentError } from "../errors/base.ts";
import { ServerUnavailableError } from "../errors/mcp.ts";
import { ProtocolError } from "../errors/protocol.ts";
import { asObject, isObject, textOfError } from "../errors/text.ts";
import type { Log } from "../observe/log.ts";
import type { McpConnection, McpServerInfo } from "../ports/mcp.ts";
import type { ControlContext, ControlHandler } from "../types/controls.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { ProtocolMetrics } from "../types/observe.ts";
import type { HubOptions } from "../types/mcp_hub.ts";
import type { Complete } from "../types/option_values.ts";
import type { ServedCall } from "./call.ts";
import { detailsOf, JsonRpcError, McpFailure } from "./failure.ts";
import {
  INTERNAL_ERROR,
  internalError,
  KNOWN_VERSIONS,
  METHOD_NOT_FOUND,
  NEWEST_VERSION,
  notification,
  type RpcMessage,
  tokenOf,
} from "./jsonrpc.ts";
import { listsOf } from "./lists.ts";
import { Peer } from "./peer.ts";
import { answerQuestions, jsonCopy } from "./server_questions.ts";
import { usableList } from "./usable_tools.ts";

export interface ProxyServices {
  readonly deadlines: Deadlines;
  readonly report: (error: AgentError) => void;
  readonly metrics: Complete<ProtocolMetrics> | undefined;
  readonly log: Log;
  /** Redacts failures before the CLI sees them. */
  readonly shown: <Value>(value: Value) => Value;
  readonly send: (server: string, message: JsonObject) => void;
  /** Facts for the server that a request of the CLI goes to, beside those of the CLI (`_meta`). */
  readonly metaOf?: ((requestId: string) => JsonObject | undefined) | undefined;
  /** Answers what servers ask the user, as it answers `elicitation` of the CLI; without it such questions go to the CLI. */
  readonly elicitation?: ControlHandler | undefined;
}

/** One server behind the CLI: answers in its name, and forwards its notifications. */
export interface ProxiedServer {
  /** The CLI listens: messages of the server are forwarded. */
  begin(): void;
  /** Serves one message; `undefined` when the call was cancelled. */
  handle(
    message: RpcMessage,
    context: ControlContext,
  ): JsonObject | Promise<JsonObject | undefined>;
  /** Ends every call and forwards nothing more; the connection stays open. */
  close(reason: unknown): void;
}

/** The methods that every server behind a proxy is asked. Source: specification, 4.4. */
const SIX =
  /^(?:tools\/(?:list|call)|resources\/(?:list|read)|prompts\/(?:list|get))$/;

/** A notification is carried by a request, which wants an answer all the same. */
const ACKNOWLEDGED: JsonObject = {
  mcp_response: { jsonrpc: "2.0", result: {}, id: 0 },
};

const MOST_KEPT = 100;

export function proxiedServer(
  { connection, callMs, isInProcess }: {
    readonly connection: McpConnection;
    readonly callMs: number;
    /** Whether it lives in this program: its own errors are final. */
    readonly isInProcess: boolean;
  },
  services: ProxyServices,
): ProxiedServer {
  const { name } = connection;
  const { deadlines, elicitation, log, metaOf, metrics, report, send, shown } =
    services;
  let kept: JsonObject[] | undefined = [];
  let isClosed = false;
  /** The CLI at the other end of the control protocol. */
  const peer = new Peer<JsonObject>({
    server: name,
    deadlines,
    // The reason may be an error of the program, with a secret in it.
    send: (message) =>
      send(
        name,
        message.method === "notifications/cancelled" ? shown(message) : message,
      ),
    reply: (answer) => ({
      mcp_response: hasFailed(answer)
        ? { ...answer, result: shown(answer.result) as JsonValue }
        : answer,
    }),
    answer,
    toError,
    onNotification: notify,
    // A connection with a wire keeps the limit itself, since progress on the wire starts it anew.
    servedMs: connection.answer === undefined ? undefined : callMs,
  });

  const stopListening = connection.listen((method, params) =>
    say(notification(method, params))
  );
  connection.serve(answerQuestions(
    name,
    elicitation ? { onElicitation: elicitBy(name, elicitation) } : {},
    (text) => log.warn(text),
  ));
  connection.closed.then((cause) => reportEnd("is gone", cause));
  connection.sessionLost?.then((cause) =>
    reportEnd("no longer knows the session, connect it anew", cause)
  );

  return {
    begin() {
      const messages = kept ?? [];
      kept = undefined;
      for (const message of messages) say(message);
    },
    handle(message, context) {
      const meta = message.id === undefined
        ? undefined
        : metaOf?.(context.requestId);
      const full = meta === undefined ? message : withMeta(message, meta);
      return peer.receive(full, context) ?? ACKNOWLEDGED;
    },
    close(reason) {
      isClosed = true;
      stopListening();
      peer.close(reason);
    },
  };

  function reportEnd(fact: string, cause: unknown): void {
    if (isClosed) return;
    const reason = cause === undefined ? "" : `: ${textOfError(cause)}`;
    report(
      new ServerUnavailableError({
        attempts: 1,
        server: name,
        message: `MCP server "${name}" ${fact}${reason}`,
        cause,
        details: detailsOf(cause),
      }),
    );
  }

  function answer(
    method: string,
    params: JsonObject | undefined,
    call: ServedCall,
  ): JsonValue | Promise<JsonValue> {
    if (method === "initialize") {
      // The handshake was done when the server was connected.
      return initializeResult(
        connection.server,
        KNOWN_VERSIONS.find((one) => one === params?.protocolVersion),
      );
    }
    const answer = forward(method, params, call);
    if (method !== "tools/list") return answer;
    // The CLI refuses the whole list for one tool that it does not take.
    const toUsable = (list: JsonValue) =>
      usableList(name, list, (text) => log.warn(text));
    return isPromise(answer) ? answer.then(toUsable) : toUsable(answer);
  }

  function forward(
    method: string,
    params: JsonObject | undefined,
    call: ServedCall,
  ): JsonValue | Promise<JsonValue> {
    if (connection.answer !== undefined) {
      return connection.answer(method, params, call);
    }
    const { signal } = call;
    const limits = { signal, timeoutMs: callMs };
    if (tokenOf(params) === undefined) {
      return connection.request(method, params, limits);
    }
    // The token is the caller's.
    const { progressToken: _, ..._meta } = params?._meta as JsonObject;
    return connection.request(method, { ...params, _meta }, {
      ...limits,
      onProgress: (one) => call.onProgress(one),
    });
  }

  function notify(method: string, params: JsonObject | undefined): void {
    // The server had its own when it was connected.
    if (method === "notifications/initialized") return;
    // A connection that is gone was reported.
    connection.notify(method, params).catch(() => {});
  }

  /** The error for the CLI; throws when there is no server any more to answer for. */
  function toError(
    error: unknown,
    method: string,
  ): Pick<JsonRpcError, "code" | "message" | "data"> {
    if (error instanceof JsonRpcError) {
      const { code, message, data } = shown(error);
      // A method that neither side knows cannot be forwarded: decided so for proxies, not for our own servers.
      const isUnknown = code === METHOD_NOT_FOUND && !SIX.test(method);
      return {
        code: isUnknown && !isInProcess ? INTERNAL_ERROR : code,
        message,
        data,
      };
    }
    if (!isClosed) {
      const kind = error instanceof McpFailure ? error.kind : undefined;
      // Transport errors are the caller's to tell. Source: specification, 4.4.
      if (kind === "closed" || kind === "network") throw error;
      const isLate = kind === "timeout";
      if (isLate) metrics?.timeout("mcp_message");
      else metrics?.handlerFailure("mcp_message", error);
      report(
        new ProtocolError({
          message: `MCP request failed: ${textOfError(error)}`,
          category: isLate ? "timeout" : "handler",
          subtype: "mcp_message",
          cause: error,
          details: { ...detailsOf(error), server: name, method },
        }),
      );
    }
    return internalError(shown(textOfError(error)));
  }

  function say(message: JsonObject): void {
    if (kept === undefined) return send(name, message);
    if (kept.length < MOST_KEPT) kept.push(message);
  }
}

/** A request with further facts for its server; those of the CLI come first. */
function withMeta(message: RpcMessage, facts: JsonObject): RpcMessage {
  const { params = {} } = message;
  const meta = asObject(params._meta);
  return { ...message, params: { ...params, _meta: { ...facts, ...meta } } };
}

/** Puts a question to the one who answers those that come through the CLI. */
function elicitBy(
  name: string,
  handler: ControlHandler,
): NonNullable<HubOptions["onElicitation"]> {
  return async (params, { signal }) => {
    const { message, mode, url, elicitationId, requestedSchema } = params;
    const copy = jsonCopy({
      mcp_server_name: name,
      message,
      mode,
      url,
      elicitation_id: elicitationId,
      requested_schema: requestedSchema,
    }) as JsonObject;
    const context = { requestId: `elicitation of ${name}`, signal };
    return await handler({ subtype: "elicitation", ...copy }, context);
  };
}

function hasFailed({ result }: JsonObject): boolean {
  return isObject(result) && result.isError === true;
}

/** A server's answer to `initialize`; the CLI accepts manifests of its own revision only. */
export function initializeResult(
  server: McpServerInfo,
  protocolVersion: string = NEWEST_VERSION,
): JsonObject {
  const { name, version, capabilities, instructions } = server;
  // One that is connected anew may list other things, whether or not it can say so by itself.
  const lists = listsOf(server).map((kind) => [
    kind,
    { ...capabilities[kind] as JsonObject, listChanged: true },
  ]);
  return {
    protocolVersion,
    capabilities: { ...capabilities, ...Object.fromEntries(lists) },
    serverInfo: { name, version },
    ...instructions !== undefined && { instructions },
  };
}
