import { Deadlines } from "../async/deadline.ts";
import { Gate } from "../async/gate.ts";
import { joinSignals } from "../async/joined_signal.ts";
import { systemClock } from "../async/system_clock.ts";
import { UnknownServerError, UnknownToolError } from "../errors/mcp.ts";
import {
  AlreadyConnectedError,
  ClosedError,
  NotConnectedError,
} from "../errors/state.ts";
import { show, textOfError } from "../errors/text.ts";
import { safeLogger } from "../observe/log.ts";
import type { Catalog, CatalogTool, HubRequestOptions } from "../types/mcp.ts";
import { Attempts } from "./call.ts";
import {
  buildSnapshot,
  emptySnapshot,
  type Route,
  type Snapshot,
} from "./catalog.ts";
import { connectAll } from "./connect_all.ts";
import { type Dial, foreignDial, ownDial } from "./dial.ts";
import type { HubServer, HubSettings } from "./hub_config.ts";
import { splitName } from "./names.ts";
import { ServerLink } from "./redial.ts";
import { Refresh } from "./refresh.ts";
import { answerQuestions, offeredCapabilities } from "./server_questions.ts";
import { toolFilter } from "./tool_filter.ts";

/** What it is called in texts. */
const HUB = "MCP hub";

/** The servers behind a hub over their life: connected once, shown as one catalogue, closed together. */
export class HubServers {
  /** Asks until there is an answer. */
  readonly attempts: Attempts;
  readonly #settings: HubSettings;
  readonly #links: ReadonlyMap<string, ServerLink>;
  readonly #isShown: (tool: CatalogTool) => boolean;
  readonly #deadlines = new Deadlines(systemClock);
  readonly #closing = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #warned = new Set<string>();
  #state: "new" | "connecting" | "connected" | "failed" | "closed" = "new";
  #snapshot = emptySnapshot(0);
  #connecting: Promise<Catalog> | undefined;
  #closed: Promise<void> | undefined;

