import { systemClock } from "../async/system_clock.ts";
import { Scrubber } from "../errors/scrubber.ts";
import { checkOptions } from "../options/check.ts";
import { NEVER_INHERITED } from "../options/environment.ts";
import type { Host } from "../ports/host.ts";
import type { Examined, Program } from "./examine.ts";
import {
  examined,
  measured,
  prepareSearch,
  type Search,
  type SearchOptions,
} from "./search.ts";
import type { CliDiscovery, DiscoveryAttempt } from "../types/activity.ts";
import { cut, showExit } from "../errors/text.ts";
import type { SearchPlace } from "./candidates.ts";
import { askProgram } from "./ask_program.ts";
import { explainStart, isTooOld, oldCli } from "./report.ts";

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
    const found = await allExamined(host, search);
    const attempts = await ask(host, search, found, init);
    return toDiscovery(found, attempts, search);
  });
}

/** Asks all at once, but of one installation only until one works; what could not be started keeps its entry. */
async function ask(
  host: Host,
  search: Search,
  found: readonly Examined[],
  init: SearchOptions,
): Promise<DiscoveryAttempt[]> {
  const answers = new Map<Examined, DiscoveryAttempt>();
  const groups = (await byInstallation(host, found)).map(async (group) => {
    const asked = new Map<string, string>();
    let working: string | undefined;
    for (const { one, program, real } of group) {
      const same = working ?? asked.get(real);
      const attempt: DiscoveryAttempt = {
        ...one.attempt,
        ...same === undefined
          ? await askOne(host, search.place, program, init)
          : {
            outcome: "skipped",
            reason: `leads to the same installation as "${same}"`,
          },
      };
      asked.set(real, one.candidate.path);
      if (attempt.version !== undefined) working = one.candidate.path;
      answers.set(one, attempt);
    }
  });
  for (const settled of await Promise.allSettled(groups)) {
    // Only the signal rejects; by now every program is stopped.
    if (settled.status === "rejected") throw settled.reason;
  }
  return found.map((one) => answers.get(one) ?? one.attempt);
}

async function askOne(
  host: Host,
  place: SearchPlace,
  program: Program,
  init: SearchOptions,
): Promise<VersionAnswer> {
  const answer = await askVersion(host, place, program, init);
  if (answer.reason === undefined) return answer;
  // It may be what the program printed.
  const scrubber = new Scrubber({ env: place.env, args: program.args });
  return { ...answer, reason: scrubber.scrub(answer.reason) };
}

function toDiscovery(
  found: readonly Examined[],
  attempts: readonly DiscoveryAttempt[],
  search: Search,
): CliDiscovery {
  const working = attempts.filter(({ version }) => version !== undefined);
  const [first] = working;
  const program = first && found[attempts.indexOf(first)]?.program;
  if (program === undefined || first?.version === undefined) {
    return { executable: false, attempts, warnings: [] };
  }
  const { source, version } = first;
  const path = program.cliPath;
  const warnings = isTooOld(version) ? [oldCli(path, version)] : [];
  if (working.length > 1 && search.named === undefined) {
    const all = working.map(({ path, version }) => `"${path}" (${version})`);
    warnings.push(severalClis(all));
  }
  return { path, version, executable: true, source, attempts, warnings };
}

async function allExamined(
  host: Host,
  search: Search,
  signal?: AbortSignal,
): Promise<Examined[]> {
  const all: Examined[] = [];
  for await (const one of examined(host, search)) {
    signal?.throwIfAborted();
    all.push(one);
  }
  return all;
}

/** The paths of all installations that could be started, in the order of the search; rejects with the signal's reason. */
export async function installedPaths(
  host: Host,
  options: SearchOptions,
  signal: AbortSignal,
): Promise<string[]> {
  const search = await prepareSearch(host, options);
  // A named CLI is used alone.
  if (search.named !== undefined) return [];
  const found = await allExamined(host, search, signal);
  const groups = await byInstallation(host, found);
  return groups.flatMap(([first]) => first ? [first.one.candidate.path] : []);
}

export function severalClis(all: readonly string[]): string {
  return `Several CLIs were found, the first one is used: ${all.join(", ")}`;
}

interface Located {
  readonly one: Examined;
  readonly program: Program;
  /** The file, links followed. */
  readonly real: string;
}

/** Programs by installation: those of one `node_modules`, and links from elsewhere to one of them. */
async function byInstallation(
  host: Host,
  found: readonly Examined[],
): Promise<Located[][]> {
  const groups: Located[][] = [];
  const known = new Map<string, Located[]>();
  for (const one of found) {
    const { candidate: { installation, path }, program } = one;
    if (program === undefined) continue;
    const real = await host.files.realPath(program.cliPath).catch(() => path);
    let group = known.get(real) ?? known.get(installation ?? real);
    if (group === undefined) groups.push(group = []);
    group.push({ one, program, real });
    known.set(real, group);
    known.set(installation ?? real, group);
  }
  return groups;
}

/** How long `--version` may take, in milliseconds. Source: specification, 3.1.1. */
const VERSION_LIMIT_MS = 5_000;

const VERSION = /\b\d+\.\d+\.\d+(?:-[\w.]+)?/;

type VersionAnswer = Pick<DiscoveryAttempt, "outcome" | "version" | "reason">;

/** Runs `--version` with a limit; rejects only with the signal's reason, and leaves no process behind. */
async function askVersion(
  host: Host,
  { directory: cwd, env: inherited }: SearchPlace,
  { args, cliPath, command }: Program,
  { clock = systemClock, signal }: SearchOptions,
): Promise<VersionAnswer> {
  // Without what it inherits of an agent or debugger around it, and which would change what it does.
  const env = Object.fromEntries(
    Object.entries(inherited).filter(([name]) => !NEVER_INHERITED.test(name)),
  );
  const late = new Error(`no answer to --version in ${VERSION_LIMIT_MS} ms`);
  try {
    const { exit, stderr, text } = await askProgram(
      host,
      { command, args: [...args, "--version"], cwd, env },
      {
        clock,
        late,
        ms: VERSION_LIMIT_MS,
        signal,
        isWhole: (text) => text.endsWith("\n") && VERSION.test(text),
      },
    );
    const [version] = VERSION.exec(text) ?? [];
    if (exit.code === 0 && version !== undefined) {
      return { outcome: "found", version };
    }
    const said = stderr === "" ? "" : `, stderr "${cut(stderr)}"`;
    const reason = exit.code === 0
      ? `no Claude CLI: its --version says "${cut(text.trim())}"`
      : `--version failed: ${showExit(exit)}${said}`;
    return { outcome: "failed", reason };
  } catch (error) {
    if (signal?.aborted) throw error;
    const outcome = error === late ? "timeout" : "failed";
    return { outcome, reason: explainStart(host, error, cliPath) };
  }
}
