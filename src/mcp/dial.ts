import { type Deadlines, settleWithin } from "../async/deadline.ts";
import { type JoinedSignal, joinSignals } from "../async/joined_signal.ts";
import { unlessAborted } from "../async/on_abort.ts";
import { systemClock } from "../async/system_clock.ts";
import { Scrubber } from "../errors/scrubber.ts";
import { show } from "../errors/text.ts";
import { safeLogger } from "../observe/log.ts";
import type {
  McpConnection,
  McpRequestOptions,
  McpServeHandler,
  McpServerInfo,
} from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { Dialer } from "../types/mcp.ts";
import { OpenCalls } from "./call.ts";
import { connectServer } from "./connect.ts";
import { closedFailure, timeoutFailure } from "./failure.ts";
import type { HubServer } from "./hub_config.ts";
import { scrubbed } from "./scrubbed_connection.ts";

/** Opens a connection to a server of a hub. */
export type Dial = (
  server: HubServer,
  signal: AbortSignal,
) => Promise<McpConnection>;

/** What dialling needs. */
interface DialInit {
  /** What is offered to the servers. */
  readonly capabilities: JsonObject;
  /** Where limits run. */
  readonly deadlines: Deadlines;
  /** Hears of what is strange. */
  readonly warn: (text: string) => void;
}

/** A dialer that does not end with its signal, or a call with its connection, is waited for no longer, in milliseconds. */
const CLEANUP_MS = 100;

/** Dials with what a user gave, or with what this package can reach. */
export function dialOf(dialer: Dialer | undefined, init: DialInit): Dial {
  if (dialer === undefined) return ownDial(init);
  const dial = foreignDial(dialer, init);
  return (server, signal) =>
    scrubbed(
      new Scrubber({ documents: [server.config] }),
      signal,
      () => dial(server, signal),
    );
}

function ownDial({ capabilities, deadlines, warn }: DialInit): Dial {
  const line = (text: string, fields?: unknown) =>
    warn(fields === undefined ? text : `${text}: ${show(fields)}`);
  const log = safeLogger({
    debug: () => {},
    info: () => {},
    warn: line,
    error: line,
  });
  return ({ name, config }, signal) =>
    connectServer(name, config, {
      signal,
      deadlines,
      clock: systemClock,
      log,
      capabilities,
    });
}

/** Holds a dialer to signals and limits, whether or not it keeps them itself. */
function foreignDial(
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

/** A connection of another make, under the name in the configuration and with limits that hold. */
class HeldConnection implements McpConnection {
  readonly name: string;
  readonly #inner: McpConnection;
  readonly #calls: OpenCalls;

  constructor(
    inner: McpConnection,
    { name, deadlines }: {
      readonly name: string;
      readonly deadlines: Deadlines;
    },
  ) {
    this.name = name;
    this.#inner = inner;
    this.#calls = new OpenCalls({ server: name, deadlines });
    inner.closed.then((cause) => this.#end(cause), (cause) => this.#end(cause));
  }

  get server(): McpServerInfo {
    return this.#inner.server;
  }

  get closed(): Promise<unknown> {
    return this.#inner.closed;
  }

  request(
    method: string,
    params?: JsonObject,
    options: McpRequestOptions = {},
  ): Promise<JsonValue> {
    return this.#calls.run(
      method,
      options,
      (call) =>
        this.#inner.request(method, params, {
          ...options,
          signal: call.signal,
          ...(options.onProgress && {
            onProgress: (one) => call.onProgress(one),
          }),
        }),
    );
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
    this.#inner.serve(this.#calls.resting(handler));
  }

  async close(): Promise<void> {
    try {
      await this.#inner.close();
    } finally {
      await this.#end(undefined);
    }
  }

  /** Whoever still waits hears that the connection is gone; what it says of that by itself goes first. */
  async #end(cause: unknown): Promise<void> {
    await settleWithin(this.#calls.settled(), CLEANUP_MS, systemClock);
    this.#calls.end(
      closedFailure(this.name, { cause, delivery: "unknown" }),
    );
  }
}
