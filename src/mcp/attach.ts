import { Attached } from "./attached.ts";
import type { AttachedServers, AttachInit } from "./attachment.ts";

/**
 * Connects the servers of a conversation: all of them or none.
 *
 * Rejects with the one `McpInitError`, or with the signal's reason; everything is closed again by then.
 */
export async function attachServers(
  init: AttachInit,
): Promise<AttachedServers> {
  const attached = new Attached(init);
  await attached.connect();
  return attached;
}
