import { Deadlines } from "../async/deadline.ts";
import type { AgentError } from "../errors/base.ts";
import type { CliContext } from "../errors/cli.ts";
import { safeLogger } from "../observe/log.ts";
import { Meter } from "../observe/meter.ts";
import { safeMetrics } from "../observe/metrics.ts";
import type { ComposeInit, Ground, Live } from "./parts.ts";

/** Makes what everything else stands on: logs, metrics, limits, and what errors may say. */
export function layGround(init: ComposeInit): Ground {
  const { settings, errors } = init;
  const { clock, options } = settings;
  const log = safeLogger(options.logger);
  const meter = new Meter();
  const live: Live = {};
  const deadlines = new Deadlines(clock);
  // The first slot: what closes may still need a limit.
  init.scope.own("limits", () => deadlines.close());

  function report(error: AgentError): void {
    log.error(error.message, { name: error.name, code: error.code });
    errors.push(error);
  }

  function context(): CliContext {
    const { channel } = live;
    const { runtime, cliPath, command, environment } = channel?.origin ?? {};
    const tail = channel?.origin?.stderrTail?.();
    return {
      ...cliPath !== undefined && { cliPath },
      ...command !== undefined && { command },
      ...environment !== undefined && { environment },
      ...tail !== undefined && { stderrTail: tail },
      processInfo: {
        ...channel?.pid !== undefined && { pid: channel.pid },
        ...runtime !== undefined && { runtime },
        ...meter.startedMs !== undefined && {
          startedAt: new Date(meter.startedMs),
        },
      },
    };
  }

  return {
    ...init,
    log,
    metrics: safeMetrics(options.metrics),
    meter,
    deadlines,
    live,
    report,
    context,
  };
}
