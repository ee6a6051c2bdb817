import { isObject } from "../errors/is_object.ts";
import { McpProtocolError } from "../errors/mcp.ts";
import { show } from "../errors/text.ts";
import type { McpConnection, McpRequestOptions } from "../ports/mcp.ts";
import type { JsonObject } from "../types/json.ts";
import type { HubRequestOptions, ServerItem } from "../types/mcp.ts";
import { JsonRpcError } from "./failure.ts";
import { METHOD_NOT_FOUND } from "./jsonrpc.ts";
import type { ServerLink } from "./link.ts";

/** What can be listed, under which key its items come, and what a server must be able to do. */
const LISTS = {
  "tools/list": { key: "tools", capability: "tools" },
  "resources/list": { key: "resources", capability: "resources" },
  "resources/templates/list": {
    key: "resourceTemplates",
    capability: "resources",
  },
  "prompts/list": { key: "prompts", capability: "prompts" },
} as const;

type ListMethod = keyof typeof LISTS;

const MOST_PAGES = 1_000;
const MOST_ITEMS = 100_000;

/**
 * Reads a list page by page; each page in the server's order.
 *
 * A cursor that comes again, too many pages or items end it with a typed error: never a list that is silently cut.
 */
async function* readPages(
  connection: McpConnection,
  method: ListMethod,
  options?: McpRequestOptions,
): AsyncGenerator<readonly JsonObject[], void, undefined> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 1, count = 0;; pages++) {
    const params = cursor === undefined ? undefined : { cursor };
    const page = await connection.request(method, params, options);
    const items = isObject(page) ? page[LISTS[method].key] : undefined;
    const list = Array.isArray(items) ? items.filter(isObject) : [];
    yield list;
    const next = isObject(page) ? page.nextCursor : undefined;
    // An empty text is a cursor like any other.
    if (typeof next !== "string") return;
    count += list.length;
    if (seen.has(next)) {
      throw broken(connection, method, `repeats the cursor ${show(next)}`);
    }
    if (pages >= MOST_PAGES) {
      throw broken(connection, method, `has over ${MOST_PAGES} pages`);
    }
    if (count > MOST_ITEMS) {
      throw broken(connection, method, `has over ${MOST_ITEMS} items`);
    }
    seen.add(next);
    cursor = next;
  }
}

/** Every item of a list; a server that cannot have one is not asked. */
export async function readAll(
  connection: McpConnection,
  method: ListMethod,
  options?: McpRequestOptions,
): Promise<readonly JsonObject[]> {
  const { capability } = LISTS[method];
  if (connection.server.capabilities[capability] === undefined) return [];
  const all: JsonObject[] = [];
  for await (const page of readPages(connection, method, options)) {
    all.push(...page);
  }
  return all;
}

function broken(
  { name }: McpConnection,
  method: ListMethod,
  fact: string,
): McpProtocolError {
  return new McpProtocolError({
    message: `List of MCP server "${name}" does not end: ${method} ${fact}`,
    server: name,
  });
}

/** What can be listed beside tools. */
export type ItemMethod = Exclude<ListMethod, "tools/list">;

interface ItemKind {
  /** By what two of them are told apart, beside their names. */
  readonly address?: string;
  /** What one of them is called. */
  readonly noun: string;
}

const KINDS: Readonly<Record<ItemMethod, ItemKind>> = {
  "resources/list": { address: "uri", noun: "resource" },
  "resources/templates/list": {
    address: "uriTemplate",
    noun: "resource template",
  },
  "prompts/list": { noun: "prompt" },
};

/** Lists what a server has of a kind, all pages; one that comes again is kept once. */
export async function readItems(
  link: ServerLink,
  { method, options }: {
    readonly method: ItemMethod;
    readonly options: HubRequestOptions;
  },
  warn: (text: string) => void,
): Promise<readonly ServerItem[]> {
  const { name: server } = link.server;
  const { address, noun } = KINDS[method];
  const items = await link.ask({
    method,
    mayRepeat: true,
    options,
    async work(connection, request) {
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
      warn(
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
