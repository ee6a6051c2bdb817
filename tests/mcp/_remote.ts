import { type Loopback, serveLoopback } from "../../src/runtime/loopback.ts";
import type { JsonObject } from "@sluice/agent";

/** One HTTP request as it came. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  /** The JSON-RPC message in it. */
  readonly message: JsonObject | undefined;
}

/** Replaces a fixture's own answer to a request. */
export type Override = (seen: Seen) => Response | Promise<Response> | undefined;

/** A remote MCP server of the tests, programmable request by request. */
export class RemoteFixture {
  readonly seen: Seen[] = [];
  /** Looks at each request first. */
  override: Override | undefined;
  /** The session that its answers name, if any. */
  sessionId: string | undefined = "session-1";
  #server: Loopback | undefined;
  readonly #streams = new Set<ReadableStreamDefaultController<Uint8Array>>();

  static async start(override?: Override): Promise<RemoteFixture> {
    const fixture = new RemoteFixture();
    fixture.override = override;
    fixture.#server = await serveLoopback((request) =>
      fixture.#answer(request)
    );
    return fixture;
  }

  get url(): string {
    return `${this.#server?.url}/mcp`;
  }

  /** Requests that hold a message of this method. */
  calls(method: string): readonly Seen[] {
    return this.seen.filter(({ message }) => message?.method === method);
  }

  /** Sends a message on every open event stream. */
  push(message: JsonObject): void {
    for (const stream of this.#streams) {
      stream.enqueue(event({ jsonrpc: "2.0", ...message }));
    }
  }

  /** Breaks every open event stream. */
  breakStreams(): void {
    for (const stream of this.#streams) stream.error(new Error("cut"));
    this.#streams.clear();
  }

  /** How many event streams are open. */
  get openStreams(): number {
    return this.#streams.size;
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  /** A response that is an event stream: these chunks, then open until it is cut or left. */
  stream(...chunks: readonly Uint8Array[]): Response {
    let own: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        own = controller;
        this.#streams.add(controller);
        for (const chunk of chunks) controller.enqueue(chunk);
      },
      cancel: () => {
        this.#streams.delete(own);
      },
    });
    return new Response(body, {
      headers: { "content-type": "text/event-stream" },
    });
  }

  async #answer(request: Request): Promise<Response> {
    const text = await request.text();
    const seen: Seen = {
      method: request.method,
      path: new URL(request.url).pathname,
      headers: request.headers,
      message: text === "" ? undefined : JSON.parse(text),
    };
    this.seen.push(seen);
    return await this.override?.(seen) ?? this.#serve(seen);
  }

  #serve({ method, message }: Seen): Response {
    if (method === "DELETE") return new Response(null, { status: 204 });
    if (method === "GET") return this.stream();
    if (message === undefined || message.id === undefined) {
      return new Response(null, { status: 202 });
    }
    const { sessionId } = this;
    return Response.json(answerTo(message), {
      headers: sessionId === undefined ? {} : { "mcp-session-id": sessionId },
    });
  }
}

/** The plain answer to a request. */
export function answerTo({ id, method, params }: JsonObject): JsonObject {
  const { protocolVersion } = (params ?? {}) as JsonObject;
  const results: Readonly<Record<string, JsonObject>> = {
    initialize: {
      protocolVersion: protocolVersion ?? null,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: "remote", version: "1" },
    },
    "tools/list": {
      tools: [{ name: "echo", inputSchema: { type: "object" } }],
    },
    "tools/call": { content: [{ type: "text", text: JSON.stringify(params) }] },
    ping: {},
  };
  const result = results[String(method)];
  return {
    jsonrpc: "2.0",
    id: id ?? null,
    ...(result === undefined
      ? { error: { code: -32601, message: "Method not found" } }
      : { result }),
  };
}

/** One server-sent event. */
export function event(message: JsonObject, id?: string): Uint8Array {
  const start = id === undefined ? "" : `id: ${id}\n`;
  return new TextEncoder().encode(
    `${start}data: ${JSON.stringify(message)}\n\n`,
  );
}

/** A server that speaks only the older SSE transport; what it answers goes out on its stream. */
export async function startSseFixture(): Promise<RemoteFixture> {
  const fixture = await RemoteFixture.start(({ method, path, message }) => {
    if (method === "GET") {
      const start = "event: endpoint\ndata: /messages\n\n";
      return fixture.stream(new TextEncoder().encode(start));
    }
    if (path !== "/messages" || message === undefined) {
      return new Response("Cannot POST", { status: 404 });
    }
    if (message.id !== undefined && message.method !== "silent") {
      fixture.push(answerTo(message));
    }
    return new Response("Accepted", { status: 202 });
  });
  return fixture;
}
