import { systemClock } from "../async/system_clock.ts";
import type { Clock } from "../ports/clock.ts";
import type {
  AgentOptions,
  Complete,
  HealthOptions,
  LimitOptions,
  ShutdownOptions,
  TimeoutOptions,
} from "../types/options.ts";
import type { McpServerConfig } from "../types/mcp.ts";
import { checkOptions } from "./check.ts";
import { contradict, filled } from "./fields.ts";
import { serverConfigs } from "./server_fields.ts";
import { splitSpecs } from "./tool_spec.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** Options that were checked: each MCP server has a configuration. */
type CheckedOptions = Omit<AgentOptions, "mcpServers"> & {
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>>;
};

/** Options that were checked, with the defaults filled in. */
export interface Settings {
  /** The options as given, but for servers that were given as they are. */
  readonly options: CheckedOptions;
  readonly timeouts: Complete<TimeoutOptions>;
  /** How the CLI is ended. */
  readonly shutdown: Complete<ShutdownOptions>;
  readonly limits: Complete<LimitOptions>;
  /** The watch over silent turns. */
  readonly health: Complete<HealthOptions>;
  /** How closely messages are checked. */
  readonly validation: "envelope" | "strict";
  readonly clock: Clock;
  /** The only tools that may be used, one entry a spec; `undefined` = all. */
  readonly allowedTools: readonly string[] | undefined;
  /** Tools that may not be used, one entry a spec. */
  readonly deniedTools: readonly string[];
  /** Entries of `permissions.approve`, one a spec. */
  readonly approvedTools: readonly string[];
}

/** Source of the numbers: specification, sections Timeout Strategy and Process Lifecycle; decisions on its open questions. */
const TIMEOUTS: Complete<TimeoutOptions> = {
  connectMs: 30_000,
  writeMs: 5_000,
  controlMs: 60_000,
  hookMs: 30_000,
  permissionMs: 120_000,
  mcpMs: 45_000,
  abandonedMs: 300_000,
};

const SHUTDOWN: Complete<ShutdownOptions> = {
  graceMs: 10_000,
  killMs: 15_000,
  forwardSignals: true,
  ownProcessGroup: false,
  guardProcess: true,
};

const LIMITS: Complete<LimitOptions> = {
  maxMessageBytes: 32 * MIB,
  readAheadBytes: 8 * MIB,
  maxBufferedBytes: 64 * MIB,
  stderrTailBytes: 256 * KIB,
  stderrLinesPerSecond: 100,
  stderrWarnBytes: 10 * MIB,
};

const HEALTH: Complete<HealthOptions> = {
  checkMs: 30_000,
  idleMs: 120_000,
  onIdle: "warn",
};

/**
 * Checks options and fills in the defaults.
 *
 * @throws {ConfigError} If a key is unknown, a value wrong or out of range, or two options contradict each other
 */
export function resolveOptions(options: AgentOptions = {}): Settings {
  checkOptions(options);
  const { mcpServers, allowedTools, deniedTools } = options;
  const settings: Settings = {
    options: mcpServers === undefined
      ? options as CheckedOptions
      : { ...options, mcpServers: serverConfigs(mcpServers) },
    timeouts: filled(TIMEOUTS, options.timeouts),
    shutdown: inOrder(filled(SHUTDOWN, options.shutdown), options.shutdown),
    limits: filled(LIMITS, options.limits),
    health: filled(HEALTH, options.health),
    validation: options.validation ?? "envelope",
    clock: options.clock ?? systemClock,
    allowedTools: allowedTools === undefined
      ? undefined
      : splitSpecs(allowedTools),
    deniedTools: splitSpecs(deniedTools ?? []),
    approvedTools: splitSpecs(options.permissions?.approve ?? []),
  };
  checkOrder(settings);
  return settings;
}

/** Whoever asks for a sooner kill alone means that nothing takes longer. */
function inOrder(
  filled: Complete<ShutdownOptions>,
  given: ShutdownOptions | undefined,
): Complete<ShutdownOptions> {
  if (given?.graceMs !== undefined) return filled;
  return { ...filled, graceMs: Math.min(filled.graceMs, filled.killMs) };
}

/** Refuses limits that stand in the wrong order, defaults included. */
function checkOrder({ shutdown, limits }: Settings): void {
  const { graceMs, killMs } = shutdown;
  if (killMs < graceMs) {
    const why = `must not be less than "graceMs", which is ${graceMs}`;
    contradict("shutdown.killMs", killMs, why);
  }
  const { readAheadBytes, maxBufferedBytes } = limits;
  if (readAheadBytes > maxBufferedBytes) {
    const why =
      `must not be more than "maxBufferedBytes", which is ${maxBufferedBytes}`;
    contradict("limits.readAheadBytes", readAheadBytes, why);
  }
}
