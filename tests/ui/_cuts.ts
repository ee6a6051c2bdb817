import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy in front of a web server, which a test can cut. */
export interface Cuts {
  /** Its address, without a slash at the end. */
  readonly url: string;
  /** Cuts all connections; new ones are accepted. */
  cut(): void;
  close(): Promise<void>;
}

/** Passes bytes on to a web server. */
export async function proxyOf(url: string): Promise<Cuts> {
  const { port } = new URL(url);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    return socket;
  };
  const server = createServer((near) => {
    const far = keep(connect(Number(port), "127.0.0.1"));
    keep(near).pipe(far).pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    for (const socket of [...sockets]) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    async close() {
      cut();
      await once(server.close(), "close");
    },
  };
}
