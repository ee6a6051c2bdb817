import { isObject } from "../errors/is_object.ts";
import { Deferred } from "../async/deferred.ts";
import { ConfigError } from "../errors/config.ts";
import { UnknownToolError } from "../errors/mcp.ts";
import { NotConnectedError } from "../errors/state.ts";
import { show } from "../errors/text.ts";
import type {
  McpConnection,
  McpDirectCall,
  McpRequestOptions,
  McpServerInfo,
} from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { CallOptions, LocalMcpServer, ToolResult } from "../types/mcp.ts";
import type { Route, Snapshot } from "./catalog.ts";
import { thrownResult, writeResult } from "./tool_result.ts";
import { closedFailure, JsonRpcError } from "./failure.ts";
import { INVALID_PARAMS, methodNotFound, NEWEST_VERSION } from "./jsonrpc.ts";
import { assignNames, LONGEST_NAME, modelName } from "./names.ts";

const VERSION = "1.0.0";

/** A shorter name would be a hash and nothing else. */
const SHORTEST_TOOL_NAME = 16;

/** What a hub shows of itself to its sessions. */
interface HubView {
  /** Its tools now. */
  snapshot(): Snapshot;
  /** Whether it is connected. */
  isConnected(): boolean;
  /** Calls a tool by its name. */
  call(
    name: string,
    args: JsonObject,
    options: CallOptions,
  ): Promise<ToolResult>;
  /** Hears of each new snapshot, and of the end; the returned function takes it back. */
  listen(listener: () => void): () => void;
}

/** All tools of a hub as one server. */
export function hubServer(hub: HubView, name: string): LocalMcpServer {
  longestToolName(name);
  return {
    name,
    version: VERSION,
    open(as = name) {
      if (!hub.isConnected()) throw new NotConnectedError("asMcpServer().open");
      return new HubSession(hub, as);
    },
  };
}

/** What is left for a tool behind the prefix of the CLI. */
function longestToolName(server: string): number {
  const left = LONGEST_NAME - modelName(server, "").length;
  if (server.trim() !== "" && left >= SHORTEST_TOOL_NAME) return left;
  const most = LONGEST_NAME - modelName("", "").length - SHORTEST_TOOL_NAME;
  throw new ConfigError({
    message: `Name of a hub as a server must have 1 to ${most} characters: ${
      show(server)
    }`,
    key: "name",
    value: server,
  });
}

/** A session with a hub: what is asked of it goes to the server that has the tool. */
class HubSession implements McpConnection {
  readonly name: string;
  readonly server: McpServerInfo;
  readonly #hub: HubView;
  readonly #longest: number;
  readonly #closed = new Deferred<unknown>();
  readonly #listeners = new Set<(method: string) => void>();
  readonly #forget: () => void;
  #menu: Menu | undefined;

  constructor(hub: HubView, name: string) {
    this.name = name;
    this.#hub = hub;
    this.#longest = longestToolName(name);
    this.server = {
      name,
      version: VERSION,
      capabilities: { tools: { listChanged: true } },
      protocolVersion: NEWEST_VERSION,
    };
    this.#forget = hub.listen(() => {
      if (hub.isConnected()) this.#tellListChanged();
      else this.close();
    });
  }

  get closed(): Promise<unknown> {
    return this.#closed.promise;
  }

  answer(
    method: string,
    params: JsonObject | undefined,
    call: McpDirectCall,
  ): JsonValue | Promise<JsonValue> {
    if (this.#closed.isSettled) {
      throw closedFailure(this.name, {
        cause: undefined,
        delivery: "not_sent",
      });
    }
    switch (method) {
      case "tools/call":
        return this.#call(params, {
          signal: call.signal,
          onProgress: (progress) => call.onProgress(progress),
        });
      case "tools/list":
        return this.#currentMenu().list;
      case "ping":
        return {};
      default:
        throw methodNotFound(method);
    }
  }

  async request(
    method: string,
    params?: JsonObject,
    { signal, timeoutMs, onProgress }: McpRequestOptions = {},
  ): Promise<JsonValue> {
    signal?.throwIfAborted();
    if (method !== "tools/call" || this.#closed.isSettled) {
      return await this.answer(method, params, NO_CALL);
    }
    return await this.#call(params, {
      ...(signal && { signal }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(onProgress && { onProgress }),
    });
  }

  notify(): Promise<void> {
    // Nothing that a caller can say matters to the servers behind.
    return Promise.resolve();
  }

  listen(listener: (method: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  serve(): void {
    // The servers behind ask the program that has the hub.
  }

  close(): Promise<void> {
    this.#forget();
    this.#closed.resolve(undefined);
    return Promise.resolve();
  }

  async #call(
    params: JsonObject | undefined,
    options: CallOptions,
  ): Promise<JsonValue> {
    const name = params?.name;
    const route = typeof name === "string"
      ? this.#currentMenu().routes.get(name)
      : undefined;
    if (params === undefined || route === undefined) throw unknownTool(name);
    const args = isObject(params.arguments) ? params.arguments : {};
    const meta = metaOf(params);
    try {
      const result = await this.#hub.call(route.tool.name, args, {
        ...options,
        ...(meta && { meta }),
      });
      return writeResult(result);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof JsonRpcError) throw error;
      if (error instanceof UnknownToolError) throw unknownTool(name);
      // The model reads what is wrong, and whether it may try again.
      return { ...thrownResult(error) } as unknown as JsonObject;
    }
  }

  /** The names fit behind the prefix that the CLI gives them. */
  #currentMenu(): Menu {
    const snapshot = this.#hub.snapshot();
    if (this.#menu?.snapshot === snapshot) return this.#menu;
    return this.#menu = toMenu(snapshot, this.#longest);
  }

  #tellListChanged(): void {
    for (const listener of this.#listeners) {
      listener("notifications/tools/list_changed");
    }
  }
}

const NO_CALL: McpDirectCall = {
  signal: new AbortController().signal,
  onProgress: () => {},
};

/** Progress has another way; the rest is for the server. */
function metaOf({ _meta }: JsonObject): JsonObject | undefined {
  if (!isObject(_meta)) return undefined;
  const { progressToken: _, ...meta } = _meta;
  return Object.keys(meta).length === 0 ? undefined : meta;
}

function unknownTool(name: unknown): JsonRpcError {
  return new JsonRpcError(INVALID_PARAMS, `Unknown tool: ${show(name)}`);
}

/** The tools of a snapshot under the names of a session. */
interface Menu {
  /** Which snapshot. */
  readonly snapshot: Snapshot;
  /** By name. */
  readonly routes: ReadonlyMap<string, Route>;
  /** The answer to `tools/list`. */
  readonly list: JsonObject;
}

/** Names the tools of a snapshot with so many characters at the most. */
function toMenu(snapshot: Snapshot, longest: number): Menu {
  // A tool that only runs as a task cannot be called from there.
  const routes = new Set(
    [...snapshot.routes.values()].filter(({ tool }) => !tool.needsTask),
  );
  const tools = [...routes].map((route) => ({
    server: route.tool.server,
    tool: route.tool.tool,
    route,
  }));
  const { names } = assignNames(tools, longest);
  const named = Array.from(
    names,
    ([{ route }, name]) => [name, route] as const,
  );
  return {
    snapshot,
    routes: new Map(named),
    list: { tools: named.map(([name, route]) => toWire(name, route)) },
  };
}

/** Tasks are between the hub and its servers. */
function toWire(name: string, { definition }: Route): JsonObject {
  const { execution: _, ...rest } = definition;
  return { ...rest, name };
}
