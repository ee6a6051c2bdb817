import type { AttachedServers } from "../mcp/attached.ts";
import type { Host } from "../ports/host.ts";
import type { McpServerConfig } from "../types/mcp.ts";
import type { Composed } from "./parts.ts";

/** Servers by name. */
export type Servers = Readonly<Record<string, McpServerConfig>>;

/** Connects MCP servers and lets the CLI ask them; nothing of MCP is loaded before. */
export async function openServers(
  parts: Composed,
  host: Host,
  servers: Servers,
  signal: AbortSignal,
): Promise<AttachedServers> {
  const { settings, deadlines, report, log, metrics, requests, handlers } =
    parts;
  const { shown } = parts;
  log.debug("Composed", {
    part: "MCP servers",
    servers: Object.keys(servers),
  });
  const { attachServers } = await import("../mcp/attached.ts");
  const attached = await attachServers({
    servers,
    host,
    signal,
    settings,
    deadlines,
    report,
    log,
    shown,
    metrics: metrics.protocol,
    ...settings.options.onElicitation !== undefined && {
      elicitation: handlers.get("elicitation"),
    },
    send: (server, message) => {
      // The CLI's acknowledgement says nothing, and a lost one is told by the outbox.
      requests.send("mcp_message", { server_name: server, message })
        .catch(() => {});
    },
  });
  handlers.set("mcp_message", attached.handle);
  return attached;
}

/** The servers that this package connects. */
export function ourServers(servers: Servers): Servers {
  return Object.fromEntries(Object.entries(servers).filter(isOurs));
}

/** The servers that the CLI connects. */
export function serversOfTheCli(servers: Servers): Servers {
  return Object.fromEntries(
    Object.entries(servers).filter((entry) => !isOurs(entry)),
  );
}

function isOurs([, config]: [string, McpServerConfig]): boolean {
  return config.type === "sdk" || config.via !== "cli";
}
