import { onAbort } from "../async/on_abort.ts";
import { closeAll, closeFailure } from "../async/scope.ts";
import { UnknownServerError } from "../errors/mcp.ts";
import { show, textOfError } from "../errors/text.ts";
import type { Clock } from "../ports/clock.ts";
import type { Host } from "../ports/host.ts";
import type { McpConnection } from "../ports/mcp.ts";
import type { ControlHandler } from "../types/control.ts";
import type { JsonObject } from "../types/json.ts";
import type { McpServerConfig } from "../types/mcp.ts";
import { connectServer } from "./connect.ts";
import { ELICITATION_CAPABILITY, notification } from "./jsonrpc.ts";
import { listsOf, readManifests, toolsIn } from "./manifest.ts";
import { lintNames } from "./names.ts";
import { McpProxy } from "./proxy.ts";
import type { ProxyServices } from "./server_voice.ts";
import { closeInTime, connectAll } from "./servers.ts";

/** What the servers of a conversation are given by it. */
export interface AttachOptions extends ProxyServices {
  /** The servers that this package connects. */
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  /** The runtime; looked up when a server needs one, unless given. */
  readonly host?: Host;
  /** Ends everything. */
  readonly signal: AbortSignal;
  /** The settings of the conversation that matter here. */
  readonly settings: {
    readonly clock: Clock;
    readonly timeouts: { readonly mcpMs: number };
    readonly shutdown: { readonly guardProcess: boolean };
    readonly options: {
      /** Where servers that are programs run. */
      readonly cwd?: string | undefined;
      /** All servers, those of the CLI too; their names are looked at. */
      readonly mcpServers?:
        | Readonly<Record<string, McpServerConfig>>
        | undefined;
    };
  };
}

/** One server: how it was to be reached, and the connection to it. */
interface Member {
  readonly config: McpServerConfig;
  readonly connection: McpConnection;
}

type Members = ReadonlyMap<string, Member>;

