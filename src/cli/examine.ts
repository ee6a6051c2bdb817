import { shared, type Underway } from "../async/shared.ts";
import { redactPath } from "../errors/command_line.ts";
import { textOfError } from "../errors/text.ts";
import type { Host } from "../ports/host.ts";
import { parentOf, pathDirectories, resolvePath } from "../process/paths.ts";
import type { Candidate, Search } from "./candidates.ts";
import type { AttemptOutcome, DiscoveryAttempt } from "../types/activity.ts";

/** The CLI, or the interpreter that runs it. */
export interface Program {
  /** The CLI as it was found, for people. */
  readonly cliPath: string;
  /** The program handed to the system. */
  readonly command: string;
  /** Arguments that come before those of the CLI. */
  readonly args: readonly string[];
}

/** Content of the npm package's program until its install script has run; a few hundred bytes of text. */
const PLACEHOLDER_TEXT = "native binary not installed";
const PLACEHOLDER_BYTES = 4_096;

/** A program at a path, or the reason why it is missing. */
export interface Examined {
  readonly candidate: Candidate;
  /** Its entry in the trace; `found` says that it can be started, not that it works. */
  readonly attempt: DiscoveryAttempt;
  readonly program?: Program;
}

/** Many conversations often start at once, all with the same CLI. */
const lookedAt: Underway<Program> = new WeakMap();
const versions: Underway<string | undefined> = new WeakMap();

/** Looks at a path without starting anything; never rejects. */
export async function examine(
  search: Search,
  candidate: Candidate,
): Promise<Examined> {
  const { path, source } = candidate;
  try {
    const program = await shared(
      lookedAt,
      search.host,
      path,
      () => programAt(search, path),
    );
    const attempt = { path, source, outcome: "found" } as const;
    return { candidate, attempt, program };
  } catch (error) {
    const { outcome, reason } = toProblem(error);
    const shown = redactPath(path);
    return {
      candidate,
      attempt: {
        path: shown,
        source,
        outcome,
        ...(reason !== undefined &&
          { reason: reason.replaceAll(path, () => shown) }),
      },
    };
  }
}

class Problem extends Error {
  readonly outcome: AttemptOutcome;
  readonly reason: string | undefined;

  constructor(outcome: AttemptOutcome, reason?: string) {
    super(reason);
    this.outcome = outcome;
    this.reason = reason;
  }
}

async function programAt(search: Search, path: string): Promise<Program> {
  const { host, platform } = search;
  await checkFile(host, path);
  if (platform === "win32" && /\.(?:cmd|bat)$/i.test(path)) {
    return await behindShim(search, path);
  }
  if (await host.files.isExecutable(path)) {
    return { cliPath: path, command: path, args: [] };
  }
  const fix = `permission denied: run chmod +x "${path}"`;
  const isScript = /\.[cm]?js$/.test(path);
  const reason = isScript ? `${fix}, or give ["node", "${path}"]` : fix;
  throw new Problem("not-executable", reason);
}

async function checkFile({ files }: Host, path: string): Promise<void> {
  const status = await files.status(path);
  if (status === undefined) {
    const target = await files.linkTarget(path).catch(() => undefined);
    if (target === undefined) {
      const isHome = /(?:^|[\\/])~/.test(path);
      const fix = "only a shell expands ~: give the whole path";
      throw new Problem("missing", isHome ? fix : undefined);
    }
    throw new Problem("broken-link", `points to "${target}"`);
  }
  if (status.kind !== "file") {
    throw new Problem("not-executable", `it is a ${status.kind}`);
  }
  if (status.size > PLACEHOLDER_BYTES) return;
  // A program may be executable and yet not readable.
  const text = await files.readText(path).catch(() => "");
  if (text.includes(PLACEHOLDER_TEXT)) {
    throw new Problem(
      "failed",
      "the install script of @anthropic-ai/claude-code did not run: run its install.cjs, or install it again without --ignore-scripts and --omit=optional",
    );
  }
}

/**
 * The program that the command file of a package manager starts.
 *
 * The file is read, never run: a shell would take arguments apart again, so that a crafted one would run commands.
 */
async function behindShim(search: Search, path: string): Promise<Program> {
  const { host, platform } = search;
  const folder = parentOf(path, platform);
  const text = await host.files.readText(path);
  // "%dp0%\..\x\cli.js" %* (npm), "%~dp0\..\x\cli.js" %* (pnpm, yarn)
  const [target] = [...text.matchAll(
    /"%(?:dp0%|~dp0)[\\/]*([^"%]+\.(?:exe|[cm]?js))"[ \t]+(?:%\*|\$args)/gi,
  )].map(([, target = ""]) => target)
    .filter((target) => !/(?:^|[\\/])node\.exe$/i.test(target));
  if (target === undefined) {
    throw new Problem(
      "failed",
      `only a shell can start a command file, which would be unsafe, and this one names no program: give the program behind it, or ["node", "cli.js"]`,
    );
  }
  const cliPath = resolvePath(folder, target, platform);
  await checkFile(host, cliPath);
  if (/\.exe$/i.test(cliPath)) return { cliPath, command: cliPath, args: [] };
  for (const directory of [folder, ...pathDirectories(search)]) {
    const node = resolvePath(directory, "node.exe", platform);
    if (await host.files.status(node) === undefined) continue;
    return { cliPath, command: node, args: [cliPath] };
  }
  if (host.name === "node") {
    return { cliPath, command: host.execPath, args: [cliPath] };
  }
  throw new Problem(
    "failed",
    `it runs "${cliPath}" with Node, and there is no node.exe in PATH`,
  );
}

function toProblem(
  error: unknown,
): { readonly outcome: AttemptOutcome; readonly reason?: string | undefined } {
  if (error instanceof Problem) return error;
  const code = error instanceof Error && "code" in error ? error.code : "";
  if (code === "ENOTDIR" || code === "ENOENT") return { outcome: "missing" };
  if (code === "ELOOP") {
    return { outcome: "broken-link", reason: "its links go in a circle" };
  }
  return { outcome: "failed", reason: textOfError(error) };
}

const PACKAGES = /^@anthropic-ai\/claude-code(?:-|$)/;
/** Name that native installers and casks give a folder or a file: `versions/2.1.330`. */
const NUMBERS = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

/** The version of a CLI by what lies around it: its path, or its `package.json`; starts nothing, and never rejects. */
export function installedVersion(
  host: Host,
  { args, command }: Program,
): Promise<string | undefined> {
  const script = args.find((one) => /\.[cm]?js$/.test(one)) ?? command;
  return shared(versions, host, script, () => versionAround(host, script));
}

async function versionAround(
  host: Host,
  script: string,
): Promise<string | undefined> {
  try {
    const real = await host.files.realPath(script);
    const folder = parentOf(real, host.platform);
    const names = real.split(/[\\/]/).slice(-2).reverse();
    const inPath = names.find((name) => NUMBERS.test(name));
    if (inPath !== undefined) return inPath;
    for (const place of [folder, parentOf(folder, host.platform)]) {
      const path = resolvePath(place, "package.json", host.platform);
      const text = await host.files.readText(path).catch(() => "{}");
      const { name, version } = JSON.parse(text) ?? {};
      if (typeof version === "string" && PACKAGES.test(name)) return version;
    }
  } catch {
    // Then it is a current one, until it says something else.
  }
  return undefined;
}
