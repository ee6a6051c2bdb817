import { settleWithin } from "../async/deadline.ts";
import type { Deferred } from "../async/deferred.ts";
import type { Scope } from "../async/scope.ts";
import type { Log } from "../observe/log.ts";
import type { Meter } from "../observe/metrics.ts";
import type { Settings } from "../options/settings.ts";
import type { Host } from "../ports/host.ts";
import type { Requests } from "../wire/requests.ts";
import type { Ending } from "./ending.ts";
import type { Reporter } from "./reporter.ts";
import type { Turns } from "./turns.ts";
import { CliError } from "../errors/cli.ts";
import { ProtocolError } from "../errors/protocol.ts";
import { toInitialize, unconfirmedFields } from "../options/initialize.ts";
import { plainOutputSchema } from "../options/output_schema.ts";
import type { JsonObject } from "../types/json.ts";
import type { SessionInfo } from "../protocol/session.ts";
import { type CliChannel, tooSlow } from "./cli_channel.ts";
import { isTooOld, tooOld } from "../cli/report.ts";
import type { AgentError } from "../errors/base.ts";
import { show } from "../errors/text.ts";
import { checkKnown } from "../options/features.ts";
import {
  isOlder,
  named,
  numbersOf,
  TESTED_VERSION,
} from "../options/versions.ts";
import { within } from "./waits.ts";

/** The CLI, and what it was asked for. */
interface Asked {
  readonly settings: Settings;
  readonly cli: CliChannel;
  readonly reporter: Reporter;
}

/** A start that waits for the answer to `initialize`. */
interface Starting extends Asked {
  readonly requests: Requests;
  readonly meter: Meter;
  readonly turns: Turns;
  readonly ending: Ending;
  /** Is rejected when the CLI ends before the start is over. */
  readonly fault: Deferred<never>;
}

/** What `initialize` tells the CLI. */
export async function initializeFields(
  { settings, hooks, cli }: Omit<Asked, "reporter"> & {
    /** The `hooks` field. */
    readonly hooks: JsonObject | undefined;
  },
  ofServers: JsonObject | undefined,
): Promise<JsonObject> {
  const { outputSchema } = settings.options;
  return {
    ...toInitialize(
      settings,
      outputSchema && await plainOutputSchema(outputSchema),
      cli.version,
    ),
    ...hooks !== undefined && { hooks },
    ...ofServers,
  };
}

/** Sends `initialize`, which has what is left of the limit of the start, and waits for its answer, or for the end of the CLI. */
export async function initialize(
  start: Starting,
  fields: JsonObject,
): Promise<SessionInfo> {
  const { requests, settings, cli, meter, reporter } = start;
  const fault = start.fault.promise;
  const { timeouts: { connectMs } } = settings;
  const { startedMs = 0 } = meter;
  const leftMs = connectMs - (cli.openedMs ?? startedMs) + startedMs;
  // Nothing takes it back: a start that is given up ends the CLI.
  const answer = requests.send("initialize", fields, {
    timeoutMs: Math.max(leftMs, 1),
    take(reply) {
      // How old it is comes first: it explains what was not taken, and what follows is answered by it.
      readVersion(start, reply);
      checkApplied(fields, reply);
    },
  });
  try {
    const info = await Promise.race([answer, fault]);
    // The published shape of the reply is taken at its word.
    return info as JsonObject as unknown as SessionInfo;
  } catch (error) {
    answer.catch(() => {});
    if (
      error instanceof CliError && error.stage === "write" &&
      error.cause !== undefined
    ) {
      // A CLI whose input broke is about to end, and its end is the story; one that is only slow lives on.
      await within("lastWords", fault, settings);
      if (cli.hasExited) await within("lateOutput", fault, settings);
    }
    if (error instanceof ProtocolError && error.category === "timeout") {
      throw tooSlow(connectMs, reporter.context(), error);
    }
    throw error;
  }
}

/** Refuses a CLI that did not take what it was sent: it ignores unknown fields silently. Source: protocol reference, section initialize. */
export function checkApplied(sent: JsonObject, reply: JsonObject): void {
  const ignored = [...unconfirmedFields(sent, reply)];
  // Not every CLI that calls hooks says so; one that says anything but yes guards nothing.
  if (sent.hooks !== undefined && (reply.hooks_applied ?? true) !== true) {
    ignored.push("hooks");
  }
  if (ignored.length === 0) return;
  const names = ignored.join(", ");
  refuse("initialize", `CLI did not take these fields of initialize: ${names}`);
}

