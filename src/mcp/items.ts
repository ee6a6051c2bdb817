import type { JsonObject } from "../types/json.ts";
import type { HubRequestOptions, ServerItem } from "../types/mcp.ts";
import { JsonRpcError } from "./failure.ts";
import type { HubServers } from "./hub_servers.ts";
import { METHOD_NOT_FOUND } from "./jsonrpc.ts";
import { type ListMethod, readAll } from "./pages.ts";
import type { ServerLink } from "./redial.ts";

/** What can be listed beside tools. */
export type ItemMethod = Exclude<ListMethod, "tools/list">;

interface ItemKind {
  /** What a server must be able to do. */
  readonly capability: string;
  /** By what two of them are told apart, beside their names. */
  readonly address?: string;
  /** What one of them is called. */
  readonly noun: string;
}

const KINDS: Readonly<Record<ItemMethod, ItemKind>> = {
  "resources/list": {
    capability: "resources",
    address: "uri",
    noun: "resource",
  },
  "resources/templates/list": {
    capability: "resources",
    address: "uriTemplate",
    noun: "resource template",
  },
  "prompts/list": { capability: "prompts", noun: "prompt" },
};

/** Lists what a server has of a kind, all pages; one that comes again is kept once. */
export async function readItems(
  servers: HubServers,
  link: ServerLink,
  { method, options }: {
    readonly method: ItemMethod;
    readonly options: HubRequestOptions;
  },
): Promise<readonly ServerItem[]> {
  const { name: server, callMs } = link.server;
  const { timeoutMs = callMs } = options;
  const { capability, address, noun } = KINDS[method];
  const items = await servers.attempts.run({
    link,
    method,
    mayRepeat: true,
    options,
    async work(connection, signal) {
      if (connection.server.capabilities[capability] === undefined) return [];
      const request = { timeoutMs, ...(signal && { signal }) };
      try {
        return await readAll(connection, method, request);
      } catch (error) {
        if (isUnknownList(method, error)) return [];
        throw error;
      }
    },
  });
  const byKey = new Map<unknown, JsonObject>();
  for (const item of items) {
    const { name } = item;
    const key = JSON.stringify([name, address && item[address]]);
    if (!byKey.has(key)) byKey.set(key, item);
    else {
      servers.warnings.once(
        `MCP server "${server}" lists a ${noun} twice: "${String(name)}"`,
      );
    }
  }
  return Array.from(byKey.values(), (item) => ({ ...item, server }));
}

/** Resources without templates are common, and templates have no capability of their own. */
function isUnknownList(method: ItemMethod, error: unknown): boolean {
  return method === "resources/templates/list" &&
    error instanceof JsonRpcError && error.code === METHOD_NOT_FOUND;
}
