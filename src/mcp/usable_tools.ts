import { asObject, isDeep, isObject, show } from "../errors/text.ts";
import { jsonCheckOf } from "../json_schema/compile.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { pageOf } from "./lists.ts";

/**
 * The tools in a list of a server that every client accepts, in its order.
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
    const { name } = asObject(item);
    if (!isObject(item) || typeof name !== "string") {
      report("a tool without a name: it is left out");
      continue;
    }
    if (byName.has(name)) {
      report(`a tool twice: "${name}"`);
      continue;
    }
    const tool = trimmed(item);
    const problem = isDeep(item) ? "nested too deeply" : problemOf(tool);
    if (problem === undefined) byName.set(name, tool);
    else report(`malformed tool ${show(name)}, it is left out: ${problem}`);
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

export const ANY_OBJECT: JsonObject = Object.freeze({ type: "object" });

const STRING = { type: "string" };
const FLAG = { type: "boolean" };
const SCHEMA = {
  type: "object",
  required: ["type"],
  properties: {
    type: { const: "object" },
    properties: { type: "object", additionalProperties: ANY_OBJECT },
    required: { type: "array", items: STRING },
  },
};

/** The form of a tool that clients accept; its name is checked before. */
const problemOf = jsonCheckOf({
  required: ["inputSchema"],
  properties: {
    title: STRING,
    description: STRING,
    annotations: {
      type: "object",
      properties: {
        title: STRING,
        readOnlyHint: FLAG,
        destructiveHint: FLAG,
        idempotentHint: FLAG,
        openWorldHint: FLAG,
      },
    },
    execution: {
      type: "object",
      properties: {
        taskSupport: { enum: ["required", "optional", "forbidden"] },
      },
    },
    inputSchema: SCHEMA,
    outputSchema: SCHEMA,
    _meta: ANY_OBJECT,
  },
});

/** A tool without icons, which no model sees, and without `null`, as some languages write what is absent. */
function trimmed(tool: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(tool)
      .filter(([key, value]) => value !== null && key !== "icons")
      .map(([key, value]) => [
        key,
        isObject(value) && key !== "_meta"
          ? Object.fromEntries(
            Object.entries(value).filter(([, member]) => member !== null),
          )
          : value,
      ]),
  );
}
