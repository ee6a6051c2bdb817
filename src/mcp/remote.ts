import { backoffDelay } from "../async/backoff.ts";
import { settleWithin } from "../async/deadline.ts";
import { textOfError } from "../errors/text.ts";
import {
  Exchanges,
  isEventStream,
  notOffered,
  type RemoteServer,
} from "./exchanges.ts";
import { McpFailure } from "./failure.ts";
import type { Transport } from "./transport.ts";

/** Ending a session is a courtesy; it is not waited for longer. */
const GOODBYE_MS = 2_000;

/** The Streamable HTTP transport of the MCP SDK, loaded when it is first needed. */
export async function httpTransport(server: RemoteServer): Promise<Transport> {
  const { StreamableHTTPClientTransport } = await (import(
    "@modelcontextprotocol/sdk/client/streamableHttp.js"
  ) as Promise<
    typeof import("@modelcontextprotocol/sdk/client/streamableHttp")
  >);
  const { config } = server;
  const exchanges = new Exchanges(server, { answersInPlace: true });
  const events: { gap: () => void } = { gap: () => {} };
  // It asks for streams again as long as the connection lives; how rarely is decided in ownStream().
  const reconnection = {
    initialReconnectionDelay: 1_000,
    maxReconnectionDelay: 1_000,
    reconnectionDelayGrowFactor: 1,
    maxRetries: Infinity,
  };
  const transport = new StreamableHTTPClientTransport(new URL(config.url), {
    requestInit: { headers: { ...config.headers } },
    fetch: ownStream(exchanges, server, () => events.gap()),
    reconnectionOptions: reconnection,
  });
  const remote = remoteTransport(exchanges, transport, () => {
    // It reads the number each time, and forgets all but one timer of streams that end with the session.
    reconnection.maxRetries = 0;
    return endSession(transport, server);
  });
  return {
    ...remote,
    start(given) {
      events.gap = given.gap;
      return remote.start(given);
    },
  };
}

/** The older SSE transport of the MCP SDK, loaded when it is first needed. */
export async function sseTransport(server: RemoteServer): Promise<Transport> {
  const { name, config } = server;
  const { SSEClientTransport } = await (import(
    "@modelcontextprotocol/sdk/client/sse.js"
  ) as Promise<typeof import("@modelcontextprotocol/sdk/client/sse")>);
  const exchanges = new Exchanges(server, { answersInPlace: false });
  const transport = new SSEClientTransport(new URL(config.url), {
    requestInit: { headers: { ...config.headers } },
    fetch: exchanges.fetch,
  });
  const remote = remoteTransport(exchanges, transport);
  return {
    ...remote,
    async start(events) {
      // The stream is the session: opened again it would be another one, and every answer on its way is lost.
      transport.onerror = (error) => {
        if (!("event" in error)) return;
        const text = `Stream of MCP server "${name}" broke: ${error.message}`;
        events.end(new McpFailure(text, { kind: "network", cause: error }));
        void remote.close();
      };
      await remote.start(events);
    },
  };
}

/** The members of both transports of the MCP SDK; the types of their messages are narrower. */
interface SdkTransport {
  start(): Promise<void>;
  // deno-lint-ignore no-explicit-any -- checked by the peer
  send(message: any): Promise<void>;
  close(): Promise<void>;
  setProtocolVersion?(version: string): void;
  // deno-lint-ignore no-explicit-any -- checked by the peer
  onmessage?: ((message: any) => void) | undefined;
  onclose?: (() => void) | undefined;
}

function remoteTransport(
  exchanges: Exchanges,
  sdk: SdkTransport,
  endSession: () => Promise<void> = () => Promise.resolve(),
): Transport {
  let isOpen = false;
  let goodbye: Promise<void> | undefined;
  return {
    async start({ message, end, lost, sessionLost }) {
      sdk.onmessage = message;
      exchanges.onMessage = message;
      sdk.onclose = () => end();
      exchanges.onLost = lost;
      exchanges.onSessionLost = sessionLost;
      await withStatus(sdk.start());
    },
    async send(message) {
      await withStatus(sdk.send(message));
      if (message.method !== undefined) exchanges.deliver(Number(message.id));
    },
    opened(version) {
      isOpen = true;
      sdk.setProtocolVersion?.(version);
    },
    settled: (id) => exchanges.settled(id),
    async close() {
      if (isOpen) await (goodbye ??= endSession());
      exchanges.close();
      // Each time: a stream that broke at the first one is opened again else.
      await sdk.close();
    },
  };
}

