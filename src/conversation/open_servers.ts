import type { AttachedServers } from "../mcp/attachment.ts";
import type { Host } from "../ports/host.ts";
import type { McpServerConfig } from "../types/mcp.ts";
import type { Composed } from "./parts.ts";

/** MCP servers that this package connects; nothing of MCP is loaded when there are none. */
export async function openServers(
  parts: Composed,
  host: Host,
  signal: AbortSignal,
): Promise<AttachedServers | undefined> {
  const { settings, deadlines, report, log, metrics, requests, handlers } =
    parts;
  const servers = Object.fromEntries(
    Object.entries(settings.options.mcpServers ?? {}).filter(isOurs),
  );
  if (Object.keys(servers).length === 0) return undefined;
  log.debug("Composing MCP servers", { servers: Object.keys(servers) });
  const { attachServers } = await import("../mcp/attach.ts");
  return await attachServers({
    servers,
    host,
    signal,
    settings,
    deadlines,
    report,
    log,
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
}

function isOurs([, config]: [string, McpServerConfig]): boolean {
  return config.type === "sdk" || config.via !== "cli";
}
