import { type Deadlines, settleWithin } from "../async/deadline.ts";
import { onAbort } from "../async/on_abort.ts";
import { closeAll, closeFailure } from "../async/scope.ts";
import { systemClock } from "../async/system_clock.ts";
import { redactedCopy } from "../errors/redact.ts";
import { McpInitError } from "../errors/mcp.ts";
import { Scrubber } from "../errors/scrubber.ts";
import type { Log } from "../observe/log.ts";
import { refuse } from "../options/refuse.ts";
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
import type { Transport, TransportEvents } from "./transport.ts";

/** Milliseconds for connecting and the handshake. Source: API reference, section 6. */
const CONNECT_MS = 30_000;

/** Milliseconds for one call. Source: API reference, section 6. */
export const CALL_MS = 45_000;

/** Options of every connection. */
export interface ConnectOptions {
  readonly signal: AbortSignal;
  /** Where limits of requests run. */
  readonly deadlines: Deadlines;
  readonly clock: FullClock;
  readonly log: Log;
  /** Client capabilities, such as `{ elicitation: {} }`; nothing unless given. */
  readonly capabilities?: JsonObject | undefined;
  /** The runtime, for servers that are programs; looked up unless given. */
  readonly host?: Host | undefined;
  /** Where servers that are programs run; the working directory of this program. */
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
    switch (config.type) {
      case undefined:
      case "stdio":
        return await connectProgram(name, config, init, scrubber);
      case "http":
      case "sse":
        return await connectRemote(name, config, init);
      default:
        refuse(
          `mcpServers.${name}.type`,
          (config as { readonly type?: unknown }).type,
          '"stdio", "http", "sse" or "sdk"',
        );
    }
  });
}

/** The limit of a configuration for connecting, in milliseconds. */
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
  const { clock, log, signal } = init;
  const server = { name, config, clock, log };
  const ms = connectMsOf(config);
  const connectSse = async (ms: number) =>
    await open(name, ms, init, await sseTransport(server));
  if (config.type === "sse") return await connectSse(ms);
  const startedMs = clock.monotonic();
  try {
    return await open(name, ms, init, await httpTransport(server));
  } catch (error) {
    if (!isOlderServer(error)) throw error;
    const text = "MCP server refused Streamable HTTP; trying SSE";
    log.info(text, { server: name });
    // One limit for both.
    return await connectSse(ms - (clock.monotonic() - startedMs)).catch(
      (second) => {
        // The refusal of the requested transport says more.
        throw signal.aborted ? second : error;
      },
    );
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
  return await open(name, CONNECT_MS, init, linkedTransport(foreign));
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

/** Connects a server object of the MCP SDK; it stays the caller's, and can be connected again after the close. */
function linkedTransport(instance: ForeignMcpServer): Transport {
  let events: TransportEvents | undefined;
  let isClosed = false;
  const theirs: SdkTransport = {
    start: () => Promise.resolve(),
    send(message) {
      if (isClosed) return Promise.reject(new Error("Not connected"));
      events?.message(message);
      return Promise.resolve();
    },
    close,
  };
  return {
    async start(given) {
      events = given;
      await instance.connect(theirs);
    },
    send(message) {
      if (isClosed) return Promise.reject(new Error("Not connected"));
      theirs.onmessage?.(message);
      return Promise.resolve();
    },
    close,
  };

  function close(): Promise<void> {
    if (isClosed) return Promise.resolve();
    isClosed = true;
    theirs.onclose?.();
    events?.end();
    return Promise.resolve();
  }
}

/** The part of a transport of the MCP SDK that its servers use. */
interface SdkTransport {
  start(): Promise<void>;
  send(message: JsonObject): Promise<void>;
  close(): Promise<void>;
  onclose?: () => void;
  onmessage?: (message: JsonObject) => void;
}

/** Connects; no error of the connection, nor of connecting, holds a secret of its configuration. */
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

/** A connection of this package takes less: a program is killed after 4 s. */
const CLOSE_MS = 6_000;

/**
 * Connects several servers at once, with a function that must settle when its signal is aborted.
 *
 * `"strict"`: the first failure ends the others, what was opened is closed, and when that is done the one error
 * surfaces. `"partial"`: the connected ones stay; only if all fail it is an error. An abort ends all of them, and its
 * reason is the rejection. Connections and failures come in the order of the names.
 *
 * @param hint Told in the details of an error, such as the option that would have gone on
 */
export async function connectAll(
  names: readonly string[],
  connect: (name: string, signal: AbortSignal) => Promise<McpConnection>,
  { signal, policy, hint }: {
    readonly signal: AbortSignal;
    readonly policy: "strict" | "partial";
    readonly hint?: string;
  },
): Promise<{
  readonly connections: ReadonlyMap<string, McpConnection>;
  readonly failures: ReadonlyMap<string, McpInitError>;
}> {
  signal.throwIfAborted();
  /** In the order in which they failed; without those that were ended. */
  const failures = new Map<string, unknown>();
  // One each: Node takes more than ten listeners on one signal for a leak.
  const attempts = names.map((name) => ({ name, end: new AbortController() }));
  const endAll = (reason: unknown) => {
    for (const { end } of attempts) end.abort(reason);
  };
  const unfollow = onAbort(signal, () => endAll(signal.reason));
  const opened = await Promise.all(attempts.map(async ({ name, end }) => {
    try {
      return [[name, await connect(name, end.signal)] as const];
    } catch (error) {
      const { aborted, reason } = end.signal;
      // An attempt that was ended did not fail.
      const isEnded = aborted && (error === reason ||
        error instanceof Error && error.name === "AbortError");
      if (isEnded) return [];
      failures.set(name, error);
      const text = `MCP server "${name}" failed to connect`;
      if (policy === "strict") endAll(new DOMException(text, "AbortError"));
      return [];
    }
  })).finally(unfollow);
  const connections = new Map(opened.flat());
  const isGood = policy === "strict"
    ? failures.size === 0
    : connections.size > 0 || names.length === 0;
  if (isGood && !signal.aborted) {
    const failed = names.filter((name) => failures.has(name))
      .map((name) =>
        [name, new McpInitError(name, failures.get(name))] as const
      );
    return { connections, failures: new Map(failed) };
  }
  const closeFailures = await closeAll(connections, closeInTime);
  signal.throwIfAborted();
  const [[name, cause] = ["", undefined], ...others] = failures;
  throw new McpInitError(name, cause, {
    ...others.length > 0 && { others: Object.fromEntries(others) },
    ...closeFailures.size > 0 &&
      { closeFailures: Object.fromEntries(closeFailures) },
    ...hint !== undefined && { hint },
  });
}

/** Closes servers at once; gives what went wrong, each with the name of its server. */
export async function closeServers<Server>(
  servers: Iterable<readonly [name: string, server: Server]>,
  close: (server: Server) => Promise<void>,
): Promise<readonly Error[]> {
  return Array.from(
    await closeAll(servers, close),
    ([name, cause]) => closeFailure(`MCP server "${name}"`, cause),
  );
}

/** Closes a connection of any make; rejects when that fails or takes too long. */
export async function closeInTime(connection: McpConnection): Promise<void> {
  // A method of the user may throw synchronously.
  const closing = (async () => await connection.close())();
  const closed = closing.then(() => true);
  if (await settleWithin(closed, CLOSE_MS, systemClock)) return;
  throw new McpFailure(`Connection did not close within ${CLOSE_MS} ms`, {
    kind: "timeout",
  });
}
