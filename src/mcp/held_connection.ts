import type { Deadlines } from "../async/deadline.ts";
import type {
  McpConnection,
  McpRequestOptions,
  McpServeHandler,
  McpServerInfo,
} from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { DirectCall, Questions } from "./call.ts";
import { closedFailure, timeoutFailure } from "./failure.ts";

/** A rejection passes so many promises at the most before it gets here. */
const HOPS = 10;

/** What a {@link HeldConnection} is made from. */
export interface HeldInit {
  /** Its name in the configuration. */
  readonly name: string;
  /** Where limits run. */
  readonly deadlines: Deadlines;
}

/** A connection of another make, under the name in the configuration and with limits that hold. */
export class HeldConnection implements McpConnection {
  readonly name: string;
  readonly #inner: McpConnection;
  readonly #deadlines: Deadlines;
  readonly #open = new Set<DirectCall>();
  readonly #questions = new Questions(() => this.#open);

  /** Takes the connection that does the work. */
  constructor(inner: McpConnection, { name, deadlines }: HeldInit) {
    this.name = name;
    this.#inner = inner;
    this.#deadlines = deadlines;
    inner.closed.then((cause) => this.#end(cause), (cause) => this.#end(cause));
  }

  get server(): McpServerInfo {
    return this.#inner.server;
  }

  get closed(): Promise<unknown> {
    return this.#inner.closed;
  }

  async request(
    method: string,
    params?: JsonObject,
    options: McpRequestOptions = {},
  ): Promise<JsonValue> {
    options.signal?.throwIfAborted();
    const { timeoutMs, onProgress } = options;
    const held = new DirectCall({
      source: options,
      deadlines: this.#deadlines,
      limitMs: timeoutMs,
      onLimit: () =>
        timeoutFailure(this.name, { method, ms: timeoutMs ?? Infinity }),
      onProgress,
    });
    this.#open.add(held);
    try {
      const answer = this.#inner.request(method, params, {
        ...options,
        signal: held.signal,
        ...(onProgress && { onProgress: (one) => held.onProgress(one) }),
      });
      const waiting = held.wait(answer);
      this.#questions.admit(held);
      return await waiting;
    } finally {
      this.#open.delete(held);
    }
  }

  notify(method: string, params?: JsonObject): Promise<void> {
    return this.#inner.notify(method, params);
  }

  listen(
    listener: (method: string, params?: JsonObject) => void,
  ): () => void {
    return this.#inner.listen(listener);
  }

  serve(handler: McpServeHandler): void {
    this.#inner.serve(this.#questions.resting(handler));
  }

  async close(): Promise<void> {
    try {
      await this.#inner.close();
    } finally {
      this.#end(undefined);
    }
  }

  /** Whoever still waits hears that the connection is gone; what it says of that by itself goes first. */
  async #end(cause: unknown): Promise<void> {
    for (let hop = 0; hop < HOPS; hop++) await undefined;
    const failure = closedFailure(this.name, { cause, delivery: "unknown" });
    for (const held of this.#open) held.end(failure);
  }
}