/** The servers of one conversation, connected. */
export class AttachedServers {
  readonly #options: AttachOptions;
  readonly #proxy: McpProxy;
  readonly #members = new Map<string, Member>();
  /** Ends connecting, with the conversation or with the close. */
  readonly #ending = new AbortController();
  readonly #unfollow: () => void;
  #initializeFields: JsonObject = {};
  /** Changes of the set of servers come one after the other. */
  #changing: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(options: AttachOptions) {
    const { signal } = options;
    this.#options = options;
    this.#proxy = new McpProxy(options);
    this.#unfollow = onAbort(signal, () => this.#end(signal.reason));
    if (signal.aborted) this.#end(signal.reason);
  }

  /** What `initialize` says of them. */
  get initializeFields(): JsonObject {
    return this.#initializeFields;
  }

  /** Answers `mcp_message`. */
  get handle(): ControlHandler {
    return this.#proxy.handle;
  }

  names(): readonly string[] {
    return [...this.#members.keys()];
  }

  /** To be called when `initialize` was answered: what servers say by themselves goes out from then on. */
  begin(): void {
    this.#proxy.begin();
  }

  /** The first thing to do. */
  async connect(): Promise<void> {
    const { servers, log } = this.#options;
    const { signal } = this.#ending;
    const members = await this.#open(Object.entries(servers));
    try {
      const connections = Array.from(
        members.values(),
        ({ connection }) => connection,
      );
      const manifests = await readManifests(connections, signal, log);
      this.#warn(manifests);
      signal.throwIfAborted();
      if (members.size > 0) {
        this.#initializeFields = {
          sdkMcpServers: [...members.keys()],
          sdkMcpServerManifests: Object.fromEntries(manifests),
        };
      }
    } catch (error) {
      this.#unfollow();
      await closeMembers(members);
      throw error;
    }
    this.#take(members);
  }

  /** Connects a server anew, and has the CLI read its lists again; rejects with `McpInitError`. */
  reconnect(name: string): Promise<void> {
    return this.#change(async () => {
      const member = this.#members.get(name);
      if (member === undefined) {
        throw new UnknownServerError({
          message: `MCP server is not known: ${show(name)}`,
          server: name,
        });
      }
      const reason = `MCP server "${name}" is connected anew`;
      this.#proxy.end(name, new Error(reason));
      await this.#closeQuietly(new Map([[name, member]]));
      this.#take(await this.#open([[name, member.config]]));
      for (const list of listsOf(this.#members.get(name)?.connection)) {
        const method = `notifications/${list}/list_changed`;
        this.#options.send(name, notification(method));
      }
    });
  }

  /**
   * Puts other servers in the place of these; one of the same configuration object stays as it is.
   *
   * All or none: connects what is new, has `apply` tell the CLI (with what it is to be told), and closes what is no more.
   * When either fails everything is as it was.
   */
  replace<T>(
    servers: Readonly<Record<string, McpServerConfig>>,
    apply: (wire: JsonObject) => Promise<T>,
  ): Promise<T> {
    return this.#change(async () => {
      const names = Object.keys(servers);
      const earlier = new Map(this.#members);
      const fresh = await this.#open(
        Object.entries(servers)
          .filter(([name, config]) => earlier.get(name)?.config !== config),
      );
      this.#take(fresh);
      const wire = names.map((name) => [name, { type: "sdk", name }]);
      try {
        const result = await apply(Object.fromEntries(wire));
        const old = Array.from(earlier)
          .filter(([name]) => fresh.has(name) || !names.includes(name));
        for (const [name] of old) if (!fresh.has(name)) this.#forget(name);
        await this.#closeQuietly(new Map(old));
        return result;
      } catch (error) {
        for (const name of fresh.keys()) this.#forget(name);
        this.#take(
          new Map(Array.from(earlier).filter(([name]) => fresh.has(name))),
        );
        await this.#closeQuietly(fresh);
        throw error;
      }
    });
  }

  /** Ends all calls and closes all connections; rejects with an `AggregateError` whose parts name the servers. */
  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    this.#unfollow();
    this.#end(new Error("Conversation is closed"));
    await this.#changing;
    const errors = Array.from(
      await closeMembers(this.#members),
      ([name, cause]) => closeFailure(`MCP server "${name}"`, cause),
    );
    if (errors.length === 0) return;
    throw new AggregateError(errors, "MCP servers failed to close");
  }

  #end(reason: unknown): void {
    this.#ending.abort(reason);
    this.#proxy.close(reason);
  }

  #change<T>(work: () => Promise<T>): Promise<T> {
    const changed = this.#changing.then(work);
    this.#changing = changed.catch(() => {});
    return changed;
  }

  /** Connects all of them or none. */
  async #open(
    entries: readonly (readonly [string, McpServerConfig])[],
  ): Promise<Members> {
    const { settings, deadlines, log, host, elicitation } = this.#options;
    const { cwd } = settings.options;
    const configs = new Map(entries);
    const { connections } = await connectAll(
      [...configs.keys()],
      (name, signal) =>
        // The name is one of theirs.
        connectServer(name, configs.get(name) as McpServerConfig, {
          signal,
          deadlines,
          clock: settings.clock,
          log,
          guardProcess: settings.shutdown.guardProcess,
          ...elicitation !== undefined &&
            { capabilities: ELICITATION_CAPABILITY },
          ...host !== undefined && { host },
          ...cwd !== undefined && { cwd },
        }),
      { signal: this.#ending.signal, policy: "strict" },
    );
    return new Map(
      Array.from(connections, ([name, connection]) => {
        const config = configs.get(name) as McpServerConfig;
        return [name, { config, connection }];
      }),
    );
  }

  #take(members: Members): void {
    const { mcpMs } = this.#options.settings.timeouts;
    for (const [name, member] of members) {
      const { config, connection } = member;
      this.#members.set(name, member);
      const isInProcess = config.type === "sdk";
      // The narrower limit wins.
      const callMs = (isInProcess ? undefined : config.callTimeoutMs) ?? mcpMs;
      this.#proxy.add({ connection, callMs, isInProcess });
    }
  }

  #forget(name: string): void {
    this.#proxy.remove(name);
    this.#members.delete(name);
  }

  async #closeQuietly(members: Members): Promise<void> {
    for (const [server, error] of await closeMembers(members)) {
      this.#options.log.warn("MCP server failed to close", {
        server,
        error: textOfError(error),
      });
    }
  }

  /** Names that the CLI would mis-route are worth a word; it takes them all the same. */
  #warn(manifests: ReadonlyMap<string, JsonObject>): void {
    const { servers, settings, log } = this.#options;
    const names = Object.keys({ ...settings.options.mcpServers, ...servers });
    const tools = new Map(
      names.map((name) => [name, toolsIn(manifests.get(name))]),
    );
    for (const fault of lintNames(tools)) log.warn(fault);
  }
}

/**
 * Connects the servers of a conversation: all of them or none.
 *
 * Rejects with the one `McpInitError`, or with the signal's reason; everything is closed again by then.
 */
export async function attachServers(
  options: AttachOptions,
): Promise<AttachedServers> {
  const attached = new AttachedServers(options);
  await attached.connect();
  return attached;
}

function closeMembers(
  members: Members,
): Promise<ReadonlyMap<string, unknown>> {
  return closeAll(members, ({ connection }) => closeInTime(connection));
}
