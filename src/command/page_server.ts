import { textOfError } from "../errors/text.ts";
import { type LoopbackHandler, serveLoopback } from "../runtime/loopback.ts";
import { UsageError } from "./command_line.ts";
import type { Page } from "./html_page.ts";

/** Handlers by path below the token, each by its method. */
export type Routes = Readonly<
  Record<string, Readonly<Record<string, LoopbackHandler>>>
>;

/** Pages that this machine alone can reach. */
export interface PageServer {
  /** Address of the first page: it holds the token. */
  readonly address: string;
  close(): Promise<void>;
}

const HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Names of this machine; a page of another site may have a name that leads here. */
const OWN_NAMES: readonly string[] = ["127.0.0.1", "localhost"];

/**
 * Serves pages to holders of a token, under this machine's own names, and to pages of its own origin alone.
 *
 * @throws {UsageError} If the port cannot be listened on
 */
export async function servePages(
  routes: Routes,
  port: number,
): Promise<PageServer> {
  const token = crypto.randomUUID();
  const server = await serveLoopback(answer, { port }).catch((error) => {
    const text = textOfError(error);
    throw new UsageError(
      `Cannot listen on port ${port}: ${text}; leave --port out for one that is free`,
    );
  });
  return { address: `${server.url}/${token}/`, close: server.close };

  async function answer(request: Request): Promise<Response> {
    const { hostname, origin: own, pathname } = new URL(request.url);
    const origin = request.headers.get("origin");
    if (!OWN_NAMES.includes(hostname) || origin !== null && origin !== own) {
      return answerOf("This is for this machine alone", 403);
    }
    const [, given, path, ...rest] = pathname.split("/");
    const isPath = given === token && path !== undefined && rest.length === 0;
    const methods = isPath ? routeOf(path) : undefined;
    if (methods === undefined) return answerOf("There is nothing here", 404);
    const handler = Object.hasOwn(methods, request.method)
      ? methods[request.method]
      : undefined;
    if (handler === undefined) {
      const allow = Object.keys(methods).join(", ");
      return answerOf(`This takes ${allow}`, 405, { allow });
    }
    // Browsers name the origin of every request that changes something.
    if (request.method !== "GET" && origin === null) {
      return answerOf("This is for pages of this server alone", 403);
    }
    return await handler(request);
  }

  function routeOf(path: string): Routes[string] | undefined {
    return Object.hasOwn(routes, path) ? routes[path] : undefined;
  }
}

/** An answer with the headers that every answer of such a server has. */
export function answerOf(
  body: BodyInit | null,
  status: number = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(body, { status, headers: { ...HEADERS, ...headers } });
}

export function pageAnswer({ html, policy }: Page): Response {
  return answerOf(html, 200, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `${policy}; frame-ancestors 'none'`,
  });
}

/** Server-sent events. */
export function eventsAnswer(body: ReadableStream<Uint8Array>): Response {
  return answerOf(body, 200, { "content-type": "text/event-stream" });
}
