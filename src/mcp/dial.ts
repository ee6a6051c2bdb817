import type { Deadlines } from "../async/deadline.ts";
import { type JoinedSignal, joinSignals } from "../async/joined_signal.ts";
import { settleWithin } from "../async/settle_within.ts";
import { systemClock } from "../async/system_clock.ts";
import { unlessAborted } from "../async/unless_aborted.ts";
import type { Log } from "../observe/log.ts";
import type {
  McpConnection,
  McpRequestOptions,
  McpServeHandler,
  McpServerInfo,
} from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { Dialer } from "../types/mcp.ts";
import { connectServer } from "./connect.ts";
import { DirectCall } from "./direct_call.ts";
import { closedFailure, timeoutFailure } from "./failure.ts";
import type { HubServer } from "./hub_config.ts";

/** A rejection passes so many promises at the most before it gets here. */
const HOPS = 10;

/** Opens a connection to a server of a hub. */
export type Dial = (
  server: HubServer,
  signal: AbortSignal,
) => Promise<McpConnection>;

/** What dialling needs. */
export interface DialInit {
  /** What is offered to the servers. */
  readonly capabilities: JsonObject;
  /** Where limits run. */
  readonly deadlines: Deadlines;
  /** Hears of what is worth knowing. */
  readonly log: Log;
}

/** A dialer that does not end with its signal is waited for no longer, in milliseconds. */
const CLEANUP_MS = 100;

/** Dials with what this package can reach. */
export function ownDial({ capabilities, deadlines, log }: DialInit): Dial {
  return ({ name, config }, signal) =>
    connectServer(name, config, {
      signal,
      deadlines,
      clock: systemClock,
      log,
      capabilities,
    });
}

/** Dials with what a user gave; holds it to signals and limits, whether or not it keeps them itself. */
export function foreignDial(
  dialer: Dialer,
  { capabilities, deadlines }: DialInit,
): Dial {
  return async (server, signal) => {
    const { name, config, connectMs } = server;
    const late = new AbortController();
    const limit = deadlines.add(
      connectMs,
      () =>
        late.abort(
          timeoutFailure(name, { method: "initialize", ms: connectMs }),
        ),
    );
    const ended: JoinedSignal = joinSignals(signal, late.signal);
    const dialling = call(() => dialer(config, ended.signal, { capabilities }));
    try {
      const connection = await unlessAborted(dialling, ended.signal);
      return new HeldConnection(connection, { name, deadlines });
    } catch (error) {
      if (!ended.signal.aborted) throw error;
      const own = await giveUp(dialling);
      // One that failed by itself in the meantime was not merely ended.
      throw late.signal.aborted || own === undefined ? error : own;
    } finally {
      limit.cancel();
      ended.release();
    }
  };
}

/** A throw is a rejection. */
async function call<T>(work: () => Promise<T>): Promise<T> {
  return await work();
}

/** What comes too late is closed; gives the error of a dialler that has one. */
async function giveUp(dialling: Promise<McpConnection>): Promise<unknown> {
  const ended = dialling.then(
    (connection) => connection.close().catch(() => {}),
    (error) => error,
  );
  return await settleWithin<unknown>(ended, CLEANUP_MS, systemClock);
}

interface HeldInit {
  readonly name: string;
  readonly deadlines: Deadlines;
}

/** A connection of another make, under the name in the configuration and with limits that hold. */
class HeldConnection implements McpConnection {
  readonly name: string;
  readonly #inner: McpConnection;
  readonly #deadlines: Deadlines;
  readonly #open = new Set<DirectCall>();

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
      return await held.wait(answer);
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
    this.#inner.serve(handler);
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
