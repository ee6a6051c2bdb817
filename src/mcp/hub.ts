import type { JsonInput, JsonObject, JsonValue } from "../types/json.ts";
import type {
  CallOptions,
  Catalog,
  CatalogTool,
  HubOptions,
  HubRequestOptions,
  HubServerConfig,
  HubServerInput,
  ServerItem,
  ServerStatus,
} from "../types/mcp_hub.ts";
import type { ToolResult } from "../types/mcp_tool.ts";
import type { LocalMcpServer } from "../types/mcp.ts";
import { hubServer } from "./hub_server.ts";
import { readOptions, readServers } from "./hub_config.ts";
import { HubServers } from "./hub_servers.ts";
import { readAll } from "./lists.ts";
import { objectIn, readResult } from "./tool_result.ts";

/**
 * Many MCP servers as one: one catalogue of their tools, one way to call them.
 *
 * Connects once, to all servers at the same time; `onFailure` decides whether one failure fails all. The catalogue is
 * frozen and in a fixed order; a server that changes its tools leads to a new one with a higher revision. A call finds
 * its server by a table, and is repeated only if it did not run or is safe to run twice.
 *
 * @example Connect two servers and call a tool
 * ```ts
 * import { createMcpServer, McpHub, tool } from "@sluice/agent/mcp";
 * import assert from "node:assert/strict";
 *
 * const say = (text: string) =>
 *   createMcpServer({
 *     name: text,
 *     tools: [tool({
 *       name: "say",
 *       description: `Says ${text}`,
 *       input: { type: "object" },
 *       run: () => text,
 *     })],
 *   });
 *
 * const hub = new McpHub({
 *   one: say("hello"),
 *   two: say("goodbye"),
 * });
 * const catalog = await hub.connect();
 * assert.deepEqual(catalog.tools.map(({ name }) => name), ["one__say", "two__say"]);
 *
 * const result = await hub.call("two__say");
 * assert.deepEqual(result.content, [{ type: "text", text: "goodbye" }]);
 * await hub.close();
 * ```
 */
export class McpHub implements AsyncDisposable {
  readonly #servers: HubServers;

  /**
   * Creates a hub: checks servers and options, connects nothing.
   *
   * @param servers The servers: a list in which each has a name, or an object by name
   * @param options Everything else
   * @throws {ConfigError} If a server or an option is not what it must be
   */
  constructor(
    servers:
      | readonly (HubServerConfig | LocalMcpServer)[]
      | Readonly<Record<string, HubServerInput>>,
    options?: HubOptions,
  ) {
    const settings = readOptions(options);
    this.#servers = new HubServers(readServers(servers), settings);
  }

