import { systemClock } from "../async/system_clock.ts";
import type { SafeMetrics } from "../observe/metrics.ts";
import type { FullClock } from "../ports/clock.ts";
import type { Host } from "../ports/host.ts";
import {
  isAbsolutePath,
  mergeVariables,
  resolvePath,
  variable,
} from "../process/paths.ts";
import type {
  CliDiscovery,
  DiscoverOptions,
  DiscoveryAttempt,
} from "../types/activity.ts";
import {
  type Candidate,
  moduleCandidates,
  namedCandidates,
  pathCandidates,
  type SearchPlace,
  usualCandidates,
} from "./candidates.ts";
import { examine, type Examined, type Program } from "./examine.ts";

export interface SearchOptions extends DiscoverOptions {
  readonly clock?: FullClock | undefined;
  readonly metrics?: SafeMetrics | undefined;
}

export interface Search {
  readonly place: SearchPlace;
  /** The command the user named, with arguments before those of the CLI; nothing else is tried then. */
  readonly named?: {
    readonly command: string;
    readonly args: readonly string[];
    readonly source: "option" | "environment";
  };
}

/** Gathers what a search needs to know of this machine. */
export async function prepareSearch(
  host: Host,
  { cliPath, cwd, env = {} }: SearchOptions,
): Promise<Search> {
  const { arch, platform } = host;
  const directory = ownDirectory(host);
  const roots = cwd ? [resolvePath(directory, cwd, platform)] : [];
  let merged: Record<string, string> | undefined;
  const place: SearchPlace = {
    platform,
    arch,
    directory,
    // The path of a CLI needs no variables.
    get env() {
      return merged ??= mergeVariables(host.env(), env, platform);
    },
    get home() {
      const name = platform === "win32" ? "USERPROFILE" : "HOME";
      return variable(this.env, name, platform) ?? host.home();
    },
    roots: [...roots, directory],
  };
  const [command, ...args] = typeof cliPath === "string"
    ? [cliPath]
    : cliPath ?? [];
  if (command) {
    const leading = await Promise.all(
      args.map((arg) => absoluteScript(host, arg)),
    );
    return { place, named: { command, args: leading, source: "option" } };
  }
  const fromVariable = variable(place.env, "CLAUDE_CLI_PATH", platform);
  return fromVariable === undefined ? { place } : {
    place,
    named: { command: fromVariable, args: [], source: "environment" },
  };
}

/** Where relative paths begin. One that was deleted holds no CLI, and that of the agent is no substitute: a stranger may fill it. */
function ownDirectory(host: Host): string {
  try {
    return host.cwd();
  } catch {
    return "/";
  }
}

/** Looks at all candidates in order, at each path once; starts nothing, and finds out what only the later ones need when they are asked for. */
export async function* examined(
  host: Host,
  search: Search,
): AsyncGenerator<Examined> {
  const seen = new Set<string>();
  for await (const candidate of inOrder(host, search)) {
    if (seen.has(candidate.path)) continue;
    seen.add(candidate.path);
    const { program, ...rest } = await examine(host, search.place, candidate);
    const leading = search.named?.args ?? [];
    yield program === undefined ? rest : {
      ...rest,
      program: { ...program, args: [...program.args, ...leading] },
    };
  }
}

async function* inOrder(
  host: Host,
  { named, place }: Search,
): AsyncGenerator<Candidate> {
  if (named !== undefined) {
    yield* namedCandidates(named.command, named.source, place);
    return;
  }
  yield* pathCandidates(place);
  yield* existingModules(host, { ...place, libc: await libcOf(host) });
  yield* usualCandidates({ ...place, npmPrefix: await npmPrefix(host, place) });
}

/** One candidate stands for a `node_modules` that does not exist. */
async function* existingModules(
  host: Host,
  place: SearchPlace,
): AsyncGenerator<Candidate> {
  const exists = new Map<string | undefined, boolean>();
  for (const candidate of moduleCandidates(place)) {
    const { installation } = candidate;
    const known = exists.get(installation);
    if (known === undefined) {
      exists.set(installation, await isThere(host, installation));
    } else if (!known) continue;
    yield candidate;
  }
}

/** A program built for one of the two does not start on the other. */
export async function libcOf(host: Host): Promise<"glibc" | "musl"> {
  if (host.platform !== "linux") return "glibc";
  const [processor, glibc] = host.arch === "arm64"
    ? ["aarch64", "/lib/ld-linux-aarch64.so.1"]
    : ["x86_64", "/lib64/ld-linux-x86-64.so.2"];
  if (await isThere(host, "/etc/alpine-release")) return "musl";
  if (await isThere(host, glibc)) return "glibc";
  return await isThere(host, `/lib/ld-musl-${processor}.so.1`)
    ? "musl"
    : "glibc";
}

async function npmPrefix(
  host: Host,
  { env, home, platform }: SearchPlace,
): Promise<string | undefined> {
  const file = variable(env, "npm_config_userconfig", platform) ??
    variable(env, "NPM_CONFIG_USERCONFIG", platform) ??
    (home && resolvePath(home, ".npmrc", platform));
  if (!file) return undefined;
  const text = await host.files.readText(file).catch(() => "");
  const [, value] = /^[ \t]*prefix[ \t]*=[ \t]*"?([^"\r\n]*?)"?[ \t]*$/m
    .exec(text) ?? [];
  if (!value) return undefined;
  const path = value
    .replace(/\$\{([^}]+)\}/g, (_, name) => variable(env, name, platform) ?? "")
    .replace(/^~(?=[\\/])/, home ?? "~");
  return isAbsolutePath(path, platform) ? path : undefined;
}

/** A script among the leading arguments means one of this program's directory, wherever the CLI works. */
async function absoluteScript(host: Host, argument: string): Promise<string> {
  if (!/^[^-].*\.[cm]?[jt]s$/.test(argument)) return argument;
  const path = resolvePath(ownDirectory(host), argument, host.platform);
  return await isThere(host, path) ? path : argument;
}

async function isThere(host: Host, path: string | undefined): Promise<boolean> {
  if (path === undefined) return false;
  const status = await host.files.status(path).catch(() => undefined);
  return status !== undefined;
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
    const search = await prepareSearch(host, options);
    const attempts: DiscoveryAttempt[] = [];
    for await (const one of examined(host, search)) {
      attempts.push(one.attempt);
      program = one.program;
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

/** Runs a search and tells the metrics how it ended. */
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
