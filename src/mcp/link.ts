import { backoffDelay } from "../async/backoff.ts";
import { withTimeout } from "../async/deadline.ts";
import { Gate } from "../async/gate.ts";
import { joinSignals, unlessAborted } from "../async/on_abort.ts";
import { LONGEST_TIMER_MS, systemClock } from "../async/system_clock.ts";
import { isAgentError } from "../errors/base.ts";
import { DeliveryUnknownError, ServerUnavailableError } from "../errors/mcp.ts";
import { textOfError } from "../errors/text.ts";
import type { McpConnection, McpRequestOptions } from "../ports/mcp.ts";
import type { HubRequestOptions, ServerStatus } from "../types/mcp_hub.ts";
import { type ListedTool, readTools, tokensOf } from "./catalog.ts";
import { closeInTime } from "./connect.ts";
import { dial } from "./dial.ts";
import {
  detailsOf,
  fateOf,
  McpFailure,
  needsRedial,
  retryAfterMsOf,
  timeoutFailure,
} from "./failure.ts";
import type { HubServer } from "./hub_config.ts";
import type { HubContext } from "./hub_context.ts";
import { readAll } from "./lists.ts";
import { answerQuestions } from "./server_questions.ts";

/** Something to be asked of a server until it answers. */
interface Job<T> {
  readonly method: string;
  /** Bare name of the tool, in a call of one. */
  readonly tool?: string;
  /** Whether it may run twice. */
  readonly mayRepeat: boolean;
  readonly options: HubRequestOptions;
  work(connection: McpConnection, request: McpRequestOptions): Promise<T>;
}

/**
 * One server of a hub, over all the connections it has in its life, and its tools as they were last read.
 *
 * A connection that is gone stays gone until somebody needs the server again: then it is dialled anew, once for all who
 * wait. What comes late from an earlier connection is dropped.
 */
export class ServerLink {
  readonly server: HubServer;
  /** Lets so many calls through at once; absent where there is no limit. */
  readonly gate: Gate | undefined;
  /** By name; empty until they were read. */
  tools: readonly ListedTool[] = [];
  /** Whether they were ever read. */
  isRead = false;
  readonly #hub: HubContext;
  readonly #onListChanged: () => void;
  /** What all who need it now wait for. */
  #redialling: Promise<McpConnection> | undefined;
  readonly #endings = new Set<Promise<unknown>>();
  /** What each connection still has to answer. */
  readonly #asked = new WeakMap<McpConnection, Set<Promise<unknown>>>();
  #state: ServerStatus["state"] = "idle";
  #error: unknown;
  #connectMs: number | undefined;
  #reconnects = 0;
  /** The newest one. */
  #connection: McpConnection | undefined;
  /** The same, if it is not known to be gone. */
  #live: McpConnection | undefined;
  #dialling: Promise<McpConnection> | undefined;
  #connectedAt = 0;
  /** Sessions in a row that were lost soon. */
  #sessionLosses = 0;
  /** Counts readings, so that a slow one never replaces a newer one. */
  #readings = 0;
  #lastReading = 0;

  constructor(server: HubServer, hub: HubContext) {
    const { maxCallsPerServer: most } = hub.settings;
    this.gate = most === undefined ? undefined : new Gate(most);
    this.server = server;
    this.#hub = hub;
    this.#onListChanged = refresher(hub, () => this.#readAgain(true));
  }

