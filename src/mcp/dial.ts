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
import type { JsonObject } from "../types/json.ts";
import type { Dialer } from "../types/mcp_hub.ts";
import { OpenCalls } from "./call.ts";
import { connectServer, scrubbed } from "./connect.ts";
import { closedFailure, timeoutFailure } from "./failure.ts";
import type { HubServer } from "./hub_config.ts";

/** Longest wait for a dialer that does not end with its signal, in milliseconds. */
const CLEANUP_MS = 100;

interface DialContext {
  readonly capabilities: JsonObject;
  readonly deadlines: Deadlines;
  readonly settings: { readonly connect?: Dialer | undefined };
  readonly warn: (text: string) => void;
}

export function dial(
  hub: DialContext,
  server: HubServer,
  signal: AbortSignal,
): Promise<McpConnection> {
  const { capabilities, deadlines, settings: { connect } } = hub;
  const { name, config } = server;
  if (connect !== undefined) {
    const scrubber = new Scrubber({ documents: [config] });
    const dialling = () => dialForeign(hub, connect, server, signal);
    return scrubbed(scrubber, signal, dialling);
  }
  const quiet = () => {};
  const warn = (text: string, fields?: unknown) =>
    hub.warn(fields === undefined ? text : `${text}: ${show(fields)}`);
  const log = safeLogger({ debug: quiet, info: quiet, warn, error: warn });
  const clock = systemClock;
  const options = { signal, deadlines, clock, log, capabilities };
  return connectServer(name, config, options);
}

/** Holds a dialer, and the connection that it makes, to signals and timeouts. */
async function dialForeign(
  { capabilities, deadlines }: DialContext,
  dialer: Dialer,
  { name, config, connectMs: ms }: HubServer,
  signal: AbortSignal,
): Promise<McpConnection> {
  const clock = systemClock;
  let dialling: Promise<McpConnection> | undefined;
  const inner = await withTimeout(
    (ended) =>
      dialling = (async () => await dialer(config, ended, { capabilities }))(),
    {
      clock,
      ms,
      signal,
      onTimeout: () => timeoutFailure(name, "initialize", ms),
    },
  ).catch(async (error) => {
    // A connection that comes too late is closed.
    const closed = dialling?.then((late) => late.close());
    await settleWithin(Promise.resolve(closed), CLEANUP_MS, clock)
      .catch(() => {});
    throw error;
  });
  const calls = new OpenCalls(name, deadlines);
  const end = async (cause: unknown) => {
    // Errors of the connection itself go first.
    await clock.sleep(0);
    calls.end(closedFailure(name, "unknown", cause));
  };
  inner.closed.then(end, end);
  const { server, closed, sessionLost } = inner;
  return {
    name,
    server,
    closed,
    ...sessionLost && { sessionLost },
    request: (method, params, options = {}) =>
      calls.run(method, options, (call) =>
        inner.request(method, params, {
          ...options,
          signal: call.signal,
          ...options.onProgress && {
            onProgress: (one) => call.onProgress(one),
          },
        })),
    notify: (method, params) => inner.notify(method, params),
    listen: (listener) => inner.listen(listener),
    serve: (handler) => inner.serve(calls.pausing(handler)),
    close: () => inner.close().finally(() => end(undefined)),
  };
}
