import { CliError } from "../errors/cli.ts";
import { showCommand } from "../errors/command_line.ts";
import { Scrubber } from "../errors/scrubber.ts";
import { cut } from "../errors/text.ts";
import type { Log } from "../observe/log.ts";
import type { SafeMetrics } from "../observe/metrics.ts";
import { excessOf } from "../options/command_length.ts";
import { secretsOf } from "../options/environment.ts";
import { refuse } from "../options/refuse.ts";
import type { Settings } from "../options/settings.ts";
import type { Host } from "../ports/host.ts";
import type { SpawnRequest } from "../ports/process.ts";
import type { Channel, Launch, Transport } from "../ports/transport.ts";
import { type Child, SpawnError, startChild } from "../process/child.ts";
import { fromHere, isWindows } from "../process/paths.ts";
import { explainStart, notFound } from "./report.ts";
import { firstCandidate } from "./search.ts";
import { planOf } from "../ports/process.ts";
import { installedVersion } from "./examine.ts";

interface CliTransportOptions {
  readonly host: Host;
  readonly settings: Settings;
  readonly log: Log;
  readonly metrics: SafeMetrics;
  /** Knows the secrets of the conversation; made from the options by default. */
  readonly scrubber?: Scrubber;
  /** Called with what was found: the arguments for an older CLI, `undefined` = those of the launch. */
  readonly fit?: (
    path: string,
    version: Promise<string | undefined>,
  ) => Promise<readonly string[] | undefined>;
}

/** The local CLI as a transport: each opening finds and starts a process of its own. */
export function cliTransport(init: CliTransportOptions): Transport {
  return { open: (launch, signal) => open(init, launch, signal) };
}

/** Finds the CLI and starts it; the version is not asked for, so nothing waits for it. */
async function open(
  { host, log, metrics, settings, ...init }: CliTransportOptions,
  launch: Launch,
  signal: AbortSignal,
): Promise<Channel> {
  signal.throwIfAborted();
  const scrubber = init.scrubber ?? new Scrubber(secretsOf(settings, launch));
  const { clock, options, shutdown } = settings;
  if (shutdown.ownProcessGroup && isWindows(host.platform)) {
    refuse("shutdown.ownProcessGroup", true, "false on Windows");
  }
  const runtime = `${host.name} ${host.version}`;
  const cwd = fromHere(host, launch.cwd);
  const { cliPath, env } = options;
  const { discovery, program } = await firstCandidate(host, {
    cliPath,
    env,
    cwd,
    clock,
    metrics,
    signal,
  });
  if (log.isOn) log.debug("CLI looked for", { attempts: discovery.attempts });
  // Errors and logs alone need the names of all variables and the redacted command.
  const environment = () => Object.keys(launch.env).sort();
  const processInfo = { host: runtime };
  if (program === undefined) {
    throw notFound(discovery, { environment: environment(), processInfo });
  }
  const fitted = await init.fit?.(
    program.cliPath,
    installedVersion(host, program),
  );
  signal.throwIfAborted();
  const args = [...program.args, ...fitted ?? launch.args];
  const whole = [program.command, ...args];
  let shown: readonly string[] | undefined;
  const origin = {
    cliPath: program.cliPath,
    get command() {
      return shown ??= scrubber.command(whole);
    },
    get environment() {
      return environment();
    },
    runtime,
    discovery,
    stderrLines: () => child.stderr.lines,
    stderrTail: () => scrubber.scrub(child.stderr.text()),
  };
  const failed = (message: string, cause?: unknown) => {
    const { cliPath, command, environment } = origin;
    return new CliError({
      stage: "connect",
      message,
      cause,
      context: { cliPath, command, environment, processInfo, discovery },
    });
  };
  const excess = excessOf(whole, host.platform);
  if (excess !== undefined) {
    // Arguments added by an outer transport or by the user's own command belong to no option.
    const { at, fact } = excess;
    const { [at - 1]: before = "", [at]: longest = "" } = origin.command;
    const name = cut(before.startsWith("--") ? before : longest, 60);
    throw failed(`${fact}; the longest part is "${name}"`);
  }
  const child = await start(host, settings, log, {
    command: program.command,
    args,
    cwd,
    env: launch.env,
    isDetached: shutdown.ownProcessGroup,
  }).catch((error) => {
    if (!(error instanceof SpawnError)) throw error;
    const reason = explainStart(host, error, program.cliPath);
    const fact = error.failure === "cwd"
      ? reason
      : `CLI could not be started: ${reason}`;
    throw failed(scrubber.scrub(fact), error.cause ?? error);
  });
  const { pid } = child;
  const startedAt = clock.monotonic();
  metrics.transport?.processStart(pid);
  if (log.isOn) {
    const command = showCommand(origin.command);
    log.info("CLI started", { path: program.cliPath, command, pid, runtime });
  }
  const exited = (async () => {
    const { code, signal } = await child.exited;
    const { reason } = child;
    const runtimeMs = clock.monotonic() - startedAt;
    metrics.transport?.processExit(code, runtimeMs);
    log.info("CLI ended", { pid, exitCode: code, signal, reason, runtimeMs });
    // Its last lines often give the reason; the wait is short.
    await child.stderr.ended;
    const stderrTail = origin.stderrTail();
    return {
      ...{ code, signal, stderrTail },
      ...reason !== undefined && { reason },
    };
  })();
  if (signal.aborted) {
    // The caller never receives the channel, so it is ended here.
    await child.stop(planOf("aborted", shutdown));
    throw signal.reason;
  }
  return {
    pid,
    origin,
    readable: child.stdout,
    write: (text) => child.stdin.write(text),
    end: () => child.stdin.end(),
    gone: child.exited,
    exited,
    stop: (plan) => child.stop(plan),
  };
}

function start(
  host: Host,
  { clock, limits, options, shutdown }: Settings,
  log: Log,
  request: SpawnRequest,
): Promise<Child> {
  const { forwardSignals, graceMs, guardProcess, killMs } = shutdown;
  return startChild(host, request, {
    stderr: {
      tailBytes: limits.stderrTailBytes,
      linesPerSecond: limits.stderrLinesPerSecond,
      warnBytes: limits.stderrWarnBytes,
      onLine: options.onStderr,
    },
    forwardSignals,
    watchdogMs: guardProcess ? killMs - graceMs : undefined,
    clock,
    log,
  });
}
