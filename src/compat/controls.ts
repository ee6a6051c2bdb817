import type { JsonObject, JsonValue } from "../types/json.ts";
import { type Ask, ask, type Asking } from "./ask.ts";
import { REQUEST_CONTROLS } from "./generated/controls.ts";
import type { Query, UndeclaredControls } from "./generated/types.ts";
import { ownServers } from "./launch.ts";
import type { SdkServers } from "./sdk_servers.ts";
import type { Session } from "./session.ts";

/** Control methods of a query. */
export type Controls =
  & Omit<Query, keyof AsyncGenerator | "close" | "streamInput">
  & UndeclaredControls;

/** Parts of a query that {@link CONTROLS} need. */
export interface ControlParts {
  readonly ask: Ask;
  readonly session: Session;
  readonly servers: SdkServers;
  /** The answer to the last `initialize`. */
  initialized: Promise<JsonObject>;
  /** Sends `initialize` again. */
  readonly reinitialize: () => Promise<JsonObject>;
}

interface Controlled extends Asking {
  readonly parts: ControlParts;
}

/** Each method; those that are one request are generated. */
export const CONTROLS: Controls & ThisType<Controlled> = {
  ...REQUEST_CONTROLS,
  async interrupt() {
    const { still_queued: queued, cancelled } = await ask(this, "interrupt");
    if (!Array.isArray(queued)) return undefined;
    return {
      still_queued: texts(queued),
      ...Array.isArray(cancelled) && { cancelled: texts(cancelled) },
    };
  },
  initializationResult() {
    return this.parts.initialized as never;
  },
  reinitialize() {
    return this.parts.reinitialize() as never;
  },
  async supportedCommands() {
    const { initialized, session } = this.parts;
    const { commands } = await initialized;
    return (session.commands ?? commands) as never;
  },
  // The official SDK hides the reason.
  readFile(path, options) {
    return ask(this, "read_file", {
      path,
      max_bytes: options?.maxBytes,
      encoding: options?.encoding,
    }).catch(() => null);
  },
  async setMcpServers(all) {
    const { own, outer: named } = ownServers(all);
    // A copy: the caller may change it while those of this program are replaced.
    const outer = JSON.parse(JSON.stringify(named));
    const told = await this.parts.servers.replace(own);
    return await ask(this, "mcp_set_servers", {
      servers: { ...outer, ...told },
    });
  },
};

function texts(list: readonly JsonValue[]): string[] {
  return list.filter((one) => typeof one === "string");
}