  status(): ServerStatus {
    return {
      state: this.#state,
      ...(this.#error === undefined ? {} : { error: this.#error }),
      ...(this.#connectMs === undefined ? {} : { connectMs: this.#connectMs }),
      toolCount: this.tools.length,
      tokens: this.tools.reduce((sum, { bytes }) => sum + tokensOf(bytes), 0),
      reconnects: this.#reconnects,
    };
  }

  /** Dials, and reads the tools: before it counts as connected the first time, beside it when it is back. */
  open(signal: AbortSignal): Promise<McpConnection> {
    return this.#dialling = this.#establish(signal);
  }

  /** Reads the tools; whether they are others than before. */
  async read(options: HubRequestOptions): Promise<boolean> {
    const before = this.#text();
    await this.ask({
      method: "tools/list",
      mayRepeat: true,
      options,
      work: (connection, limits) => this.#list(connection, limits),
    });
    return this.#text() !== before;
  }

  /**
   * Does a job, and repeats what may be repeated, knowing what became of each attempt.
   *
   * Rejects with the signal's reason when it is aborted, with what the server answered, with `DeliveryUnknownError` when
   * it may have run and must not run twice, and with `ServerUnavailableError` after the last attempt.
   */
  async ask<T>(job: Job<T>): Promise<T> {
    const { signal, totalTimeoutMs: ms } = job.options;
    if (ms === undefined) return await this.#attempt(job, signal, Infinity);
    const { name } = this.server;
    const over = new AbortController();
    const done = new AbortController();
    const both = joinSignals(signal, over.signal);
    systemClock.sleep(ms, done.signal).then(
      () => {
        const text =
          `MCP server "${name}" did not answer ${job.method} within ${ms} ms in all`;
        over.abort(new McpFailure(text, { kind: "timeout" }));
      },
      () => {},
    );
    try {
      return await this.#attempt(
        job,
        both.signal,
        systemClock.monotonic() + ms,
      );
    } finally {
      done.abort();
      both.release();
    }
  }

  async #attempt<T>(
    { method, tool, mayRepeat, options, work }: Job<T>,
    signal: AbortSignal | undefined,
    endsAt: number,
  ): Promise<T> {
    const { name: server, callMs } = this.server;
    const { closing, settings: { retry, clock, random } } = this.#hub;
    const what = tool === undefined ? method : `tool "${tool}"`;
    for (let attempts = 1;; attempts++) {
      /** What it was sent over; `undefined` when the server was not reached. */
      let connection = this.#live;
      try {
        connection ??= await this.#connect(signal);
        const { timeoutMs = callMs } = options;
        return await this.#track(
          connection,
          work(connection, { timeoutMs, signal }),
        );
      } catch (error) {
        options.signal?.throwIfAborted();
        closing.throwIfAborted();
        // What the hub itself found wrong stays wrong.
        if (isAgentError(error) && !(error instanceof McpFailure)) throw error;
        const facts = (fact: string) => ({
          message: `MCP server "${server}" ${fact}: ${textOfError(error)}`,
          server,
          tool,
          attempts,
          cause: error,
          details: detailsOf(error),
        });
        const fate = connection === undefined ? "not_sent" : fateOf(error);
        if (connection !== undefined && needsRedial(error)) {
          this.#lose(connection, error);
        }
        if (retry.policy === "safe") {
          if (fate === "answered") throw error;
          if (fate === "unknown" && !mayRepeat) {
            // Dialled anew for whoever comes next, who hears why it cannot be.
            this.#connect(undefined).catch(() => {});
            throw new DeliveryUnknownError(facts(
              `may or may not have run ${what}, which must not run twice`,
            ));
          }
        }
        const asked = retryAfterMsOf(error);
        const waitMs = asked === undefined
          ? backoffDelay(attempts - 1, { ...retry, ...(random && { random }) })
          : Math.min(asked, retry.capMs, LONGEST_TIMER_MS);
        const isOver = attempts >= retry.attempts || signal?.aborted ||
          systemClock.monotonic() + waitMs >= endsAt;
        if (isOver) {
          const times = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
          throw new ServerUnavailableError(
            facts(`is not available for ${what} after ${times}`),
          );
        }
        const either = joinSignals(options.signal, closing);
        try {
          await clock.sleep(waitMs, either.signal);
        } finally {
          either.release();
        }
      }
    }
  }

  /** The connection, dialled anew when it is gone; an abort ends the waiting, not the dialling. */
  async #connect(signal: AbortSignal | undefined): Promise<McpConnection> {
    if (this.#live !== undefined) return this.#live;
    const { closing } = this.#hub;
    closing.throwIfAborted();
    const dialling = this.#redialling ??= this.open(closing)
      .finally(() => this.#redialling = undefined);
    return await unlessAborted(dialling, signal);
  }

  /** Keeps in mind what a connection has to answer before it is closed in good order. */
  async #track<T>(connection: McpConnection, asked: Promise<T>): Promise<T> {
    const all = this.#asked.get(connection);
    all?.add(asked);
    try {
      return await asked;
    } finally {
      all?.delete(asked);
    }
  }

  /** A connection turned out to be of no use any more. */
  #lose(connection: McpConnection, cause: unknown): void {
    if (connection !== this.#live) return;
    this.#live = undefined;
    if (this.#hub.closing.aborted) return;
    this.#state = "lost";
    this.#error = cause;
    // Without a cause it was closed, by whoever has a right to.
    if (cause === undefined) return;
    this.#hub.warnings.tell(
      `MCP server "${this.server.name}" is gone: ${textOfError(cause)}`,
    );
  }

  /** Begins a new session without waiting for a call: the server tells on its stream what changed. */
  async #replaceSession(): Promise<void> {
    if (!this.isRead) return;
    const { closing, settings: { retry, clock, random } } = this.#hub;
    const isSoon = systemClock.now() - this.#connectedAt < WORTH_MS;
    const losses = this.#sessionLosses = isSoon ? this.#sessionLosses + 1 : 0;
    try {
      if (losses > 1) {
        const pace = { ...retry, ...(random && { random }) };
        await clock.sleep(backoffDelay(losses - 2, pace), closing);
      }
      await this.#connect(undefined);
    } catch {
      // Whoever needs the server next dials again, and hears why it cannot be reached.
    }
  }

  /** Closes every connection it has or had; rejects with what went wrong with the last one. */
  async close(): Promise<void> {
    this.#live = undefined;
    if (this.#state !== "failed") this.#state = "closed";
    this.tools = [];
    await this.#dialling?.catch(() => {});
    await Promise.all(this.#endings);
    if (this.#connection) await closeInTime(this.#connection);
  }

  async #establish(signal: AbortSignal): Promise<McpConnection> {
    const old = this.#connection;
    this.#state = "connecting";
    try {
      if (!this.isRead) return await this.#start(signal);
      const connection = await this.#dial(signal);
      this.#reconnects++;
      if (old !== undefined) this.#end(old);
      // It is there anew, perhaps with other tools.
      void this.#readAgain(false);
      return connection;
    } catch (error) {
      // What was ended did not fail by itself.
      this.#state = signal.aborted ? "closed" : "failed";
      if (!signal.aborted) this.#error = error;
      throw error;
    }
  }

  async #start(signal: AbortSignal): Promise<McpConnection> {
    const { name, connectMs, callMs: timeoutMs } = this.server;
    const startedAt = systemClock.monotonic();
    const connection = await this.#dial(signal);
    try {
      const leftMs = connectMs - (systemClock.monotonic() - startedAt);
      await withTimeout(
        (inner) => this.#list(connection, { timeoutMs, signal: inner }),
        {
          clock: systemClock,
          ms: Math.max(leftMs, 1),
          signal,
          onTimeout: () => timeoutFailure(name, "tools/list", connectMs),
        },
      );
    } catch (error) {
      this.#live = undefined;
      await closeInTime(connection).catch(() => {});
      throw error;
    }
    this.#connectMs = systemClock.monotonic() - startedAt;
    this.#hub.publish();
    return connection;
  }

  async #list(
    connection: McpConnection,
    limits: McpRequestOptions,
  ): Promise<void> {
    const reading = ++this.#readings;
    const { once } = this.#hub.warnings;
    const items = await readAll(connection, "tools/list", once, limits);
    if (reading < this.#lastReading) return;
    this.#lastReading = reading;
    const { name } = this.server;
    this.tools = readTools(name, items, once);
    this.isRead = true;
  }

  /** The tools, to be compared. */
  #text(): string {
    return JSON.stringify(this.tools.map(({ definition }) => definition));
  }

  /** Reads the tools beside everything else; a change that the server told of is a new revision, whatever it was. */
  async #readAgain(isTold: boolean): Promise<void> {
    const { closing, warnings } = this.#hub;
    try {
      const isChanged = await this.read({});
      if (isChanged || isTold) this.#hub.publish();
    } catch (error) {
      if (closing.aborted) return;
      warnings.once(
        `Tools of MCP server "${this.server.name}" could not be read again, the old ones stay: ${
          textOfError(error)
        }`,
      );
    }
  }

  async #dial(signal: AbortSignal): Promise<McpConnection> {
    const connection = await dial(this.#hub, this.server, signal);
    if (this.#hub.closing.aborted) {
      await closeInTime(connection);
      throw this.#hub.closing.reason;
    }
    // Before its first list is read: what it says from now on is heard.
    const { capabilities, settings, warnings } = this.#hub;
    if (Object.keys(capabilities).length > 0) {
      const { name } = this.server;
      connection.serve(answerQuestions(name, settings, warnings.tell));
    }
    connection.listen((method) => {
      const isCurrent = connection === this.#connection;
      if (isCurrent && method === "notifications/tools/list_changed") {
        this.#onListChanged();
      }
    });
    this.#connection = this.#live = connection;
    this.#asked.set(connection, new Set());
    this.#connectedAt = systemClock.now();
    this.#state = "connected";
    this.#error = undefined;
    const lose = (cause: unknown) => this.#lose(connection, cause);
    connection.closed.then(lose);
    connection.sessionLost?.then((cause) => {
      if (connection !== this.#live) return;
      lose(cause);
      void this.#replaceSession();
    });
    return connection;
  }

  /** Closes a connection that another took the place of, when it has answered what it was asked. */
  #end(old: McpConnection): void {
    const ending = this.#drain(old).catch((error) =>
      this.#hub.warnings.tell(
        `Cannot close an earlier connection to MCP server "${this.server.name}": ${
          textOfError(error)
        }`,
      )
    );
    this.#endings.add(ending);
    ending.finally(() => this.#endings.delete(ending));
  }

  async #drain(old: McpConnection): Promise<void> {
    const answered = Promise.allSettled(this.#asked.get(old) ?? []);
    this.#asked.delete(old);
    await unlessAborted(answered, this.#hub.closing).catch(() => {});
    await closeInTime(old);
  }
}

