import { systemClock } from "../async/system_clock.ts";
import { Scrubber } from "../errors/scrubber.ts";
import { checkOptions } from "../options/check.ts";
import type { Host } from "../ports/host.ts";
import type { CliDiscovery, DiscoveryAttempt } from "../types/health.ts";
import type { Candidate } from "./candidates.ts";
import { examine, type Examined } from "./examine.ts";
import type { Program } from "./program.ts";
import {
  candidatesOf,
  measured,
  prepareSearch,
  type Search,
  type SearchOptions,
  withArguments,
} from "./search.ts";
import { askVersion, isTooOld, oldCli } from "./version.ts";

/**
 * Finds the CLI and proves it: every candidate that could be started is asked for its version.
 *
 * @throws {ConfigError} If an option is wrong
 */
export async function discover(
  host: Host,
  init: SearchOptions = {},
): Promise<CliDiscovery> {
  const { clock: _clock, metrics: _metrics, ...options } = init;
  checkOptions(options);
  return await measured(init, async () => {
    const search = await prepareSearch(host, init);
    const tries = await allTries(host, search);
    const answers = await ask(host, search, tries, init);
    return toDiscovery(answers, search);
  });
}

interface Answer {
  readonly attempt: DiscoveryAttempt;
  readonly program?: Program;
  readonly version?: string;
}

/** Asks all at once, but of one installation only until one works. */
async function ask(
  host: Host,
  search: Search,
  tries: readonly Try[],
  init: SearchOptions,
): Promise<Answer[]> {
  const answers = new Map<Try, Answer>();
  const groups = (await byInstallation(host, tries)).map(async (group) => {
    const asked = new Map<string, string>();
    let working: string | undefined;
    for (const { one, real } of group) {
      const same = working ?? asked.get(real);
      const answer = same === undefined
        ? await askOne(host, search, one, init)
        : skipped(one, same);
      asked.set(real, one.candidate.path);
      if (answer.version !== undefined) working = one.candidate.path;
      answers.set(one, answer);
    }
  });
  for (const settled of await Promise.allSettled(groups)) {
    // Only the signal rejects; by now every program is stopped.
    if (settled.status === "rejected") throw settled.reason;
  }
  return tries.map((one) => answers.get(one) ?? one);
}

async function askOne(
  host: Host,
  search: Search,
  one: Try,
  { clock = systemClock, signal }: SearchOptions,
): Promise<Answer> {
  const program = withArguments(one.program, search);
  if (program === undefined) return one;
  const { directory, env } = search.place;
  const { outcome, ...rest } = await askVersion(host, program, {
    clock,
    signal,
    env: withoutNested(env),
    cwd: directory,
  });
  const { attempt } = one;
  if ("version" in rest) {
    const { version } = rest;
    return { attempt: { ...attempt, version }, program, version };
  }
  return {
    attempt: {
      ...attempt,
      outcome,
      // It may be what the program printed.
      reason: new Scrubber({ env, args: program.args }).scrub(rest.reason),
    },
  };
}

function skipped({ attempt }: Try, same: string): Answer {
  const reason = `leads to the same installation as "${same}"`;
  return { attempt: { ...attempt, outcome: "skipped", reason } };
}

function toDiscovery(answers: readonly Answer[], search: Search): CliDiscovery {
  const attempts = answers.map(({ attempt }) => attempt);
  const working = answers.filter(({ version }) => version !== undefined);
  const [first] = working;
  if (first?.program === undefined || first.version === undefined) {
    return { executable: false, attempts, warnings: [] };
  }
  const { attempt, program, version } = first;
  const warnings: string[] = [];
  if (isTooOld(version)) {
    warnings.push(oldCli(program.cliPath, version));
  }
  if (working.length > 1 && search.named === undefined) {
    const all = working.map(({ attempt, version }) =>
      `"${attempt.path}" (${version})`
    );
    warnings.push(severalClis(all));
  }
  return {
    path: program.cliPath,
    version,
    executable: true,
    source: attempt.source,
    attempts,
    warnings,
  };
}

/** Without what a program inherits of an agent or debugger around it, and which would change what it does. */
function withoutNested(
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const { CLAUDECODE: _1, DEBUG: _2, NODE_OPTIONS: _3, ...rest } = env;
  return rest;
}

/** A candidate with what was seen at its path. */
export interface Try extends Examined {
  readonly candidate: Candidate;
}

/** Looks at every candidate; starts nothing. */
async function allTries(
  host: Host,
  search: Search,
  signal?: AbortSignal,
): Promise<Try[]> {
  const tries: Try[] = [];
  for await (const candidate of candidatesOf(host, search)) {
    signal?.throwIfAborted();
    const examined = await examine(host, search.place, candidate);
    tries.push({ candidate, ...examined });
  }
  return tries;
}

/** The paths of all installations that could be started, in the order of the search; rejects with the signal's reason. */
export async function installedPaths(
  host: Host,
  options: SearchOptions,
  signal: AbortSignal,
): Promise<string[]> {
  const search = await prepareSearch(host, options);
  // Whoever names one means it.
  if (search.named !== undefined) return [];
  const groups = await byInstallation(
    host,
    await allTries(host, search, signal),
  );
  return groups.flatMap(([first]) => first ? [first.one.candidate.path] : []);
}

export function severalClis(all: readonly string[]): string {
  return `Several CLIs were found, the first one is used: ${all.join(", ")}`;
}

/** A program, and the file it leads to. */
interface Located {
  readonly one: Try;
  /** The file, links followed. */
  readonly real: string;
}

/** Programs by installation: those of one `node_modules`, and links from elsewhere to one of them. */
async function byInstallation(
  host: Host,
  tries: readonly Try[],
): Promise<Located[][]> {
  const groups: Located[][] = [];
  const known = new Map<string, Located[]>();
  for (const one of tries) {
    if (one.program === undefined) continue;
    const { installation, path } = one.candidate;
    const real = await host.files.realPath(one.program.cliPath)
      .catch(() => path);
    let group = known.get(real) ?? known.get(installation ?? real);
    if (group === undefined) groups.push(group = []);
    group.push({ one, real });
    known.set(real, group);
    known.set(installation ?? real, group);
  }
  return groups;
}
