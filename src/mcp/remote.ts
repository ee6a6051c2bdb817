import { settleWithin } from "../async/deadline.ts";
import { Exchanges, type RemoteServer } from "./exchanges.ts";
import { McpFailure } from "./failure.ts";
import type { Transport } from "./transport.ts";

/** Ending a session is a courtesy; it is not waited for longer, and a refusal changes nothing. */
const GOODBYE_MS = 2_000;

/** The Streamable HTTP transport of the MCP SDK, loaded when it is first needed. */
export async function httpTransport(server: RemoteServer): Promise<Transport> {
  const { StreamableHTTPClientTransport } = await (import(
    "@modelcontextprotocol/sdk/client/streamableHttp.js"
  ) as Promise<
    typeof import("@modelcontextprotocol/sdk/client/streamableHttp")
  >);
  const { clock, config } = server;
  const exchanges = new Exchanges(server, { answersInPlace: true });
  // A stream that is lost is asked for as long as the connection lives.
  const reconnectionOptions = {
    initialReconnectionDelay: 1_000,
    maxReconnectionDelay: 30_000,
    reconnectionDelayGrowFactor: 2,
    maxRetries: Infinity,
  };
  const transport = new StreamableHTTPClientTransport(new URL(config.url), {
    requestInit: { headers: { ...config.headers } },
    fetch: exchanges.fetch,
    reconnectionOptions,
  });
  return remoteTransport(exchanges, transport, async () => {
    // It reads the number each time, and forgets all but one timer of streams that end with the session.
    reconnectionOptions.maxRetries = 0;
    const ended = transport.terminateSession().catch(() => {});
    await settleWithin(ended, GOODBYE_MS, clock);
  });
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
  // The stream is the session: opened again it would be another one, and every answer on its way is lost.
  transport.onerror = (error) => {
    if (!("event" in error)) return;
    const text = `Stream of MCP server "${name}" broke: ${error.message}`;
    exchanges.events?.end(
      new McpFailure(text, { kind: "network", cause: error }),
    );
    void remote.close();
  };
  return remote;
}

/** The members of both transports of the MCP SDK that send; what comes is read from the exchanges. */
interface SdkTransport {
  start(): Promise<void>;
  // deno-lint-ignore no-explicit-any -- their type of messages is narrower
  send(message: any): Promise<void>;
  close(): Promise<void>;
  setProtocolVersion?(version: string): void;
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
    async start(events) {
      exchanges.events = events;
      sdk.onclose = () => events.end();
      await sdk.start();
    },
    async send(message) {
      await sdk.send(message);
      await exchanges.readAnswer(Number(message.id));
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
