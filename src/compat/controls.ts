import type { JsonObject, JsonValue } from "../types/json.ts";
import { type Ask, ask, type Asking } from "./ask.ts";
import {
  REQUEST_CONTROLS,
  type UndeclaredControls,
} from "./generated/controls.ts";
import { ownServers } from "./launch.ts";
import type { SdkServers } from "./sdk_servers.ts";
import type { Session } from "./session.ts";
import type { Query } from "./types_query.ts";

/** What can be done with a running query. */
export type Controls =
  & Omit<Query, keyof AsyncGenerator | "close" | "streamInput">
  & UndeclaredControls;

/** What {@link CONTROLS} work with. */
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
  async supportedModels() {
    return (await this.parts.initialized).models as never;
  },
  async supportedAgents() {
    return (await this.parts.initialized).agents as never;
  },
  async accountInfo() {
    return (await this.parts.initialized).account as never;
  },
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(options) {
    return ask(this, "get_usage", {
      ...options?.skipBehaviors && { skip_behaviors: true },
    });
  },
  // The official SDK tells no reason.
  readFile(path, options) {
    return ask(this, "read_file", {
      path,
      max_bytes: options?.maxBytes,
      encoding: options?.encoding,
    }).catch(() => null);
  },
  reloadPlugins({ holdOnCacheImpact, addPlugins, refuseIfBusy } = {}) {
    return ask(this, "reload_plugins", {
      ...holdOnCacheImpact && { hold_on_cache_impact: true },
      ...addPlugins?.length && { add_plugins: addPlugins },
      ...refuseIfBusy && { refuse_if_busy: true },
    });
  },
  async setMcpServers(all) {
    const { own, outer } = ownServers(all);
    const told = await this.parts.servers.replace(own);
    return await ask(this, "mcp_set_servers", {
      servers: { ...outer, ...told },
    });
  },
  async backgroundTasks(toolUseId) {
    const fields = { tool_use_id: toolUseId };
    return (await ask(this, "background_tasks", fields)).backgrounded !== false;
  },
};

function texts(list: readonly JsonValue[]): string[] {
  return list.filter((one) => typeof one === "string");
}
