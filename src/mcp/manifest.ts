import { isObject } from "../errors/is_object.ts";
import { textOfError } from "../errors/text.ts";
import type { Log } from "../observe/log.ts";
import type { McpConnection, McpServerInfo } from "../ports/mcp.ts";
import type { JsonObject } from "../types/json.ts";
import { NEWEST_VERSION } from "./jsonrpc.ts";
import { readAll } from "./lists.ts";
import { usableTools } from "./lists.ts";

/** A server that lists slower is asked by the CLI itself, which waits for it as long as it likes. */
const LIST_MS = 5_000;

/** What each server may list. */
const LISTED = ["tools", "resources", "prompts"] as const;

/** What a server answers to `initialize`; the CLI takes manifests of its own revision only. */
export function initializeResult(
  { name, version, capabilities, instructions }: McpServerInfo,
  protocolVersion: string = NEWEST_VERSION,
): JsonObject {
  return {
    protocolVersion,
    capabilities: withListChanges(capabilities),
    serverInfo: { name, version },
    ...(instructions === undefined ? {} : { instructions }),
  };
}

/** A server that is connected anew may list other things, whether or not it can say so by itself. */
function withListChanges(capabilities: JsonObject): JsonObject {
  const lists = LISTED.flatMap((kind) => {
    const capability = capabilities[kind];
    return isObject(capability)
      ? [[kind, { ...capability, listChanged: true }] as const]
      : [];
  });
  return { ...capabilities, ...Object.fromEntries(lists) };
}

export function listsOf(
  connection: McpConnection | undefined,
): readonly string[] {
  const capabilities = connection?.server.capabilities ?? {};
  return LISTED.filter((kind) => isObject(capabilities[kind]));
}

/** Names of the tools in a manifest. */
export function toolsIn(manifest: JsonObject | undefined): readonly string[] {
  const list = manifest?.toolsListResult;
  const tools = isObject(list) ? list.tools : undefined;
  return Array.isArray(tools) ? tools.map(({ name }) => String(name)) : [];
}

/**
 * What the CLI would ask servers first, by name: handshake and tools. Rides in `initialize` and saves three messages each.
 *
 * A server whose tools cannot be listed gets none: the CLI asks then, and shows what it gets.
 */
export async function readManifests(
  connections: readonly McpConnection[],
  signal: AbortSignal,
  log: Log,
): Promise<ReadonlyMap<string, JsonObject>> {
  const limits = { signal, timeoutMs: LIST_MS };
  const manifests = await Promise.all(
    connections.map(async (connection) => {
      const { name, server } = connection;
      try {
        const listed = await readAll(connection, "tools/list", limits);
        const tools = usableTools(name, listed, (text) => log.warn(text));
        const manifest = {
          initializeResult: initializeResult(server),
          toolsListResult: { tools: [...tools] },
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
  return new Map<string, JsonObject>(manifests.flat());
}
