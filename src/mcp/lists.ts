import { isObject, show, typeOf } from "../errors/text.ts";
import { McpProtocolError } from "../errors/mcp.ts";
import type {
  McpConnection,
  McpRequestOptions,
  McpServerInfo,
} from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";

/** What can be listed, and the key under which its items come. */
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
    const page = pageOf(
      await connection.request(method, params, options),
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

/** One page of a list: what can be used of it. */
interface Page {
  readonly items: readonly JsonObject[];
  /** Where the next one begins; a number, though the protocol has texts, is sent back as it came. */
  readonly cursor: string | number | undefined;
}

function pageOf(
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

/** What a server says that it lists. */
export function listsOf({ capabilities }: McpServerInfo): readonly string[] {
  return ["tools", "resources", "prompts"]
    .filter((kind) => isObject(capabilities[kind]));
}

/**
 * The tools in a list of a server, as clients take them, in its order.
 *
 * One odd definition must not cost all the others: it is mended or left out, with a warning that says which and why. A
 * name that comes again is kept once.
 */
export function usableTools(
  server: string,
  items: readonly unknown[],
  warn: (text: string) => void,
): readonly JsonObject[] {
  const byName = new Map<string, JsonObject>();
  const tell = (fact: string) => warn(`MCP server "${server}" lists ${fact}`);
  for (const item of items) {
    const name = isObject(item) ? item.name : undefined;
    if (!isObject(item) || typeof name !== "string") {
      tell("a tool without a name: it is left out");
      continue;
    }
    if (byName.has(name)) {
      tell(`a tool twice: "${name}"`);
      continue;
    }
    const notes: Notes = [];
    const mended = mendTool(item, notes);
    if (typeof mended === "string") {
      tell(`tool ${show(name)} wrongly, it is left out: ${mended}`);
      continue;
    }
    byName.set(name, mended);
    if (notes.length === 0) continue;
    tell(`tool ${show(name)} oddly, it is mended: ${notes.join(", ")}`);
  }
  return [...byName.values()];
}

/** The answer to `tools/list` as clients take it. */
export function usableList(
  server: string,
  answer: JsonValue,
  warn: (text: string) => void,
): JsonValue {
  if (!isObject(answer)) return answer;
  const { _meta } = answer;
  const { items, cursor } = pageOf(
    answer,
    "tools",
    (fault) => warn(`MCP server "${server}" answers tools/list ${fault}`),
  );
  return {
    tools: [...usableTools(server, items, warn)],
    // The CLI takes a text alone.
    ...cursor !== undefined && { nextCursor: String(cursor) },
    ...isObject(_meta) && { _meta },
  };
}

/** What was odd about a definition, field by field. */
type Notes = string[];

/** Gives a field as clients take it, `undefined` to leave it out; notes what was odd. */
type Mend = (value: JsonValue, key: string, notes: Notes) =>
  | JsonValue
  | undefined;

/** Deeper than any definition, and far from the end of the stack. */
const MOST_LEVELS = 200;

const TOOL: Readonly<Record<string, Mend>> = {
  title: be("string"),
  description: be("string"),
  icons: listOf(isIcon, 'objects with "src"'),
  annotations: fields({
    title: be("string"),
    readOnlyHint: be("boolean"),
    destructiveHint: be("boolean"),
    idempotentHint: be("boolean"),
    openWorldHint: be("boolean"),
  }),
  execution: fields({
    taskSupport: (value, key, notes) =>
      value === "required" || value === "optional" || value === "forbidden"
        ? value
        : leave(value, key, notes),
  }),
  outputSchema: (value, key, notes) =>
    objectSchema(value, key, notes) ?? leave(value, key, notes),
  _meta: be("object"),
};

const OBJECT_SCHEMA: Readonly<Record<string, Mend>> = {
  properties,
  required: listOf((name) => typeof name === "string", "texts"),
};

/**
 * A tool as clients take it, or why nobody could call it.
 *
 * Clients refuse a whole list for one field of one tool. What is odd and not needed is left out, and noted; `null` is as
 * good as absent. A tool whose arguments cannot be an object is of no use.
 */
function mendTool(tool: JsonObject, notes: Notes): JsonObject | string {
  if (isDeep(tool, MOST_LEVELS)) return "it is nested too deeply";
  const { inputSchema, ...rest } = tool;
  const key = "inputSchema";
  const schema = objectSchema(inputSchema ?? ANY_OBJECT, key, notes);
  if (schema === undefined) return `"${key}" is no schema of an object`;
  if (inputSchema === undefined) notes.push(`there is no "${key}"`);
  return { ...mendFields(rest, TOOL, notes), inputSchema: schema };
}

/** The schema of any object. */
export const ANY_OBJECT: JsonObject = Object.freeze({ type: "object" });

/** An object whose fields are mended; the same fields in the same order. */
function mendFields(
  object: JsonObject,
  mends: Readonly<Record<string, Mend>>,
  notes: Notes,
  key?: string,
): JsonObject {
  const mended = Object.entries(object).flatMap(([name, value]) => {
    const mend = Object.hasOwn(mends, name) ? mends[name] : undefined;
    if (mend === undefined) return [[name, value] as const];
    if (value === null || value === undefined) return [];
    const path = key === undefined ? name : `${key}.${name}`;
    const good = mend(value, path, notes);
    return good === undefined ? [] : [[name, good] as const];
  });
  return Object.fromEntries(mended);
}

/** An object with some fields that clients look at. */
function fields(mends: Readonly<Record<string, Mend>>): Mend {
  return (value, key, notes) =>
    isObject(value)
      ? mendFields(value, mends, notes, key)
      : leave(value, key, notes);
}

/** A field of one type. */
function be(type: string): Mend {
  return (value, key, notes) =>
    typeOf(value) === type ? value : leave(value, key, notes);
}

function leave(value: JsonValue, key: string, notes: Notes): undefined {
  notes.push(`"${key}" may not be ${typeOf(value)}`);
  return undefined;
}

/** The schema of an object; `undefined` when it is none and cannot be made one. */
function objectSchema(
  value: JsonValue,
  key: string,
  notes: Notes,
): JsonObject | undefined {
  if (value === true) {
    notes.push(`"${key}" may not be true`);
    return ANY_OBJECT;
  }
  if (!isObject(value)) return undefined;
  const { type, ...rest } = value;
  const takesObject = type === undefined || type === null ||
    type === "object" ||
    (Array.isArray(type) && type.includes("object"));
  if (!takesObject) return undefined;
  if (type !== "object") notes.push(`"${key}.type" must be "object"`);
  return { type: "object", ...mendFields(rest, OBJECT_SCHEMA, notes, key) };
}

/** Each of them is an object; some languages make a list of none. */
function properties(value: JsonValue, key: string, notes: Notes): JsonValue {
  if (!isObject(value)) {
    leave(value, key, notes);
    return {};
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, property]) => {
      if (isObject(property)) return [name, property];
      leave(property ?? null, `${key}.${name}`, notes);
      return [name, property === false ? { not: {} } : {}];
    }),
  );
}

/** A list of items that fit; the others are left out. */
function listOf(fits: (item: JsonValue) => boolean, what: string): Mend {
  return (value, key, notes) => {
    if (!Array.isArray(value)) return leave(value, key, notes);
    const good = value.filter(fits);
    if (good.length < value.length) {
      notes.push(`"${key}" may hold ${what} alone`);
    }
    return good;
  };
}

function isIcon(value: JsonValue): boolean {
  if (!isObject(value)) return false;
  const { src, mimeType = "", sizes = [], theme = "light" } = value;
  return typeof src === "string" && typeof mimeType === "string" &&
    Array.isArray(sizes) && sizes.every((size) => typeof size === "string") &&
    (theme === "light" || theme === "dark");
}

function isDeep(value: JsonValue | undefined, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 ||
    Object.values(value).some((part) => isDeep(part, levels - 1));
}
