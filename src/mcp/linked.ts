import type { ForeignMcpServer } from "../types/mcp.ts";
import type { ClientTransport, TransportSetup } from "./handshake.ts";

/** Connects a server object of the MCP SDK; it stays the caller's, and can be connected again after the close. */
export function linkedTransport(
  instance: ForeignMcpServer,
): TransportSetup {
  const [ours, theirs] = linkedPair();
  const start = ours.start;
  ours.start = async () => {
    await instance.connect(theirs);
    await start();
  };
  return { transport: ours };
}

/** Two transports, each of which gets what the other sends. */
function linkedPair(): readonly [ClientTransport, ClientTransport] {
  const first: ClientTransport = linkedTo(() => second);
  const second = linkedTo(() => first);
  return [first, second];
}

function linkedTo(peer: () => ClientTransport): ClientTransport {
  let isClosed = false;
  const transport: ClientTransport = {
    start: () => Promise.resolve(),
    send(message) {
      if (isClosed) return Promise.reject(new Error("Not connected"));
      peer().onmessage?.(message);
      return Promise.resolve();
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      transport.onclose?.();
      await peer().close();
    },
  };
  return transport;
}
