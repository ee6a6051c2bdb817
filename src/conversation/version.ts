import type { Core } from "./core.ts";
import { settleWithin } from "../async/deadline.ts";
import { isTooOld, tooOld } from "../cli/report.ts";
import type { AgentError } from "../errors/base.ts";
import { show } from "../errors/text.ts";
import type { Log } from "../observe/log.ts";
import { checkKnown, checkProven } from "../options/features.ts";
import {
  isOlder,
  named,
  numbersOf,
  TESTED_VERSION,
} from "../options/versions.ts";
import type { JsonObject } from "../types/json.ts";
import type { CliChannel } from "./cli_channel.ts";
import type { Stages } from "./running.ts";

/** Time an end waits for the search, in milliseconds. */
const LOOK_MS = 1_000;

/** Warnings that this program has logged. */
const told = new Set<string>();

/**
 * Refuses a CLI that is older than the oldest supported one, or than an option needs.
 *
 * @param late The version that was assumed, if the real one was reported after the CLI had started
 * @throws {CliVersionError} For the first
 * @throws {ConfigError} For the second
 */
export function checkVersion(
  { cli, reporter, settings: { options } }: Core,
  late?: { readonly countedAs: string | undefined },
): void {
  const { origin: { cliPath }, version } = cli;
  if (isTooOld(version)) throw tooOld(cliPath, version, reporter.context());
  if (isOlder(version, TESTED_VERSION)) {
    checkKnown(options, version, cliPath, late);
  }
}

/** Reads the version that the CLI reports: in its answer to `initialize`, or else when the first turn begins. */
export function readVersion(
  stages: Stages,
  { claude_code_version: said }: JsonObject,
): void {
  const { cli, turns, life, reporter: { log }, settings } = stages;
  const before = cli.version;
  if (typeof said === "string") {
    cli.saysVersion(said);
    if (cli.version !== before) checkVersion(stages, { countedAs: before });
  } else if (before === undefined) {
    checkProven(settings.options, cli.origin.cliPath);
    turns.onBegun((version) => {
      cli.saysVersion(version);
      try {
        checkVersion(stages, { countedAs: before });
        warnOfVersion(log, cli);
      } catch (error) {
        life.fail(error as AgentError).catch(() => {});
      }
    });
  }
}

/** Tells the logger, once a program, of a CLI that was never tried, and of others beside it; nothing waits for it. */
export function warnOfCli(
  { settings: { options, clock }, cli, reporter: { log }, life, host }: Core,
): void {
  // A custom transport starts its own CLI.
  const { cliPath = "", discovery } = cli.origin;
  if (!log.isOn || discovery === undefined) return;
  if (cli.version !== undefined) warnOfVersion(log, cli);
  if (told.has(cliPath)) return;
  told.add(cliPath);
  const ending = new AbortController();
  const looking = lookAround();
  // A disk that does not answer must not delay the end.
  life.scope.own("look for other CLIs", async () => {
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
