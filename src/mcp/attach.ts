import type { Deadlines } from "../async/deadline.ts";
import { onAbort } from "../async/on_abort.ts";
import { UnknownServerError } from "../errors/mcp.ts";
import { show, textOfError } from "../errors/text.ts";
import type { Clock } from "../ports/clock.ts";
import type { Host } from "../ports/host.ts";
import type { McpConnection } from "../ports/mcp.ts";
import type { ControlHandler } from "../types/control.ts";
import type { JsonObject } from "../types/json.ts";
import type { McpServerConfig } from "../types/mcp.ts";
import { connectServer } from "./connect.ts";
import { closeAll, connectAll } from "./connect_all.ts";
import { ELICITATION_CAPABILITY, elicitThrough } from "./elicitation.ts";
import { notification } from "./jsonrpc.ts";
import { lintNames } from "./lint.ts";
import { readManifest } from "./manifest.ts";
import type { Proxied, ProxyInit } from "./proxied_server.ts";
import { McpProxy } from "./proxy.ts";

/** The settings of a conversation that matter here. */
export interface AttachSettings {
  /** Time. */
  readonly clock: Clock;
  /** Limits on waiting. */
  readonly timeouts: { readonly mcpMs: number };
  /** The options as they were given. */
  readonly options: {
    /** Where servers that are programs run. */
    readonly cwd?: string;
    /** All servers, those of the CLI too; their names are looked at. */
    readonly mcpServers?: Readonly<Record<string, McpServerConfig>>;
  };
}

/** What {@link attachServers} is given. */
export interface AttachInit extends Omit<ProxyInit, "elicit"> {
  /** Answers what servers ask the user, as it answers `elicitation` of the CLI; without it nothing of the kind is offered to them. */
  readonly elicitation?: ControlHandler | undefined;
  /** The servers that this package connects. */
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  /** The runtime; looked up when a server needs one, unless given. */
  readonly host?: Host;
  /** Ends everything. */
  readonly signal: AbortSignal;
  /** Settings of the conversation. */
  readonly settings: AttachSettings;
  /** Where limits run. */
  readonly deadlines: Deadlines;
}

/** The servers of one conversation, connected. */
export interface AttachedServers {
  /** What `initialize` says of them. */
  readonly initializeFields: JsonObject;
  /** Answers `mcp_message`. */
  readonly handle: ControlHandler;
  /** Names of the servers. */
  names(): readonly string[];
  /** To be called when `initialize` was answered: what servers say by themselves goes out from then on. */
  begin(): void;
  /** Connects a server anew, and has the CLI read its lists again; rejects with `McpInitError`. */
  reconnect(name: string): Promise<void>;
  /**
   * Puts other servers in the place of these; one of the same configuration object stays as it is.
   *
   * All or none: connects what is new, has `apply` tell the CLI (with what it is to be told), and closes what is no more.
   * When either fails everything is as it was.
   */
  replace<T>(
    servers: Readonly<Record<string, McpServerConfig>>,
    apply: (wire: JsonObject) => Promise<T>,
  ): Promise<T>;
  /** Ends all calls and closes all connections; rejects with an `AggregateError` whose parts name the servers. */
  close(): Promise<void>;
}

/**
 * Connects the servers of a conversation: all of them or none.
 *
 * Rejects with the one `McpInitError`, or with the signal's reason; everything is closed again by then.
 */
export async function attachServers(
  init: AttachInit,
): Promise<AttachedServers> {
  const attached = new Attached(init);
  await attached.connect();
  return attached;
}

