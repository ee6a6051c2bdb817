import { onAbort } from "../async/on_abort.ts";
import { oneAtATime } from "../async/one_at_a_time.ts";
import { closeAll } from "../async/scope.ts";
import { UnknownServerError } from "../errors/mcp.ts";
import { show, textOfError } from "../errors/text.ts";
import type { FullClock } from "../ports/clock.ts";
import type { Host } from "../ports/host.ts";
import type { McpConnection } from "../ports/mcp.ts";
import type { JsonObject } from "../types/json.ts";
import type { McpServerConfig } from "../types/mcp.ts";
import { connectServer } from "./connect.ts";
import { closeInTime, closeServers, connectAll } from "./connect_all.ts";
import {
  ELICITATION_CAPABILITY,
  notification,
  readMessage,
} from "./jsonrpc.ts";
import { listsOf } from "./lists.ts";
import { readManifests } from "./manifests.ts";
import { lintNames } from "./names.ts";
import {
  type ProxiedServer,
  proxiedServer,
  type ProxyServices,
} from "./proxied_server.ts";
import type { ControlHandler } from "../types/controls.ts";

type ServerConfigs = Readonly<Record<string, McpServerConfig>>;

export interface AttachOptions extends ProxyServices {
  readonly servers: ServerConfigs;
  /** The runtime; looked up when a server needs one, by default. */
  readonly host?: Host;
  readonly signal: AbortSignal;
  readonly settings: {
    readonly clock: FullClock;
    readonly timeouts: { readonly mcpMs: number };
    readonly shutdown: { readonly guardProcess: boolean };
    readonly options: {
      readonly cwd?: string | undefined;
      /** All servers, those of the CLI too; their names are looked at. */
      readonly mcpServers?: ServerConfigs | undefined;
    };
  };
}

/** A server that is connected, in its place behind the CLI. */
interface Member {
  readonly config: McpServerConfig;
  readonly connection: McpConnection;
  readonly proxied: ProxiedServer;
}

/** The object that is the same when a server is given again: each mention of a server of this program makes a configuration. */
function serverOf(config: McpServerConfig | undefined): unknown {
  return config?.type === "sdk" ? config.instance : config;
}

function closeMember({ connection, proxied }: Member): Promise<void> {
  proxied.close(new Error(`MCP server "${connection.name}" was removed`));
  return closeInTime(connection);
}

