import { Deadlines } from "../async/deadline.ts";
import { joinSignals } from "../async/on_abort.ts";
import { throwFailures } from "../async/scope.ts";
import { systemClock } from "../async/system_clock.ts";
import {
  AlreadyConnectedError,
  ClosedError,
  NotConnectedError,
} from "../errors/base.ts";
import { UnknownServerError, UnknownToolError } from "../errors/mcp.ts";
import { show, textOfError } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import type { Catalog, HubRequestOptions } from "../types/mcp_hub.ts";
import {
  buildSnapshot,
  compare,
  emptySnapshot,
  type Route,
  type Snapshot,
} from "./catalog.ts";
import { closeServers, connectAll } from "./connect_all.ts";
import type { HubServer, HubSettings } from "./hub_config.ts";
import { type HubContext, ServerLink } from "./link.ts";
import { splitName } from "./names.ts";
import { offeredCapabilities } from "./server_questions.ts";

const HUB = "MCP hub";

/** A server that is strange in ever new ways must not fill the memory. */
const MOST_REMEMBERED = 1_000;

/** The servers behind a hub over their life: connected once, shown as one catalogue, closed together. */
export class HubServers implements HubContext {
  readonly settings: HubSettings;
  readonly links: ReadonlyMap<string, ServerLink>;
  readonly #byName: readonly ServerLink[];
  readonly deadlines: Deadlines = new Deadlines(systemClock);
  readonly capabilities: JsonObject;
  readonly #closing = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #warned = new Set<string>();
  snapshot: Snapshot = emptySnapshot(0);
  #state: "new" | "connecting" | "connected" | "over" = "new";
  #closed: Promise<void> | undefined;

  constructor(servers: readonly HubServer[], settings: HubSettings) {
    this.settings = settings;
    this.capabilities = offeredCapabilities(settings);
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

  /** Tells it once: a list that is read again is as strange as before. */
  readonly warn = (text: string): void => {
    if (this.#warned.has(text)) return;
    if (this.#warned.size === MOST_REMEMBERED) this.#warned.clear();
    this.#warned.add(text);
    undisturbed(this.settings.onWarning, text, () => {});
  };

  /** Calls a listener of the user; that it failed is a warning. */
  tell<T>(
    listener: ((value: T) => unknown) | undefined,
    value: T,
    label: string,
  ): void {
    undisturbed(
      listener,
      value,
      (error) => this.warn(`${label}: ${textOfError(error)}`),
    );
  }

  async connect(signal: AbortSignal | undefined): Promise<Catalog> {
    if (this.#state === "over") throw new ClosedError(HUB);
    if (this.#state !== "new") throw new AlreadyConnectedError(HUB);
    this.#state = "connecting";
    const either = joinSignals(signal, this.closing);
    try {
      const { failures } = await connectAll(
        this.links,
        async (link, end) => {
          await link.open(end);
          return link;
        },
        (link) => link.close(),
        {
          signal: either.signal,
          policy: this.settings.onFailure,
          hint:
            'With onFailure "partial" the others would have stayed connected',
        },
      );
      for (const { message } of failures.values()) this.warn(message);
      // A listener may have closed the hub.
      either.signal.throwIfAborted();
      this.#state = "connected";
      this.publish();
      this.closing.throwIfAborted();
      return this.snapshot.catalog;
    } catch (error) {
      // If the hub was closed meanwhile, that call does the rest.
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

  close(): Promise<void> {
    return this.#closed ??= this.#close();
  }

  /** The tool of a name that is in no table: one of a server that was never reached, or a mistake. */
  async find(name: string, options: HubRequestOptions): Promise<Route> {
    const { server, tool } = splitName(name);
    const link = this.reach(server);
    if (!link.isRead) await link.read(options);
    const route = this.snapshot.routes.get(name);
    if (route !== undefined) return route;
    throw new UnknownToolError({
      message: `MCP server "${server}" has no tool of that name: ${show(tool)}`,
      server,
      tool,
    });
  }

  reach(server: string): ServerLink {
    const link = this.links.get(server);
    if (link === undefined) throw this.#unknown(server);
    this.#checkOpen(server);
    return link;
  }

  reachAll(server: string | undefined): readonly ServerLink[] {
    if (server !== undefined) return [this.reach(server)];
    this.#checkOpen("");
    return this.#byName.filter(({ isRead }) => isRead);
  }

  #checkOpen(server: string): void {
    if (this.#state === "over") throw this.#unknown(server);
    if (!this.isConnected) throw new NotConnectedError("a method of the hub");
  }

  /** Reads the tools of one server or all again; a catalogue of the same tools stays as it is. */
  async refresh(
    server: string | undefined,
    options: HubRequestOptions,
  ): Promise<void> {
    const links = this.reachAll(server);
    const changes = await Promise.all(links.map((one) => one.read(options)));
    if (changes.includes(true)) this.publish();
  }

  /** Calls back with each new catalogue and at the end; the returned function takes it back. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(): void {
    // The first one comes when all are connected, the last one is empty.
    if (!this.isConnected) return;
    const revision = this.snapshot.catalog.revision + 1;
    const { classifier, onListChanged } = this.settings;
    const snapshot = buildSnapshot(
      this.#byName,
      revision,
      classifier,
      this.warn,
    );
    // A callback may have closed the hub.
    if (!this.isConnected) return;
    this.snapshot = snapshot;
    if (revision === 1) return;
    for (const listener of this.#listeners) listener();
    const { catalog } = this.snapshot;
    this.tell(onListChanged, catalog, "Listener of catalogues failed");
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

/** Calls a listener of the user: what it throws, or rejects with, goes to `onFailure`. */
function undisturbed<T>(
  listener: ((value: T) => unknown) | undefined,
  value: T,
  onFailure: (error: unknown) => void,
): void {
  (async () => await listener?.(value))().catch(onFailure);
}
