import type { LocalMcpServer, McpServerDefinition } from "../types/mcp.ts";
import { isPromise } from "./jsonrpc.ts";
import { LocalConnection } from "./local.ts";
import { toService } from "./local_service.ts";

/**
 * Makes an MCP server of tools, in this program.
 *
 * Shape: it may serve several conversations and hubs at once; each opens a session of its own. Serving a call is a
 * function call, without JSON text between.
 *
 * @param def Name, version and tools
 * @returns The server, for `mcpServers: { clock }`, as it is, or a hub
 * @throws {ConfigError} If the name is empty or two tools have one name
 *
 * @example A server with one tool
 * ```ts
 * import { createMcpServer, tool } from "@sluice/agent/mcp";
 * import assert from "node:assert/strict";
 *
 * const clock = createMcpServer({
 *   name: "clock",
 *   tools: [tool({
 *     name: "now",
 *     description: "Tells the time",
 *     input: { type: "object" },
 *     run: () => new Date(0).toISOString(),
 *   })],
 * });
 *
 * const session = await clock.open();
 * const result = await session.request("tools/call", { name: "now" });
 * assert.deepEqual(result, {
 *   content: [{ type: "text", text: "1970-01-01T00:00:00.000Z" }],
 * });
 * await session.close();
 * ```
 */
export function createMcpServer(def: McpServerDefinition): LocalMcpServer {
  const service = toService(def);
  return {
    name: service.info.name,
    version: service.info.version,
    open(name = service.info.name) {
      const list = service.list();
      const connect = () => new LocalConnection(name, service);
      // A tool that cannot be listed fails its server, rather than being missed later.
      return isPromise(list) ? list.then(connect) : connect();
    },
  };
}
