import { backoffDelay } from "../async/backoff.ts";
import { withTimeout } from "../async/deadline.ts";
import { Gate } from "../async/gate.ts";
import { unlessAborted } from "../async/on_abort.ts";
import { systemClock } from "../async/system_clock.ts";
import { textOfError } from "../errors/text.ts";
import type { McpConnection, McpRequestOptions } from "../ports/mcp.ts";
import type { HubRequestOptions, ServerStatus } from "../types/mcp_hub.ts";
import { type ListedTool, readTools, tokensOf } from "./catalog.ts";
import { closeInTime } from "./connect_all.ts";
import { dial } from "./dial.ts";
import { timeoutFailure } from "./failure.ts";
import type { HubServer } from "./hub_config.ts";
import type { HubContext } from "./hub_context.ts";
import {
  type LinkEvent,
  type LinkState,
  Session,
  statusOf,
  step,
} from "./link_state.ts";
import { readAll } from "./lists.ts";
import { refresher } from "./refresher.ts";
import { askUntilAnswered, type Connections, type Job } from "./retry.ts";
import { answerQuestions } from "./server_questions.ts";

/**
 * One server of a hub, over all the connections it has in its life, and its tools as they were last read.
 *
 * A connection that is gone stays gone until the server is needed again; then it is dialled anew, once for all that
 * wait. Late messages of an earlier connection are dropped.
 */
export class ServerLink implements Connections {
  readonly server: HubServer;
  /** Limits concurrent calls; absent without a limit. */
  readonly gate: Gate | undefined;
  /** By name; empty until they were read. */
  tools: readonly ListedTool[] = [];
  /** Whether they were ever read. */
  isRead = false;
  readonly #hub: HubContext;
  readonly #onListChanged: () => void;
  /** Ends of earlier sessions. */
  readonly #endings = new Set<Promise<unknown>>();
  #state: LinkState = { name: "idle" };
  /** The newest session; it may be gone. */
  #session: Session | undefined;
  /** Shared by everyone who needs the server meanwhile. */
  #dialling: Promise<McpConnection> | undefined;
  #connectMs: number | undefined;
  #reconnects = 0;
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
      ...statusOf(this.#state),
      ...this.#connectMs !== undefined && { connectMs: this.#connectMs },
      toolCount: this.tools.length,
      tokens: this.tools.reduce((sum, { bytes }) => sum + tokensOf(bytes), 0),
      reconnects: this.#reconnects,
    };
  }

  /** Dials, and reads the tools: before it counts as connected the first time, beside it when it is back. */
  open(signal: AbortSignal): Promise<McpConnection> {
    const dialling = this.#establish(signal).finally(() => {
      if (this.#dialling === dialling) this.#dialling = undefined;
    });
    return this.#dialling = dialling;
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

  /** Does a job, and repeats it as far as it may be. */
  ask<T>(job: Job<T>): Promise<T> {
    return askUntilAnswered(job, this.#hub, this);
  }

  current(): McpConnection | undefined {
    return this.#live?.connection;
  }

  use<T>(connection: McpConnection, request: Promise<T>): Promise<T> {
    // The link may have another session by now.
    const session = this.#session;
    return session?.connection === connection ? session.use(request) : request;
  }

  /** The session that is not known to be gone. */
  get #live(): Session | undefined {
    return this.#state.name === "connected" ? this.#state.session : undefined;
  }

  #step(event: LinkEvent): void {
    this.#state = step(this.#state, event);
  }

  /** The connection, dialled anew when it is gone; an abort ends the waiting, not the dialling. */
  async connect(signal: AbortSignal | undefined): Promise<McpConnection> {
    if (this.#live !== undefined) return this.#live.connection;
    const { closing } = this.#hub;
    closing.throwIfAborted();
    return await unlessAborted(this.#dialling ?? this.open(closing), signal);
  }

  /** A connection turned out to be of no use any more. */
  lose(connection: McpConnection, cause: unknown): void {
    if (connection !== this.#live?.connection) return;
    this.#step({ type: "lose", error: cause });
    if (this.#hub.closing.aborted) return;
    // Without a cause it was closed on purpose.
    if (cause === undefined) return;
    this.#hub.warnings.tell(
      `MCP server "${this.server.name}" is gone: ${textOfError(cause)}`,
    );
  }

  /** Begins a new session without waiting for a call: the server tells on its stream what changed. */
  async #replaceSession(): Promise<void> {
    if (!this.isRead) return;
    const { closing, settings: { retry, clock, random } } = this.#hub;
    const startedAt = this.#session?.startedAt ?? 0;
    const isSoon = systemClock.now() - startedAt < WORTH_MS;
    const losses = this.#sessionLosses = isSoon ? this.#sessionLosses + 1 : 0;
    try {
      if (losses > 1) {
        const pace = { ...retry, ...(random && { random }) };
        await clock.sleep(backoffDelay(losses - 2, pace), closing);
      }
      await this.connect(undefined);
    } catch {
      // The next request dials again, and gets the error.
    }
  }

  /** Closes every connection it has or had; rejects with what went wrong with the last one. */
  async close(): Promise<void> {
    this.#step({ type: "close" });
    this.tools = [];
    await this.#dialling?.catch(() => {});
    await Promise.all(this.#endings);
    if (this.#session) await closeInTime(this.#session.connection);
  }

  async #establish(signal: AbortSignal): Promise<McpConnection> {
    const old = this.#session;
    this.#step({ type: "dial" });
    try {
      if (!this.isRead) return await this.#start(signal);
      const connection = await this.#dial(signal);
      this.#reconnects++;
      if (old !== undefined) this.#end(old);
      // It is there anew, perhaps with other tools.
      void this.#readAgain(false);
      return connection;
    } catch (error) {
      // An abort is not a failure.
      this.#step(signal.aborted ? { type: "close" } : { type: "fail", error });
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
      this.#step({ type: "lose", error: undefined });
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
    // Before its first list is read: what it says from now on is heard.
    const { capabilities, settings, warnings } = this.#hub;
    if (Object.keys(capabilities).length > 0) {
      const { name } = this.server;
      connection.serve(answerQuestions(name, settings, warnings.tell));
    }
    connection.listen((method) => {
      const isCurrent = connection === this.#session?.connection;
      if (isCurrent && method === "notifications/tools/list_changed") {
        this.#onListChanged();
      }
    });
    const session = this.#session = new Session(connection);
    this.#step({ type: "open", session });
    const lose = (cause: unknown) => this.lose(connection, cause);
    connection.closed.then(lose);
    connection.sessionLost?.then((cause) => {
      if (session !== this.#live) return;
      lose(cause);
      void this.#replaceSession();
    });
    return connection;
  }

  /** Closes a connection that another took the place of, when it has answered what it was asked. */
  #end(old: Session): void {
    const ending = old.drain(this.#hub.closing).catch((error) =>
      this.#hub.warnings.tell(
        `Cannot close an earlier connection to MCP server "${this.server.name}": ${
          textOfError(error)
        }`,
      )
    );
    this.#endings.add(ending);
    ending.finally(() => this.#endings.delete(ending));
  }
}

/** A session that lived this long is replaced at once, in milliseconds. */
const WORTH_MS = 5_000;
