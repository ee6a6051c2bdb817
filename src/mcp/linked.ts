import type { JsonObject } from "../types/json.ts";
import type { ForeignMcpServer } from "../types/mcp.ts";
import type { ClientTransport, TransportSetup } from "./handshake.ts";

/** Connects a server object of the MCP SDK; it stays the caller's, and can be connected again after the close. */
export function linkedTransport(
  instance: ForeignMcpServer,
): TransportSetup {
  const [ours, theirs] = linkedPair();
  const start = ours.start.bind(ours);
  ours.start = async () => {
    await instance.connect(theirs);
    await start();
  };
  return { transport: ours };
}

/** Two transports, each of which hears what the other sends. */
function linkedPair(): readonly [ClientTransport, ClientTransport] {
  const first = new LinkedTransport();
  const second = new LinkedTransport(first);
  return [first, second];
}

class LinkedTransport implements ClientTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JsonObject) => void;
  #peer: LinkedTransport | undefined;
  #isClosed = false;

  constructor(peer?: LinkedTransport) {
    this.#peer = peer;
    if (peer !== undefined) peer.#peer = this;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  send(message: JsonObject): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error("Not connected"));
    this.#peer?.onmessage?.(message);
    return Promise.resolve();
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = true;
    this.onclose?.();
    return this.#peer?.close() ?? Promise.resolve();
  }
}
