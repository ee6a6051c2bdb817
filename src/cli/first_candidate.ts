import { systemClock } from "../async/system_clock.ts";
import type { SafeMetrics } from "../observe/metrics.ts";
import type { Clock } from "../ports/clock.ts";
import type { Host } from "../ports/host.ts";
import type { CliDiscovery, DiscoveryAttempt } from "../types/health.ts";
import { examine } from "./examine.ts";
import type { Program } from "./program.ts";
import {
  candidatesOf,
  prepareSearch,
  type Search,
  type SearchOptions,
} from "./search.ts";

/** What discovery may be told. */
export interface DiscoverInit extends SearchOptions {
  /** Ends it with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Time; that of this machine unless given. */
  readonly clock?: Clock | undefined;
  /** Hears how long it took. */
  readonly metrics?: SafeMetrics | undefined;
}

/** What was found, and how to start it. */
export interface Found {
  /** How to start it; absent when nothing was found. */
  readonly program?: Program;
  /** The trace. */
  readonly discovery: CliDiscovery;
}

/** The first candidate that exists and may be executed; it is not run, so that a conversation need not wait. */
export async function firstCandidate(
  host: Host,
  init: DiscoverInit = {},
): Promise<Found> {
  let program: Program | undefined;
  const discovery = await measured(init, async () => {
    const search = await prepareSearch(host, init);
    const attempts: DiscoveryAttempt[] = [];
    for await (const candidate of candidatesOf(host, search)) {
      const examined = await examine(host, search.place, candidate);
      attempts.push(examined.attempt);
      program = withArguments(examined.program, search);
      if (program !== undefined) break;
    }
    const last = attempts.at(-1);
    return {
      ...(program !== undefined && last !== undefined &&
        { path: program.cliPath, source: last.source }),
      executable: false,
      attempts,
      warnings: [],
    };
  });
  return { discovery, ...(program !== undefined && { program }) };
}

/** A program with the leading arguments of the user. */
export function withArguments(
  program: Program | undefined,
  { named }: Search,
): Program | undefined {
  return program &&
    { ...program, args: [...program.args, ...named?.args ?? []] };
}

/** Runs a search and tells the metrics how it ended. */
export async function measured(
  { clock = systemClock, metrics, signal }: DiscoverInit,
  find: () => Promise<CliDiscovery>,
): Promise<CliDiscovery> {
  signal?.throwIfAborted();
  const startedAt = clock.now();
  const found = await find();
  signal?.throwIfAborted();
  metrics?.transport?.cliDiscovery(
    found.path ?? found.attempts.at(-1)?.path ?? "",
    clock.now() - startedAt,
    found.path !== undefined,
  );
  return found;
}
