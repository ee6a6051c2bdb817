import { isObject } from "../errors/is_object.ts";
import { show } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { mendTool, type Notes } from "./mend.ts";

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
  for (const item of items) {
    const name = isObject(item) ? item.name : undefined;
    if (!isObject(item) || typeof name !== "string") {
      warn(
        `MCP server "${server}" lists a tool without a name: it is left out`,
      );
      continue;
    }
    if (byName.has(name)) {
      warn(`MCP server "${server}" lists a tool twice: "${name}"`);
      continue;
    }
    const notes: Notes = [];
    const mended = mendTool(item, notes);
    if (mended.problem !== undefined) {
      warn(
        `MCP server "${server}" lists tool ${
          show(name)
        } wrongly, it is left out: ${mended.problem}`,
      );
      continue;
    }
    byName.set(name, mended.tool);
    if (notes.length > 0) {
      warn(
        `MCP server "${server}" lists tool ${show(name)} oddly, it is mended: ${
          notes.join(", ")
        }`,
      );
    }
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
  const { tools, nextCursor, _meta } = answer;
  const items = Array.isArray(tools) ? tools : [];
  return {
    tools: [...usableTools(server, items, warn)],
    ...typeof nextCursor === "string" && { nextCursor },
    ...isObject(_meta) && { _meta },
  };
}
