import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A way to a server that can be cut. */
export interface Proxy {
  readonly url: string;
  /** Forwards nothing more, in both directions, and keeps every connection open; what comes meanwhile is forwarded once it is mended. */
  cut(isCut: boolean): void;
  close(): Promise<void>;
}

/** Forwards connections on loopback to a port. */
export async function proxyTo(port: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const forward = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on("data", (bytes: Uint8Array) => to.write(bytes));
    from.on("error", () => {});
    from.on("close", () => {
      sockets.delete(from);
      to.destroy();
    });
    if (isCut) from.pause();
  };
  const server = createServer((here) => {
    const there = connect(port, "127.0.0.1");
    forward(here, there);
    forward(there, here);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const own = typeof address === "object" ? address?.port : 0;
  return {
    url: `nats://127.0.0.1:${own}`,
    cut(next) {
      isCut = next;
      for (const socket of sockets) {
        if (next) socket.pause();
        else socket.resume();
      }
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
