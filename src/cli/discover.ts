import { withTimeout } from "../async/deadline.ts";
import { systemClock } from "../async/system_clock.ts";
import { Scrubber } from "../errors/scrubber.ts";
import { cut, showExit } from "../errors/text.ts";
import { safeLogger } from "../observe/log.ts";
import { checkOptions } from "../options/check.ts";
import { NEVER_INHERITED } from "../options/environment.ts";
import type { Host } from "../ports/host.ts";
import { type Child, startChild } from "../process/child.ts";
import type { CliDiscovery, DiscoveryAttempt } from "../types/activity.ts";
import type { Search } from "./candidates.ts";
import type { Examined, Program } from "./examine.ts";
import { explainStart, isTooOld, oldCli } from "./report.ts";
import {
  examined,
  measured,
  prepareSearch,
  type SearchOptions,
} from "./search.ts";

/**
 * Finds the CLI and proves it: of each installation that could be started a program is asked for its version.
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
    const attempts: DiscoveryAttempt[] = [];
    const working = new Map<string, DiscoveryAttempt & { version: string }>();
    for await (const { attempt, installation, program } of located(search)) {
      const same = working.get(installation);
      const answer = program === undefined
        ? {}
        : same === undefined
        ? await askVersion(search, program, init)
        : {
          outcome: "skipped" as const,
          reason: `leads to the same installation as "${same.path}"`,
        };
      const whole = { ...attempt, ...answer };
      attempts.push(whole);
      const { version } = whole;
      if (version !== undefined) {
        const path = program?.cliPath ?? attempt.path;
        working.set(installation, { ...whole, path, version });
      }
    }
    const [first, ...others] = working.values();
    if (first === undefined) {
      return { executable: false, attempts, warnings: [] };
    }
    const { path, source, version } = first;
    const warnings = isTooOld(version) ? [oldCli(path, version)] : [];
    if (others.length > 0 && search.named === undefined) {
      const all = [first, ...others]
        .map(({ path, version }) => `"${path}" (${version})`);
      warnings.push(severalClis(all));
    }
    return { path, version, executable: true, source, attempts, warnings };
  });
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
  const paths = new Map<string, string>();
  for await (const { candidate, installation, program } of located(search)) {
    signal.throwIfAborted();
    if (program === undefined || paths.has(installation)) continue;
    paths.set(installation, candidate.path);
  }
  return [...paths.values()];
}

export function severalClis(all: readonly string[]): string {
  return `Several CLIs were found, the first one is used: ${all.join(", ")}`;
}

/** The candidates, each with its installation: those of one `node_modules`, and links from elsewhere to one of them. */
async function* located(
  search: Search,
): AsyncGenerator<Examined & { readonly installation: string }> {
  const known = new Map<string, string>();
  for await (const one of examined(search)) {
    const { candidate: { installation: folder, path }, program } = one;
    const real = program === undefined
      ? path
      : await search.host.files.realPath(program.cliPath).catch(() => path);
    const installation = known.get(real) ?? known.get(folder ?? real) ?? real;
    if (program !== undefined) {
      known.set(real, installation);
      known.set(folder ?? real, installation);
    }
    yield { ...one, installation };
  }
}

/** Timeout of `--version`, in milliseconds. Source: specification, 3.1.1. */
const VERSION_LIMIT_MS = 5_000;

/** More than any version; the rest is not read. */
const LONGEST_ANSWER = 4_096;

/** A line of it stands in the reason. */
const STDERR = {
  tailBytes: LONGEST_ANSWER,
  linesPerSecond: Infinity,
  warnBytes: Infinity,
};

const VERSION = /\b\d+\.\d+\.\d+(?:-[\w.]+)?/;

type VersionAnswer = Pick<DiscoveryAttempt, "outcome" | "version" | "reason">;

/** Runs `--version` with a timeout; rejects only with the signal's reason, and leaves no process behind. */
async function askVersion(
  { directory: cwd, env: inherited, host }: Search,
  { args, cliPath, command }: Program,
  { clock = systemClock, signal }: SearchOptions,
): Promise<VersionAnswer> {
  // Without variables of an agent or debugger around this program, which would change what it does.
  const env = Object.fromEntries(
    Object.entries(inherited).filter(([name]) => !NEVER_INHERITED.test(name)),
  );
  // A reason may repeat what the program printed.
  const scrubber = new Scrubber({ env: inherited, args });
  const late = new Error(`no answer to --version in ${VERSION_LIMIT_MS} ms`);
  try {
    const child = await startChild(
      host,
      { command, args: [...args, "--version"], cwd, env },
      { stderr: STDERR, forwardSignals: false, clock, log: safeLogger() },
    );
    try {
      const answer = await withTimeout(() => readAnswer(child), {
        clock,
        signal,
        ms: VERSION_LIMIT_MS,
        onTimeout: () => late,
      });
      const { reason } = answer;
      return reason === undefined
        ? answer
        : { ...answer, reason: scrubber.scrub(reason) };
    } finally {
      // It has nothing to save. A SIGTERM first would hide what it started from the SIGKILL.
      await child.stop({ reason: "finished", graceMs: Infinity, killMs: 0 });
    }
  } catch (error) {
    if (signal?.aborted) throw error;
    const outcome = error === late ? "timeout" : "failed";
    const reason = explainStart(host, error, cliPath);
    return { outcome, reason: scrubber.scrub(reason) };
  }
}

async function readAnswer(child: Child): Promise<VersionAnswer> {
  await child.stdin.end();
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  let text = "";
  // Another process may hold the pipe open after the line with the version.
  const isWhole = () => text.endsWith("\n") && VERSION.test(text);
  while (text.length < LONGEST_ANSWER && !isWhole()) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  void reader.cancel().catch(() => {});
  const exit = await child.exited;
  const [version] = VERSION.exec(text) ?? [];
  if (exit.code === 0 && version !== undefined) {
    return { outcome: "found", version };
  }
  await child.stderr.ended;
  const stderr = child.stderr.text().trim();
  const said = stderr === "" ? "" : `, stderr "${cut(stderr)}"`;
  const reason = exit.code === 0
    ? `no Claude CLI: its --version says "${cut(text.trim())}"`
    : `--version failed: ${showExit(exit)}${said}`;
  return { outcome: "failed", reason };
}
