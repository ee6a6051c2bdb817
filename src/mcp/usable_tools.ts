import { isObject, show } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { pageOf } from "./lists.ts";

/**
 * The tools in a list of a server that every client takes, in its order.
 *
 * Clients refuse a whole list for one malformed tool, so that one is left out, with a warning that names the field. A
 * name that comes again is kept once.
 */
export function usableTools(
  server: string,
  items: readonly unknown[],
  warn: (text: string) => void,
): readonly JsonObject[] {
  const byName = new Map<string, JsonObject>();
  const report = (fact: string) => warn(`MCP server "${server}" lists ${fact}`);
  for (const item of items) {
    const name = isObject(item) ? item.name : undefined;
    if (!isObject(item) || typeof name !== "string") {
      report("a tool without a name: it is left out");
      continue;
    }
    if (byName.has(name)) {
      report(`a tool twice: "${name}"`);
      continue;
    }
    const tool = isDeep(item, MOST_LEVELS)
      ? "nested too deeply"
      : wellFormed(item);
    if (typeof tool !== "string") byName.set(name, tool);
    else report(`malformed tool ${show(name)}, it is left out: ${tool}`);
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

/** The schema of any object. */
export const ANY_OBJECT: JsonObject = Object.freeze({ type: "object" });

/** Deeper than any definition, and far from the end of the stack. */
const MOST_LEVELS = 200;

/** Whether a field has a form that clients take, or the same of the fields of an object. */
type Fields = {
  readonly [name: string]: Fields | ((value: JsonValue) => boolean);
};

const isText = (value: JsonValue) => typeof value === "string";
const isFlag = (value: JsonValue) => typeof value === "boolean";

const SCHEMA: Fields = {
  type: (value) => value === "object",
  properties: (value) =>
    isObject(value) && Object.values(value).every(isObject),
  required: listOf(isText),
};

const TOOL: Fields = {
  title: isText,
  description: isText,
  icons: listOf(isIcon),
  annotations: {
    title: isText,
    readOnlyHint: isFlag,
    destructiveHint: isFlag,
    idempotentHint: isFlag,
    openWorldHint: isFlag,
  },
  execution: {
    taskSupport: (value) =>
      ["required", "optional", "forbidden"].some((one) => one === value),
  },
  inputSchema: SCHEMA,
  outputSchema: SCHEMA,
  _meta: {},
};

/** A tool without optional fields that are `null`, as some languages write absent ones; or what is malformed. */
function wellFormed(tool: JsonObject): JsonObject | string {
  const copy = withoutNulls(tool, TOOL, "");
  if (typeof copy === "string") return copy;
  const { inputSchema, outputSchema = ANY_OBJECT } = copy;
  if (!isObject(inputSchema)) return 'there is no "inputSchema"';
  const schemas = Object.entries({ inputSchema, outputSchema });
  const [untyped] = schemas
    .find(([, schema]) => !isObject(schema) || schema.type !== "object") ?? [];
  return untyped === undefined ? copy : `there is no "${untyped}.type"`;
}

function withoutNulls(
  object: JsonObject,
  fields: Fields,
  path: string,
): JsonObject | string {
  const entries: [string, JsonValue | undefined][] = [];
  for (const [name, value] of Object.entries(object)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) {
      entries.push([name, value]);
      continue;
    }
    if (value === null || value === undefined) continue;
    const malformed = `"${path}${name}" may not be ${show(value)}`;
    if (typeof field === "function") {
      if (!field(value)) return malformed;
      entries.push([name, value]);
      continue;
    }
    if (!isObject(value)) return malformed;
    const inner = withoutNulls(value, field, `${path}${name}.`);
    if (typeof inner === "string") return inner;
    entries.push([name, inner]);
  }
  return Object.fromEntries(entries);
}

function listOf(
  fits: (item: JsonValue) => boolean,
): (value: JsonValue) => boolean {
  return (value) => Array.isArray(value) && value.every(fits);
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
