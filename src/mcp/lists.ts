import { isObject, show, typeOf } from "../errors/text.ts";
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
    const request = connection.request(method, params, options);
    const page = pageOf(
      await request.catch((error) => {
        if (isWithout(method, error)) return { [key]: [] };
        throw error;
      }),
      key,
      (fault) => warn(`MCP server "${server}" answers ${method} ${fault}`),
    );
    all.push(...page.items);
    const { cursor } = page;
    if (cursor === undefined) return all;
    if (seen.has(cursor)) throw broken(`repeats the cursor ${show(cursor)}`);
    seen.add(cursor);
    if (seen.size >= MOST_PAGES) throw broken(`has over ${MOST_PAGES} pages`);
    if (all.length > MOST_ITEMS) throw broken(`has over ${MOST_ITEMS} items`);
    params = { cursor };
  }

  function broken(fact: string): McpProtocolError {
    const message =
      `List of MCP server "${server}" does not end: ${method} ${fact}`;
    return new McpProtocolError({ message, server });
  }
}

/** Resources without templates are common, and templates have no capability of their own. */
function isWithout(method: string, error: unknown): boolean {
  return method === "resources/templates/list" &&
    error instanceof JsonRpcError && error.code === METHOD_NOT_FOUND;
}

interface Page {
  readonly items: readonly JsonObject[];
  /** Where the next one begins; a number, though the protocol has texts, is sent back as it came. */
  readonly cursor: string | number | undefined;
}

export function pageOf(
  page: JsonValue,
  key: string,
  tell: (fault: string) => void,
): Page {
  const { [key]: list, nextCursor } = isObject(page) ? page : {};
  const listed = Array.isArray(list) ? list : [];
  if (listed !== list) {
    tell(`without a list of ${key}: there is ${typeOf(list)}`);
  }
  const items = listed.filter((item) => isObject(item));
  const odd = listed.length - items.length;
  if (odd > 0) {
    tell(`with ${odd} ${key} that are no objects: they are left out`);
  }
  return { items, cursor: cursorOf(nextCursor, tell) };
}

/** An empty text is a cursor like any other. */
function cursorOf(
  cursor: JsonValue | undefined,
  tell: (fault: string) => void,
): string | number | undefined {
  if (typeof cursor === "string") return cursor;
  if (cursor === undefined || cursor === null) return undefined;
  const isNumber = typeof cursor === "number";
  const fate = isNumber ? "sent back as it is" : "ignored";
  tell(`with a cursor that is ${typeOf(cursor)}, not a text: it is ${fate}`);
  return isNumber ? cursor : undefined;
}

export function listsOf({ capabilities }: McpServerInfo): readonly string[] {
  return ["tools", "resources", "prompts"]
    .filter((kind) => isObject(capabilities[kind]));
}
