import { Exchanges } from "./exchanges.ts";
import { McpFailure } from "./failure.ts";
import { copyHeaders } from "./network.ts";
import { type RemoteInit, remoteSetup } from "./http.ts";
import type { ClientTransport, TransportSetup } from "./handshake.ts";

/** The older SSE transport of the MCP SDK, loaded when it is first needed. */
export async function sseTransport(
  { name, config, clock }: RemoteInit,
): Promise<TransportSetup> {
  const { SSEClientTransport } = await (import(
    "@modelcontextprotocol/sdk/client/sse.js"
  ) as Promise<typeof import("@modelcontextprotocol/sdk/client/sse")>);
  const exchanges = new Exchanges({ name, fetch: config.fetch, clock });
  const transport = new SSEClientTransport(new URL(config.url), {
    requestInit: { headers: copyHeaders(name, config.headers) },
    fetch: exchanges.fetch,
  });
  const setup = remoteSetup(exchanges, transport);
  let cause: unknown;
  // The stream is the session: opened again it would be another one, and every answer on its way is lost.
  transport.onerror = (error) => {
    if (!("event" in error)) return;
    cause = new McpFailure(
      `Stream of MCP server "${name}" broke: ${error.message}`,
      {
        kind: "network",
        cause: error,
      },
    );
    transport.close();
  };
  return {
    // It has more members, and its messages have narrower types.
    transport: transport as unknown as ClientTransport,
    causeOf: () => cause,
    ...setup,
  };
}