export interface AttachedServers {
  readonly initializeFields: JsonObject;
  /** Answers `mcp_message`; throws what is no message of a known server. */
  readonly handle: ControlHandler;
  names(): readonly string[];
  /** To be called when `initialize` was answered: what servers say by themselves goes out from then on. */
  begin(): void;
  /** Connects a server anew, and has the CLI read its lists again; rejects with `McpInitError`. */
  reconnect(name: string): Promise<void>;
  /**
   * Puts other servers in the place of these; one that is given as the same object again stays as it is.
   *
   * All or none: connects what is new, has `apply` tell the CLI (with what it is to be told), and closes what is no more.
   * When either fails everything is as it was.
   */
  replace<T>(
    servers: ServerConfigs,
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
  options: AttachOptions,
): Promise<AttachedServers> {
  const { signal, settings, log, elicitation } = options;
  const members = new Map<string, Member>();
  /** Ends connecting, with the conversation or with the close. */
  const ending = new AbortController();
  const unfollow = onAbort(signal, () => end(signal.reason));
  if (signal.aborted) end(signal.reason);
  let hasBegun = false;
  /** Changes of the set of servers come one after the other. */
  const change = oneAtATime();
  let closing: Promise<void> | undefined;

  take(await open(options.servers));
  let initializeFields: JsonObject;
  try {
    initializeFields = await introduce();
  } catch (error) {
    unfollow();
    await closeAll(members, closeMember);
    throw error;
  }

  return {
    initializeFields,
    handle: ({ server_name: name, message }, context) =>
      memberOf(name).proxied.handle(readMessage(message), context),
    names: () => [...members.keys()],
    begin() {
      hasBegun = true;
      for (const { proxied } of members.values()) proxied.begin();
    },
    reconnect: (name) => change(() => reconnect(name)),
    replace: (servers, apply) => change(() => replace(servers, apply)),
    close: () => closing ??= close(),
  };

  function memberOf(name: unknown): Member {
    const member = typeof name === "string" ? members.get(name) : undefined;
    if (member !== undefined) return member;
    throw new UnknownServerError({
      message: `MCP server is not known: ${show(name)}`,
      server: String(name),
    });
  }

  /** The fields of `initialize`; names that the CLI would mis-route are worth a word, it takes them all the same. */
  async function introduce(): Promise<JsonObject> {
    const manifests = await readManifests(
      Array.from(members.values(), ({ connection }) => connection),
      ending.signal,
      log,
    );
    const all = { ...settings.options.mcpServers, ...options.servers };
    const tools = Object.keys(all).map((name) => {
      const listed = manifests.get(name)?.toolsListResult.tools ?? [];
      return [name, listed.map((tool) => String(tool.name))] as const;
    });
    for (const fault of lintNames(new Map(tools))) log.warn(fault);
    ending.signal.throwIfAborted();
    return members.size === 0 ? {} : {
      sdkMcpServers: [...members.keys()],
      sdkMcpServerManifests: Object.fromEntries(manifests),
    };
  }

  async function reconnect(name: string): Promise<void> {
    // It stays in its place until another takes it.
    const member = memberOf(name);
    await closeQuietly([[name, member]]);
    const fresh = await open({ [name]: member.config });
    take(fresh);
    for (const { connection } of fresh.values()) {
      for (const list of listsOf(connection.server)) {
        const method = `notifications/${list}/list_changed`;
        options.send(name, notification(method));
      }
    }
  }

  async function replace<T>(
    servers: ServerConfigs,
    apply: (wire: JsonObject) => Promise<T>,
  ): Promise<T> {
    const earlier = new Map(members);
    const fresh = await open(Object.fromEntries(
      Object.entries(servers)
        .filter(([name, config]) =>
          serverOf(earlier.get(name)?.config) !== serverOf(config)
        ),
    ));
    // The CLI asks the new ones while `apply` runs.
    take(fresh);
    const names = Object.keys(servers);
    const wire = names.map((name) => [name, { type: "sdk", name }]);
    try {
      const result = await apply(Object.fromEntries(wire));
      const old = [...earlier]
        .filter(([name]) => fresh.has(name) || !names.includes(name));
      for (const [name] of old) if (!fresh.has(name)) members.delete(name);
      await closeQuietly(old);
      return result;
    } catch (error) {
      for (const name of fresh.keys()) members.delete(name);
      for (const [name, member] of earlier) members.set(name, member);
      await closeQuietly(fresh);
      throw error;
    }
  }

  async function close(): Promise<void> {
    unfollow();
    end(new Error("Conversation is closed"));
    // Behind all changes that are under way.
    await change(() => Promise.resolve());
    const errors = await closeServers(members, closeMember);
    if (errors.length === 0) return;
    throw new AggregateError(errors, "MCP servers failed to close");
  }

  function end(reason: unknown): void {
    ending.abort(reason);
    for (const { proxied } of members.values()) proxied.close(reason);
  }

  async function open(
    servers: ServerConfigs,
  ): Promise<ReadonlyMap<string, Member>> {
    const { opened } = await connectAll(
      new Map(Object.entries(servers)),
      async (config, signal, name): Promise<Member> => {
        const connection = await connectServer(name, config, {
          signal,
          deadlines: options.deadlines,
          clock: settings.clock,
          log,
          guardProcess: settings.shutdown.guardProcess,
          capabilities: elicitation && ELICITATION_CAPABILITY,
          host: options.host,
          cwd: settings.options.cwd,
        });
        const isInProcess = config.type === "sdk";
        // The narrower limit wins.
        const callMs = (isInProcess ? undefined : config.callTimeoutMs) ??
          settings.timeouts.mcpMs;
        const server = { connection, callMs, isInProcess };
        const proxied = proxiedServer(server, options);
        return { config, connection, proxied };
      },
      closeMember,
      { signal: ending.signal, policy: "strict" },
    );
    return opened;
  }

  function take(servers: ReadonlyMap<string, Member>): void {
    for (const [name, member] of servers) {
      members.set(name, member);
      if (hasBegun) member.proxied.begin();
    }
  }

  async function closeQuietly(
    servers: Iterable<readonly [string, Member]>,
  ): Promise<void> {
    for (const [server, error] of await closeAll(servers, closeMember)) {
      const facts = { server, error: textOfError(error) };
      log.warn("MCP server failed to close", facts);
    }
  }
}
