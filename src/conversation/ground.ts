import { Deadlines } from "../async/deadline.ts";
import type { AgentError } from "../errors/base.ts";
import { cleanCopy, cleanError } from "../errors/clean.ts";
import { showCommand } from "../errors/command_line.ts";
import { type CliContext, CliError } from "../errors/cli.ts";
import { safeLogger } from "../observe/log.ts";
import { Meter, safeMetrics } from "../observe/metrics.ts";
import type { LogFields } from "../types/logger.ts";
import { refusalsOf } from "./after_end.ts";
import type { ComposeInit, Ground } from "./parts.ts";
import { Turns } from "./turns.ts";

/** Makes what everything else stands on: logs, metrics, limits, and what errors may say. */
export function layGround(init: ComposeInit): Ground {
  const { settings, errors, live, isReadByTurn } = init;
  const { clock, options } = settings;
  const log = live.log = safeLogger(options.logger, shown);
  const meter = live.meter = new Meter();
  const turns = live.turns = new Turns({ isReadByTurn });
  const deadlines = new Deadlines(clock);
  // The first slot: what closes may still need a limit.
  init.scope.own("limits", () => deadlines.close());

  const metrics = safeMetrics(options.metrics, shown);
  const counted = new WeakSet<AgentError>();

  live.tell = tell;
  live.shown = shown;

  /** Somebody else's values, as they may be shown. */
  function shown<Value>(value: Value): Value {
    return live.scrubber === undefined
      ? value
      : cleanCopy(value, live.scrubber);
  }

  function clean<E>(error: E): E {
    return live.scrubber === undefined
      ? error
      : cleanError(error, live.scrubber);
  }

  function tell(error: AgentError): void {
    clean(error);
    if (log.isOn) log.error(error.message, factsOf(error));
    count(error);
  }

  function count(error: AgentError): void {
    // One that was counted when it rejected a call may also end the conversation.
    if (!(error instanceof CliError) || counted.has(error)) return;
    counted.add(error);
    metrics.transport?.error(error.stage, error);
  }

  function report(error: AgentError): void {
    tell(error);
    errors.push(error);
  }

  function context(): CliContext {
    const { channel } = live;
    const { runtime, discovery, cliPath, command, environment } =
      channel?.origin ?? {};
    // A transport of the user's may tell more than it should.
    const tail = live.scrubber?.scrubTail(
      channel?.origin?.stderrTail?.() ?? "",
    );
    return {
      ...cliPath !== undefined && { cliPath },
      ...command !== undefined && { command: shown(command) },
      ...environment !== undefined && { environment },
      ...tail !== undefined && { stderrTail: tail },
      ...discovery !== undefined && { discovery },
      processInfo: {
        ...live.health?.(),
        ...meter.startedMs !== undefined && {
          runtimeMs: clock.now() - meter.startedMs,
        },
        ...runtime !== undefined && { host: runtime },
      },
    };
  }

  return {
    ...init,
    log,
    metrics,
    meter,
    turns,
    deadlines,
    shown,
    clean,
    tell,
    count,
    report,
    context,
    refusals: refusalsOf(init.ending, context, clean),
  };
}

/** Texts of the CLI and of the model have no place in a log line. */
const TEXTS: ReadonlySet<string> = new Set(["stderrTail", "rawData"]);

/** The plain facts of an error, for a log line: whatever is no text of the CLI and no object, and which process it was. */
function factsOf(error: AgentError): LogFields {
  const facts = Object.entries(error).filter(([name, value]) =>
    value !== undefined && !TEXTS.has(name) &&
    (typeof value !== "object" || value === null)
  );
  return { ...Object.fromEntries(facts), ...processOf(error) };
}

function processOf(error: AgentError): LogFields {
  if (!(error instanceof CliError)) return {};
  const { command, processInfo: { pid, runtimeMs, state, host } } = error;
  return {
    ...command.length > 0 && { command: showCommand(command) },
    ...pid !== undefined && { pid },
    ...runtimeMs !== undefined && { runtimeMs },
    ...state !== undefined && { state },
    ...host !== undefined && { host },
  };
}
