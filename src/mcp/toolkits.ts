/** Where tools go whose name says nothing. */
export const MISC_TOOLKIT = "misc";

/**
 * Names the toolkit of a tool: the part of its bare name before the first `_`.
 *
 * The default classifier of a hub. A name without `_`, with one in front, or an empty name: `"misc"`.
 *
 * @param tool A tool; its bare name alone is looked at
 * @returns Name of the toolkit, never empty
 *
 * @example Group by prefix
 * ```ts
 * import { prefixToolkit } from "@sluice/agent/mcp";
 * import assert from "node:assert/strict";
 *
 * assert.equal(prefixToolkit({ tool: "files_read" }), "files");
 * assert.equal(prefixToolkit({ tool: "search" }), "misc");
 * ```
 */
export function prefixToolkit({ tool }: { readonly tool: string }): string {
  const at = tool.indexOf("_");
  return at > 0 ? tool.slice(0, at) : MISC_TOOLKIT;
}

/** Items by a name, names in order, items in theirs. */
export function groupBy<T>(
  items: readonly T[],
  nameOf: (item: T) => string,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return new Map([...groups].sort(([a], [b]) => a < b ? -1 : 1));
}
