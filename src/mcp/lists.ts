import { isObject, show } from "../errors/text.ts";
import { McpProtocolError } from "../errors/mcp.ts";
import type { McpConnection, McpRequestOptions } from "../ports/mcp.ts";
import type { JsonObject } from "../types/json.ts";
import type { HubRequestOptions, ServerItem } from "../types/mcp.ts";
import { JsonRpcError } from "./failure.ts";
import { METHOD_NOT_FOUND } from "./jsonrpc.ts";
import type { ServerLink } from "./link.ts";

/** What can be listed. */
type ListMethod =
  | "tools/list"
  | "resources/list"
  | "resources/templates/list"
  | "prompts/list";

/** What can be listed beside tools. */
export type ItemMethod = Exclude<ListMethod, "tools/list">;

interface ListKind {
  /** Under which key its items come. */
  readonly key: string;
  /** What a server must be able to do. */
  readonly capability: string;
  /** What one item is called. */
  readonly noun: string;
  /** By what two items are told apart, beside their names. */
  readonly address?: string;
}

const LISTS: Readonly<Record<ListMethod, ListKind>> = {
  "tools/list": { key: "tools", capability: "tools", noun: "tool" },
  "resources/list": {
    key: "resources",
    capability: "resources",
    noun: "resource",
    address: "uri",
  },
  "resources/templates/list": {
    key: "resourceTemplates",
    capability: "resources",
    noun: "resource template",
    address: "uriTemplate",
  },
  "prompts/list": { key: "prompts", capability: "prompts", noun: "prompt" },
};

const MOST_PAGES = 1_000;
const MOST_ITEMS = 100_000;

/**
 * Every item of a list, page by page, in the server's order; a server that cannot have one is not asked.
 *
 * A cursor that comes again, too many pages or items end it with a typed error: never a list that is silently cut.
 */
export async function readAll(
  connection: McpConnection,
  method: ListMethod,
  options?: McpRequestOptions,
): Promise<readonly JsonObject[]> {
  const { key, capability } = LISTS[method];
  const all: JsonObject[] = [];
  if (connection.server.capabilities[capability] === undefined) return all;
  const seen = new Set<string>();
  let params: JsonObject | undefined;
  for (;;) {
    const page = await connection.request(method, params, options);
    if (!isObject(page)) return all;
    const { [key]: items, nextCursor: cursor } = page;
    if (Array.isArray(items)) all.push(...items.filter(isObject));
    // An empty text is a cursor like any other.
    if (typeof cursor !== "string") return all;
    if (seen.has(cursor)) throw broken(`repeats the cursor ${show(cursor)}`);
    seen.add(cursor);
    if (seen.size >= MOST_PAGES) throw broken(`has over ${MOST_PAGES} pages`);
    if (all.length > MOST_ITEMS) throw broken(`has over ${MOST_ITEMS} items`);
    params = { cursor };
  }

  function broken(fact: string): McpProtocolError {
    const { name: server } = connection;
    const message =
      `List of MCP server "${server}" does not end: ${method} ${fact}`;
    return new McpProtocolError({ message, server });
  }
}

/** Lists what a server has of a kind, all pages; one that comes again is kept once. */
export async function readItems(
  link: ServerLink,
  method: ItemMethod,
  options: HubRequestOptions,
  warn: (text: string) => void,
): Promise<readonly ServerItem[]> {
  const { name: server } = link.server;
  const { address, noun } = LISTS[method];
  const items = await link.ask({
    method,
    mayRepeat: true,
    options,
    async work(connection, request) {
      try {
        return await readAll(connection, method, request);
      } catch (error) {
        // Resources without templates are common, and templates have no capability of their own.
        const isUnknown = method === "resources/templates/list" &&
          error instanceof JsonRpcError && error.code === METHOD_NOT_FOUND;
        if (isUnknown) return [];
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
      warn(
        `MCP server "${server}" lists a ${noun} twice: "${String(name)}"`,
      );
    }
  }
  return Array.from(byKey.values(), (item) => ({ ...item, server }));
}
