import { withLimit } from "../async/deadline.ts";
import { systemClock } from "../async/system_clock.ts";
import { unlessAborted } from "../async/on_abort.ts";
import { textOfError } from "../errors/text.ts";
import type { McpConnection, McpServeHandler } from "../ports/mcp.ts";
import type { ServerStatus } from "../types/mcp.ts";
import { tokensOf } from "./catalog.ts";
import { closeInTime } from "./servers.ts";
import type { Dial } from "./dial.ts";
import { timeoutFailure } from "./failure.ts";
import type { HubServer } from "./hub_config.ts";
import { ServerTools } from "./lists.ts";
import type { Warnings } from "./warnings.ts";

/** The part of a hub that its links use. */
interface LinkHub {
  readonly dial: Dial;
  /** Answers questions of the server; none = they are refused. */
  readonly questions: McpServeHandler | undefined;
  readonly closing: AbortSignal;
  readonly warnings: Warnings;
  /** The server said that its tools changed. */
  readonly onListChanged: () => void;
  /** It is there anew, perhaps with other tools. */
  readonly onReturned: () => void;
  /** Its tools were read for the first time after a start that failed. */
  readonly onListed: () => void;
}

/**
 * One server of a hub, over all the connections it has in its life.
 *
 * A connection that is gone stays gone until somebody needs the server again: then it is dialled anew, once for all who
 * wait. What comes late from an earlier connection is dropped.
 */
export class ServerLink {
  readonly server: HubServer;
  readonly tools: ServerTools;
  readonly #hub: LinkHub;
  /** What all who need it now wait for. */
  #redialling: Promise<McpConnection> | undefined;
  readonly #endings: Promise<unknown>[] = [];
  #state: ServerStatus["state"] = "idle";
  #error: unknown;
  #connectMs: number | undefined;
  #reconnects = 0;
  #connection: McpConnection | undefined;
  #isLive = false;
  #dialling: Promise<McpConnection> | undefined;

  constructor(server: HubServer, hub: LinkHub) {
    this.server = server;
    this.tools = new ServerTools(server, hub.warnings.once);
    this.#hub = hub;
  }

  /** The connection, if it is not known to be gone. */
  get live(): McpConnection | undefined {
    return this.#isLive ? this.#connection : undefined;
  }

  status(): ServerStatus {
    const { items } = this.tools;
    return {
      state: this.#state,
      ...(this.#error === undefined ? {} : { error: this.#error }),
      ...(this.#connectMs === undefined ? {} : { connectMs: this.#connectMs }),
      toolCount: items.length,
      tokens: items.reduce((sum, { bytes }) => sum + tokensOf(bytes), 0),
      reconnects: this.#reconnects,
    };
  }

  /** Connects for the first time and reads the tools. */
  async open(signal: AbortSignal): Promise<McpConnection> {
    return await (this.#dialling = this.#establish(signal));
  }

  /** The connection, dialled anew when it is gone; an abort ends the waiting, not the dialling. */
  async connect(signal: AbortSignal | undefined): Promise<McpConnection> {
    const { live } = this;
    if (live !== undefined) return live;
    this.#hub.closing.throwIfAborted();
    const dialling = this.#redialling ??= (this.#dialling = this.#redial())
      .finally(() => this.#redialling = undefined);
    return await unlessAborted(dialling, signal);
  }

  /** Dials anew if need be, for whoever comes next. */
  revive(): void {
    // Who needs it tries again, and hears why.
    this.connect(undefined).catch(() => {});
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
    this.tools.items = [];
    await this.#dialling?.catch(() => {});
    await Promise.all(this.#endings);
    if (this.#connection) await closeInTime(this.#connection);
  }

  async #redial(): Promise<McpConnection> {
    const { closing, onReturned, onListed } = this.#hub;
    const old = this.#connection;
    if (!this.tools.isRead) {
      const connection = await this.#establish(closing);
      onListed();
      return connection;
    }
    this.#state = "connecting";
    try {
      const connection = await this.#dial(closing);
      this.#reconnects++;
      if (old !== undefined) this.#end(old);
      onReturned();
      return connection;
    } catch (error) {
      this.#fail(error, closing);
      throw error;
    }
  }

  async #establish(signal: AbortSignal): Promise<McpConnection> {
    const { name, connectMs } = this.server;
    this.#state = "connecting";
    const startedAt = systemClock.now();
    try {
      const connection = await this.#dial(signal);
      try {
        const leftMs = connectMs - (systemClock.now() - startedAt);
        await withLimit((inner) => this.tools.read(connection, inner), {
          clock: systemClock,
          ms: Math.max(leftMs, 1),
          signal,
          onLimit: () =>
            timeoutFailure(name, { method: "tools/list", ms: connectMs }),
        });
      } catch (error) {
        this.#isLive = false;
        await closeInTime(connection).catch(() => {});
        throw error;
      }
      this.#connectMs = systemClock.now() - startedAt;
      return connection;
    } catch (error) {
      this.#fail(error, signal);
      throw error;
    }
  }

  async #dial(signal: AbortSignal): Promise<McpConnection> {
    const connection = await this.#hub.dial(this.server, signal);
    if (this.#hub.closing.aborted) {
      await closeInTime(connection);
      throw this.#hub.closing.reason;
    }
    // Before its first list is read: what it says from now on is heard.
    const { questions } = this.#hub;
    if (questions !== undefined) connection.serve(questions);
    connection.listen((method) => {
      const isCurrent = connection === this.#connection;
      if (isCurrent && method === "notifications/tools/list_changed") {
        this.#hub.onListChanged();
      }
    });
    this.#connection = connection;
    this.#isLive = true;
    this.#state = "connected";
    this.#error = undefined;
    connection.closed.then((cause) => this.lose(connection, cause));
    return connection;
  }

  /** What was ended did not fail by itself. */
  #fail(error: unknown, signal: AbortSignal): void {
    this.#state = signal.aborted ? "closed" : "failed";
    if (!signal.aborted) this.#error = error;
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
    this.#endings.push(ending);
    ending.finally(() =>
      this.#endings.splice(this.#endings.indexOf(ending), 1)
    );
  }
}
