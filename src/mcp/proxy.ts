import { UnknownServerError } from "../errors/mcp.ts";
import { show } from "../errors/text.ts";
import type { McpConnection } from "../ports/mcp.ts";
import type { ControlContext, ControlFields } from "../types/control.ts";
import type { JsonObject } from "../types/json.ts";
import { readMessage } from "./jsonrpc.ts";
import type { Proxied, ProxyServices } from "./server_voice.ts";
import { ProxiedServer } from "./proxied_server.ts";

/**
 * Stands between the CLI and the servers that this package connected.
 *
 * Answers each `mcp_message`. It owns no connection: who made one closes it.
 */
export class McpProxy {
  readonly #services: ProxyServices;
  readonly #servers = new Map<string, ProxiedServer>();
  #hasBegun = false;

  constructor(services: ProxyServices) {
    this.#services = services;
  }

  /** Puts a server behind it, in the place of an earlier one of the same name. */
  add(server: Proxied): void {
    const { name } = server.connection;
    this.remove(name);
    const proxied = new ProxiedServer(server, this.#services);
    this.#servers.set(name, proxied);
    if (this.#hasBegun) proxied.begin();
  }

  /** Takes a server away; gives its connection, to be closed. */
  remove(name: string): McpConnection | undefined {
    const proxied = this.#servers.get(name);
    this.#servers.delete(name);
    proxied?.close(new Error(`MCP server "${name}" was removed`));
    return proxied?.connection;
  }

  /** Ends the calls of a server, which stays in its place until another takes it. */
  end(name: string, reason: unknown): void {
    this.#servers.get(name)?.close(reason);
  }

  /** The CLI has answered `initialize`: what servers say by themselves goes out from now on. */
  begin(): void {
    this.#hasBegun = true;
    for (const proxied of this.#servers.values()) proxied.begin();
  }

  /** Answers an `mcp_message`; throws what is no message of a known server. */
  readonly handle = (
    { server_name: name, message }: ControlFields,
    context: ControlContext,
  ): JsonObject | Promise<JsonObject | undefined> => {
    const proxied = typeof name === "string"
      ? this.#servers.get(name)
      : undefined;
    if (proxied === undefined) {
      throw new UnknownServerError({
        message: `MCP server is not known: ${show(name)}`,
        server: String(name),
      });
    }
    return proxied.handle(readMessage(message), context);
  };

  /** Ends every call; the connections stay. */
  close(reason: unknown): void {
    for (const proxied of this.#servers.values()) proxied.close(reason);
  }
}
