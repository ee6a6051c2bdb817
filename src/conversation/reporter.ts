import type { AgentError } from "../errors/base.ts";
import {
  redactedCopy,
  redactError as redactInPlace,
} from "../errors/redact.ts";
import { type CliContext, CliError } from "../errors/cli.ts";
import { showCommand } from "../errors/command_line.ts";
import type { Scrubber } from "../errors/scrubber.ts";
import { type Log, safeLogger } from "../observe/log.ts";
import {
  type Meter,
  type SafeMetrics,
  safeMetrics,
} from "../observe/metrics.ts";
import type { Settings } from "../options/settings.ts";
import type { ChannelOrigin } from "../ports/transport.ts";
import type { ProcessHealth } from "../types/activity.ts";
import type { LogFields } from "../types/observe.ts";
import type { Life } from "./life.ts";

/** Logs, counts and reports what happens, without secrets. */
export interface Reporter {
  readonly log: Log;
  readonly metrics: SafeMetrics;
  /** Redacts foreign values: returns a copy if they hold secrets. */
  readonly redact: <Value>(value: Value) => Value;
  /** Redacts an error of this package, which stays the same object. */
  readonly redactError: <E>(error: E) => E;
  /** Redacts, logs and counts an error. */
  readonly logError: (error: AgentError) => void;
  /** Counts an error once. */
  readonly count: (error: AgentError) => void;
  /** Reports an error that does not end the conversation. */
  readonly report: (error: AgentError) => void;
  /** Facts about the CLI for errors. */
  readonly context: () => CliContext;
}

interface Sources {
  readonly settings: Settings;
  readonly life: Life;
  readonly cli: {
    readonly scrubber: Scrubber;
    readonly origin: ChannelOrigin;
  };
  readonly meter: Meter;
  readonly health: () => ProcessHealth;
  /** Gets the text of each warning where there is no logger. */
  readonly warn: (text: string) => void;
}

/** Makes the logger, the metrics, and the errors that only the conversation can explain. */
export function makeReporter(
  { settings, life, cli, meter, health, warn }: Sources,
): Reporter {
  const { clock, options } = settings;
  const log = safeLogger(options.logger, redact, warn);
  const metrics = safeMetrics(options.metrics, redact);
  const counted = new WeakSet<AgentError>();

  function redact<Value>(value: Value): Value {
    return redactedCopy(value, cli.scrubber);
  }

  function redactError<E>(error: E): E {
    return redactInPlace(error, cli.scrubber);
  }

  function logError(error: AgentError): void {
    redactError(error);
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
    logError(error);
    life.errors.push(error);
  }

  function context(): CliContext {
    const { runtime, discovery, cliPath, command, environment, stderrTail } =
      cli.origin;
    return {
      cliPath,
      command: command && redact(command),
      environment,
      // A custom transport may reveal secrets.
      stderrTail: cli.scrubber.scrub(stderrTail?.() ?? ""),
      discovery,
      processInfo: {
        ...health(),
        ...meter.startedMs !== undefined && {
          runtimeMs: clock.monotonic() - meter.startedMs,
        },
        ...runtime !== undefined && { host: runtime },
      },
    };
  }

  return {
    log,
    metrics,
    redact,
    redactError,
    logError,
    count,
    report,
    context,
  };
}

/** Texts of the CLI and of the model have no place in a log line. */
const TEXTS: ReadonlySet<string> = new Set(["stderrTail", "rawData"]);

/** The plain facts of an error, for a log line: whatever is no text of the CLI and no object, and which process it was. */
function factsOf(error: AgentError): LogFields {
  let origin: LogFields = {};
  if (error instanceof CliError) {
    const { command, processInfo: { pid, runtimeMs, state, host } } = error;
    const shown = command.length > 0 ? showCommand(command) : undefined;
    origin = { command: shown, pid, runtimeMs, state, host };
  }
  return Object.fromEntries(
    Object.entries({ ...error, ...origin }).filter(([name, value]) =>
      value !== undefined && !TEXTS.has(name) &&
      (typeof value !== "object" || value === null)
    ),
  );
}
