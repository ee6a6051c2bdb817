import { resolveOptions } from "./options/resolve.ts";
import type { Transport } from "./ports/transport.ts";
import type { CliDiscovery, DiscoverOptions } from "./types/activity.ts";
import type { AgentOptions } from "./types/options.ts";

/**
 * Finds the Claude Code CLI and reports the search: every place tried, the outcome, and how to fix it.
 *
 * Order: `cliPath`, the variable `CLAUDE_CLI_PATH`, PATH, `node_modules` upwards (the npm package and its native packages), the
 * places of the native installer and npm. A broken `cliPath` or `CLAUDE_CLI_PATH` ends the search there.
 * Each program found is run with `--version`, 5 000 milliseconds at most; one that hangs is stopped and reported.
 * `query()` does not do this: it starts the first candidate that exists and may be executed.
 *
 * Shape: `path`, `version` and `source` are absent when nothing works; `attempts` holds every place in order;
 * `warnings` name a CLI older than 2.0.0 and further CLIs.
 *
 * @param options Where to search
 * @returns The trace of the search; it does not throw when no CLI is found
 * @throws {ConfigError} If an option has a wrong type
 *
 * @example Find out why a path does not work
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

/**
 * Creates the transport that starts the local CLI: the default of `query()`, for programs that wrap it.
 *
 * Shape: each opening searches for the CLI and starts a process of its own, by the options; arguments, environment and
 * working directory come from the conversation.
 *
 * @param options `cliPath`, `onStderr`, `limits`, `shutdown`, `logger`, `metrics` and `clock` are used
 * @returns A transport for the option `transport`
 * @throws {ConfigError} If an option is wrong
 *
 * @example Record a conversation
 * ```ts
 * import { localTransport, query } from "@sluice/agent";
 * import { fakeCli, record } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli("Hello, Ada!");
 * const lines: string[] = [];
 * const transport = record(localTransport({ cliPath }), (line) => void lines.push(line));
 * assert.equal(await query("Say hello", { transport }).text(), "Hello, Ada!");
 * assert.ok(lines.some((line) => line.includes("Hello, Ada!")));
 * ```
 */
export function localTransport(options: AgentOptions = {}): Transport {
  const settings = resolveOptions(options);
  return {
    open: async (launch, signal) => {
      const [{ cliTransport }, { host }, { safeLogger }, { safeMetrics }] =
        await Promise.all([
          import("./cli/transport.ts"),
          import("./runtime/host.ts"),
          import("./observe/log.ts"),
          import("./observe/metrics.ts"),
        ]);
      const { logger, metrics } = settings.options;
      const transport = cliTransport({
        host: await host(),
        settings,
        log: safeLogger(logger),
        metrics: safeMetrics(metrics),
      });
      return await transport.open(launch, signal);
    },
  };
}