  /** Connects nothing yet. */
  constructor(servers: readonly HubServer[], settings: HubSettings) {
    this.#settings = settings;
    this.#isShown = toolFilter(settings, this.#warnOnce);
    const { retry, clock, random } = settings;
    const closing = this.#closing.signal;
    this.attempts = new Attempts({ retry, clock, random, closing });
    const dial = this.#dial();
    this.#links = new Map(
      servers.map((server) => [server.name, this.#link(server, dial)]),
    );
  }

  /** The tools now. */
  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Whether it is connected. */
  get isConnected(): boolean {
    return this.#state === "connected";
  }

  /** Every server, by name. */
  get links(): ReadonlyMap<string, ServerLink> {
    return this.#links;
  }

  /** Hears of each new snapshot, and of the end; the returned function takes it back. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Connects all of them, once. */
  async connect(signal: AbortSignal | undefined): Promise<Catalog> {
    switch (this.#state) {
      case "connecting":
      case "connected":
        throw new AlreadyConnectedError(HUB);
      case "failed":
      case "closed":
        throw new ClosedError(HUB);
    }
    this.#state = "connecting";
    return await (this.#connecting = this.#connect(signal));
  }

  /** Closes all of them, at once. */
  close(): Promise<void> {
    return this.#closed ??= this.#close();
  }

  /** The tool of a name; a server that was never reached is tried again. */
  async find(name: string, options: HubRequestOptions): Promise<Route> {
    const { server, tool } = splitName(name);
    const link = this.reach(server, "call");
    if (!link.isListed) {
      await this.readTools(link, options);
      const route = this.#snapshot.routes.get(name);
      if (route !== undefined) return route;
    }
    throw new UnknownToolError({
      message: `MCP server "${server}" has no tool of that name: ${show(tool)}`,
      server,
      tool,
    });
  }

  /** A server by its name, for one of the methods of a hub. */
  reach(server: string, method: string): ServerLink {
    this.#checkOpen(server, method);
    const link = this.#links.get(server);
    if (link !== undefined) return link;
    throw new UnknownServerError({
      message: `MCP server is not known: ${show(server)}`,
      server,
    });
  }

  /** Every server that was reached, by name. */
  reachAll(method: string): readonly ServerLink[] {
    this.#checkOpen("", method);
    return [...this.#links.values()]
      .filter(({ isListed }) => isListed)
      .sort((a, b) => a.server.name < b.server.name ? -1 : 1);
  }

  /** Reads the tools of servers again; a catalogue of the same tools stays as it is. */
  async refresh(
    links: readonly ServerLink[],
    options: HubRequestOptions,
  ): Promise<void> {
    const before = textOf(links);
    await Promise.all(links.map((link) => this.readTools(link, options)));
    if (textOf(links) !== before) this.publish();
  }

  /** Reads the tools of a server. */
  async readTools(
    link: ServerLink,
    options: HubRequestOptions,
  ): Promise<void> {
    await this.attempts.run({
      link,
      method: "tools/list",
      mayRepeat: true,
      options,
      work: (connection, signal) => link.readTools(connection, signal),
    });
  }

  /** Makes a new catalogue of what is known of the servers. */
  publish(): Catalog {
    if (this.#state !== "connected") return this.#snapshot.catalog;
    const { classifier, onListChanged } = this.#settings;
    const revision = this.#nextRevision();
    const lists = Array.from(
      this.#links,
      ([server, { tools }]) => ({ server, tools }),
    );
    const snapshot = this.#snapshot = buildSnapshot(lists, {
      revision,
      classifier,
      isShown: this.#isShown,
      warn: this.#warnOnce,
    });
    if (revision > 1) {
      for (const listener of this.#listeners) listener();
      undisturbed(() => onListChanged?.(snapshot.catalog));
    }
    return snapshot.catalog;
  }

  #dial(): Dial {
    const { connect } = this.#settings;
    const warn = (text: string, fields?: unknown) =>
      this.#warn(fields === undefined ? text : `${text}: ${show(fields)}`);
    const log = safeLogger({
      debug: () => {},
      info: () => {},
      warn,
      error: warn,
    });
    const init = {
      capabilities: offeredCapabilities(this.#settings),
      deadlines: this.#deadlines,
      log,
    };
    return connect === undefined ? ownDial(init) : foreignDial(connect, init);
  }

  #link(server: HubServer, dial: Dial): ServerLink {
    const { name } = server;
    const closing = this.#closing.signal;
    const onFailure = (error: unknown) => {
      if (closing.aborted) return;
      this.#warnOnce(
        `Tools of MCP server "${name}" could not be read again, the old ones stay: ${
          textOfError(error)
        }`,
      );
    };
    const refresh = new Refresh({
      clock: this.#settings.clock,
      signal: closing,
      read: async () => {
        await this.readTools(link, {});
        // The server said that something changed: that is a new revision, whatever it was.
        this.publish();
      },
      onFailure,
    });
    const link = new ServerLink({
      server,
      dial,
      questions: answerQuestions(name, this.#settings),
      closing,
      onListChanged: () => refresh.ask(),
      onReturned: () => void this.refresh([link], {}).catch(onFailure),
      onListed: () => this.publish(),
      warn: this.#warn,
      warnOnce: this.#warnOnce,
    });
    return link;
  }

  async #connect(signal: AbortSignal | undefined): Promise<Catalog> {
    const { onFailure, maxConnects = Infinity } = this.#settings;
    const either = joinSignals(signal, this.#closing.signal);
    const gate = new Gate(maxConnects);
    const open = (name: string, ended: AbortSignal) =>
      gate.run(() => this.reach(name, "connect").open(ended), ended);
    try {
      const { failures } = await connectAll([...this.#links.keys()], open, {
        signal: either.signal,
        policy: onFailure,
        hint: 'With onFailure "partial" the others would have stayed connected',
      });
      either.signal.throwIfAborted();
      for (const { message } of failures.values()) this.#warn(message);
      this.#state = "connected";
      return this.publish();
    } catch (error) {
      if (this.#state === "connecting") {
        this.#state = "failed";
        this.#closing.abort(new ClosedError(HUB));
        await this.#closeLinks().catch(() => {});
      }
      throw error;
    } finally {
      either.release();
    }
  }

  async #close(): Promise<void> {
    const wasConnected = this.isConnected;
    this.#state = "closed";
    this.#closing.abort(new ClosedError(HUB));
    if (wasConnected) this.#snapshot = emptySnapshot(this.#nextRevision());
    for (const listener of this.#listeners) listener();
    await this.#connecting?.catch(() => {});
    await this.#closeLinks();
  }

  async #closeLinks(): Promise<void> {
    const failures: Error[] = [];
    await Promise.all(Array.from(this.#links, async ([name, link]) => {
      try {
        await link.close();
      } catch (cause) {
        const text = `Cannot close MCP server "${name}": ${textOfError(cause)}`;
        failures.push(new Error(text, { cause }));
      }
    }));
    this.#deadlines.close();
    if (failures.length > 1) {
      const text = failures.map(({ message }) => message).join("; ");
      throw new AggregateError(failures, text);
    }
    if (failures[0] !== undefined) throw failures[0];
  }

  #checkOpen(server: string, method: string): void {
    if (this.#state === "closed" || this.#state === "failed") {
      throw new UnknownServerError({
        message: `No MCP server is connected any more: ${show(server)}`,
        server,
      });
    }
    const isEarly = this.#state === "new" ||
      this.#state === "connecting" && method !== "connect";
    const isKnown = server === "" || this.#links.has(server);
    if (isEarly && isKnown) throw new NotConnectedError(`${method}()`);
  }

  #nextRevision(): number {
    return this.#snapshot.catalog.revision + 1;
  }

  readonly #warn = (text: string): void => {
    undisturbed(() => this.#settings.onWarning?.(text));
  };

  /** A list that is read again is as strange as before. */
  readonly #warnOnce = (text: string): void => {
    if (this.#warned.has(text)) return;
    this.#warned.add(text);
    this.#warn(text);
  };
}

/** The tools of servers, to be compared. */
function textOf(links: readonly ServerLink[]): string {
  return JSON.stringify(
    links.map(({ tools }) => tools.map(({ definition }) => definition)),
  );
}

/** What a listener throws has nobody to go to. */
function undisturbed(listener: () => void): void {
  try {
    listener();
  } catch {
    // Whoever listens must not disturb.
  }
}
