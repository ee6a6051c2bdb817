import type { Deadlines } from "../async/deadline.ts";
import type { Clock } from "../ports/clock.ts";
import type { Host } from "../ports/host.ts";
import type { ControlHandler } from "../types/control.ts";
import type { JsonObject } from "../types/json.ts";
import type { McpServerConfig } from "../types/mcp.ts";
import type { ProxyInit } from "./proxied.ts";

/** The settings of a conversation that matter here. */
export interface AttachSettings {
  /** Time. */
  readonly clock: Clock;
  /** Limits on waiting. */
  readonly timeouts: { readonly mcpMs: number };
  /** Whether the guard process ends servers that outlive this program. */
  readonly shutdown: { readonly guardProcess: boolean };
  /** The options as they were given. */
  readonly options: {
    /** Where servers that are programs run. */
    readonly cwd?: string | undefined;
    /** All servers, those of the CLI too; their names are looked at. */
    readonly mcpServers?: Readonly<Record<string, McpServerConfig>> | undefined;
  };
}

/** What {@link attachServers} is given. */
export interface AttachInit extends Omit<ProxyInit, "elicit"> {
  /** Answers what servers ask the user, as it answers `elicitation` of the CLI; without it nothing of the kind is offered to them. */
  readonly elicitation?: ControlHandler | undefined;
  /** The servers that this package connects. */
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  /** The runtime; looked up when a server needs one, unless given. */
  readonly host?: Host;
  /** Ends everything. */
  readonly signal: AbortSignal;
  /** Settings of the conversation. */
  readonly settings: AttachSettings;
  /** Where limits run. */
  readonly deadlines: Deadlines;
}

/** The servers of one conversation, connected. */
export interface AttachedServers {
  /** What `initialize` says of them. */
  readonly initializeFields: JsonObject;
  /** Answers `mcp_message`. */
  readonly handle: ControlHandler;
  /** Names of the servers. */
  names(): readonly string[];
  /** To be called when `initialize` was answered: what servers say by themselves goes out from then on. */
  begin(): void;
  /** Connects a server anew, and has the CLI read its lists again; rejects with `McpInitError`. */
  reconnect(name: string): Promise<void>;
  /**
   * Puts other servers in the place of these; one of the same configuration object stays as it is.
   *
   * All or none: connects what is new, has `apply` tell the CLI (with what it is to be told), and closes what is no more.
   * When either fails everything is as it was.
   */
  replace<T>(
    servers: Readonly<Record<string, McpServerConfig>>,
    apply: (wire: JsonObject) => Promise<T>,
  ): Promise<T>;
  /** Ends all calls and closes all connections; rejects with an `AggregateError` whose parts name the servers. */
  close(): Promise<void>;
}
