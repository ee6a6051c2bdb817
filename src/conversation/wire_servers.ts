import { ConfigError } from "../errors/config.ts";
import {
  isOfCli,
  mcpServers,
  serverConfigs,
  wireServer,
} from "../options/server_fields.ts";
import type { JsonObject } from "../types/json.ts";
import type { McpServerConfig, McpServerInput } from "../types/mcp.ts";

export type ServerConfigs = Readonly<Record<string, McpServerConfig>>;

/**
 * Servers as configurations; one that is `undefined` is none.
 *
 * @throws {ConfigError} If they are none
 */
export function checkedServers(
  given: Readonly<Record<string, McpServerInput>>,
): ServerConfigs {
  mcpServers(given, "mcpServers");
  const set = Object.entries(given).filter(([, one]) => one !== undefined);
  return serverConfigs(Object.fromEntries(set));
}

/** The servers that this package connects, and those that the CLI does. */
export function serversByOwner(
  servers: ServerConfigs,
): { readonly ours: ServerConfigs; readonly theirs: ServerConfigs } {
  const all = Object.entries(servers);
  return {
    ours: Object.fromEntries(all.filter(([, config]) => !isOfCli(config))),
    theirs: Object.fromEntries(all.filter(([, config]) => isOfCli(config))),
  };
}

/** Whether the CLI connects all of them: then there is nothing for this package to do. */
export function areAllOfCli(servers: ServerConfigs): boolean {
  return Object.values(servers).every(isOfCli);
}

/** MCP servers as the CLI takes them at run time; it connects them itself. */
export function wireServers(servers: ServerConfigs): JsonObject {
  return Object.fromEntries(
    Object.entries(servers).map((
      [name, config],
    ) => [name, toWire(name, config)]),
  );
}

function toWire(name: string, config: McpServerConfig): JsonObject {
  switch (config.type) {
    case undefined:
    case "stdio":
    case "http":
    case "sse":
      return wireServer(config);
    default:
      throw new ConfigError({
        message:
          `MCP server "${name}" cannot be added while running: in-process servers go into "mcpServers" of the options`,
        key: `servers.${name}.type`,
        value: config.type,
        fatal: false,
      });
  }
}
