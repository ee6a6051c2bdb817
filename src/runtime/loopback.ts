import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";

/** Answers a request; its signal aborts when the client is gone. */
export type LoopbackHandler = (
  request: Request,
) => Response | Promise<Response>;

/** An HTTP server that only this machine can reach. */
export interface Loopback {
  /** Its address, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Ends it with every connection that is open, and resolves when they are closed. */
  close(): Promise<void>;
}

const HOSTNAME = "127.0.0.1";

/**
 * Starts an HTTP server on 127.0.0.1 and a port of its own, or the one that is wanted; rejects when that is taken; bodies may be streams, in both directions.
 *
 * It is Node's on every runtime: Deno's own aborts the signal of a request that was answered well, and prints a warning about it.
 */
export async function serveLoopback(
  handler: LoopbackHandler,
  { port: wanted = 0 }: { readonly port?: number } = {},
): Promise<Loopback> {
  /** The answers that are not whole yet. */
  const open = new Set<AbortController>();
  const server = createServer((incoming, outgoing) => {
    const gone = new AbortController();
    open.add(gone);
    outgoing.once("close", () => {
      open.delete(gone);
      if (!outgoing.writableFinished) gone.abort();
    });
    answer(incoming, outgoing, handler, gone.signal)
      .catch(() => outgoing.destroy());
  });
  server.listen(wanted, HOSTNAME);
  await once(server, "listening");
  // It listens on a port and not on a pipe.
  const { port } = server.address() as AddressInfo;
  let closing: Promise<unknown> | undefined;
  return {
    url: `http://${HOSTNAME}:${port}`,
    port,
    async close() {
      if (closing === undefined) {
        closing = once(server, "close");
        server.close();
        server.closeAllConnections();
        // On Windows they hear of it later than the server.
        for (const gone of open) gone.abort();
      }
      await closing;
    },
  };
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handler: LoopbackHandler,
  gone: AbortSignal,
): Promise<void> {
  const { status, headers, body } = await respond(handler, incoming, gone);
  for (const [name, value] of headers) outgoing.appendHeader(name, value);
  outgoing.writeHead(status);
  if (body !== null) await send(body, outgoing, gone);
  outgoing.end();
}

async function respond(
  handler: LoopbackHandler,
  incoming: IncomingMessage,
  gone: AbortSignal,
): Promise<Response> {
  let request: Request;
  try {
    request = toRequest(incoming, gone);
  } catch {
    // Such as `//` as the path, or an invalid host.
    return new Response("This is no address", { status: 400 });
  }
  try {
    return await handler(request);
  } catch (error) {
    return new Response(String(error), { status: 500 });
  }
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", url = "/", rawHeaders } = incoming;
  const headers = new Headers();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    headers.append(rawHeaders[i] ?? "", rawHeaders[i + 1] ?? "");
  }
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(new URL(url, `http://${incoming.headers.host}`), {
    method,
    headers,
    signal,
    ...(hasBody && {
      // The types of `node:stream/web` are not those of the web, the streams are.
      body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>,
      duplex: "half",
    }),
  });
}

async function send(
  body: ReadableStream<Uint8Array>,
  outgoing: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  const reader = body.getReader();
  const cancel = () => void reader.cancel(gone.reason).catch(() => {});
  if (gone.aborted) cancel();
  else gone.addEventListener("abort", cancel, { once: true });
  // The head must not wait for the first byte of a slow body.
  outgoing.flushHeaders();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    if (!outgoing.write(value)) await drained(outgoing, gone);
  }
}

async function drained(
  outgoing: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  try {
    await once(outgoing, "drain", { signal: gone });
  } catch {
    // The client is gone, and the reader has been cancelled.
  }
}
