import { serve as serveNode } from "@hono/node-server";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** A web server of this runtime, on loopback. */
export interface WebServer {
  /** Its address, without a slash at the end. */
  readonly url: string;
  /** Ends it with all connections. */
  close(): Promise<void>;
}

type Handler = (request: Request) => Response | Promise<Response>;

interface Runtimes {
  readonly Deno?: {
    serve(
      options: {
        port: number;
        hostname: string;
        signal: AbortSignal;
        onListen(): void;
      },
      handler: Handler,
    ): {
      readonly addr: { readonly port: number };
      readonly finished: Promise<void>;
    };
  };
  readonly Bun?: {
    serve(
      options: {
        port: number;
        hostname: string;
        idleTimeout: number;
        fetch: Handler;
      },
    ): { readonly port: number; stop(isNow: boolean): Promise<void> };
  };
}

/** Serves requests as programs do on this runtime: `Deno.serve`, `Bun.serve`, or the adapter of Hono on Node. */
export async function serveWeb(handler: Handler): Promise<WebServer> {
  const { Deno, Bun } = globalThis as Runtimes;
  const hostname = "127.0.0.1";
  if (Deno !== undefined) {
    const stop = new AbortController();
    const { addr, finished } = Deno.serve(
      { port: 0, hostname, signal: stop.signal, onListen() {} },
      handler,
    );
    return {
      url: `http://${hostname}:${addr.port}`,
      async close() {
        stop.abort();
        await finished;
      },
    };
  }
  if (Bun !== undefined) {
    const server = Bun.serve({
      port: 0,
      hostname,
      idleTimeout: 0,
      fetch: handler,
    });
    return {
      url: `http://${hostname}:${server.port}`,
      close: () => server.stop(true),
    };
  }
  const server = serveNode({ fetch: handler, port: 0, hostname });
  await once(server, "listening");
  return {
    url: `http://${hostname}:${(server.address() as AddressInfo).port}`,
    async close() {
      if ("closeAllConnections" in server) server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
}
