import { Deadlines } from "../async/deadline.ts";
import { Gate } from "../async/gate.ts";
import { joinSignals } from "../async/on_abort.ts";
import { throwFailures } from "../async/scope.ts";
import { systemClock } from "../async/system_clock.ts";
import { UnknownServerError, UnknownToolError } from "../errors/mcp.ts";
import {
  AlreadyConnectedError,
  ClosedError,
  NotConnectedError,
} from "../errors/base.ts";
import { show, textOfError } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import type { Catalog, HubRequestOptions } from "../types/mcp_hub.ts";
import {
  buildSnapshot,
  type CatalogRules,
  compare,
  emptySnapshot,
  type Route,
  type Snapshot,
  toolFilter,
} from "./catalog.ts";
import type { HubServer, HubSettings } from "./hub_config.ts";
import type { HubContext, Warnings } from "./hub_context.ts";
import { ServerLink } from "./link.ts";
import { splitName } from "./names.ts";
import { offeredCapabilities } from "./server_questions.ts";
import { closeServers, connectAll } from "./connect_all.ts";

const HUB = "MCP hub";

/** The servers behind a hub over their life: connected once, shown as one catalogue, closed together. */
export class HubServers implements HubContext {
  readonly settings: HubSettings;
  readonly warnings: Warnings;
  /** Every server, by name. */
  readonly links: ReadonlyMap<string, ServerLink>;
  /** The same in the order of the catalogue. */
  readonly #byName: readonly ServerLink[];
  /** Where limits of calls run. */
  readonly deadlines: Deadlines = new Deadlines(systemClock);
  readonly capabilities: JsonObject;
  readonly #closing = new AbortController();
  readonly #rules: CatalogRules;
  readonly #onListChanged: (catalog: Catalog) => void;
  readonly #listeners = new Set<() => void>();
  snapshot: Snapshot = emptySnapshot(0);
  #state: "new" | "connecting" | "connected" | "over" = "new";
  #closed: Promise<void> | undefined;

