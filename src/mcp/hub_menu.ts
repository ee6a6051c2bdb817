import type { JsonObject } from "../types/json.ts";
import type { Route, Snapshot } from "./catalog.ts";
import { assignNames } from "./names.ts";

/** The tools of a snapshot under the names of a session. */
export interface Menu {
  /** Which snapshot. */
  readonly snapshot: Snapshot;
  /** By name. */
  readonly routes: ReadonlyMap<string, Route>;
  /** The answer to `tools/list`. */
  readonly list: JsonObject;
}

/** Names the tools of a snapshot with so many characters at the most. */
export function toMenu(snapshot: Snapshot, longest: number): Menu {
  // A tool that only runs as a task cannot be called from there.
  const routes = new Set(
    [...snapshot.routes.values()].filter(({ tool }) => !tool.needsTask),
  );
  const tools = [...routes].map((route) => ({
    server: route.tool.server,
    tool: route.tool.tool,
    route,
  }));
  const { names } = assignNames(tools, longest);
  const named = Array.from(
    names,
    ([{ route }, name]) => [name, route] as const,
  );
  return {
    snapshot,
    routes: new Map(named),
    list: { tools: named.map(([name, route]) => toWire(name, route)) },
  };
}

/** Tasks are between the hub and its servers. */
function toWire(name: string, { definition }: Route): JsonObject {
  const { execution: _, ...rest } = definition;
  return { ...rest, name };
}
