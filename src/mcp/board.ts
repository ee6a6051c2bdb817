import type { Catalog } from "../types/mcp.ts";
import {
  buildSnapshot,
  emptySnapshot,
  type Snapshot,
  toolFilter,
  type ToolList,
} from "./catalog.ts";
import type { HubSettings } from "./hub_config.ts";
import type { Warnings } from "./warnings.ts";

/** Where a hub puts up its catalogue: one revision takes the place of another, and listeners are called. */
export interface Board {
  readonly snapshot: Snapshot;
  /** Calls back with each new snapshot and at the end; the returned function takes it back. */
  listen(listener: () => void): () => void;
  /** Puts up the tools of all servers as they are now. */
  publish(lists: readonly ToolList[]): Catalog;
  /** Takes everything down: there is no server any more. */
  clear(): void;
}

/** Makes a board with an empty catalogue. */
export function makeBoard(settings: HubSettings, warnings: Warnings): Board {
  const { classifier } = settings;
  const warn = warnings.once;
  const isShown = toolFilter(settings, warn);
  const onListChanged = warnings.guard(
    (catalog: Catalog) => settings.onListChanged?.(catalog),
    "Listener of catalogues failed",
  );
  const listeners = new Set<() => void>();
  let snapshot = emptySnapshot(0);

  function tell(): void {
    for (const listener of listeners) listener();
  }

  return {
    get snapshot() {
      return snapshot;
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    publish(lists) {
      const revision = snapshot.catalog.revision + 1;
      snapshot = buildSnapshot(lists, { revision, classifier, isShown, warn });
      if (revision > 1) {
        tell();
        onListChanged(snapshot.catalog);
      }
      return snapshot.catalog;
    },
    clear() {
      const { revision } = snapshot.catalog;
      if (revision > 0) snapshot = emptySnapshot(revision + 1);
      tell();
    },
  };
}
