import { isPromise, quiet } from "../async/deferred.ts";
import { settleWithin } from "../async/deadline.ts";
import { unlessAborted } from "../async/on_abort.ts";
import { cliTransport } from "../cli/transport.ts";
import { isAgentError } from "../errors/base.ts";
import { type CliContext, CliError } from "../errors/cli.ts";
import { ProtocolError } from "../errors/protocol.ts";
import { Scrubber } from "../errors/scrubber.ts";
import { printable } from "../errors/printable.ts";
import { cut, textOfError } from "../errors/text.ts";
import { asksForVersion } from "../options/features.ts";
import { hasToolPolicy } from "../options/tool_lists.ts";
import { toArgv } from "../options/argv.ts";
import {
  modelAddress,
  secretsOf,
  toEnvironment,
} from "../options/environment.ts";
import type { PathBases } from "../options/path_pattern.ts";
import type { Settings } from "../options/settings.ts";
import { isOlder, TESTED_VERSION } from "../options/versions.ts";
import type { Host } from "../ports/host.ts";
import type {
  Channel,
  ChannelOrigin,
  Launch,
  StopReason,
  Transport,
} from "../ports/transport.ts";
import { fromHere } from "../process/paths.ts";
import type { Meter } from "../observe/metrics.ts";
import type { TraceContext } from "../types/observer.ts";
import type { Reporter } from "./reporter.ts";
import type { Timeouts } from "./timeouts.ts";
import { planOf } from "../ports/process.ts";

const LONGEST_VERSION = 80;

interface Reporting {
  readonly reporter: Reporter;
  readonly meter: Meter;
}

/** Environment and directory of the program at the start; absent if not readable. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string>> | undefined;
  readonly cwd: string | undefined;
  /** The span that the CLI continues. */
  readonly trace: TraceContext | undefined;
}

/** A channel whose end is reported reliably. */
export interface OpenChannel extends Channel {
  readonly gone: Promise<unknown>;
}

/** The CLI of one conversation, or the peer behind a custom transport: from before its start until it is gone. */
export class CliChannel {
  /** Knows the secrets of the launch, and those that are sent later. */
  readonly scrubber: Scrubber;
  /** `ANTHROPIC_BASE_URL` without secrets, if it is set. */
  readonly modelAddress: string | undefined;
  /** Rejects if the command line or the environment cannot be made. */
  readonly launch: Promise<Launch>;
  /** When it was opened, by the monotonic clock. */
  openedMs: number | undefined;
  /** Bases of path patterns; known when it is open. */
  place: PathBases = {};
  /** Its version, as it reports itself or as its installation shows; `undefined` if unknown. */
  version: string | undefined;
  hasExited = false;
  channel: OpenChannel | undefined;
  /** Resolves when the end of its output was judged; absent before that end. */
  judged: Promise<void> | undefined;
  readonly #settings: Settings;
  readonly #host: Host;
  readonly #timeouts: Timeouts;
  #opening: Promise<OpenChannel> | undefined;
  /** The version that its installation shows; unknown behind a custom transport. */
  #installed: Promise<string | undefined> = Promise.resolve(undefined);
  #fitting: Promise<readonly string[] | undefined> | undefined;
  #removeFiles: (() => Promise<void>) | undefined;

  /** Makes the command line and the environment; their errors surface when it is opened. */
  constructor(
    settings: Settings,
    host: Host,
    timeouts: Timeouts,
    surroundings: Surroundings,
  ) {
    this.#settings = settings;
    this.#host = host;
    this.#timeouts = timeouts;
    try {
      const launch = toLaunch(settings, host, surroundings);
      this.scrubber = new Scrubber(secretsOf(settings, launch));
      this.launch = Promise.resolve(launch);
      this.modelAddress = modelAddress(settings, launch.env);
    } catch (error) {
      this.scrubber = new Scrubber({});
      this.launch = quiet(Promise.reject(error));
    }
  }

  get origin(): ChannelOrigin {
    return this.channel?.origin ?? {};
  }

  /** Takes the version of the installation, which is known by the time that the CLI has started. */
  async lookVersion(): Promise<void> {
    const installed = await this.#installed;
    this.version ??= installed;
  }

  saysVersion(version: unknown): void {
    if (typeof version === "string") this.version = shownVersion(version);
  }

