import type { Deadlines } from "../async/deadline.ts";
import { redactedCopy } from "../errors/redact.ts";
import { Scrubber } from "../errors/scrubber.ts";
import type { Log } from "../observe/log.ts";
import type { FullClock } from "../ports/clock.ts";
import type { Host } from "../ports/host.ts";
import type { McpConnection } from "../ports/mcp.ts";
import type { JsonObject } from "../types/json.ts";
import type {
  ForeignMcpServer,
  McpRemoteConfig,
  McpServerConfig,
  McpServerInstance,
  McpStdioConfig,
} from "../types/mcp.ts";
import type { openConnection } from "./connection.ts";
import { McpFailure } from "./failure.ts";
import { linkedTransport } from "./linked.ts";

/** Milliseconds for connecting and the handshake. Source: API reference, section 6. */
const CONNECT_MS = 30_000;

export const CALL_MS = 45_000;

export interface ConnectOptions {
  readonly signal: AbortSignal;
  readonly deadlines: Deadlines;
  readonly clock: FullClock;
  readonly log: Log;
  /** Client capabilities, such as `{ elicitation: {} }`; nothing by default. */
  readonly capabilities?: JsonObject | undefined;
  /** The runtime, for servers that are programs; looked up by default. */
  readonly host?: Host | undefined;
  /** Working directory of servers that are programs; that of this program. */
  readonly cwd?: string | undefined;
  /** Whether the watchdog ends programs that outlive this one; true. */
  readonly guardProcess?: boolean;
}

/**
 * Connects one server, whatever kind it is of, and shakes hands.
 *
 * Rejects with the signal's reason when it is aborted. A rejection comes when everything that was opened is closed
 * again, children included. What a kind needs is loaded when a server of that kind is connected. No error holds a
 * secret of the configuration.
 */
export function connectServer(
  name: string,
  config: McpServerConfig,
  init: ConnectOptions,
): Promise<McpConnection> {
  if (config.type === "sdk") {
    return connectInstance(name, config.instance, init);
  }
  const scrubber = new Scrubber({ documents: [config] });
  return scrubbed(scrubber, init.signal, async () => {
    return "url" in config
      ? await connectRemote(name, config, init)
      : await connectProgram(name, config, init, scrubber);
  });
}

export function connectMsOf(config: McpServerConfig): number {
  return (config.type === "sdk" ? undefined : config.connectTimeoutMs) ??
    CONNECT_MS;
}

async function connectProgram(
  name: string,
  config: McpStdioConfig,
  init: ConnectOptions,
  scrubber: Scrubber,
): Promise<McpConnection> {
  init.signal.throwIfAborted();
  const [{ stdioTransport }, host] = await Promise.all([
    import("./stdio.ts"),
    init.host ?? import("../runtime/host.ts").then(({ host }) => host()),
  ]);
  // It inherits them, and may print them.
  scrubber.learn({ env: host.env() });
  const transport = stdioTransport(name, config, host, init);
  return await open(name, connectMsOf(config), init, transport);
}

async function connectRemote(
  name: string,
  config: McpRemoteConfig,
  init: ConnectOptions,
): Promise<McpConnection> {
  const { httpTransport, sseTransport } = await import("./remote.ts");
  const { clock, signal } = init;
  const server = { name, config, clock };
  const ms = connectMsOf(config);
  const connectSse = async () =>
    await open(name, ms, init, await sseTransport(server));
  if (config.type === "sse") return await connectSse();
  try {
    return await open(name, ms, init, await httpTransport(server));
  } catch (error) {
    if (!isOlderServer(error)) throw error;
    return await connectSse().catch((second) => {
      // The refusal of the requested transport says more.
      throw signal.aborted ? second : error;
    });
  }
}

async function connectInstance(
  name: string,
  instance: McpServerInstance,
  init: ConnectOptions,
): Promise<McpConnection> {
  init.signal.throwIfAborted();
  // One of this package is asked by direct calls.
  if ("open" in instance && typeof instance.open === "function") {
    return await instance.open(name);
  }
  const foreign = instance as ForeignMcpServer;
  return await open(name, CONNECT_MS, init, await linkedTransport(foreign));
}

async function open(
  ...args: Parameters<typeof openConnection>
): Promise<McpConnection> {
  const { openConnection } = await import("./connection.ts");
  return await openConnection(...args);
}

/** A server that knows only the older transport refuses the first POST; one that wants authorisation does not. */
function isOlderServer(error: unknown): boolean {
  const { status = 0 } = error instanceof McpFailure ? error : {};
  const isRefusal = status >= 400 && status < 500;
  return isRefusal && ![401, 403, 407, 408, 429].includes(status);
}

export async function scrubbed(
  scrubber: Scrubber,
  signal: AbortSignal,
  connect: () => Promise<McpConnection>,
): Promise<McpConnection> {
  const redacted = (error: unknown) => redactedCopy(error, scrubber);
  const inner = await clean(connect(), signal);
  let closing: Promise<void> | undefined;
  return {
    ...inner,
    closed: inner.closed.then(redacted),
    ...inner.sessionLost && { sessionLost: inner.sessionLost.then(redacted) },
    request: (method, params, options) =>
      clean(inner.request(method, params, options), options?.signal),
    notify: (method, params) => clean(inner.notify(method, params)),
    close: () => closing ??= clean(inner.close()),
  };

  async function clean<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await work;
    } catch (error) {
      // The reason of a signal is the caller's own.
      throw signal?.aborted && error === signal.reason
        ? error
        : redacted(error);
    }
  }
}
