import { withLimit } from "../async/deadline.ts";
import { resolvePath } from "../process/paths.ts";
import { cliTransport } from "../cli/transport.ts";
import { isAgentError } from "../errors/base.ts";
import { type CliContext, CliError } from "../errors/cli.ts";
import { ProtocolError } from "../errors/protocol.ts";
import { Scrubber } from "../errors/scrubber.ts";
import { textOfError } from "../errors/text.ts";
import { toArgv } from "../options/argv.ts";
import { secretsOf, toEnvironment } from "../options/environment.ts";
import type { GuardPlace } from "../options/path_pattern.ts";
import { hasToolGuard } from "../options/rules.ts";
import type { Host } from "../ports/host.ts";
import type { Channel, Launch, Transport } from "../ports/transport.ts";
import type { Ground, OpenChannel } from "./parts.ts";

/** Starts the CLI, or whatever the user's transport leads to, within the limit. */
export async function openChannel(
  ground: Ground,
  host: Host,
  signal: AbortSignal,
): Promise<OpenChannel> {
  const { settings, live, log, metrics, meter, context } = ground;
  const { clock, options, timeouts } = settings;
  const launch: Launch = {
    args: toArgv(settings, host.platform),
    env: toEnvironment(settings, host.env(), host.platform),
    cwd: resolvePath(host.cwd(), options.cwd ?? ".", host.platform),
  };
  // Only the lists of tools need it; the spawn beside it takes longer.
  const placing = hasToolGuard(settings)
    ? guardPlace(host, launch.cwd)
    : undefined;
  const scrubber = live.scrubber = new Scrubber(secretsOf(settings, launch));
  const transport = options.transport ??
    cliTransport({ host, settings, log, metrics, scrubber });
  meter.startedMs = clock.now();
  const opened = withLimit(
    (limited) =>
      live.opening = openWith(transport, launch, { signal: limited, scrubber }),
    {
      clock,
      ms: timeouts.connectMs,
      signal,
      onLimit: () => tooSlow(timeouts.connectMs, context()),
    },
  );
  await opened.catch(() => {});
  if (placing !== undefined) live.place = await placing;
  const channel = live.channel = await opened;
  live.openedMs = clock.now();
  channel.gone.then(() => {
    live.hasExited = true;
  });
  return channel;
}

/** The error of a start that passed its limit. */
export function tooSlow(
  connectMs: number,
  context: CliContext,
  cause?: unknown,
): CliError {
  return new CliError({
    stage: "connect",
    message: `CLI was not ready within ${connectMs} ms`,
    cause: cause ?? new ProtocolError({
      message: `CLI did not start within ${connectMs} ms`,
      category: "timeout",
    }),
    context,
  });
}

/** Where patterns of paths begin; a directory that is missing is told by the start. */
async function guardPlace(host: Host, cwd: string): Promise<GuardPlace> {
  const home = host.home();
  const real = await host.files.realPath(cwd).catch(() => undefined);
  return {
    ...real !== undefined && { cwd: real },
    ...home !== undefined && { home },
  };
}

/** A transport of the user's may throw anything. */
async function openWith(
  transport: Transport,
  launch: Launch,
  { signal, scrubber }: {
    readonly signal: AbortSignal;
    readonly scrubber: Scrubber;
  },
): Promise<OpenChannel> {
  try {
    const channel: unknown = await transport.open(launch, signal);
    if (isChannel(channel)) return withSafeExit(channel, scrubber);
    throw new TypeError("It gave something else than a channel");
  } catch (cause) {
    if (signal.aborted || isAgentError(cause)) throw cause;
    throw new CliError({
      stage: "connect",
      message: `Transport could not be opened: ${textOfError(cause)}`,
      cause,
    });
  }
}

/** A channel of the user's may break its word. */
function withSafeExit(channel: Channel, scrubber: Scrubber): OpenChannel {
  const { pid, origin, readable } = channel;
  const exited = channel.exited.then((report) => ({
    ...report,
    stderrTail: scrubber.scrubTail(report.stderrTail),
  })).catch((error) => ({
    code: null,
    signal: null,
    stderrTail: scrubber.scrub(textOfError(error)),
  }));
  return {
    ...pid !== undefined && { pid },
    ...origin !== undefined && { origin },
    readable,
    gone: Promise.race([channel.gone?.catch(() => {}) ?? exited, exited]),
    exited,
    write: (text) => channel.write(text),
    end: () => channel.end(),
    stop: (plan) => channel.stop(plan),
  };
}

function isChannel(value: unknown): value is Channel {
  if (typeof value !== "object" || value === null) return false;
  const { readable, exited, write, end, stop } = value as Partial<Channel>;
  return typeof readable?.getReader === "function" &&
    typeof exited?.then === "function" &&
    [write, end, stop].every((method) => typeof method === "function");
}