  /** Connects nothing yet. */
  constructor(servers: readonly HubServer[], settings: HubSettings) {
    this.settings = settings;
    this.warnings = makeWarnings(settings.onWarning);
    const { once: warn, guard } = this.warnings;
    this.capabilities = offeredCapabilities(settings);
    const { classifier } = settings;
    this.#rules = { classifier, isShown: toolFilter(settings, warn), warn };
    this.#onListChanged = guard(
      (catalog) => settings.onListChanged?.(catalog),
      "Listener of catalogues failed",
    );
    this.links = new Map(
      servers.map((server) => [server.name, new ServerLink(server, this)]),
    );
    this.#byName = [...this.links.values()]
      .sort((a, b) => compare(a.server.name, b.server.name));
  }

  /** Aborted when the hub closes, with the error that calls get then. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  get isConnected(): boolean {
    return this.#state === "connected";
  }

  /** Connects all of them, once. */
  async connect(signal: AbortSignal | undefined): Promise<Catalog> {
    if (this.#state === "over") throw new ClosedError(HUB);
    if (this.#state !== "new") throw new AlreadyConnectedError(HUB);
    this.#state = "connecting";
    const either = joinSignals(signal, this.#closing.signal);
    try {
      const { onFailure: policy, maxConnects = Infinity } = this.settings;
      const gate = new Gate(maxConnects);
      const { failures } = await connectAll(
        [...this.links.keys()],
        // The name is one of theirs.
        (name, end) =>
          gate.run(() => (this.links.get(name) as ServerLink).open(end), end),
        {
          signal: either.signal,
          policy,
          hint:
            'With onFailure "partial" the others would have stayed connected',
        },
      );
      for (const { message } of failures.values()) this.warnings.tell(message);
      // A listener may have closed the hub.
      either.signal.throwIfAborted();
      this.#state = "connected";
      this.publish();
      this.closing.throwIfAborted();
      return this.snapshot.catalog;
    } catch (error) {
      // Who closed the hub meanwhile does the rest.
      if (this.#state === "connecting") {
        this.#state = "over";
        this.#closing.abort(new ClosedError(HUB));
        await this.#closeLinks().catch(() => {});
      }
      throw error;
    } finally {
      either.release();
    }
  }

  /** Closes all of them, at once. */
  close(): Promise<void> {
    return this.#closed ??= this.#close();
  }

  /** The tool of a name that is in no table: one of a server that was never reached, or a mistake. */
  async find(name: string, options: HubRequestOptions): Promise<Route> {
    const { server, tool } = splitName(name);
    const link = this.reach(server, "call");
    if (!link.isRead) {
      await link.read(options);
      const route = this.snapshot.routes.get(name);
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
    const link = this.links.get(server);
    if (link === undefined || this.#state === "over") {
      throw this.#unknown(server);
    }
    if (this.isConnected) return link;
    throw new NotConnectedError(`${method}()`);
  }

  /** One server, or every one that was reached. */
  reachAll(server: string | undefined, method: string): readonly ServerLink[] {
    if (server !== undefined) return [this.reach(server, method)];
    if (this.#state === "over") throw this.#unknown("");
    if (!this.isConnected) throw new NotConnectedError(`${method}()`);
    return this.#byName.filter(({ isRead }) => isRead);
  }

  /** Reads the tools of one server or all again; a catalogue of the same tools stays as it is. */
  async refresh(
    server: string | undefined,
    options: HubRequestOptions,
  ): Promise<void> {
    const links = this.reachAll(server, "tools");
    const changes = await Promise.all(links.map((one) => one.read(options)));
    if (changes.includes(true)) this.publish();
  }

  /** Calls back with each new catalogue and at the end; the returned function takes it back. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Makes a new catalogue of what is known of the servers. */
  publish(): void {
    // The first one comes when all are connected, the last one is empty.
    if (!this.isConnected) return;
    const revision = this.snapshot.catalog.revision + 1;
    const snapshot = buildSnapshot(this.#byName, revision, this.#rules);
    // A callback may have closed the hub.
    if (!this.isConnected) return;
    this.snapshot = snapshot;
    if (revision === 1) return;
    for (const listener of this.#listeners) listener();
    this.#onListChanged(this.snapshot.catalog);
  }

  async #close(): Promise<void> {
    this.#state = "over";
    this.#closing.abort(new ClosedError(HUB));
    const { revision } = this.snapshot.catalog;
    if (revision > 0) this.snapshot = emptySnapshot(revision + 1);
    for (const listener of this.#listeners) listener();
    await this.#closeLinks();
  }

  async #closeLinks(): Promise<void> {
    const failures = await closeServers(this.links, (link) => link.close());
    this.deadlines.close();
    throwFailures(failures, failures.map(({ message }) => message).join("; "));
  }

  #unknown(server: string): UnknownServerError {
    return new UnknownServerError({
      message: this.#state === "over"
        ? `No MCP server is connected any more: ${show(server)}`
        : `MCP server is not known: ${show(server)}`,
      server,
    });
  }
}

/** A server that is strange in ever new ways must not fill the memory. */
const MOST_REMEMBERED = 1_000;

/** Warnings to a listener of the user; its own errors are dropped. */
function makeWarnings(
  listener: ((text: string) => void) | undefined,
): Warnings {
  const told = new Set<string>();
  const tell = undisturbed((text: string) => listener?.(text), () => {});
  const once = (text: string) => {
    if (told.has(text)) return;
    if (told.size === MOST_REMEMBERED) told.clear();
    told.add(text);
    tell(text);
  };
  const guard: Warnings["guard"] = (listener, label) =>
    undisturbed(listener, (error) => once(`${label}: ${textOfError(error)}`));
  return { tell, once, guard };
}

/** Wraps a listener of the user: what it throws, or rejects with, goes to `onFailure`. */
function undisturbed<T>(
  listener: (value: T) => unknown,
  onFailure: (error: unknown) => void,
): (value: T) => void {
  return (value) => void (async () => await listener(value))().catch(onFailure);
}
