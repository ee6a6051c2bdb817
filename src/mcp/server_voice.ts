import { isObject } from "../errors/is_object.ts";
import type { Deadlines } from "../async/deadline.ts";
import { Deferred } from "../async/deferred.ts";
import { onAbort } from "../async/on_abort.ts";
import type { AgentError } from "../errors/base.ts";
import { textOfError } from "../errors/text.ts";
import type { Log } from "../observe/log.ts";
import type { McpConnection } from "../ports/mcp.ts";
import type { Complete } from "../types/options.ts";
import type { ControlHandler } from "../types/controls.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { ProtocolMetrics } from "../types/observe.ts";
import { JsonRpcError, timeoutFailure } from "./failure.ts";
import {
  INTERNAL_ERROR,
  internalError,
  notification,
  type RpcMessage,
} from "./jsonrpc.ts";

/** What every proxied server is given. */
export interface ProxyServices {
  /** Where limits run. */
  readonly deadlines: Deadlines;
  /** Called with failures that do not end the conversation. */
  readonly report: (error: AgentError) => void;
  readonly metrics: Complete<ProtocolMetrics> | undefined;
  readonly log: Log;
  /** Takes secrets out of what the CLI is told of failures. */
  readonly shown: <Value>(value: Value) => Value;
  /** Sends a message of a server to the CLI. */
  readonly send: (server: string, message: JsonObject) => void;
  /** Answers what servers ask the user, as it answers `elicitation` of the CLI; without it such questions go to the CLI. */
  readonly elicitation?: ControlHandler | undefined;
}

/** One server behind the proxy. */
export interface Proxied {
  readonly connection: McpConnection;
  /** Limit for one call, in milliseconds. */
  readonly callMs: number;
  /** Whether it lives in this program: then nothing is forwarded. */
  readonly isInProcess: boolean;
}

/** Puts a question of a server to the one who answers those that come through the CLI; it reads the same there. */
async function elicit(
  handler: ControlHandler,
  server: string,
  params: JsonObject,
  signal: AbortSignal,
): Promise<JsonValue> {
  const { message, mode, url, elicitationId, requestedSchema } = params;
  const answer = await handler({
    subtype: "elicitation",
    mcp_server_name: server,
    ...message !== undefined && { message },
    ...mode !== undefined && { mode },
    ...url !== undefined && { url },
    ...elicitationId !== undefined && { elicitation_id: elicitationId },
    ...requestedSchema !== undefined && { requested_schema: requestedSchema },
  }, { requestId: `elicitation of ${server}`, signal });
  if (answer === undefined) throw internalError("Question was taken back");
  return answer;
}

/** So much of what a server says before the CLI listens is kept. */
const MOST_KEPT = 100;

/** What a server says by itself, on its way to the CLI. */
export interface ServerVoice {
  /** The CLI listens now. */
  begin(): void;
  /** An answer of the CLI to a request of the server. */
  hear(message: RpcMessage): void;
  /** Says nothing any more. */
  close(): void;
}

/** Takes what a server says by itself: notifications go to the CLI, so do its requests, but for questions to the user. */
export function serverVoice(
  { connection, callMs }: Proxied,
  services: ProxyServices,
): ServerVoice {
  const { name } = connection;
  const { deadlines, elicitation, log, send, shown } = services;
  /** Requests of the server that the CLI has not answered. */
  const asked = new Map<number, Deferred<JsonValue>>();
  let kept: JsonObject[] | undefined = [];
  let nextId = 1;
  const stopListening = connection.listen((method, params) =>
    say(notification(method, params))
  );
  connection.serve((method, params, { signal }) => {
    log.debug("MCP server asks", { server: name, method });
    return method === "elicitation/create" && elicitation !== undefined
      ? elicit(elicitation, name, params ?? {}, signal)
      : askCli(method, params, signal);
  });
  return {
    begin() {
      const messages = kept ?? [];
      kept = undefined;
      for (const message of messages) say(message);
    },
    hear({ id, result, error }) {
      const question = typeof id === "number" ? asked.get(id) : undefined;
      if (question === undefined) return;
      if (isObject(error)) {
        const { code, message, data } = error;
        const number = typeof code === "number" ? code : INTERNAL_ERROR;
        question.reject(new JsonRpcError(number, String(message), { data }));
      } else question.resolve(result ?? {});
    },
    close() {
      stopListening();
      for (const question of asked.values()) {
        question.reject(internalError("Conversation is closed"));
      }
    },
  };

  function say(message: JsonObject): void {
    if (kept === undefined) return send(name, message);
    // A list that changed five times is read once.
    const isKept = message.params === undefined &&
      kept.some(({ method }) => method === message.method);
    if (!isKept && kept.length < MOST_KEPT) kept.push(message);
  }

  /** The CLI refuses what it does not know; so does its answer then. */
  async function askCli(
    method: string,
    params: JsonObject | undefined,
    signal: AbortSignal,
  ): Promise<JsonValue> {
    if (kept !== undefined) throw internalError("Conversation has not begun");
    const id = nextId++;
    const question = new Deferred<JsonValue>();
    const limit = deadlines.add(
      callMs,
      () => question.reject(timeoutFailure(name, method, callMs)),
    );
    const unfollow = onAbort(signal, () => question.reject(signal.reason));
    asked.set(id, question);
    try {
      send(name, { ...notification(method, params), id });
      return await question.promise;
    } catch (error) {
      if (signal.aborted) send(name, shown(cancelled(id, signal.reason)));
      throw error;
    } finally {
      limit.cancel();
      unfollow();
      asked.delete(id);
    }
  }
}

function cancelled(requestId: number, reason: unknown): JsonObject {
  return notification("notifications/cancelled", {
    requestId,
    reason: textOfError(reason),
  });
}
