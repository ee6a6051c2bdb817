import { showCommand } from "../errors/command_line.ts";
import type {
  Channel,
  ChannelOrigin,
  ExitReport,
  Launch,
  Transport,
} from "../ports/transport.ts";
import { launchCli, type Launched, type LaunchInit } from "./launch.ts";

/** The local CLI as a transport: each opening finds and starts a process of its own. */
export function cliTransport(init: LaunchInit): Transport {
  return { open: (launch, signal) => open(init, launch, signal) };
}

async function open(
  init: LaunchInit,
  launch: Launch,
  signal: AbortSignal,
): Promise<Channel> {
  signal.throwIfAborted();
  const launched = await launchCli(init, launch, signal);
  const { child } = launched;
  const startedAt = init.settings.clock.now();
  const { log, metrics } = init;
  const origin = toOrigin(launched);
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
    // Nobody will have the channel, so it is ended here.
    const { graceMs, killMs } = init.settings.shutdown;
    await child.stop({ reason: "aborted", graceMs, killMs });
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

function toOrigin(
  { child, context, discovery, scrubber }: Launched,
): ChannelOrigin {
  const { cliPath, environment, processInfo } = context;
  return {
    get command() {
      return context.command ?? [];
    },
    ...(cliPath !== undefined && { cliPath }),
    ...(environment !== undefined && { environment }),
    ...(processInfo?.host !== undefined && { runtime: processInfo.host }),
    discovery,
    stderrLines: () => child.stderr.lines,
    stderrTail: () => scrubber.scrubTail(child.stderr.text()),
  };
}

async function watchExit(
  { log, metrics, settings }: LaunchInit,
  { child, scrubber }: Launched,
  startedAt: number,
): Promise<ExitReport> {
  const { code, signal } = await child.exited;
  const runtimeMs = settings.clock.now() - startedAt;
  metrics.transport?.processExit(code, runtimeMs);
  log.info("CLI ended", {
    pid: child.pid,
    exitCode: code,
    signal,
    reason: child.reason,
    runtimeMs,
  });
  // What it wrote last often says why; waited for a short time only.
  await child.stderr.ended;
  return {
    code,
    signal,
    ...(child.reason !== undefined && { reason: child.reason }),
    stderrTail: scrubber.scrubTail(child.stderr.text()),
  };
}
