import { Deadlines } from "../async/deadline.ts";
import type { Scope } from "../async/scope.ts";
import type { AgentError } from "../errors/base.ts";
import { cleanCopy, cleanError } from "../errors/clean.ts";
import { type CliContext, CliError, ProtocolError } from "../errors/cli.ts";
import { showCommand } from "../errors/secrets.ts";
import { type Log, safeLogger } from "../observe/log.ts";
import { Meter, type SafeMetrics, safeMetrics } from "../observe/metrics.ts";
import type { Settings } from "../options/resolve.ts";
import type { Host } from "../ports/host.ts";
import { warnOnce } from "../runtime/host.ts";
import type { Window } from "../stream/window.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { ActivityFeed } from "./activity.ts";
import type { CliChannel } from "./cli_channel.ts";
import type { Ending } from "./ending.ts";
import type { ErrorFeed } from "./error_feed.ts";
import type { TranscriptCopy } from "./transcripts.ts";
import type { ProcessHealth } from "../types/activity.ts";
import type { LogFields } from "../types/observe.ts";
import type { Progress } from "../callbacks/guard.ts";
import type { OpenRequest } from "../wire/requests.ts";

/** What a conversation has from the first moment, before the rest of this package is loaded. */
export interface Shell {
  /** What the user wrote, with defaults. */
  readonly settings: Settings;
  /** Where messages wait. */
  readonly window: Window<Message>;
  readonly errors: ErrorFeed;
  readonly ending: Ending;
  /** Everything that is opened. */
  readonly scope: Scope;
  /** Aborted when the conversation is given up. */
  readonly signal: AbortSignal;
  /** Whether it is a client's: more may be said after the first prompt, and messages are read turn by turn. */
  readonly isKeptOpen: boolean;
  /** How far the consumer of the messages is. */
  readonly progress: Progress;
  /** Resolves when the start has succeeded or failed. */
  readonly decided: Promise<void>;
  /** How the process is doing. */
  readonly health: () => ProcessHealth;
  /** What the agent is doing. */
  readonly activity: ActivityFeed;
}

/** What every part of a conversation uses. */
export interface Services extends Shell {
  readonly host: Host;
  readonly log: Log;
  readonly metrics: SafeMetrics;
  readonly meter: Meter;
  readonly deadlines: Deadlines;
  /** The CLI, and the way to it. */
  readonly cli: CliChannel;
  /** The copy of the session in the user's store; absent = there is none. */
  readonly transcripts?: TranscriptCopy;
  /** Takes secrets out of somebody else's values: a copy of what holds any. */
  readonly shown: <Value>(value: Value) => Value;
  /** Takes secrets out of an error of this package, which stays the same object. */
  readonly clean: <E>(error: E) => E;
  /** Cleans, logs and counts an error. */
  readonly tell: (error: AgentError) => void;
  /** Counts an error; once, however often it is told. */
  readonly count: (error: AgentError) => void;
  /** Tells an error that does not end the conversation. */
  readonly report: (error: AgentError) => void;
  /** What errors may say of the CLI. */
  readonly context: () => CliContext;
  /** What a prompt is refused with after the end: an error, or the reason of the signal. */
  readonly cannotWrite: () => unknown;
  /** The same for a request that nobody can answer any more. */
  readonly cannotAnswer: (
    request: Partial<OpenRequest> & { readonly subtype: string },
  ) => unknown;
}

/** Makes logs, metrics, limits, and what errors may say. */
export function makeServices(
  shell: Shell,
  host: Host,
  cli: CliChannel,
): Services {
  const { settings, errors, ending, scope, health } = shell;
  const { clock, options } = settings;
  const log = safeLogger(options.logger, shown, warnOnce);
  const metrics = safeMetrics(options.metrics, shown);
  const meter = new Meter();
  const deadlines = new Deadlines(clock);
  // The first slot: what closes may still need a limit.
  scope.own("limits", () => deadlines.close());
  const counted = new WeakSet<AgentError>();

  function shown<Value>(value: Value): Value {
    return cleanCopy(value, cli.scrubber);
  }

  function clean<E>(error: E): E {
    return cleanError(error, cli.scrubber);
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
    const { runtime, discovery, cliPath, command, environment, stderrTail } =
      cli.origin;
    return {
      cliPath,
      command: command && shown(command),
      environment,
      // A transport of the user's may tell more than it should.
      stderrTail: cli.scrubber.scrubTail(stderrTail?.() ?? ""),
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
    ...shell,
    host,
    log,
    metrics,
    meter,
    deadlines,
    cli,
    shown,
    clean,
    tell,
    count,
    report,
    context,
    cannotWrite() {
      if (ending.reason === "aborted") return ending.error;
      return clean(
        new CliError({
          stage: "write",
          message: "Cannot write to the CLI: it has ended",
          cause: ending.error,
          fatal: false,
          context: context(),
        }),
      );
    },
    cannotAnswer({ id, subtype, data = { subtype } }) {
      if (ending.reason === "aborted") return ending.error;
      return clean(
        new ProtocolError({
          message: `CLI has ended: it cannot answer ${subtype}`,
          category: "transport",
          subtype,
          requestId: id,
          requestData: data,
          cause: ending.error,
        }),
      );
    },
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
