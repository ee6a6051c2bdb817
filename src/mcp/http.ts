import type { Log } from "../observe/log.ts";
import type { FullClock } from "../ports/clock.ts";
import { sentOnce } from "../runtime/host.ts";
import type { JsonObject } from "../types/json.ts";
import type { McpRemoteConfig } from "../types/mcp.ts";
import { EventParser, type ServerEvent } from "./event_stream.ts";
import { McpFailure, reasonOf, wasNotSent } from "./failure.ts";
import { LONGEST_MESSAGE_BYTES } from "./jsonrpc.ts";

/** A server that is reached by HTTP. */
export interface RemoteServer {
  readonly name: string;
  readonly config: McpRemoteConfig;
  readonly clock: FullClock;
  readonly log: Log;
}

/**
 * The HTTP exchanges of one connection.
 *
 * Each has an `AbortController` of its own, since Node warns when many requests hang on one signal.
 */
export class Exchanges {
  readonly #server: RemoteServer;
  readonly #headers: Headers;
  readonly #open = new Set<AbortController>();
  readonly #closing = new AbortController();

  constructor(server: RemoteServer) {
    this.#server = server;
    this.#headers = new Headers({ ...server.config.headers });
  }

  /** Aborted when they are closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Ends all that are open; none can be opened after it. */
  close(): void {
    const reason = new DOMException("Connection is closed", "AbortError");
    this.#closing.abort(reason);
    for (const controller of this.#open) controller.abort(reason);
  }

  /** Runs one exchange, from its request until the end of its answer; a network error becomes an `McpFailure`. */
  async run<T>(
    work: (signal: AbortSignal) => Promise<T>,
    controller: AbortController = new AbortController(),
  ): Promise<T> {
    this.closing.throwIfAborted();
    this.#open.add(controller);
    const { signal } = controller;
    try {
      return await work(signal);
    } catch (cause) {
      if (signal.aborted || cause instanceof McpFailure) throw cause;
      const { name } = this.#server;
      const text = `Request to MCP server "${name}" failed: ${reasonOf(cause)}`;
      const delivery = wasNotSent(cause) ? "not_sent" : "unknown";
      throw new McpFailure(text, { kind: "network", delivery, cause });
    } finally {
      this.#open.delete(controller);
    }
  }

  /** Sends a request; follows redirects within its origin alone, since headers hold secrets. */
  async send(
    signal: AbortSignal,
    url: URL,
    method: string,
    given: Readonly<Record<string, string | undefined>>,
    message?: JsonObject,
  ): Promise<Response> {
    const { fetch: request = fetch } = this.#server.config;
    const headers = new Headers(this.#headers);
    for (const [name, value] of Object.entries(given)) {
      if (value !== undefined) headers.set(name, value);
    }
    // A fetch of the user ends in that of the runtime.
    const body = message && { body: sentOnce(JSON.stringify(message)) };
    const init = { method, headers, ...body, signal } as const;
    for (let at = url, hops = 0;; hops++) {
      const response = await request(at, { ...init, redirect: "manual" });
      const target = redirectOf(response, at);
      if (target === undefined) return response;
      await response.body?.cancel();
      const { status } = response;
      const keepsMethod = method === "GET" || status === 307 || status === 308;
      if (!keepsMethod || hops === MOST_HOPS || !isSameOrigin(at, target)) {
        const { origin, pathname } = target;
        const text = `Redirect to ${origin}${pathname} not followed`;
        throw new McpFailure(text, { kind: "http", status });
      }
      at = target;
    }
  }
}

const MOST_HOPS = 5;

function redirectOf(
  { status, headers }: Response,
  from: URL,
): URL | undefined {
  const location = headers.get("location");
  const isRedirect = [301, 302, 303, 307, 308].includes(status);
  if (!isRedirect || !location) return undefined;
  return URL.canParse(location, from.href)
    ? new URL(location, from)
    : undefined;
}

/** The same host by HTTPS on the usual ports counts as the same origin. */
function isSameOrigin(from: URL, to: URL): boolean {
  if (to.username || to.password) return false;
  const isUpgrade = from.protocol === "http:" && to.protocol === "https:" &&
    from.host === to.host && from.port === "" && to.port === "";
  return from.origin === to.origin || isUpgrade;
}

/** Whether events can be read from a response. */
export function isEventStream(response: Response): boolean {
  return response.status < 300 &&
    contentType(response).startsWith("text/event-stream");
}

function contentType({ headers }: Response): string {
  return headers.get("content-type")?.toLowerCase() ?? "";
}

/** Calls back with each event of an event stream until it ends. */
export async function readEvents(
  signal: AbortSignal,
  { body }: Response,
  onEvent: (event: ServerEvent) => void,
): Promise<void> {
  const parser = new EventParser(LONGEST_MESSAGE_BYTES);
  for await (const chunk of chunksOf(body, signal)) {
    for (const event of parser.push(chunk)) onEvent(event);
  }
}

/** The text of an answer, and whether that is all of it. */
export async function readText(
  signal: AbortSignal,
  { body }: Response,
  mostBytes: number = LONGEST_MESSAGE_BYTES,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of chunksOf(body, signal)) {
    bytes += chunk.length;
    if (bytes > mostBytes) return { text, isWhole: false };
    text += decoder.decode(chunk, { stream: true });
  }
  return { text: text + decoder.decode(), isWhole: true };
}

/** The bytes of a body; gives its connection back, however reading ends. */
async function* chunksOf(
  body: ReadableStream<Uint8Array> | null,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  // A body may outlive the signal of its request.
  const cancel = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", cancel);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}
/** The messages in a text: one, a list as older revisions have it, or none where it is not JSON. */
export function messagesIn(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [value];
  } catch {
    return [];
  }
}
