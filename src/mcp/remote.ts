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
import type { ClientTransport, TransportSetup } from "./client_transport.ts";

/** Ending a session is a courtesy; it is not waited for longer. */
const GOODBYE_MS = 2_000;

/** The Streamable HTTP transport of the MCP SDK, loaded when it is first needed. */
export async function httpTransport(
  server: RemoteServer,
): Promise<TransportSetup> {
  const { StreamableHTTPClientTransport } = await (import(
    "@modelcontextprotocol/sdk/client/streamableHttp.js"
  ) as Promise<
    typeof import("@modelcontextprotocol/sdk/client/streamableHttp")
  >);
  const { config } = server;
  const exchanges = new Exchanges(server, { answersInPlace: true });
  let onGap = () => {};
  // It asks for streams again as long as the connection lives; how rarely is decided in ownStream().
  const reconnection = {
    initialReconnectionDelay: 1_000,
    maxReconnectionDelay: 1_000,
    reconnectionDelayGrowFactor: 1,
    maxRetries: Infinity,
  };
  const transport = new StreamableHTTPClientTransport(new URL(config.url), {
    requestInit: { headers: { ...config.headers } },
    fetch: ownStream(exchanges, server, () => onGap()),
    reconnectionOptions: reconnection,
  });
  return {
    ...remoteSetup(exchanges, transport),
    beforeClose: () => {
      // It reads the number each time, and forgets all but one timer of streams that end with the session.
      reconnection.maxRetries = 0;
      return endSession(transport, server);
    },
    onGap: (tell) => void (onGap = tell),
  };
}

/** What the two remote transports have in common. */
function remoteSetup(
  exchanges: Exchanges,
  transport: { close(): Promise<void> },
): TransportSetup {
  const close = transport.close.bind(transport);
  transport.close = async () => {
    exchanges.close();
    await close();
  };
  return {
    // It has more members, and its messages have narrower types.
    transport: transport as unknown as ClientTransport,
    exchanges,
    explain: statusFailure,
  };
}

/** An error of the transports that carries an HTTP status. */
function statusFailure(error: unknown): McpFailure | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  const { code } = error;
  if (typeof code !== "number" || code < 300) return undefined;
  const { message } = error;
  return new McpFailure(message, { kind: "http", status: code, cause: error });
}

/** Tells the server that the session is over: a courtesy, so that a refusal is a warning. One that is gone needs not be told. */
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

/** The older SSE transport of the MCP SDK, loaded when it is first needed. */
export async function sseTransport(
  server: RemoteServer,
): Promise<TransportSetup> {
  const { name, config } = server;
  const { SSEClientTransport } = await (import(
    "@modelcontextprotocol/sdk/client/sse.js"
  ) as Promise<typeof import("@modelcontextprotocol/sdk/client/sse")>);
  const exchanges = new Exchanges(server, { answersInPlace: false });
  const transport = new SSEClientTransport(new URL(config.url), {
    requestInit: { headers: { ...config.headers } },
    fetch: exchanges.fetch,
  });
  const setup = remoteSetup(exchanges, transport);
  let cause: unknown;
  // The stream is the session: opened again it would be another one, and every answer on its way is lost.
  transport.onerror = (error) => {
    if (!("event" in error)) return;
    const text = `Stream of MCP server "${name}" broke: ${error.message}`;
    cause = new McpFailure(text, { kind: "network", cause: error });
    transport.close();
  };
  return { ...setup, causeOf: () => cause };
}

/** A stream that lived for so long was worth opening, in milliseconds. */
const WORTH_MS = 5_000;

/**
 * The stream on which a server says what nobody asked for.
 *
 * A server that never offered one is not asked again. One that was open is opened again with a growing wait, up to half
 * a minute, and what was said meanwhile is lost: that is told. When the session is lost, so is its stream.
 *
 * @param onGap Called when something may have been missed
 * @returns A `fetch` for the transport; whatever opens no stream of this kind goes straight on
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
    // The rest of an answer that nobody waits for.
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
          "MCP server cannot say what changed: its event stream is lost, and opened again as soon as it can be",
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