/** A failure of the transports has its HTTP status. */
async function withStatus(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    throw statusFailure(error) ?? error;
  }
}

/** An error of the transports that carries an HTTP status. */
function statusFailure(error: unknown): McpFailure | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  const { code } = error;
  if (typeof code !== "number" || code < 300) return undefined;
  const { message } = error;
  return new McpFailure(message, { kind: "http", status: code, cause: error });
}

/** Tells the server that the session is over; a refusal of that is a warning. */
async function endSession(
  transport: { terminateSession(): Promise<void> },
  { name, clock, log }: RemoteServer,
): Promise<void> {
  const ended = transport.terminateSession().then(() => true);
  try {
    if (await settleWithin(ended, GOODBYE_MS, clock)) return;
    const text = `No answer within ${GOODBYE_MS} ms`;
    throw new McpFailure(text, { kind: "timeout" });
  } catch (error) {
    const status = statusFailure(error)?.status;
    const isGone = error instanceof McpFailure && error.kind === "network";
    if (status === 404 || isGone) return;
    const facts = { server: name, error: textOfError(error) };
    log.warn("MCP server did not end its session", facts);
  }
}

/** A stream that lived this long was worth opening, in milliseconds. */
const WORTH_MS = 5_000;

/**
 * A `fetch` for the stream on which a server reports what it was not asked for; other requests pass through it.
 *
 * A server that never offered one is not asked again. One that was open is opened again with a growing wait, up to half
 * a minute. When the session is lost, so is its stream.
 *
 * @param onGap Called when notifications may have been missed
 */
function ownStream(
  exchanges: Exchanges,
  { name, clock, log }: RemoteServer,
  onGap: () => void,
): typeof exchanges.fetch {
  const { closing } = exchanges;
  let state: "new" | "opening" | "open" | "ended" = "new";
  let openedAt = 0;
  /** Requests in a row that led to nothing. */
  let misses = 0;
  let isTold = false;

  return async (url, init = {}) => {
    const { method, headers } = init;
    if (method !== "GET") return await exchanges.fetch(url, init);
    // An error would let it ask for ever.
    if (closing.aborted) return notOffered();
    if (exchanges.restOf(init) !== undefined) {
      return await exchanges.fetch(url, init);
    }
    const isResumed = new Headers(headers).has("last-event-id");
    const isFirst = state === "new";
    // The rest of a cancelled answer.
    if (isFirst ? isResumed : state !== "ended") return notOffered();
    state = "opening";
    if (!isFirst) return await openAgain(url, init, isResumed);
    try {
      return await open(url, init);
    } finally {
      if (state === "opening") state = "new";
    }
  };

  async function openAgain(
    url: string | URL,
    init: RequestInit,
    isResumed: boolean,
  ): Promise<Response> {
    const missed = misses;
    try {
      if (missed > 0) {
        await clock.sleep(backoffDelay(missed - 1), closing);
      }
      const response = await open(url, init);
      if (!isEventStream(response)) {
        const failure = await exchanges.refusal(response, init.headers);
        if (failure.isSessionLost) return notOffered();
        throw failure;
      }
      isTold = false;
      if (missed > 0 || !isResumed) onGap();
      return response;
    } catch (error) {
      state = "ended";
      if (closing.aborted) return notOffered();
      misses++;
      if (!isTold) {
        log.warn(
          "MCP server cannot report changes: its event stream is lost, and opened again as soon as possible",
          { server: name, error: textOfError(error) },
        );
      }
      isTold = true;
      throw error;
    }
  }

  async function open(url: string | URL, init: RequestInit): Promise<Response> {
    const onEnd = () => {
      state = "ended";
      misses = clock.monotonic() - openedAt >= WORTH_MS ? 0 : misses + 1;
    };
    const response = await exchanges.do(url, init, { onEnd });
    if (isEventStream(response)) {
      state = "open";
      openedAt = clock.monotonic();
    }
    return response;
  }
}
