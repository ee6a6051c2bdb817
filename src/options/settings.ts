import type { FullClock } from "../ports/clock.ts";
import type { McpServerConfig } from "../types/mcp.ts";
import type { Complete } from "../types/option_values.ts";
import type {
  AgentOptions,
  HealthOptions,
  LimitOptions,
  ShutdownOptions,
  TimeoutOptions,
} from "../types/options.ts";

/** Options that were checked: each MCP server has a configuration. */
export type CheckedOptions = Omit<AgentOptions, "mcpServers"> & {
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>>;
};

/** Options that were checked, with the defaults filled in. */
export interface Settings {
  /** The options as given, but for servers that were given as they are. */
  readonly options: CheckedOptions;
  readonly timeouts: Complete<TimeoutOptions>;
  readonly shutdown: Complete<ShutdownOptions>;
  readonly limits: Complete<LimitOptions>;
  /** The watch over silent turns. */
  readonly health: Complete<HealthOptions>;
  readonly validation: "envelope" | "strict";
  readonly clock: FullClock;
  /** The only tools that may be used, one entry a spec; `undefined` = all. */
  readonly allowedTools: readonly string[] | undefined;
  /** Tools that may not be used, one entry a spec. */
  readonly deniedTools: readonly string[];
  /** Entries of `permissions.approve`, one a spec. */
  readonly approvedTools: readonly string[];
}
