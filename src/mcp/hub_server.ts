import { ConfigError, NotConnectedError } from "../errors/base.ts";
import { UnknownToolError } from "../errors/mcp.ts";
import { asObject, isObject, show } from "../errors/text.ts";
import type { McpDirectCall } from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { LocalMcpServer } from "../types/mcp.ts";
import type { CallOptions } from "../types/mcp_hub.ts";
import type { ToolResult } from "../types/mcp_tool.ts";
import type { Route, Snapshot } from "./catalog.ts";
import { JsonRpcError } from "./failure.ts";
import type { HubServers } from "./hub_servers.ts";
import { NEWEST_VERSION } from "./jsonrpc.ts";
import { assignNames, LONGEST_NAME, modelName } from "./names.ts";
import { directSession, unknownTool } from "./server.ts";
import { thrownResult } from "./tool.ts";

const VERSION = "1.0.0";

/** A shorter name would be a hash and nothing else. */
const SHORTEST_TOOL_NAME = 16;

/** Calls a tool by its name in the catalogue, as a hub does. */
interface ToolCaller {
  call(
    name: string,
    args: JsonObject,
    options: CallOptions,
  ): Promise<ToolResult>;
}

/** The servers of a hub as one, whose name it gets: what is asked of it goes to the server that has the tool. */
export function hubServer(
  servers: HubServers,
  hub: ToolCaller,
  name: string,
): LocalMcpServer {
  longestToolName(name);
  return {
    name,
    version: VERSION,
    open(as = name) {
      if (!servers.isConnected) {
        throw new NotConnectedError("asMcpServer().open");
      }
      const longest = longestToolName(as);
      let menu: Menu | undefined;
      const currentMenu = () => {
        const { snapshot } = servers;
        if (menu?.snapshot !== snapshot) menu = toMenu(snapshot, longest);
        return menu;
      };
      const info = {
        name: as,
        version: VERSION,
        capabilities: { tools: { listChanged: true } },
        protocolVersion: NEWEST_VERSION,
      };
      const session = directSession(as, {
        info,
        list: () => currentMenu().list,
        call: (params, call) =>
          callTool(hub, currentMenu().routes, params, call),
      }, () => forget());
      const forget = servers.listen(() => {
        if (!servers.isConnected) session.close();
        else session.tell("notifications/tools/list_changed");
      });
      return session;
    },
  };
}

/** Most characters of a tool name behind the prefix of the CLI. */
function longestToolName(server: string): number {
  const left = LONGEST_NAME - modelName(server, "").length;
  if (server.trim() !== "" && left >= SHORTEST_TOOL_NAME) return left;
  const most = LONGEST_NAME - modelName("", "").length - SHORTEST_TOOL_NAME;
  throw new ConfigError({
    message: `Name of a hub as a server must have 1 to ${most} characters: ${
      show(server)
    }`,
    key: "name",
    value: server,
  });
}

async function callTool(
  hub: ToolCaller,
  routes: ReadonlyMap<unknown, Route>,
  params: JsonObject = {},
  call: McpDirectCall,
): Promise<JsonValue> {
  const { name } = params;
  const { signal } = call;
  const route = routes.get(name);
  if (route === undefined) throw unknownTool(name);
  const args = asObject(params.arguments);
  // Progress has another way; the rest is for the server.
  const { progressToken: _, ...meta } = isObject(params._meta)
    ? params._meta
    : {};
  try {
    const result = await hub.call(route.tool.name, args, {
      signal,
      onProgress: (progress) => call.onProgress(progress),
      ...Object.keys(meta).length > 0 && { meta },
    });
    const { content, structuredContent, isError, meta: _meta } = result;
    return {
      // Content of any kind is JSON, since it came from a server.
      content: content as readonly unknown[] as readonly JsonValue[],
      ...structuredContent !== undefined && { structuredContent },
      ...isError && { isError },
      ..._meta !== undefined && { _meta },
    };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof JsonRpcError) throw error;
    if (error instanceof UnknownToolError) throw unknownTool(name);
    // The model reads what is wrong, and whether it may try again.
    return { ...thrownResult(error) } as unknown as JsonObject;
  }
}

/** The tools of a snapshot under the names of a session. */
interface Menu {
  readonly snapshot: Snapshot;
  readonly routes: ReadonlyMap<unknown, Route>;
  readonly list: JsonObject;
}

/** Names the tools of a snapshot, with at most `longest` characters each. */
function toMenu(snapshot: Snapshot, longest: number): Menu {
  // A tool that only runs as a task cannot be called from there.
  const routes = [...new Set(snapshot.routes.values())]
    .filter(({ tool }) => !tool.needsTask);
  const { names } = assignNames(routes.map(({ tool }) => tool), longest);
  const named = routes.map((route) =>
    [names.get(route.tool) ?? "", route] as const
  );
  const tools = named.map(([name, { definition }]) => {
    // Tasks are between the hub and its servers.
    const { execution: _, ...rest } = definition;
    return { ...rest, name };
  });
  return { snapshot, routes: new Map(named), list: { tools } };
}
