import { systemClock } from "../async/system_clock.ts";
import type { SafeMetrics } from "../observe/metrics.ts";
import type { FullClock } from "../ports/clock.ts";
import type { Host } from "../ports/host.ts";
import { mergeVariables, resolvePath, variable } from "../process/paths.ts";
import type {
  CliDiscovery,
  DiscoverOptions,
  DiscoveryAttempt,
} from "../types/activity.ts";
import { candidates, exists, type Search } from "./candidates.ts";
import { examine, type Examined, type Program } from "./examine.ts";

export interface SearchOptions extends DiscoverOptions {
  readonly clock?: FullClock | undefined;
  readonly metrics?: SafeMetrics | undefined;
}

/** Gathers the facts of this machine that a search needs. */
export async function prepareSearch(
  host: Host,
  { cliPath, cwd, env = {} }: SearchOptions,
): Promise<Search> {
  const { platform } = host;
  const directory = ownDirectory(host);
  let merged: Record<string, string> | undefined;
  const search: Search = {
    host,
    platform,
    directory,
    // The path of a CLI needs no variables.
    get env() {
      return merged ??= mergeVariables(host.env(), env, platform);
    },
    get home() {
      const name = platform === "win32" ? "USERPROFILE" : "HOME";
      return variable(this.env, name, platform) ?? host.home();
    },
    roots: [...cwd ? [resolvePath(directory, cwd, platform)] : [], directory],
  };
  const [command, ...given] = typeof cliPath === "string"
    ? [cliPath]
    : cliPath ?? [];
  if (command) {
    // A script among them means one of this program's directory, wherever the CLI works.
    const args = await Promise.all(given.map(async (argument) => {
      if (!/^[^-].*\.[cm]?[jt]s$/.test(argument)) return argument;
      const path = resolvePath(directory, argument, platform);
      return await exists(host, path) ? path : argument;
    }));
    search.named = { command, args, source: "option" };
    return search;
  }
  const variableValue = variable(search.env, "CLAUDE_CLI_PATH", platform);
  if (variableValue !== undefined) {
    search.named = { command: variableValue, args: [], source: "environment" };
  }
  return search;
}

/** Base of relative paths. A deleted directory holds no CLI, and the agent's is no substitute: a stranger may fill it. */
function ownDirectory(host: Host): string {
  try {
    return host.cwd();
  } catch {
    return "/";
  }
}

/** Looks at all candidates in order, at each path once; starts nothing. */
export async function* examined(search: Search): AsyncGenerator<Examined> {
  const seen = new Set<string>();
  for await (const candidate of candidates(search)) {
    if (seen.has(candidate.path)) continue;
    seen.add(candidate.path);
    const { program, ...rest } = await examine(search, candidate);
    const leading = search.named?.args ?? [];
    yield program === undefined ? rest : {
      ...rest,
      program: { ...program, args: [...program.args, ...leading] },
    };
  }
}

interface Found {
  readonly program?: Program;
  readonly discovery: CliDiscovery;
}

/** The first candidate that exists and may be executed; it is not run, so that a conversation need not wait. */
export async function firstCandidate(
  host: Host,
  options: SearchOptions = {},
): Promise<Found> {
  let program: Program | undefined;
  const discovery = await measured(options, async () => {
    const attempts: DiscoveryAttempt[] = [];
    for await (const one of examined(await prepareSearch(host, options))) {
      attempts.push(one.attempt);
      program = one.program;
      if (program !== undefined) break;
    }
    const { source } = attempts.at(-1) ?? {};
    return {
      ...program !== undefined && source !== undefined &&
        { path: program.cliPath, source },
      executable: false,
      attempts,
      warnings: [],
    };
  });
  return { discovery, ...program !== undefined && { program } };
}

/** Runs a search and reports its end to the metrics. */
export async function measured(
  { clock = systemClock, metrics, signal }: SearchOptions,
  find: () => Promise<CliDiscovery>,
): Promise<CliDiscovery> {
  signal?.throwIfAborted();
  const startedAt = clock.monotonic();
  const found = await find();
  signal?.throwIfAborted();
  metrics?.transport?.cliDiscovery(
    found.path ?? found.attempts.at(-1)?.path ?? "",
    clock.monotonic() - startedAt,
    found.path !== undefined,
  );
  return found;
}
