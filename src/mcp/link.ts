import { withLimit } from "../async/deadline.ts";
import { systemClock } from "../async/system_clock.ts";
import { unlessAborted } from "../async/on_abort.ts";
import { textOfError } from "../errors/text.ts";
import type { McpConnection } from "../ports/mcp.ts";
import type { HubRequestOptions, ServerStatus } from "../types/mcp.ts";
import { attempter } from "./attempts.ts";
import { type ListedTool, readTools, tokensOf } from "./catalog.ts";
import { timeoutFailure } from "./failure.ts";
import type { HubServer } from "./hub_config.ts";
import type { HubServers } from "./hub_servers.ts";
import { readAll } from "./lists.ts";
import { refresher } from "./refresh.ts";
import { answerQuestions } from "./server_questions.ts";
import { closeInTime } from "./servers.ts";

/**
 * One server of a hub, over all the connections it has in its life, and its tools as they were last read.
 *
 * A connection that is gone stays gone until somebody needs the server again: then it is dialled anew, once for all who
 * wait. What comes late from an earlier connection is dropped.
 */
export class ServerLink {
  readonly server: HubServer;
  /** Asks until there is an answer. */
  readonly ask: ReturnType<typeof attempter>;
  /** By name; empty until they were read. */
  tools: readonly ListedTool[] = [];
  /** Whether they were ever read. */
  isRead = false;
  readonly #hub: HubServers;
  readonly #onListChanged: () => void;
  /** What all who need it now wait for. */
  #redialling: Promise<McpConnection> | undefined;
  readonly #endings = new Set<Promise<unknown>>();
  #state: ServerStatus["state"] = "idle";
  #error: unknown;
  #connectMs: number | undefined;
  #reconnects = 0;
  #connection: McpConnection | undefined;
  #isLive = false;
  #dialling: Promise<McpConnection> | undefined;
  /** Counts readings, so that a slow one never replaces a newer one. */
  #readings = 0;
  #lastReading = 0;

  constructor(server: HubServer, hub: HubServers) {
    const { settings, closing } = hub;
    this.server = server;
    this.#hub = hub;
    this.ask = attempter(this, settings, closing);
    const readAgain = async () => {
      await this.read({});
      // The server said that something changed: that is a new revision, whatever it was.
      hub.publish();
    };
    this.#onListChanged = refresher(
      settings.clock,
      closing,
      readAgain,
      (error) => this.#staysAsItWas(error),
    );
  }

  /** The connection, if it is not known to be gone. */
  get live(): McpConnection | undefined {
    return this.#isLive ? this.#connection : undefined;
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

  /** Connects for the first time and reads the tools. */
  async open(signal: AbortSignal): Promise<McpConnection> {
    return await (this.#dialling = this.#establish(signal));
  }

  /** Reads the tools; whether they are others than before. */
  async read(options: HubRequestOptions): Promise<boolean> {
    const before = this.#text();
    await this.ask({
      method: "tools/list",
      mayRepeat: true,
      options,
      work: (connection, { signal }) => this.#list(connection, signal),
    });
    return this.#text() !== before;
  }

  /** The connection, dialled anew when it is gone; an abort ends the waiting, not the dialling. */
  async connect(signal: AbortSignal | undefined): Promise<McpConnection> {
    const { live } = this;
    if (live !== undefined) return live;
    const { closing } = this.#hub;
    closing.throwIfAborted();
    const dialling = this.#redialling ??= (this.#dialling = this.#establish(
      closing,
    ))
      .finally(() => this.#redialling = undefined);
    return await unlessAborted(dialling, signal);
  }

  /** A connection turned out to be of no use any more. */
  lose(connection: McpConnection, cause: unknown): void {
    if (connection !== this.#connection || !this.#isLive) return;
    this.#isLive = false;
    if (this.#hub.closing.aborted) return;
    this.#state = "lost";
    this.#error = cause;
    // Without a cause it was closed, by whoever has a right to.
    if (cause === undefined) return;
    this.#hub.warnings.tell(
      `MCP server "${this.server.name}" is gone: ${textOfError(cause)}`,
    );
  }

  /** Closes every connection it has or had; rejects with what went wrong with the last one. */
  async close(): Promise<void> {
    this.#isLive = false;
    if (this.#state !== "failed") this.#state = "closed";
    this.tools = [];
    await this.#dialling?.catch(() => {});
    await Promise.all(this.#endings);
    if (this.#connection) await closeInTime(this.#connection);
  }

  /** Dials, and reads the tools: before it counts as connected the first time, beside it when it is back. */
  async #establish(signal: AbortSignal): Promise<McpConnection> {
    const old = this.#connection;
    this.#state = "connecting";
    try {
      if (!this.isRead) return await this.#start(signal);
      const connection = await this.#dial(signal);
      this.#reconnects++;
      if (old !== undefined) this.#end(old);
      // It is there anew, perhaps with other tools.
      this.read({}).then((isChanged) => {
        if (isChanged) this.#hub.publish();
      }).catch((error) => this.#staysAsItWas(error));
      return connection;
    } catch (error) {
      // What was ended did not fail by itself.
      this.#state = signal.aborted ? "closed" : "failed";
      if (!signal.aborted) this.#error = error;
      throw error;
    }
  }

  async #start(signal: AbortSignal): Promise<McpConnection> {
    const { name, connectMs } = this.server;
    const startedAt = systemClock.now();
    const connection = await this.#dial(signal);
    try {
      const leftMs = connectMs - (systemClock.now() - startedAt);
      await withLimit((inner) => this.#list(connection, inner), {
        clock: systemClock,
        ms: Math.max(leftMs, 1),
        signal,
        onLimit: () => timeoutFailure(name, "tools/list", connectMs),
      });
    } catch (error) {
      this.#isLive = false;
      await closeInTime(connection).catch(() => {});
      throw error;
    }
    this.#connectMs = systemClock.now() - startedAt;
    this.#hub.publish();
    return connection;
  }

  async #list(
    connection: McpConnection,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { name, callMs: timeoutMs } = this.server;
    const reading = ++this.#readings;
    const items = await readAll(connection, "tools/list", {
      timeoutMs,
      ...(signal && { signal }),
    });
    if (reading < this.#lastReading) return;
    this.#lastReading = reading;
    this.tools = readTools(name, items, this.#hub.warnings.once);
    this.isRead = true;
  }

  /** The tools, to be compared. */
  #text(): string {
    return JSON.stringify(this.tools.map(({ definition }) => definition));
  }

  #staysAsItWas(error: unknown): void {
    const { closing, warnings } = this.#hub;
    if (closing.aborted) return;
    warnings.once(
      `Tools of MCP server "${this.server.name}" could not be read again, the old ones stay: ${
        textOfError(error)
      }`,
    );
  }

  async #dial(signal: AbortSignal): Promise<McpConnection> {
    const connection = await this.#hub.dial(this.server, signal);
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
    this.#connection = connection;
    this.#isLive = true;
    this.#state = "connected";
    this.#error = undefined;
    connection.closed.then((cause) => this.lose(connection, cause));
    return connection;
  }

  /** Closes a connection that another took the place of. */
  #end(old: McpConnection): void {
    const ending = closeInTime(old).catch((error) => {
      this.#hub.warnings.tell(
        `Cannot close an earlier connection to MCP server "${this.server.name}": ${
          textOfError(error)
        }`,
      );
    });
    this.#endings.add(ending);
    ending.finally(() => this.#endings.delete(ending));
  }
}
