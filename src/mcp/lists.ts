import { asObject, isObject, show, typeOf } from "../errors/text.ts";
import { McpProtocolError } from "../errors/mcp.ts";
import type {
  McpConnection,
  McpRequestOptions,
  McpServerInfo,
} from "../ports/mcp.ts";
import { JsonRpcError } from "./failure.ts";
import { METHOD_NOT_FOUND } from "./jsonrpc.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";

const KEYS = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
} as const;

const MOST_PAGES = 1_000;
const MOST_ITEMS = 100_000;

/**
 * Every item of a list, page by page, in the server's order; a server that cannot have one is not asked.
 *
 * A cursor that comes again, too many pages or items end it with a typed error. What is malformed is left out with a
 * warning: a list is never cut in silence.
 */
export async function readAll(
  connection: McpConnection,
  method: keyof typeof KEYS,
  warn: (text: string) => void,
  options?: McpRequestOptions,
): Promise<readonly JsonObject[]> {
  const { name: server } = connection;
  const key = KEYS[method];
  const all: JsonObject[] = [];
  const [capability = ""] = method.split("/");
  if (connection.server.capabilities[capability] === undefined) return all;
  const seen = new Set<JsonValue>();
  let params: JsonObject | undefined;
  for (;;) {
    const answer = await connection.request(method, params, options)
      .catch((error) => {
        if (isWithout(method, error)) return { [key]: [] };
        throw error;
      });
    const { items, cursor } = pageOf(
      answer,
      key,
      (fault) => warn(`MCP server "${server}" answers ${method} ${fault}`),
    );
    all.push(...items);
    if (cursor === undefined) return all;
    const fault = seen.has(cursor)
      ? `repeats the cursor ${show(cursor)}`
      : seen.size + 1 >= MOST_PAGES
      ? `has over ${MOST_PAGES} pages`
      : all.length > MOST_ITEMS
      ? `has over ${MOST_ITEMS} items`
      : undefined;
    if (fault !== undefined) {
      const message =
        `List of MCP server "${server}" does not end: ${method} ${fault}`;
      throw new McpProtocolError({ message, server });
    }
    seen.add(cursor);
    params = { cursor };
  }
}

/** Resources without templates are common, and templates have no capability of their own. */
function isWithout(method: string, error: unknown): boolean {
  return method === "resources/templates/list" &&
    error instanceof JsonRpcError && error.code === METHOD_NOT_FOUND;
}

interface Page {
  readonly items: readonly JsonObject[];
  /** Cursor of the next page; a number, although the protocol has strings, is sent back unchanged. */
  readonly cursor: string | number | undefined;
}

export function pageOf(
  page: JsonValue,
  key: string,
  tell: (fault: string) => void,
): Page {
  const { [key]: list, nextCursor: cursor } = asObject(page);
  const listed = Array.isArray(list) ? list : [];
  if (listed !== list) {
    tell(`without a list of ${key}: there is ${typeOf(list)}`);
  }
  const items = listed.filter((item) => isObject(item));
  const odd = listed.length - items.length;
  if (odd > 0) {
    tell(`with ${odd} ${key} that are no objects: they are left out`);
  }
  // An empty text is a cursor like any other.
  if (typeof cursor === "string" || typeof cursor === "number") {
    return { items, cursor };
  }
  if (cursor !== undefined && cursor !== null) {
    tell(`with a cursor that is ${typeOf(cursor)}: it is ignored`);
  }
  return { items, cursor: undefined };
}

export function listsOf({ capabilities }: McpServerInfo): readonly string[] {
  return ["tools", "resources", "prompts"]
    .filter((kind) => isObject(capabilities[kind]));
}
