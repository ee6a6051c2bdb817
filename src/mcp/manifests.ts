import { textOfError } from "../errors/text.ts";
import type { Log } from "../observe/log.ts";
import type { McpConnection } from "../ports/mcp.ts";
import type { JsonObject } from "../types/json.ts";
import { readAll } from "./lists.ts";
import { initializeResult } from "./proxied_server.ts";
import { usableTools } from "./usable_tools.ts";

interface Manifest extends JsonObject {
  readonly initializeResult: JsonObject;
  readonly toolsListResult: { readonly tools: readonly JsonObject[] };
}

/** A server that lists slower is asked by the CLI itself, which waits for it as long as it likes. */
const LIST_MS = 5_000;

/**
 * Handshakes and tools by server name. Sent in `initialize`, they save three messages per server.
 *
 * A server whose tools cannot be listed gets none: the CLI asks then, and shows what it gets.
 */
export async function readManifests(
  connections: Iterable<McpConnection>,
  signal: AbortSignal,
  log: Log,
): Promise<ReadonlyMap<string, Manifest>> {
  const limits = { signal, timeoutMs: LIST_MS };
  const warn = (text: string) => log.warn(text);
  const manifests = await Promise.all(
    Array.from(connections, async (connection) => {
      const { name, server } = connection;
      try {
        const listed = await readAll(connection, "tools/list", warn, limits);
        const tools = usableTools(name, listed, warn);
        const manifest = {
          initializeResult: initializeResult(server),
          toolsListResult: { tools },
        };
        return [[name, manifest] as const];
      } catch (error) {
        signal.throwIfAborted();
        log.warn("Tools of an MCP server cannot be listed", {
          server: name,
          error: textOfError(error),
        });
        return [];
      }
    }),
  );
  return new Map(manifests.flat());
}
