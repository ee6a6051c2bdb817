import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";

/** An HTTP server on 127.0.0.1. */
export interface LoopbackServer {
  /** Its address, without a slash at the end. */
  readonly url: string;
  /** Its port. */
  readonly port: number;
  /** Ends open connections and stops listening. */
  close(): Promise<void>;
}

/** Answers one request; the request's signal is aborted when the client goes away. */
export type LoopbackHandler = (
  request: Request,
) => Response | Promise<Response>;

/** Serves HTTP on a free port of 127.0.0.1, through `node:http` on every runtime; responses may stream. */
export async function serveLoopback(
  handler: LoopbackHandler,
): Promise<LoopbackServer> {
  const server = createServer((incoming, outgoing) => {
    answer(handler, incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  // It listens on a port, not on a pipe.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  handler: LoopbackHandler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort());
  const response = await handler(await toRequest(incoming, gone.signal));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) {
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  const reader = response.body.getReader();
  gone.signal.addEventListener("abort", () => {
    reader.cancel().catch(() => {});
  });
  for (;;) {
    const { done, value } = await reader.read();
    if (done || gone.signal.aborted) break;
    outgoing.write(value);
  }
  outgoing.end();
}

async function toRequest(
  incoming: IncomingMessage,
  signal: AbortSignal,
): Promise<Request> {
  const { method = "GET", url = "/", headers } = incoming;
  const hasBody = method !== "GET" && method !== "HEAD";
  const chunks: Uint8Array[] = [];
  if (hasBody) {
    for await (const chunk of Readable.from(incoming)) chunks.push(chunk);
  }
  return new Request(new URL(url, `http://${headers.host ?? "127.0.0.1"}`), {
    method,
    signal,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value] as [string, string]] : []
    ),
    ...hasBody && { body: new Blob(chunks as BlobPart[]) },
  });
}
