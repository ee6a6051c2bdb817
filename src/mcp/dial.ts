import {
  type Deadlines,
  settleWithin,
  withTimeout,
} from "../async/deadline.ts";
import { systemClock } from "../async/system_clock.ts";
import { Scrubber } from "../errors/scrubber.ts";
import { show } from "../errors/text.ts";
import { safeLogger } from "../observe/log.ts";
import type { McpConnection } from "../ports/mcp.ts";
import type { Dialer } from "../types/mcp_hub.ts";
import { OpenCalls } from "./call.ts";
import { connectServer, scrubbed } from "./connect.ts";
import { closedFailure, timeoutFailure } from "./failure.ts";
import type { HubServer } from "./hub_config.ts";
import type { HubContext } from "./hub_context.ts";

/** A dialer that does not end with its signal, or a call with its connection, is waited for no longer, in milliseconds. */
const CLEANUP_MS = 100;

/** Connects a server of a hub with what a user gave, or with what this package can reach. */
export function dial(
  hub: HubContext,
  server: HubServer,
  signal: AbortSignal,
): Promise<McpConnection> {
  const { capabilities, deadlines, settings: { connect }, warnings } = hub;
  const { name, config } = server;
  if (connect !== undefined) {
    const scrubber = new Scrubber({ documents: [config] });
    const dialling = () => dialForeign(hub, connect, server, signal);
    return scrubbed(scrubber, signal, dialling);
  }
  const quiet = () => {};
  const warn = (text: string, fields?: unknown) =>
    warnings.tell(fields === undefined ? text : `${text}: ${show(fields)}`);
  const log = safeLogger({ debug: quiet, info: quiet, warn, error: warn });
  const clock = systemClock;
  const options = { signal, deadlines, clock, log, capabilities };
  return connectServer(name, config, options);
}

/** Holds a dialer to signals and limits, whether or not it keeps them itself. */
async function dialForeign(
  { capabilities, deadlines }: HubContext,
  dialer: Dialer,
  { name, config, connectMs: ms }: HubServer,
  signal: AbortSignal,
): Promise<McpConnection> {
  const late = timeoutFailure(name, "initialize", ms);
  let dialling: Promise<McpConnection> | undefined;
  try {
    const connection = await withTimeout(
      // One that throws at once has rejected.
      (ended) =>
        dialling = (async () =>
          await dialer(config, ended, { capabilities }))(),
      { clock: systemClock, ms, signal, onTimeout: () => late },
    );
    return held(connection, name, deadlines);
  } catch (error) {
    const isEnded = error === late || signal.aborted;
    if (!isEnded || dialling === undefined) throw error;
    const ended = dialling.then(
      // A connection that comes too late is closed.
      (connection) => connection.close().catch(() => {}),
      (own) => own,
    );
    const own = await settleWithin<unknown>(ended, CLEANUP_MS, systemClock);
    // One that failed by itself in the meantime was not merely ended.
    throw error === late || own === undefined ? error : own;
  }
}

/** A connection of another make, under the name in the configuration and with limits that hold. */
function held(
  inner: McpConnection,
  name: string,
  deadlines: Deadlines,
): McpConnection {
  const calls = new OpenCalls(name, deadlines);
  /** Rejects the requests that are still open; errors of the connection itself go first. */
  const end = async (cause: unknown) => {
    await settleWithin(calls.settled(), CLEANUP_MS, systemClock);
    calls.end(closedFailure(name, "unknown", cause));
  };
  inner.closed.then(end, end);
  return {
    name,
    get server() {
      return inner.server;
    },
    closed: inner.closed,
    ...inner.sessionLost && { sessionLost: inner.sessionLost },
    request: (method, params, options = {}) =>
      calls.run(
        method,
        options,
        (call) =>
          inner.request(method, params, {
            ...options,
            signal: call.signal,
            ...options.onProgress && {
              onProgress: (one) => call.onProgress(one),
            },
          }),
      ),
    notify: (method, params) => inner.notify(method, params),
    listen: (listener) => inner.listen(listener),
    serve: (handler) => inner.serve(calls.pausing(handler)),
    async close() {
      try {
        await inner.close();
      } finally {
        await end(undefined);
      }
    },
  };
}
