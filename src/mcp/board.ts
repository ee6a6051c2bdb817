import type { Catalog, CatalogTool } from "../types/mcp.ts";
import {
  buildSnapshot,
  emptySnapshot,
  type Snapshot,
  toolFilter,
  type ToolList,
} from "./catalog.ts";
import type { HubSettings } from "./hub_config.ts";
import type { Warnings } from "./warnings.ts";

/** Where a hub puts up its catalogue: one revision takes the place of another, and who listens hears of it. */
export class Board {
  readonly #settings: HubSettings;
  readonly #warnings: Warnings;
  readonly #isShown: (tool: CatalogTool) => boolean;
  readonly #onListChanged: (catalog: Catalog) => void;
  readonly #listeners = new Set<() => void>();
  #snapshot = emptySnapshot(0);

  /** Puts up an empty one. */
  constructor(settings: HubSettings, warnings: Warnings) {
    this.#settings = settings;
    this.#warnings = warnings;
    this.#onListChanged = warnings.guard(
      (catalog) => settings.onListChanged?.(catalog),
      "Listener of catalogues failed",
    );
    this.#isShown = toolFilter(settings, warnings.once);
  }

  /** What hangs there now. */
  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Hears of each new snapshot, and of the end; the returned function takes it back. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Puts up the tools of all servers as they are now. */
  publish(lists: readonly ToolList[]): Catalog {
    const { classifier } = this.#settings;
    const revision = this.#nextRevision();
    const { catalog } = this.#snapshot = buildSnapshot(lists, {
      revision,
      classifier,
      isShown: this.#isShown,
      warn: this.#warnings.once,
    });
    if (revision > 1) {
      this.#tell();
      this.#onListChanged(catalog);
    }
    return catalog;
  }

  /** Takes everything down: there is no server any more. */
  clear(): void {
    if (this.#snapshot.catalog.revision > 0) {
      this.#snapshot = emptySnapshot(this.#nextRevision());
    }
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #nextRevision(): number {
    return this.#snapshot.catalog.revision + 1;
  }
}
