import { type Deadlines, settleWithin } from "../async/deadline.ts";
import { type JoinedSignal, joinSignals } from "../async/joined_signal.ts";
import { systemClock } from "../async/system_clock.ts";
import { unlessAborted } from "../async/on_abort.ts";
import { Scrubber } from "../errors/scrubber.ts";
import { show } from "../errors/text.ts";
import { safeLogger } from "../observe/log.ts";
import type { McpConnection } from "../ports/mcp.ts";
import type { JsonObject } from "../types/json.ts";
import type { Dialer } from "../types/mcp.ts";
import { connectServer } from "./connect.ts";
import { timeoutFailure } from "./failure.ts";
import { HeldConnection } from "./held_connection.ts";
import type { HubServer } from "./hub_config.ts";
import { scrubbed } from "./scrubbed_connection.ts";

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
  /** Hears of what is strange. */
  readonly warn: (text: string) => void;
}

/** A dialer that does not end with its signal is waited for no longer, in milliseconds. */
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