/** Throws: with this CLI the conversation would not be what was asked for. */
export function refuse(
  subtype: string,
  message: string,
  cause?: unknown,
): never {
  const category = "protocol";
  throw new ProtocolError({ message, category, subtype, cause, fatal: true });
}

/** An end waits so long for the look, in milliseconds. */
const LOOK_MS = 1_000;

/** What this program was told of already: once is enough. */
const told = new Set<string>();

/**
 * Refuses a CLI that is older than the oldest supported one, or than an option needs.
 *
 * @param late The version that was assumed, if the real one was reported after the CLI had started
 * @throws {CliVersionError} For the first
 * @throws {ConfigError} For the second
 */
export function checkVersion(
  { cli, reporter, settings: { options } }: Asked,
  late?: { readonly countedAs: string | undefined },
): void {
  const { origin: { cliPath }, version } = cli;
  if (isTooOld(version)) throw tooOld(cliPath, version, reporter.context());
  checkKnown(options, version, cliPath, late);
}

/** Takes what the CLI says of its version: in its answer to `initialize`, or else when the first turn begins. */
function readVersion(
  start: Starting,
  { claude_code_version: said }: JsonObject,
): void {
  const { cli, turns, ending, reporter: { log } } = start;
  const before = cli.version;
  if (typeof said === "string") {
    cli.saysVersion(said);
    if (cli.version !== before) checkVersion(start, { countedAs: before });
  } else if (before === undefined) {
    turns.onBegun((version) => {
      cli.saysVersion(version);
      try {
        checkVersion(start, { countedAs: before });
        warnOfVersion(log, cli);
      } catch (error) {
        ending.fail(error as AgentError).catch(() => {});
      }
    });
  }
}

/** Tells the logger, once a program, of a CLI that was never tried, and of others beside it; nothing waits for it. */
export function warnOfCli(
  { settings: { options, clock }, cli, reporter: { log }, scope, host }:
    & Asked
    & { readonly scope: Scope; readonly host: Host },
): void {
  // Behind a transport of the user's it is somebody else's to look after.
  const { cliPath = "", discovery } = cli.origin;
  if (!log.isOn || discovery === undefined) return;
  if (cli.version !== undefined) warnOfVersion(log, cli);
  if (told.has(cliPath)) return;
  told.add(cliPath);
  const ending = new AbortController();
  const looking = lookAround();
  // A short conversation may be over before the look is; a disk that does not answer holds nobody up.
  scope.own("look for other CLIs", async () => {
    await settleWithin(looking, LOOK_MS, clock);
    ending.abort();
  });

  async function lookAround(): Promise<void> {
    try {
      const { installedPaths, severalClis } = await import(
        "../cli/discover.ts"
      );
      const { cliPath, cwd, env } = options;
      const all = await installedPaths(
        host,
        { cliPath, cwd, env },
        ending.signal,
      );
      if (all.length > 1) log.warn(severalClis(all.map((one) => `"${one}"`)));
    } catch {
      // It was only a look.
    }
  }
}

function warnOfVersion(log: Log, cli: CliChannel): void {
  const { version, origin: { cliPath } } = cli;
  const warning = warningOf(version, named(cliPath));
  if (!log.isOn || warning === undefined || told.has(warning)) return;
  told.add(warning);
  log.warn(warning);
}

function warningOf(
  version: string | undefined,
  path: string,
): string | undefined {
  if (version === undefined) {
    return `CLI does not say which version it is, and counts as ${TESTED_VERSION}: ${path}`;
  }
  const numbers = numbersOf(version);
  if (numbers === undefined) {
    return `CLI says no version that could be read, and counts as ${TESTED_VERSION}: ${path} says ${
      show(version)
    }`;
  }
  if (isOlder(version, TESTED_VERSION)) {
    return `CLI is older than ${TESTED_VERSION}, which was tested: ${path} is ${version}`;
  }
  const [major] = numbersOf(TESTED_VERSION) ?? [];
  return numbers[0] === major
    ? undefined
    : `CLI is of a later generation than ${TESTED_VERSION}, which was tested: ${path} is ${version}`;
}