  /**
   * Connects all servers at once and reads their tools.
   *
   * Works once: after a failure or a close only a new hub can try again. When it rejects, everything that was opened is
   * closed again.
   *
   * @param options A signal that ends it
   * @returns The first catalogue
   * @throws {McpInitError} If a server fails, or with `onFailure: "partial"` every one
   * @throws {AlreadyConnectedError} If it is connecting or connected
   * @throws {ClosedError} If it failed before, or was closed
   */
  connect(
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<Catalog> {
    return this.#servers.connect(signal);
  }

  /** The current tools; empty before `connect()` and after `close()`. */
  catalog(): Catalog {
    return this.#servers.snapshot.catalog;
  }

  /**
   * Calls a tool.
   *
   * A tool that fails returns a result with `isError`. A call that failed on its way is retried as the option `retry` allows.
   *
   * @param name Its name in the catalogue, or `server__tool`
   * @param args Its arguments; none by default
   * @param options Signal, limits, progress
   * @returns The result, content of unknown kinds included
   * @throws {InvalidNameError} If the name is not in the catalogue and not of the form `server__tool`
   * @throws {UnknownServerError} If no server of that name is connected
   * @throws {UnknownToolError} If the server has no such tool
   * @throws {DeliveryUnknownError} If it may have run, and must not run twice
   * @throws {ServerUnavailableError} If the last attempt failed
   * @throws {McpProtocolError} If the answer is no object, or its structured content does not fit the output schema
   * @throws {JsonRpcError} If the server answered an error
   */
  async call(
    name: string,
    args: JsonInput = {},
    options: CallOptions = {},
  ): Promise<ToolResult> {
    const servers = this.#servers;
    const route = servers.snapshot.routes.get(name) ??
      await servers.find(name, options);
    const { server, tool, annotations } = route.tool;
    const link = servers.reach(server);
    const { meta, onProgress } = options;
    const label =
      `Progress handler failed for tool "${tool}" of MCP server "${server}"`;
    const answer = await link.ask<JsonValue>({
      method: "tools/call",
      tool,
      mayRepeat: options.idempotent === true ||
        link.server.isTrusted && (annotations?.readOnlyHint === true ||
            annotations?.idempotentHint === true),
      options,
      work: (connection, request, observed) =>
        connection.request("tools/call", {
          name: tool,
          arguments: args,
          ...observed.meta(meta),
        }, {
          ...request,
          ...onProgress && {
            onProgress: (one) => servers.tell(onProgress, one, label),
          },
        }),
    });
    const result = readResult(server, answer);
    route.check(result);
    return result;
  }

  /** Reloads the tools of one server, or of all connected ones; a change becomes a new catalogue. */
  async tools(
    server?: string,
    options: HubRequestOptions = {},
  ): Promise<readonly CatalogTool[]> {
    await this.#servers.refresh(server, options);
    const { tools, byServer } = this.catalog();
    return server === undefined ? tools : byServer[server] ?? [];
  }

  /**
   * Lists resources, all pages of them.
   *
   * @param server Which server; all that are connected by default
   * @returns Each as its server sent it, and the name of the server; none where a server has no resources
   * @throws {UnknownServerError} If no server of that name is connected
   * @throws {McpProtocolError} If a list does not end
   */
  resources(
    server?: string,
    options: HubRequestOptions = {},
  ): Promise<readonly ServerItem[]> {
    return this.#items("resources/list", server, options);
  }

  /** Lists templates of resources, as {@link resources} does. */
  resourceTemplates(
    server?: string,
    options: HubRequestOptions = {},
  ): Promise<readonly ServerItem[]> {
    return this.#items("resources/templates/list", server, options);
  }

  /** Lists prompts, as {@link resources} does. */
  prompts(
    server?: string,
    options: HubRequestOptions = {},
  ): Promise<readonly ServerItem[]> {
    return this.#items("prompts/list", server, options);
  }

  /** Reads a resource of a server: what it sent, its `contents` above all. */
  readResource(
    server: string,
    uri: string,
    options: HubRequestOptions = {},
  ): Promise<JsonObject> {
    return this.#ask("resources/read", server, { uri }, options);
  }

  /** Fetches a prompt of a server with its arguments filled in: what it sent, its `messages` above all. */
  getPrompt(
    server: string,
    name: string,
    args?: Readonly<Record<string, string>>,
    options: HubRequestOptions = {},
  ): Promise<JsonObject> {
    const params = args === undefined ? { name } : { name, arguments: args };
    return this.#ask("prompts/get", server, params, options);
  }

  /** Returns the state of each server, by name. */
  status(): Record<string, ServerStatus> {
    return Object.fromEntries(
      Array.from(this.#servers.links, ([name, link]) => [name, link.status()]),
    );
  }

  /**
   * Returns one MCP server with all tools of the hub, for an agent.
   *
   * The hub must be connected when the agent starts, and stays the caller's to close. Names are short enough for the
   * prefix that the CLI puts in front of them; changes of the catalogue reach the agent.
   *
   * @param name Name of that server; `"hub"`, at most 41 characters
   * @returns The server, for `mcpServers: { hub: hub.asMcpServer() }`
   * @throws {ConfigError} If the name is empty or too long
   */
  asMcpServer(name: string = "hub"): LocalMcpServer {
    return hubServer(this.#servers, this, name);
  }

  /**
   * Closes every connection, all at once; programs that were started are gone when it resolves.
   *
   * A second call waits for the first. Ends a `connect()` in progress. Calls that are open reject with `ClosedError`.
   *
   * @throws {AggregateError} If several connections failed to close; one failure is thrown as it is
   */
  close(): Promise<void> {
    return this.#servers.close();
  }

  /** The same as {@link close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #items(
    method: Parameters<typeof readAll>[1],
    server: string | undefined,
    options: HubRequestOptions,
  ): Promise<readonly ServerItem[]> {
    const { warn } = this.#servers;
    const links = this.#servers.reachAll(server);
    const lists = await Promise.all(links.map(async (link) => {
      const items = await link.ask({
        method,
        mayRepeat: true,
        options,
        work: (connection, request) =>
          readAll(connection, method, warn, request),
      });
      const { name: server } = link.server;
      return items.map((item) => ({ ...item, server }));
    }));
    return lists.flat();
  }

  async #ask(
    method: "resources/read" | "prompts/get",
    server: string,
    params: JsonObject,
    options: HubRequestOptions,
  ): Promise<JsonObject> {
    const answer = await this.#servers.reach(server).ask<JsonValue>({
      method,
      mayRepeat: true,
      options,
      work: (connection, request, observed) =>
        connection.request(method, { ...params, ...observed.meta() }, request),
    });
    return objectIn(server, answer);
  }
}
