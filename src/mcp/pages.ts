import { isObject } from "../errors/is_object.ts";
import { McpProtocolError } from "../errors/mcp.ts";
import { show } from "../errors/text.ts";
import type { McpConnection, McpRequestOptions } from "../ports/mcp.ts";
import type { JsonObject } from "../types/json.ts";

/** What can be listed, and under which key its items come. */
export const LISTS = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
} as const;

/** A method that lists. */
export type ListMethod = keyof typeof LISTS;

const MOST_PAGES = 1_000;
const MOST_ITEMS = 100_000;

/**
 * Reads a list page by page; each page in the server's order.
 *
 * A cursor that comes again, too many pages or items end it with a typed error: never a list that is silently cut.
 */
export async function* readPages(
  connection: McpConnection,
  method: ListMethod,
  options?: McpRequestOptions,
): AsyncGenerator<readonly JsonObject[], void, undefined> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 1, count = 0;; pages++) {
    const params = cursor === undefined ? undefined : { cursor };
    const page = await connection.request(method, params, options);
    const items = isObject(page) ? page[LISTS[method]] : undefined;
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

/** Every item of a list. */
export async function readAll(
  connection: McpConnection,
  method: ListMethod,
  options?: McpRequestOptions,
): Promise<readonly JsonObject[]> {
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
