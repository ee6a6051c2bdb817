import { isObject, show } from "../errors/text.ts";
import { ConfigError, NotConnectedError } from "../errors/base.ts";
import { UnknownToolError } from "../errors/mcp.ts";
import type { McpConnection, McpDirectCall } from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { CallOptions } from "../types/mcp_hub.ts";
import type { LocalMcpServer } from "../types/mcp.ts";
import type { ToolResult } from "../types/mcp_tool.ts";
import type { Route, Snapshot } from "./catalog.ts";
import type { HubServers } from "./hub_servers.ts";
import { JsonRpcError } from "./failure.ts";
import { INVALID_PARAMS, NEWEST_VERSION } from "./jsonrpc.ts";
import { assignNames, LONGEST_NAME, modelName } from "./names.ts";
import { directSession } from "./server.ts";
import { thrownResult } from "./tool.ts";

const VERSION = "1.0.0";

/** A shorter name would be a hash and nothing else. */
const SHORTEST_TOOL_NAME = 16;

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

/** Calls a tool by its name in the catalogue, as a hub does. */
interface ToolCaller {
  call(
    name: string,
    args: JsonObject,
    options: CallOptions,
  ): Promise<ToolResult>;
}

/** The servers of a hub as one, whose name it gets. */
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
      if (servers.isConnected) return openSession(servers, hub, as);
      throw new NotConnectedError("asMcpServer().open");
    },
  };
}

/** A session with a hub: what is asked of it goes to the server that has the tool. */
function openSession(
  servers: HubServers,
  hub: ToolCaller,
  name: string,
): McpConnection {
  const longest = longestToolName(name);
  let menu: Menu | undefined;
  const session = directSession(name, {
    info: {
      name,
      version: VERSION,
      capabilities: { tools: { listChanged: true } },
      protocolVersion: NEWEST_VERSION,
    },
    list: () => currentMenu().list,
    call,
  }, () => forget());
  const forget = servers.listen(() => {
    if (servers.isConnected) session.tell("notifications/tools/list_changed");
    else session.close();
  });
  return session;

  function currentMenu(): Menu {
    const { snapshot } = servers;
    if (menu?.snapshot === snapshot) return menu;
    return menu = toMenu(snapshot, longest);
  }

  async function call(
    params: JsonObject | undefined,
    outer: McpDirectCall,
  ): Promise<JsonValue> {
    const name = params?.name;
    const route = typeof name === "string"
      ? currentMenu().routes.get(name)
      : undefined;
    if (params === undefined || route === undefined) throw unknownTool(name);
    const args = isObject(params.arguments) ? params.arguments : {};
    const meta = metaOf(params);
    const { signal } = outer;
    try {
      const result = await hub.call(route.tool.name, args, {
        signal,
        onProgress: (progress) => outer.onProgress(progress),
        ...meta && { meta },
      });
      return writeResult(result);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof JsonRpcError) throw error;
      if (error instanceof UnknownToolError) throw unknownTool(name);
      // The model reads what is wrong, and whether it may try again.
      return { ...thrownResult(error) } as unknown as JsonObject;
    }
  }
}

/** Content of any kind is JSON, since it came from a server. */
function writeResult(
  { content, structuredContent, isError, meta }: ToolResult,
): JsonObject {
  return {
    content: content as readonly unknown[] as readonly JsonValue[],
    ...structuredContent !== undefined && { structuredContent },
    ...isError && { isError },
    ...meta !== undefined && { _meta: meta },
  };
}

/** Progress has another way; the rest is for the server. */
function metaOf({ _meta }: JsonObject): JsonObject | undefined {
  if (!isObject(_meta)) return undefined;
  const { progressToken: _, ...meta } = _meta;
  return Object.keys(meta).length === 0 ? undefined : meta;
}

function unknownTool(name: unknown): JsonRpcError {
  return new JsonRpcError(INVALID_PARAMS, `Unknown tool: ${show(name)}`);
}

/** The tools of a snapshot under the names of a session. */
interface Menu {
  readonly snapshot: Snapshot;
  /** By name. */
  readonly routes: ReadonlyMap<string, Route>;
  /** The answer to `tools/list`. */
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