  /** Starts the CLI, or opens the custom transport, within the timeout. */
  async open(
    { reporter: { log, metrics, context }, meter }: Reporting,
    signal: AbortSignal,
  ): Promise<OpenChannel> {
    const settings = this.#settings;
    const host = this.#host;
    const { scrubber } = this;
    const { clock, timeouts: { connectMs } } = settings;
    // Only the lists of tools need it; the spawn beside it takes longer.
    const placing = hasToolPolicy(settings)
      ? quiet(this.launch.then(({ cwd }) => guardPlace(host, cwd)))
      : undefined;
    const transport = settings.options.transport ??
      cliTransport({
        host,
        settings,
        log,
        metrics,
        scrubber,
        fit: (path, version) => this.#fit(path, version),
      });
    meter.started(clock);
    this.#opening = openWith(transport, this.launch, signal, scrubber);
    const opened = unlessAborted(this.#opening, signal);
    const channel = await settleWithin(opened, connectMs, clock);
    if (channel === undefined) throw tooSlow(connectMs, context());
    if (placing !== undefined) this.place = await placing;
    this.channel = channel;
    this.openedMs = clock.monotonic();
    channel.gone.then(() => this.hasExited = true);
    return channel;
  }

  /** Stops the CLI, also one that is still being opened; bounded, whatever a transport does. */
  async close(reason: StopReason): Promise<void> {
    const settings = this.#settings;
    const plan = planOf(reason, settings.shutdown);
    const stopped = this.#opening?.then(
      (channel) => channel.stop(plan),
      () => {},
    );
    const ended = stopped?.then(() => this.judged);
    await (ended && this.#timeouts.withTimeout("reap", ended, plan.killMs));
    await this.removeFiles();
  }

  /** Removes the files of an older CLI. */
  async removeFiles(): Promise<void> {
    await this.#fitting?.catch(() => {});
    // A disk that does not answer must not delay the end.
    await this.#timeouts.withTimeout("reap", this.#installed);
    await this.#removeFiles?.();
  }

  /** The command line of an older CLI; the files on it are gone when this is closed. */
  #fit(
    path: string,
    installed: Promise<string | undefined>,
  ): Promise<readonly string[] | undefined> {
    this.#installed = installed.then((version) =>
      version && shownVersion(version)
    );
    const settings = this.#settings;
    if (!asksForVersion(settings.options)) return Promise.resolve(undefined);
    return this.#fitting = this.#installed.then(async (version) => {
      if (!isOlder(version, TESTED_VERSION)) return undefined;
      const { fitOlder } = await import("./older_cli.ts");
      return await fitOlder(settings, this.#host, path, version, (remove) => {
        this.#removeFiles = remove;
      });
    });
  }
}

/** A version as errors and logs may show it. */
function shownVersion(version: string): string {
  return cut(printable(version), LONGEST_VERSION);
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

function toLaunch(
  settings: Settings,
  host: Host,
  { env, cwd, trace }: Surroundings,
): Launch {
  const { platform } = host;
  const here = { cwd: () => cwd ?? host.cwd(), platform };
  return {
    args: toArgv(settings, platform),
    env: toEnvironment(settings, env ?? host.env(), platform, trace),
    cwd: fromHere(here, settings.options.cwd ?? "."),
  };
}

/** Bases of path patterns; a missing directory fails the start. */
async function guardPlace(host: Host, cwd: string): Promise<PathBases> {
  const home = host.home();
  const real = await host.files.realPath(cwd).catch(() => undefined);
  return {
    ...real !== undefined && { cwd: real },
    ...home !== undefined && { home },
  };
}

/** Opens a transport, which may throw anything. */
async function openWith(
  transport: Transport,
  launch: Promise<Launch>,
  signal: AbortSignal,
  scrubber: Scrubber,
): Promise<OpenChannel> {
  const given = await launch;
  try {
    const channel: unknown = await transport.open(given, signal);
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

/** Guards against a custom channel that breaks its contract. */
function withSafeExit(channel: Channel, scrubber: Scrubber): OpenChannel {
  const { pid, origin, readable } = channel;
  const exited = channel.exited.then((report) => ({
    ...report,
    stderrTail: scrubber.scrub(report.stderrTail),
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
    isPromise<unknown>(exited) &&
    [write, end, stop].every((method) => typeof method === "function");
}