class Attached implements AttachedServers {
  readonly #init: AttachInit;
  readonly #proxy: McpProxy;
  readonly #connections = new Map<string, McpConnection>();
  readonly #configs = new Map<string, McpServerConfig>();
  #unfollow: (() => void) | undefined;
  #initializeFields: JsonObject = {};
  /** Changes of the set of servers come one after the other. */
  #changing: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(init: AttachInit) {
    this.#init = init;
    const { elicitation } = init;
    const elicit = elicitation && elicitThrough(elicitation);
    this.#proxy = new McpProxy({ ...init, elicit });
  }

  get initializeFields(): JsonObject {
    return this.#initializeFields;
  }

  get handle(): ControlHandler {
    return this.#proxy.handle;
  }

  names(): readonly string[] {
    return [...this.#connections.keys()];
  }

  begin(): void {
    this.#proxy.begin();
  }

  async connect(): Promise<void> {
    const { servers, signal } = this.#init;
    const connections = await this.#connectAll(servers);
    try {
      this.#initializeFields = await this.#readManifests(connections);
      signal.throwIfAborted();
    } catch (error) {
      await closeAll(connections);
      throw error;
    }
    this.#take(connections, servers);
    this.#unfollow = onAbort(signal, () => this.#proxy.close(signal.reason));
  }

  reconnect(name: string): Promise<void> {
    return this.#change(async () => {
      const config = this.#configs.get(name);
      if (config === undefined) {
        throw new UnknownServerError({
          message: `MCP server is not known: ${show(name)}`,
          server: name,
        });
      }
      this.#proxy.end(
        name,
        new Error(`MCP server "${name}" is connected anew`),
      );
      await this.#closeQuietly(name, this.#connections.get(name));
      const servers = { [name]: config };
      const connections = await this.#connectAll(servers);
      this.#take(connections, servers);
      for (const method of listsOf(connections.get(name))) {
        this.#init.send(name, notification(method));
      }
    });
  }

  replace<T>(
    servers: Readonly<Record<string, McpServerConfig>>,
    apply: (wire: JsonObject) => Promise<T>,
  ): Promise<T> {
    return this.#change(async () => {
      const fresh = Object.fromEntries(
        Object.entries(servers).filter(([name, config]) =>
          this.#configs.get(name) !== config
        ),
      );
      const connections = await this.#connectAll(fresh);
      const earlier = new Map(this.#connections);
      const earlierConfigs = Object.fromEntries(this.#configs);
      this.#take(connections, fresh);
      try {
        const names = Object.keys(servers);
        const result = await apply(
          Object.fromEntries(
            names.map((name) => [name, { type: "sdk", name }]),
          ),
        );
        await this.#drop(earlier, new Set(names), connections);
        return result;
      } catch (error) {
        for (const name of connections.keys()) this.#forget(name);
        await closeAll(connections);
        const lost = Array.from(earlier).filter(([name]) =>
          connections.has(name)
        );
        this.#take(new Map(lost), earlierConfigs);
        throw error;
      }
    });
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    this.#unfollow?.();
    this.#proxy.close(new Error("Conversation is closed"));
    await this.#changing.catch(() => {});
    const failures = await closeAll(this.#connections);
    if (failures.size === 0) return;
    throw new AggregateError(
      Array.from(
        failures,
        ([name, cause]) =>
          new Error(
            `Cannot close MCP server "${name}": ${textOfError(cause)}`,
            { cause },
          ),
      ),
      "MCP servers failed to close",
    );
  }

  #change<T>(work: () => Promise<T>): Promise<T> {
    const changed = this.#changing.then(work, work);
    this.#changing = changed.catch(() => {});
    return changed;
  }

  async #connectAll(
    servers: Readonly<Record<string, McpServerConfig>>,
  ): Promise<ReadonlyMap<string, McpConnection>> {
    const { signal, settings, deadlines, log, host, elicitation } = this.#init;
    const { connections } = await connectAll(
      Object.keys(servers),
      (name, ended) =>
        // The name is one of the record's.
        connectServer(name, servers[name] as McpServerConfig, {
          signal: ended,
          deadlines,
          clock: settings.clock,
          log,
          capabilities: elicitation === undefined ? {} : ELICITATION_CAPABILITY,
          ...(host === undefined ? {} : { host }),
          ...(settings.options.cwd === undefined
            ? {}
            : { cwd: settings.options.cwd }),
        }),
      { signal, policy: "strict" },
    );
    return connections;
  }

  async #readManifests(
    connections: ReadonlyMap<string, McpConnection>,
  ): Promise<JsonObject> {
    if (connections.size === 0) return {};
    const { signal, log } = this.#init;
    const manifests = await Promise.all(
      Array.from(connections, async ([name, connection]) => {
        const manifest = await readManifest(connection, signal, log);
        return manifest === undefined ? [] : [[name, manifest] as const];
      }),
    );
    const byName: Record<string, JsonObject> = Object.fromEntries(
      manifests.flat(),
    );
    this.#warn(byName);
    return {
      sdkMcpServers: [...connections.keys()],
      sdkMcpServerManifests: byName,
    };
  }

  /** Names that the CLI would mis-route are worth a word; it takes them all the same. */
  #warn(manifests: Readonly<Record<string, JsonObject>>): void {
    const { servers, settings, log } = this.#init;
    const names = Object.keys({ ...settings.options.mcpServers, ...servers });
    const tools = new Map(
      names.map((name) => [name, toolsIn(manifests[name])]),
    );
    for (const fault of lintNames(tools)) log.warn(fault);
  }

  #take(
    connections: ReadonlyMap<string, McpConnection>,
    configs: Readonly<Record<string, McpServerConfig>>,
  ): void {
    for (const [name, connection] of connections) {
      const config = configs[name];
      if (config === undefined) continue;
      this.#connections.set(name, connection);
      this.#configs.set(name, config);
      this.#proxy.add(this.#proxied(connection, config));
    }
  }

  #forget(name: string): void {
    this.#proxy.remove(name);
    this.#connections.delete(name);
    this.#configs.delete(name);
  }

  /** Closes what was there before and has no place any more. */
  async #drop(
    earlier: ReadonlyMap<string, McpConnection>,
    names: ReadonlySet<string>,
    fresh: ReadonlyMap<string, McpConnection>,
  ): Promise<void> {
    for (const [name, connection] of earlier) {
      if (names.has(name) && !fresh.has(name)) continue;
      if (!names.has(name)) this.#forget(name);
      await this.#closeQuietly(name, connection);
    }
  }

  async #closeQuietly(
    name: string,
    connection: McpConnection | undefined,
  ): Promise<void> {
    try {
      await connection?.close();
    } catch (error) {
      this.#init.log.warn("MCP server failed to close", {
        server: name,
        error: textOfError(error),
      });
    }
  }

  #proxied(connection: McpConnection, config: McpServerConfig): Proxied {
    const { mcpMs } = this.#init.settings.timeouts;
    if (config.type !== "sdk") {
      return {
        connection,
        callMs: config.callTimeoutMs ?? mcpMs,
        isInProcess: false,
      };
    }
    return { connection, callMs: mcpMs, isInProcess: true };
  }
}

function toolsIn(manifest: JsonObject | undefined): readonly string[] {
  const list = manifest?.toolsListResult as
    | { readonly tools: readonly { readonly name?: unknown }[] }
    | undefined;
  return list?.tools.map(({ name }) => String(name)) ?? [];
}

/** What a server that is there again may list differently. */
function listsOf(connection: McpConnection | undefined): readonly string[] {
  const capabilities = connection?.server.capabilities ?? {};
  return ["tools", "resources", "prompts"]
    .filter((kind) => capabilities[kind] !== undefined)
    .map((kind) => `notifications/${kind}/list_changed`);
}
