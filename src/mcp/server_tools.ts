import type { McpConnection } from "../ports/mcp.ts";
import { type ListedTool, readTools } from "./listed_tool.ts";
import type { HubServer } from "./hub_config.ts";
import { readAll } from "./pages.ts";

/** The tools of one server of a hub, as they were last read. */
export class ServerTools {
  /** The tools; empty until they were read. */
  items: readonly ListedTool[] = [];
  /** Whether they were ever read. */
  isRead = false;
  readonly #server: HubServer;
  readonly #warn: (text: string) => void;
  /** Counts readings, so that a slow one never replaces a newer one. */
  #readings = 0;
  #lastReading = 0;

  /** Takes who hears of what is strange. */
  constructor(server: HubServer, warn: (text: string) => void) {
    this.#server = server;
    this.#warn = warn;
  }

  /** Reads them anew; a server that has none is not asked. */
  async read(
    connection: McpConnection,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { name, callMs: timeoutMs } = this.#server;
    const reading = ++this.#readings;
    const hasTools = connection.server.capabilities.tools !== undefined;
    const options = { timeoutMs, ...(signal && { signal }) };
    const items = hasTools
      ? await readAll(connection, "tools/list", options)
      : [];
    if (reading < this.#lastReading) return;
    this.#lastReading = reading;
    this.items = readTools(name, items, this.#warn);
    this.isRead = true;
  }
}
