import type { NodeTransport } from "@nats-io/transport-node/lib/node_transport.js";

type Client = typeof import("@nats-io/transport-node");
type Socket = NodeTransport["socket"];

/**
 * Makes connections of the client whose sockets never lose their last listener for errors.
 *
 * The client takes all listeners away when it gives a connection up; on Deno a read that failed just before is told a turn
 * later, and would end the program, such as at each password that is refused.
 *
 * @returns What to call after `connect()`, before anything else: it sets a factory of its own
 */
export async function heardSockets(client: Client): Promise<() => void> {
  // It is no documented part of the package: without it, nothing but that guard is missing.
  const inner = await import("@nats-io/transport-node/lib/node_transport.js")
    .catch(() => undefined);
  if (inner === undefined) return () => {};
  const { NodeTransport, nodeResolveHost } = inner;
  return () =>
    client.setTransportFactory({
      factory: () => heard(new NodeTransport()),
      dnsResolveFn: nodeResolveHost,
    });
}

function heard(transport: NodeTransport): NodeTransport {
  let socket: Socket | undefined;
  return Object.defineProperty(transport, "socket", {
    get: () => socket,
    set(next: Socket | undefined) {
      socket = next;
      if (next !== undefined) keepListener(next);
    },
  });
}

function keepListener(socket: Socket): void {
  const remove = socket.removeAllListeners.bind(socket);
  socket.removeAllListeners = (...event) => {
    remove(...event);
    return socket.on("error", () => {});
  };
}
