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
} from "../errors/state.ts";
import { show } from "../errors/text.ts";
import type { Catalog, HubRequestOptions } from "../types/mcp.ts";
import { type Board, makeBoard } from "./board.ts";
import type { Route } from "./catalog.ts";
import { closeServers, connectAll } from "./servers.ts";
import { dialOf } from "./dial.ts";
import type { HubServer, HubSettings } from "./hub_config.ts";
import { ServerLink } from "./link.ts";
import { splitName } from "./names.ts";
import { answerQuestions, offeredCapabilities } from "./server_questions.ts";
import { makeWarnings, type Warnings } from "./warnings.ts";

/** What it is called in texts. */
const HUB = "MCP hub";

/** The servers behind a hub over their life: connected once, shown as one catalogue, closed together. */
export class HubServers {
  readonly board: Board;
  readonly warnings: Warnings;
  /** Every server, by name. */
  readonly links: ReadonlyMap<string, ServerLink>;
  readonly #settings: HubSettings;
  readonly #deadlines = new Deadlines(systemClock);
  readonly #closing = new AbortController();
  #state: "new" | "connecting" | "connected" | "failed" | "closed" = "new";
  #closed: Promise<void> | undefined;

  /** Connects nothing yet. */
  constructor(servers: readonly HubServer[], settings: HubSettings) {
    this.#settings = settings;
    const closing = this.#closing.signal;
    this.warnings = makeWarnings(settings.onWarning);
    this.board = makeBoard(settings, this.warnings);
    const capabilities = offeredCapabilities(settings);
    const canAnswer = Object.keys(capabilities).length > 0;
    const { warnings } = this;
    const { tell } = warnings;
    const hub = {
      settings,
      dial: dialOf(settings.connect, capabilities, this.#deadlines, tell),
      closing,
      warnings,
      publish: () => void this.#publish(),
    };
    this.links = new Map(
      servers.map((server) => {
        const { name } = server;
        const questions = canAnswer
          ? answerQuestions(name, settings, tell)
          : undefined;
        return [name, new ServerLink(server, { ...hub, questions })];
      }),
    );
  }

  get isConnected(): boolean {
    return this.#state === "connected";
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
    const either = joinSignals(signal, this.#closing.signal);
    try {
      await this.#connectAll(either.signal);
      this.#state = "connected";
      return this.#publish();
    } catch (error) {
      await this.#giveUp();
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
      const route = this.board.snapshot.routes.get(name);
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
    if (link === undefined || this.#isOver()) throw this.#unknown(server);
    if (this.isConnected) return link;
    throw new NotConnectedError(`${method}()`);
  }

  /** Every server that was reached, by name. */
  reachAll(method: string): readonly ServerLink[] {
    if (this.#isOver()) throw this.#unknown("");
    if (!this.isConnected) throw new NotConnectedError(`${method}()`);
    return [...this.links.values()]
      .filter(({ isRead }) => isRead)
      .sort((a, b) => a.server.name < b.server.name ? -1 : 1);
  }

  /** Reads the tools of servers again; a catalogue of the same tools stays as it is. */
  async refresh(
    links: readonly ServerLink[],
    options: HubRequestOptions,
  ): Promise<void> {
    const changes = await Promise.all(
      links.map((link) => link.isChanged(options)),
    );
    if (changes.includes(true)) this.#publish();
  }

  /** Makes a new catalogue of what is known of the servers. */
  #publish(): Catalog {
    // The first one comes when all are connected, the last one is empty.
    if (!this.isConnected) return this.board.snapshot.catalog;
    return this.board.publish(
      Array.from(this.links, ([server, { tools }]) => ({ server, tools })),
    );
  }

  async #connectAll(signal: AbortSignal): Promise<void> {
    const { onFailure, maxConnects = Infinity } = this.#settings;
    const gate = new Gate(maxConnects);
    const { failures } = await connectAll(
      [...this.links.keys()],
      (name, end) =>
        gate.run(async () => {
          const link = this.links.get(name);
          if (link === undefined) throw this.#unknown(name);
          return await link.open(end);
        }, end),
      {
        signal,
        policy: onFailure,
        hint: 'With onFailure "partial" the others would have stayed connected',
      },
    );
    signal.throwIfAborted();
    for (const { message } of failures.values()) this.warnings.tell(message);
  }

  /** Connecting failed; who closed the hub meanwhile does the rest. */
  async #giveUp(): Promise<void> {
    if (this.#state !== "connecting") return;
    this.#state = "failed";
    this.#closing.abort(new ClosedError(HUB));
    await this.#closeLinks().catch(() => {});
  }

  async #close(): Promise<void> {
    this.#state = "closed";
    this.#closing.abort(new ClosedError(HUB));
    this.board.clear();
    await this.#closeLinks();
  }

  async #closeLinks(): Promise<void> {
    const failures = await closeServers(this.links, (link) => link.close());
    this.#deadlines.close();
    throwFailures(failures, failures.map(({ message }) => message).join("; "));
  }

  #isOver(): boolean {
    return this.#state === "closed" || this.#state === "failed";
  }

  #unknown(server: string): UnknownServerError {
    return new UnknownServerError({
      message: this.#isOver()
        ? `No MCP server is connected any more: ${show(server)}`
        : `MCP server is not known: ${show(server)}`,
      server,
    });
  }
}
