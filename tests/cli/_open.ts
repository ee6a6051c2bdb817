import { safeLogger } from "@sluice/agent/extend";
import assert from "node:assert/strict";
import type { AgentOptions, Channel, Launch, StopPlan } from "@sluice/agent";
import { cliTransport } from "../../src/cli/transport.ts";
import type { Seen } from "../../src/cli/verdict.ts";
import { safeMetrics } from "../../src/observe/metrics.ts";
import { resolveOptions } from "../../src/options/resolve.ts";
import type { Host } from "../../src/ports/host.ts";
import { confinedHost, type Installations } from "./_installations.ts";

export const CLOSED: StopPlan = {
  reason: "closed",
  graceMs: 10_000,
  killMs: 15_000,
};

export const NOT_READY: Seen = {
  ready: false,
  results: 0,
  lastIsError: false,
  hasSpoken: false,
  hasMore: false,
  unanswered: [],
};

/** Opens the transport of a CLI among installations. */
export async function open(
  place: Installations,
  { env, host: own, options = {} }: {
    /** Instead of the confined host. */
    readonly host?: Host;
    /** Of the host. */
    readonly env?: Record<string, string>;
    readonly options?: AgentOptions;
  },
  launch: Partial<Launch> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<{ readonly channel: Channel; readonly host: Host }> {
  const host = own ?? await confinedHost(place, env);
  const transport = cliTransport({
    host,
    settings: resolveOptions(options),
    log: safeLogger(options.logger),
    metrics: safeMetrics(options.metrics),
  });
  const whole = { args: [], env: {}, cwd: place.at("work"), ...launch };
  return { host, channel: await transport.open(whole, signal) };
}

/** The error of an opening. */
export async function failure(opening: Promise<unknown>): Promise<Error> {
  const error = await opening.then(() => undefined, (thrown) => thrown);
  assert.ok(error instanceof Error);
  return error;
}
