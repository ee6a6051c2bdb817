import type { CliDiscovery, DiscoverOptions } from "./types/health.ts";

/**
 * Finds the Claude Code CLI and says how: every place tried, what was there, what helps.
 *
 * Order: `cliPath`, the variable `CLAUDE_CLI_PATH`, PATH, `node_modules` upwards (the npm package and its native packages), the
 * usual places of the platform. A broken `cliPath` or `CLAUDE_CLI_PATH` ends the search there.
 * Each program found is run with `--version`, 5 000 milliseconds at most; one that hangs is stopped and reported.
 * `query()` does not do this: it starts the first candidate that exists and may be executed.
 *
 * Shape: `path`, `version` and `source` are absent when nothing works; `attempts` holds every place in order; `warnings` name a CLI
 * older than 2.0.0 and further CLIs. Source: specification, 3.1.1.
 *
 * @param options Where to look
 * @returns The trace of the search; finding nothing is no error
 * @throws {ConfigError} If an option has a wrong type
 *
 * @example Ask what is wrong with a path
 * ```ts
 * import { discoverCli } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const { attempts, path } = await discoverCli({ cliPath: "/no/such/claude" });
 * assert.equal(path, undefined);
 * assert.equal(attempts[0]?.source, "option");
 * assert.equal(attempts[0]?.outcome, "missing");
 * ```
 */
export async function discoverCli(
  options: DiscoverOptions = {},
): Promise<CliDiscovery> {
  const [{ discover }, { host }] = await Promise.all([
    import("./cli/discover.ts"),
    import("./runtime/host.ts"),
  ]);
  return await discover(await host(), options);
}