/** A session that lived for so long is replaced at once, in milliseconds. */
const WORTH_MS = 5_000;

/** Changes that are told within this time are one, in milliseconds. Source: MCP reference, section 5. */
const GATHER_MS = 75;

/** So many in a row are read at once; a server whose list never rests is read ever more rarely. */
const MOST_IN_A_ROW = 8;
const LONGEST_MS = 5_000;

/** A list that rested for so long, in milliseconds, is read at once again. */
const REST_MS = 2_000;

/** Reads a list again when the returned function says that it was changed: several changes in a row lead to one reading. */
function refresher(
  { closing, settings: { clock } }: HubContext,
  read: () => Promise<void>,
): () => void {
  let isRunning = false;
  let isAsked = false;
  let inARow = 0;
  let endedAt = -Infinity;

  async function run(): Promise<void> {
    isRunning = true;
    while (isAsked && !closing.aborted) {
      try {
        await clock.sleep(pauseMs(), closing);
      } catch {
        break;
      }
      isAsked = false;
      await read();
      endedAt = clock.monotonic();
    }
    isRunning = false;
  }

  function pauseMs(): number {
    inARow = clock.monotonic() - endedAt > REST_MS ? 0 : inARow + 1;
    const doublings = Math.max(0, inARow - MOST_IN_A_ROW);
    return Math.min(GATHER_MS * 2 ** doublings, LONGEST_MS);
  }

  return () => {
    isAsked = true;
    if (!isRunning) void run();
  };
}
