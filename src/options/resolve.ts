import { fullClock, systemClock } from "../async/system_clock.ts";
import type { AgentOptions, ShutdownOptions } from "../types/options.ts";
import { checkOptions } from "./check.ts";
import { filled } from "./fields.ts";
import { contradict } from "./refuse.ts";
import { serverConfigs } from "./server_configs.ts";
import type { CheckedOptions, Settings } from "./settings.ts";
import { defaultsOf, lazy } from "./table.ts";
import { splitSpecs } from "./tool_spec.ts";

const timeouts = lazy(() => defaultsOf("timeouts"));
const shutdown = lazy(() => defaultsOf("shutdown"));
const limits = lazy(() => defaultsOf("limits"));
const health = lazy(() => defaultsOf("health"));

/** Checks options and fills in the defaults; throws `ConfigError`. */
export function resolveOptions(options: AgentOptions = {}): Settings {
  checkOptions(options);
  const { mcpServers, env, allowedTools, deniedTools } = options;
  const settings: Settings = {
    options: {
      ...options as CheckedOptions,
      // Conversations may share one, and the program may change it in between.
      ...env && { env: { ...env } },
      ...mcpServers && { mcpServers: serverConfigs(mcpServers) },
    },
    timeouts: filled(timeouts(), options.timeouts),
    shutdown: inOrder(filled(shutdown(), options.shutdown), options.shutdown),
    limits: filled(limits(), options.limits),
    health: filled(health(), options.health),
    validation: options.validation ?? "envelope",
    clock: fullClock(options.clock ?? systemClock),
    allowedTools: allowedTools === undefined
      ? undefined
      : splitSpecs(allowedTools),
    deniedTools: splitSpecs(deniedTools ?? []),
    approvedTools: splitSpecs(options.permissions?.approve ?? []),
  };
  checkOrder(settings);
  return settings;
}

/** A sooner kill given alone brings SIGTERM forward as well. */
function inOrder(
  filled: Settings["shutdown"],
  given: ShutdownOptions | undefined,
): Settings["shutdown"] {
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
