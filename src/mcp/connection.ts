import { withTimeout } from "../async/deadline.ts";
import { Deferred } from "../async/deferred.ts";
import { asObject, isObject, show, textOfError } from "../errors/text.ts";
import type {
  McpConnection,
  McpServeHandler,
  McpServerInfo,
} from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { VERSION } from "../version.ts";
import type { ConnectOptions } from "./connect.ts";
import {
  closedFailure,
  type Delivery,
  JsonRpcError,
  McpFailure,
} from "./failure.ts";
import {
  KNOWN_VERSIONS,
  methodNotFound,
  NEWEST_VERSION,
  type RpcMessage,
} from "./jsonrpc.ts";
import { listsOf } from "./lists.ts";
import { Peer } from "./peer.ts";
import type { Transport } from "./transport.ts";

const CLIENT_INFO = { name: "sluice", title: "Sluice", version: VERSION };

/**
 * Opens a connection over a transport and shakes hands within a timeout.
 *
 * The transport is closed again when that fails.
 */
export async function openConnection(
  name: string,
  ms: number,
  { capabilities = {}, clock, deadlines, log, signal }: ConnectOptions,
  transport: Transport,
): Promise<McpConnection> {
  const closed = new Deferred<unknown>();
  const sessionLost = new Deferred<McpFailure>();
  const listeners = new Set<(method: string, params?: JsonObject) => void>();
  /** Each kind is warned of once. */
  const faults = new Set<string>();
  let server: McpServerInfo | undefined;
  let handler: McpServeHandler | undefined;
  let cause: unknown;

  const peer = new Peer<void>({
    server: name,
    deadlines,
    send: (message) => transport.send(message),
    reply(answer) {
      if (!closed.isSettled) transport.send(answer).catch(() => {});
    },
    answer(method, params, { signal }) {
      if (method === "ping") return {};
      if (handler === undefined) throw methodNotFound(method);
      return handler(method, params, { signal });
    },
    onNotification: notifyListeners,
    onMalformed(fault) {
      if (faults.has(fault)) return;
      faults.add(fault);
      log.warn("MCP server sent a malformed answer", { server: name, fault });
    },
    onSettled: (id) => transport.settled?.(id),
  });
  try {
    server = await withTimeout(introduce, {
      clock,
      ms,
      signal,
      onTimeout: () => {
        const text = `Server did not answer initialize within ${ms} ms`;
        return new McpFailure(text, { kind: "timeout" });
      },
    });
  } catch (error) {
    await transport.close().catch(() => {});
    // The end of the transport says more, and may be known later.
    throw (signal.aborted ? undefined : cause) ?? error;
  }
  return {
    name,
    server,
    closed: closed.promise,
    sessionLost: sessionLost.promise,
    async request(method, params, options = {}) {
      if (closed.isSettled) throw gone("not_sent");
      try {
        return await peer.request(method, params, options);
      } catch (error) {
        const { signal } = options;
        throw signal?.aborted && error === signal.reason
          ? error
          : failureOf(error);
      }
    },
    async notify(method, params) {
      if (closed.isSettled) throw gone("not_sent");
      await peer.notify(method, params);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    serve: (given) => void (handler = peer.calls.pausing(given)),
    async close() {
      await transport.close();
      end();
    },
  };

  async function introduce(): Promise<McpServerInfo> {
    try {
      await transport.start({
        message: receive,
        end,
        lost: (id, failure) => peer.calls.fail(id, failure),
        sessionLost: (failure) => sessionLost.resolve(failure),
        gap() {
          for (const list of server ? listsOf(server) : []) {
            notifyListeners(`notifications/${list}/list_changed`);
          }
        },
      });
      const result = await peer.request("initialize", {
        protocolVersion: NEWEST_VERSION,
        capabilities,
        clientInfo: CLIENT_INFO,
      });
      const info = infoOf(result);
      transport.opened?.(info.protocolVersion);
      await peer.notify("notifications/initialized");
      return info;
    } catch (error) {
      throw failureOf(error);
    }
  }

  function receive(message: JsonObject): void {
    const { id, method } = message as RpcMessage;
    if (typeof method === "string" || id !== undefined) {
      void peer.receive(message as RpcMessage);
    }
  }

  function end(reason?: unknown): void {
    if (closed.isSettled) return;
    cause = reason;
    closed.resolve(reason);
    peer.close(gone("unknown"));
  }

  function notifyListeners(method: string, params?: JsonObject): void {
    if (method === "notifications/progress") return;
    for (const listener of listeners) listener(method, params);
  }

  function failureOf(error: unknown): unknown {
    if (error instanceof McpFailure || error instanceof JsonRpcError) {
      return error;
    }
    if (closed.isSettled) return gone("unknown");
    return new McpFailure(textOfError(error), {
      kind: "protocol",
      cause: error,
    });
  }

  function gone(delivery: Delivery): McpFailure {
    return closedFailure(name, delivery, cause);
  }
}

/** Reads the answer to `initialize`; throws when a member is not as the protocol has it. */
function infoOf(result: JsonValue): McpServerInfo {
  const { serverInfo, capabilities, instructions, protocolVersion: revision } =
    asObject(result);
  const { name, version } = asObject(serverInfo);
  if (typeof revision === "string" && !KNOWN_VERSIONS.includes(revision)) {
    throw new Error(
      `Protocol version is not supported: the server answered "${revision}", this client speaks "${NEWEST_VERSION}" and older`,
    );
  }
  if (
    typeof revision === "string" && isObject(capabilities) &&
    typeof name === "string"
  ) {
    return {
      name,
      version: typeof version === "string" ? version : "",
      capabilities,
      protocolVersion: revision,
      ...typeof instructions === "string" && { instructions },
    };
  }
  throw new Error(`Answer to initialize is malformed: ${show(result)}`);
}
