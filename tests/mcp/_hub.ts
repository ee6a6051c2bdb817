import {
  type Dialer,
  type HubOptions,
  JsonRpcError,
  McpFailure,
  McpHub,
} from "@sluice/agent/mcp";
import type {
  JsonObject,
  JsonValue,
  McpConnection,
  McpRequestOptions,
  McpServeHandler,
  McpStdioConfig,
} from "@sluice/agent";

/** Answers one method; a throw is an error. */
export type Answer = (
  params: JsonObject,
  options: McpRequestOptions,
) => JsonValue | Promise<JsonValue>;

/** A request as a server got it. */
export interface Asked {
  readonly method: string;
  readonly params: JsonObject;
}

/** A tool as a server lists it. */
export function listed(name: string, more: JsonObject = {}): JsonObject {
  return {
    name,
    description: `Does ${name}`,
    inputSchema: { type: "object" },
    ...more,
  };
}

/** A text as the answer of a tool. */
export function text(value: string): JsonObject {
  return { content: [{ type: "text", text: value }] };
}

/** Never settles by itself; rejects when the request is taken back. */
export function hang(
  _params: JsonObject,
  { signal }: McpRequestOptions,
): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason));
  });
}

/** A server in this program, reached through a dialer: what it answers can be set, method by method. */
export class MemoryServer {
  /** Its tools. */
  tools: readonly JsonObject[];
  /** Replaces the answers to these methods. */
  readonly answers: Record<string, Answer> = {};
  /** Its requests, without lists. */
  readonly asked: Asked[] = [];
  /** Every connection to it, in order. */
  readonly connections: MemoryConnection[] = [];
  /** Its announced capabilities. */
  capabilities: JsonObject = { tools: { listChanged: true } };
  /** Number of attempts to connect. */
  dials = 0;
  /** Done before it accepts a connection; a throw refuses it. */
  onDial: (signal: AbortSignal) => void | Promise<void> = () => {};

  constructor(...tools: readonly (string | JsonObject)[]) {
    this.tools = tools.map((one) =>
      typeof one === "string" ? listed(one) : one
    );
  }

  /** How many connections are open. */
  get open(): number {
    return this.connections.filter(({ isOpen }) => isOpen).length;
  }

  /** How often a method was asked. */
  count(method: string): number {
    return this.asked.filter((one) => one.method === method).length;
  }

  async connect(name: string, signal: AbortSignal): Promise<McpConnection> {
    this.dials++;
    await this.onDial(signal);
    const connection = new MemoryConnection(name, this);
    this.connections.push(connection);
    return connection;
  }

  /** Sends a notification to each connection. */
  say(method: string, params?: JsonObject): void {
    for (const connection of this.connections) connection.hear(method, params);
  }

  /** Every connection breaks. */
  die(cause: Error = new Error("it died")): void {
    for (const connection of this.connections) connection.break(cause);
  }

  async answer(
    method: string,
    params: JsonObject,
    options: McpRequestOptions,
  ): Promise<JsonValue> {
    this.asked.push({ method, params });
    const own = this.answers[method];
    if (own !== undefined) return await own(params, options);
    if (method === "tools/list") return { tools: this.tools };
    if (method === "tools/call") return text(`${params.name} was called`);
    throw new JsonRpcError(-32601, "Method not found");
  }
}

/** One connection to a {@link MemoryServer}. */
export class MemoryConnection implements McpConnection {
  readonly name: string;
  readonly closed: Promise<unknown>;
  readonly sessionLost: Promise<unknown>;
  /** The server no longer knows the session. */
  loseSession: (cause: unknown) => void = () => {};
  isOpen = true;
  /** How often it was closed. */
  closings = 0;
  /** Called by `close()`; a throw is a failure. */
  onClose: () => void | Promise<void> = () => {};
  questions: McpServeHandler | undefined;
  readonly #server: MemoryServer;
  readonly #listeners = new Set<
    (method: string, params?: JsonObject) => void
  >();
  readonly #pending = new Set<(error: unknown) => void>();
  #resolveClosed: (cause: unknown) => void = () => {};

  constructor(name: string, server: MemoryServer) {
    this.name = name;
    this.#server = server;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.sessionLost = new Promise((resolve) => {
      this.loseSession = resolve;
    });
  }

  get server(): McpConnection["server"] {
    return {
      name: "memory",
      version: "1",
      capabilities: this.#server.capabilities,
      protocolVersion: "2025-11-25",
    };
  }

  request(
    method: string,
    params: JsonObject = {},
    options: McpRequestOptions = {},
  ): Promise<JsonValue> {
    return new Promise((resolve, reject) => {
      if (!this.isOpen) {
        const init = { kind: "closed", delivery: "not_sent" } as const;
        return reject(new McpFailure("Not connected", init));
      }
      this.#pending.add(reject);
      this.#server.answer(method, params, options).then(resolve, reject)
        .finally(() => this.#pending.delete(reject));
    });
  }

  notify(): Promise<void> {
    return Promise.resolve();
  }

  listen(
    listener: (method: string, params?: JsonObject) => void,
  ): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  serve(handler: McpServeHandler): void {
    this.questions = handler;
  }

  hear(method: string, params?: JsonObject): void {
    for (const listener of this.#listeners) listener(method, params);
  }

  break(cause: unknown): void {
    this.isOpen = false;
    for (const reject of this.#pending) {
      reject(new McpFailure("Connection closed", { kind: "closed", cause }));
    }
    this.#resolveClosed(cause);
  }

  async close(): Promise<void> {
    this.closings++;
    this.break(undefined);
    await this.onClose();
  }
}

/** Servers by name, and everything a test wants to see of their hub. */
export interface MemoryHub {
  readonly hub: McpHub;
  readonly warnings: readonly string[];
}

/** A configuration that is never started: a dialer reaches the server. */
export const UNUSED: McpStdioConfig = { command: "unused" };

/** Reaches servers by their names. */
export function memoryDialer(
  servers: Readonly<Record<string, MemoryServer>>,
): Dialer {
  return async ({ name = "" }, signal) => {
    const server = servers[name];
    if (server === undefined) throw new Error(`No server ${name}`);
    return await server.connect(name, signal);
  };
}

/** A hub over servers in memory. */
export function memoryHub(
  servers: Readonly<Record<string, MemoryServer>>,
  options: HubOptions = {},
): MemoryHub {
  const warnings: string[] = [];
  const configs = Object.keys(servers).map((name) => ({ ...UNUSED, name }));
  const hub = new McpHub(configs, {
    connect: memoryDialer(servers),
    onWarning: (warning) => warnings.push(warning),
    ...options,
  });
  return { hub, warnings };
}

/** Runs with a connected hub over servers in memory, which is closed afterwards. */
export async function withHub(
  servers: Readonly<Record<string, MemoryServer>>,
  run: (hub: McpHub, warnings: readonly string[]) => void | Promise<void>,
  options: HubOptions = {},
): Promise<void> {
  const { hub, warnings } = memoryHub(servers, options);
  try {
    await hub.connect();
    await run(hub, warnings);
  } finally {
    await hub.close();
  }
}

/** A clock whose sleeps end at once and are written down. */
export class InstantClock {
  readonly sleeps: number[] = [];
  now(): number {
    return Date.now();
  }
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.sleeps.push(ms);
    return signal?.aborted ? Promise.reject(signal.reason) : Promise.resolve();
  }
}

/** Lets everything that is ready continue. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Waits until something is so; the limit of the test is the limit. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
}
