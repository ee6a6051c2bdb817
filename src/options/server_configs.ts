import { ConfigError } from "../errors/base.ts";
import type { JsonObject } from "../types/json.ts";
import type {
  McpRemoteConfig,
  McpSdkConfig,
  McpServerConfig,
  McpServerInput,
  McpServerInstance,
  McpStdioConfig,
} from "../types/mcp.ts";
import { isInstance, mcpServers } from "./server_fields.ts";

export type ServerConfigs = Readonly<Record<string, McpServerConfig>>;

/** Servers by name, each as a configuration; those that are `undefined` are left out. */
export function serverConfigs(
  servers: Readonly<Record<string, McpServerInput | undefined>>,
): ServerConfigs {
  return Object.fromEntries(
    Object.entries(servers).flatMap(([name, one]) =>
      one === undefined ? [] : [[name, serverConfig(one)]]
    ),
  );
}

export function serverConfig<Config extends McpServerConfig>(
  given: Config | McpServerInstance,
): Config | McpSdkConfig {
  return isInstance(given) ? { type: "sdk", instance: given } : given;
}

/** Whether the CLI connects it, and not this package. */
export function isOfCli(
  config: McpServerConfig | undefined,
): config is McpStdioConfig | McpRemoteConfig {
  return config !== undefined && config.type !== "sdk" && config.via === "cli";
}

/** A server as the CLI takes it that is to connect it. Source: protocol reference, section Control requests. */
function wireServer(
  config: McpStdioConfig | McpRemoteConfig,
): JsonObject {
  const { callTimeoutMs: timeout } = config;
  if ("url" in config) {
    const { type, url, headers } = config;
    return { type, url: String(url), headers, timeout };
  }
  // Without a list of arguments the CLI reports an error of its own.
  const { command, args = [], env } = config;
  return { type: "stdio", command, args, env, timeout };
}

/** Checks servers that were given while a conversation runs; throws `ConfigError`. */
export function checkedServers(
  given: Readonly<Record<string, McpServerInput>>,
): ServerConfigs {
  mcpServers(given, "mcpServers");
  return serverConfigs(given);
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

/** MCP servers as the CLI takes them at run time; it connects them itself. */
export function wireServers(servers: ServerConfigs): JsonObject {
  return Object.fromEntries(
    Object.entries(servers).map(([name, config]) => {
      if (config.type !== "sdk") return [name, wireServer(config)];
      throw new ConfigError({
        message:
          `MCP server "${name}" cannot be added while running: in-process servers go into "mcpServers" of the options`,
        key: `servers.${name}.type`,
        value: config.type,
        fatal: false,
      });
    }),
  );
}
