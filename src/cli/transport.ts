import { type CliContext, CliError } from "../errors/cli.ts";
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
import type {
  Channel,
  ChannelOrigin,
  ExitReport,
  Launch,
  Transport,
} from "../ports/transport.ts";
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
  /** Knows the secrets of the conversation; made from the options unless given. */
  readonly scrubber?: Scrubber;
  /** Called with what was found: the arguments for an older CLI, `undefined` = those of the launch. */
  readonly fit?: (
    path: string,
    version: Promise<string | undefined>,
  ) => Promise<readonly string[] | undefined>;
}

interface Launched {
  readonly child: Child;
  readonly origin: ChannelOrigin & { stderrTail(): string };
}

/** The local CLI as a transport: each opening finds and starts a process of its own. */
export function cliTransport(init: CliTransportOptions): Transport {
  return { open: (launch, signal) => open(init, launch, signal) };
}

async function open(
  init: CliTransportOptions,
  launch: Launch,
  signal: AbortSignal,
): Promise<Channel> {
  signal.throwIfAborted();
  const launched = await launchCli(init, launch, signal);
  const { child, origin } = launched;
  const startedAt = init.settings.clock.monotonic();
  const { log, metrics } = init;
  metrics.transport?.processStart(child.pid);
  if (log.isOn) {
    log.info("CLI started", {
      path: origin.cliPath,
      command: showCommand(origin.command ?? []),
      pid: child.pid,
      runtime: origin.runtime,
    });
  }
  const exited = watchExit(init, launched, startedAt);
  if (signal.aborted) {
    // The caller never receives the channel, so it is ended here.
    await child.stop(planOf("aborted", init.settings.shutdown));
    throw signal.reason;
  }
  return {
    pid: child.pid,
    origin,
    readable: child.stdout,
    write: (text) => child.stdin.write(text),
    end: () => child.stdin.end(),
    gone: child.exited,
    exited,
    stop: (plan) => child.stop(plan),
  };
}

async function watchExit(
  { log, metrics, settings }: CliTransportOptions,
  { child, origin }: Launched,
  startedAt: number,
): Promise<ExitReport> {
  const { code, signal } = await child.exited;
  const runtimeMs = settings.clock.monotonic() - startedAt;
  metrics.transport?.processExit(code, runtimeMs);
  log.info("CLI ended", {
    pid: child.pid,
    exitCode: code,
    signal,
    reason: child.reason,
    runtimeMs,
  });
  // Its last lines often give the reason; the wait is short.
  await child.stderr.ended;
  return {
    code,
    signal,
    ...(child.reason !== undefined && { reason: child.reason }),
    stderrTail: origin.stderrTail(),
  };
}

/** Finds the CLI and starts it; the version is not asked for, so nothing waits for it. */
async function launchCli(
  { host, log, metrics, settings, ...init }: CliTransportOptions,
  launch: Launch,
  signal: AbortSignal,
): Promise<Launched> {
  const scrubber = init.scrubber ?? new Scrubber(secretsOf(settings, launch));
  const { clock, limits, options, shutdown } = settings;
  if (shutdown.ownProcessGroup && isWindows(host.platform)) {
    refuse("shutdown.ownProcessGroup", true, "false on Windows");
  }
  const runtime = `${host.name} ${host.version}`;
  const processInfo = { host: runtime };
  const cwd = fromHere(host, launch.cwd);
  const environment = () => Object.keys(launch.env).sort();
  const { discovery, program } = await firstCandidate(host, {
    cliPath: options.cliPath,
    env: options.env,
    cwd,
    clock,
    metrics,
    signal,
  });
  if (log.isOn) log.debug("CLI looked for", { attempts: discovery.attempts });
  if (program === undefined) {
    throw notFound(discovery, { environment: environment(), processInfo });
  }
  const fitted = await init.fit?.(
    program.cliPath,
    installedVersion(host, program),
  );
  signal.throwIfAborted();
  const { cliPath } = program;
  const args = [...program.args, ...fitted ?? launch.args];
  const whole = [program.command, ...args];
  let shown: readonly string[] | undefined;
  const context: CliContext = {
    cliPath,
    // Errors and logs alone ask for these two.
    get command() {
      return shown ??= scrubber.command(whole);
    },
    get environment() {
      return environment();
    },
    processInfo,
    discovery,
  };
  checkLength(whole, host.platform, context);
  try {
    const child = await startChild(
      host,
      {
        command: program.command,
        args,
        cwd,
        env: launch.env,
        isDetached: shutdown.ownProcessGroup,
      },
      {
        stderr: {
          tailBytes: limits.stderrTailBytes,
          linesPerSecond: limits.stderrLinesPerSecond,
          warnBytes: limits.stderrWarnBytes,
          onLine: options.onStderr,
        },
        forwardSignals: shutdown.forwardSignals,
        watchdogMs: shutdown.guardProcess
          ? shutdown.killMs - shutdown.graceMs
          : undefined,
        clock,
        log,
      },
    );
    return {
      child,
      origin: {
        cliPath,
        get command() {
          return context.command;
        },
        get environment() {
          return environment();
        },
        runtime,
        discovery,
        stderrLines: () => child.stderr.lines,
        stderrTail: () => scrubber.scrub(child.stderr.text()),
      },
    };
  } catch (error) {
    if (!(error instanceof SpawnError)) throw error;
    const fact = error.failure === "cwd"
      ? error.message
      : `CLI could not be started: ${explainStart(host, error, cliPath)}`;
    throw new CliError({
      stage: "connect",
      message: scrubber.scrub(fact),
      cause: error.cause ?? error,
      context,
    });
  }
}

/** Arguments added by an outer transport or by the user's own command belong to no option. */
function checkLength(
  command: readonly string[],
  platform: string,
  context: CliContext,
): void {
  const excess = excessOf(command, platform);
  if (excess === undefined) return;
  const { at, fact } = excess;
  const shown = context.command ?? [];
  const flag = shown[at - 1]?.startsWith("--") ? shown[at - 1] : shown[at];
  const name = cut(flag ?? "", 60);
  throw new CliError({
    stage: "connect",
    message: `${fact}; the longest part is "${name}"`,
    context,
  });
}
