import { resolveOptions } from "./options/resolve.ts";
import type { Transport } from "./ports/transport.ts";
import type { AgentOptions } from "./types/options.ts";

/**
 * The local CLI as a transport: what `query()` uses when no other is given, for programs that wrap it.
 *
 * Shape: each opening looks for the CLI and starts a process of its own, as the options say; arguments, environment and
 * working directory come from the conversation.
 *
 * @param options `cliPath`, `onStderr`, `limits`, `shutdown`, `logger`, `metrics` and `clock` matter here
 * @returns A transport for the option of that name
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
