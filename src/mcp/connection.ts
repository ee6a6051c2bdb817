import { Deferred } from "../async/deferred.ts";
import { isObject, textOfError, typeOf } from "../errors/text.ts";
import type {
  McpConnection,
  McpServeHandler,
  McpServerInfo,
} from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { VERSION } from "../version.ts";
import { answerRepair } from "./answers.ts";
import type { TransportSetup } from "./client_transport.ts";
import type { ConnectOptions } from "./connect.ts";
import {
  closedFailure,
  type Delivery,
  JsonRpcError,
  McpFailure,
} from "./failure.ts";
import {
  internalError,
  KNOWN_VERSIONS,
  methodNotFound,
  NEWEST_VERSION,
  type RpcMessage,
} from "./jsonrpc.ts";
import { listsOf } from "./lists.ts";
import { Peer } from "./peer.ts";

/** What this package says of itself to a server; a test compares it with the package. */
const CLIENT_INFO = { name: "sluice", title: "Sluice", version: VERSION };

/** Opens a connection over a transport and shakes hands; the caller closes the transport when it fails. */
export async function openConnection(
  name: string,
  { capabilities = {}, deadlines, log }: ConnectOptions,
  setup: TransportSetup,
): Promise<McpConnection> {
  const closed = new Deferred<unknown>();
  const sessionLost = new Deferred<McpFailure>();
  const listeners = new Set<(method: string, params?: JsonObject) => void>();
  let handler: McpServeHandler | undefined;
  let closing: Promise<void> | undefined;
  let hasForeignAnswer = false;

  const { transport, exchanges } = setup;
  const peer = new Peer<void>({
    server: name,
    deadlines,
    repair: answerRepair(name, log),
    send,
    reply(answer) {
      if (closed.isSettled) return;
      transport.send(answer).catch((error) => debug(error));
    },
    answer(method, params, { signal }) {
      if (method === "ping") return {};
      if (handler === undefined) throw methodNotFound(method);
      return handler(method, params, { signal });
    },
    toError: (error) =>
      error instanceof JsonRpcError ? error : internalError(textOfError(error)),
    onNotification: hear,
    onForeignAnswer(id) {
      if (hasForeignAnswer) return;
      hasForeignAnswer = true;
      const text = "MCP server answered a request that was never sent";
      log.warn(text, { server: name, id });
    },
    onSettled: (id) => exchanges?.settled(id),
  });
  if (exchanges !== undefined) {
    exchanges.onLost = (id, lost) => peer.calls.fail(id, lost);
    exchanges.onSessionLost = (failure) => sessionLost.resolve(failure);
  }
  listen();
  const server = await introduce();
  setup.onGap?.(() => {
    for (const list of listsOf(server)) {
      hear(`notifications/${list}/list_changed`, undefined);
    }
  });
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
    close: () => closing ??= close(),
  };

  async function close(): Promise<void> {
    try {
      if (!closed.isSettled) await setup.beforeClose?.();
    } finally {
      await transport.close();
      end();
    }
  }

  function listen(): void {
    // Narrowed to what is looked at; what is neither is nobody's.
    transport.onmessage = (message) => {
      const { id, method } = message as RpcMessage;
      if (typeof method === "string" || id !== undefined) {
        void peer.receive(message as RpcMessage);
      }
    };
    const { onclose, onerror } = transport;
    transport.onclose = () => {
      onclose?.();
      end();
    };
    transport.onerror = (error) => {
      onerror?.(error);
      debug(error);
    };
  }

  function end(): void {
    if (closed.isSettled) return;
    closed.resolve(setup.causeOf?.());
    peer.close(gone("unknown"));
  }

  async function introduce(): Promise<McpServerInfo> {
    try {
      await transport.start();
      const result = await peer.request("initialize", {
        protocolVersion: NEWEST_VERSION,
        capabilities,
        clientInfo: CLIENT_INFO,
      });
      const info = infoOf(result);
      transport.setProtocolVersion?.(info.protocolVersion);
      await peer.notify("notifications/initialized");
      return info;
    } catch (error) {
      // The end of the transport says more than the request does.
      const cause = setup.causeOf?.();
      throw cause ?? (closed.isSettled ? error : failureOf(error));
    }
  }

  function send(message: JsonObject): Promise<void> {
    const { id, method } = message;
    if (
      exchanges === undefined || typeof id !== "number" ||
      method === "initialize"
    ) return transport.send(message);
    return transport.send(message, {
      onresumptiontoken(token: string) {
        // An event may come after the answer.
        if (peer.calls.get(id)) exchanges.resumable(id, token);
      },
    });
  }

  function hear(method: string, params: JsonObject | undefined): void {
    if (method === "notifications/progress") return;
    for (const listener of listeners) {
      try {
        listener(method, params);
      } catch (error) {
        log.warn("Listener of an MCP server failed", {
          server: name,
          method,
          error: textOfError(error),
        });
      }
    }
  }

  function debug(error: unknown): void {
    log.debug("MCP server", { server: name, error: textOfError(error) });
  }

  /** The failure of a request that its transport could not send. */
  function failureOf(error: unknown): unknown {
    if (error instanceof McpFailure || error instanceof JsonRpcError) {
      return error;
    }
    if (closed.isSettled) return gone("unknown");
    return setup.explain?.(error) ??
      new McpFailure(textOfError(error), { kind: "protocol", cause: error });
  }

  function gone(delivery: Delivery): McpFailure {
    return closedFailure(name, delivery, setup.causeOf?.());
  }
}

/** Reads the answer to `initialize`; throws when a member is not as the protocol has it. */
function infoOf(result: JsonValue): McpServerInfo {
  const { serverInfo, capabilities, instructions, protocolVersion: revision } =
    isObject(result) ? result : {};
  const { name, version } = isObject(serverInfo) ? serverInfo : {};
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
  const faults = [
    ["protocolVersion", "a string", revision, typeof revision === "string"],
    ["capabilities", "an object", capabilities, isObject(capabilities)],
    ["serverInfo.name", "a string", name, typeof name === "string"],
  ].filter(([, , , isRight]) => !isRight)
    .map(([key, must, value]) =>
      `"result.${key}": expected ${must}, got ${typeOf(value)}`
    );
  throw new Error(`Answer to initialize is malformed: ${faults.join("; ")}`);
}
