import { host as loadHost } from "../runtime/host.ts";
import type { SetMcpServersReply } from "../types/control_replies.ts";
import type { JsonObject } from "../types/json.ts";
import type { Composed } from "./parts.ts";
import {
  openServers,
  ourServers,
  type Servers,
  serversOfTheCli,
} from "./open_servers.ts";
import { wireServers } from "./wire_servers.ts";

/** Connects a server of ours anew; false when it is none of ours, and the CLI has to. */
export async function reconnectServer(
  { live }: Composed,
  name: string,
): Promise<boolean> {
  const attached = await live.servers;
  if (!attached?.names().includes(name)) return false;
  await attached.reconnect(name);
  return true;
}

/**
 * Puts other servers in the place of those there are: ours are connected here, the rest by the CLI.
 *
 * The CLI forgets every server that it is not told of again, so both go out in one request.
 */
export async function changeServers(
  parts: Composed,
  servers: Servers,
  tell: (fields: JsonObject) => Promise<JsonObject>,
): Promise<SetMcpServersReply> {
  const { live, signal } = parts;
  live.scrubber?.learn({ documents: [{ mcpServers: servers }] });
  const theirs = wireServers(serversOfTheCli(servers));
  live.servers ??= openFirst(parts, signal);
  const attached = await live.servers;
  const reply = await attached.replace(
    ourServers(servers),
    (ours) => tell({ servers: { ...ours, ...theirs } }),
  );
  // The published shape of the reply is taken at its word.
  return reply as unknown as SetMcpServersReply;
}

async function openFirst(parts: Composed, signal: AbortSignal) {
  const attached = await openServers(parts, await loadHost(), {}, signal);
  attached.begin();
  return attached;
}
