import { settleWithin } from "../async/deadline.ts";
import { isTooOld, tooOld } from "../cli/report.ts";
import { show } from "../errors/text.ts";
import {
  checkKnown,
  isOlder,
  named,
  numbersOf,
  TESTED_VERSION,
} from "../options/versions.ts";
import type { AgentError } from "../errors/base.ts";
import type { JsonObject } from "../types/json.ts";
import type { Services } from "./services.ts";
import type { Turns } from "./turns.ts";

/** An end waits so long for the look, in milliseconds. */
const LOOK_MS = 1_000;

/** What this program was told of already: once is enough. */
const told = new Set<string>();

/**
 * Refuses a CLI that is too old for any conversation, or for these options.
 *
 * @param late Where it was told too late to do anything another way: what it counted as before
 * @throws {CliError} For the first
 * @throws {ConfigError} For the second
 */
export function checkVersion(
  { cli, context, settings: { options } }: Services,
  late?: { readonly countedAs: string | undefined },
): void {
  const { origin: { cliPath }, version } = cli;
  if (isTooOld(version)) {
    throw tooOld(cliPath, version, context());
  }
  checkKnown(options, version, cliPath, late);
}

/** Takes what the CLI says of its version: in its answer to `initialize`, or else when the first turn begins. */
export function readVersion(
  services: Services & { readonly turns: Turns },
  { claude_code_version: said }: JsonObject,
): void {
  const { cli, turns, ending } = services;
  const before = cli.version;
  if (typeof said === "string") {
    cli.saysVersion(said);
    if (cli.version !== before) checkVersion(services, { countedAs: before });
  } else if (before === undefined) {
    // Older ones say it then.
    turns.onBegun((version) => {
      cli.saysVersion(version);
      try {
        checkVersion(services, { countedAs: before });
        warnOfVersion(services);
      } catch (error) {
        ending.fail(error as AgentError).catch(() => {});
      }
    });
  }
}

/** Tells the logger, once a program, of a CLI that was never tried, and of others beside it; nothing waits for it. */
export function warnOfCli(services: Services): void {
  const { log, scope, host, cli, settings: { options, clock } } = services;
  // Behind a transport of the user's it is somebody else's to look after.
  const { cliPath = "", discovery } = cli.origin;
  if (!log.isOn || discovery === undefined) return;
  if (cli.version !== undefined) warnOfVersion(services);
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

function warnOfVersion({ log, cli }: Services): void {
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
