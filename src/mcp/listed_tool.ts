import { byteLength } from "../stream/byte_length.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { NameParts } from "./names.ts";
import { usableTools } from "./tool_list.ts";

/** One tool as its server sent it, frozen, ready for every catalogue until its server is listed again. */
export interface ListedTool extends NameParts {
  /** The whole definition. */
  readonly definition: JsonObject;
  /** Size of the definition. */
  readonly bytes: number;
}

/** Reads what a server listed, in the order of names. */
export function readTools(
  server: string,
  items: readonly JsonObject[],
  warn: (text: string) => void,
): readonly ListedTool[] {
  return usableTools(server, items, warn)
    .map((item) => {
      const definition = frozenCopy(item);
      const bytes = byteLength(JSON.stringify(definition));
      // A tool without a name is not among them.
      return { server, tool: String(item.name), definition, bytes };
    })
    .sort((a, b) => compare(a.tool, b.tool));
}

/** By code unit: the same on every machine. */
export function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Servers of this program hand out objects of their own, which must not be frozen. */
function frozenCopy<T extends JsonValue | undefined>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map(frozenCopy)
    : Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, frozenCopy(one)]),
    );
  // It has what the value has.
  return Object.freeze(copy) as T;
}
