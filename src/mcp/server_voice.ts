import { isObject } from "../errors/is_object.ts";
import type { Deadlines } from "../async/deadline.ts";
import { Deferred } from "../async/deferred.ts";
import { onAbort } from "../async/on_abort.ts";
import type { AgentError } from "../errors/base.ts";
import { textOfError } from "../errors/text.ts";
import type { Log } from "../observe/log.ts";
import type { McpConnection, McpServeContext } from "../ports/mcp.ts";
import type { Complete } from "../types/complete.ts";
import type { ControlHandler } from "../types/control.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { ProtocolMetrics } from "../types/metrics.ts";
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

/** What a server says by itself: notifications go to the CLI, so do its requests, but for questions to the user. */
export class ServerVoice {
  readonly #server: Proxied;
  readonly #services: ProxyServices;
  readonly #stopListening: () => void;
  /** Requests of the server that the CLI has not answered. */
  readonly #asked = new Map<number, Deferred<JsonValue>>();
  #kept: JsonObject[] | undefined = [];
  #nextId = 1;

  constructor(server: Proxied, services: ProxyServices) {
    this.#server = server;
    this.#services = services;
    const { connection } = server;
    this.#stopListening = connection.listen((method, params) =>
      this.#say(notification(method, params))
    );
    connection.serve((method, params, context) =>
      this.#serve(method, params, context)
    );
  }

  /** The CLI listens now. */
  begin(): void {
    const kept = this.#kept ?? [];
    this.#kept = undefined;
    for (const message of kept) this.#say(message);
  }

  /** An answer of the CLI to a request of the server. */
  hear({ id, result, error }: RpcMessage): void {
    const asked = typeof id === "number" ? this.#asked.get(id) : undefined;
    if (asked === undefined) return;
    if (isObject(error)) {
      const code = typeof error.code === "number" ? error.code : INTERNAL_ERROR;
      asked.reject(
        new JsonRpcError(code, String(error.message), { data: error.data }),
      );
    } else asked.resolve(result ?? {});
  }

  /** Says nothing any more. */
  close(): void {
    this.#stopListening();
    for (const asked of this.#asked.values()) {
      asked.reject(internalError("Conversation is closed"));
    }
  }

  #say(message: JsonObject): void {
    const { connection: { name } } = this.#server;
    if (this.#kept === undefined) return this.#services.send(name, message);
    // A list that changed five times is read once.
    const isKept = message.params === undefined &&
      this.#kept.some(({ method }) => method === message.method);
    if (!isKept && this.#kept.length < MOST_KEPT) this.#kept.push(message);
  }

  #serve(
    method: string,
    params: JsonObject | undefined,
    { signal }: McpServeContext,
  ): Promise<JsonValue> {
    const { elicitation, log } = this.#services;
    const { connection: { name } } = this.#server;
    log.debug("MCP server asks", { server: name, method });
    if (method === "elicitation/create" && elicitation !== undefined) {
      return elicit(elicitation, name, params ?? {}, signal);
    }
    return this.#askCli(method, params, signal);
  }

  /** The CLI refuses what it does not know; so does its answer then. */
  async #askCli(
    method: string,
    params: JsonObject | undefined,
    signal: AbortSignal,
  ): Promise<JsonValue> {
    const { deadlines, send, shown } = this.#services;
    const { connection: { name }, callMs } = this.#server;
    if (this.#kept !== undefined) {
      throw internalError("Conversation has not begun");
    }
    const id = this.#nextId++;
    const asked = new Deferred<JsonValue>();
    const limit = deadlines.add(
      callMs,
      () => asked.reject(timeoutFailure(name, { method, ms: callMs })),
    );
    const unfollow = onAbort(signal, () => asked.reject(signal.reason));
    this.#asked.set(id, asked);
    try {
      send(name, { ...notification(method, params), id });
      return await asked.promise;
    } catch (error) {
      if (signal.aborted) send(name, shown(cancelled(id, signal.reason)));
      throw error;
    } finally {
      limit.cancel();
      unfollow();
      this.#asked.delete(id);
    }
  }
}

function cancelled(requestId: number, reason: unknown): JsonObject {
  return notification("notifications/cancelled", {
    requestId,
    reason: textOfError(reason),
  });
}
