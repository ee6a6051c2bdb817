import {
  isPath,
  isWindows,
  pathDirectories,
  resolvePath,
  upwards,
  variable,
} from "../process/paths.ts";
import type { CliSource } from "../types/activity.ts";

export interface Candidate {
  readonly path: string;
  readonly source: CliSource;
  /** Directory of the installation it belongs to; several paths may lead to one installation. */
  readonly installation?: string;
}

/** A machine as the candidates see it; it need not be this one. */
export interface SearchPlace {
  readonly platform: string;
  readonly arch: string;
  /** Decides between two native packages of Linux. */
  readonly libc?: "glibc" | "musl";
  readonly env: Readonly<Record<string, string>>;
  readonly home: string | undefined;
  readonly npmPrefix?: string | undefined;
  /** Working directory of this program: what relative paths begin at. */
  readonly directory: string;
  readonly roots: readonly string[];
}

const SCOPE = "node_modules/@anthropic-ai";

/** The paths that a command given by the user can mean: itself, or its name in PATH. */
export function namedCandidates(
  command: string,
  source: CliSource,
  place: SearchPlace,
): Candidate[] {
  const { directory, platform } = place;
  const paths = isPath(command, platform)
    ? [resolvePath(directory, command, platform)]
    : pathDirectories(place).map((one) => resolvePath(one, command, platform));
  const all = paths.flatMap((path) => withEndings(path, platform));
  return all.map((path) => ({ path, source }));
}

export function pathCandidates(place: SearchPlace): Candidate[] {
  return claudeIn(pathDirectories(place), "path", place);
}

/** `claude` in each `node_modules` from the roots upwards, then what it leads to: the npm package and its native packages. */
export function moduleCandidates(place: SearchPlace): Candidate[] {
  const { platform } = place;
  return directoriesAbove(place).flatMap((directory) =>
    modulePaths(place).map((path) => ({
      path: resolvePath(directory, path, platform),
      source: "node_modules" as const,
      installation: resolvePath(directory, "node_modules", platform),
    }))
  );
}

export function directoriesAbove(
  { platform, roots }: SearchPlace,
): readonly string[] {
  return [...new Set(roots.flatMap((root) => upwards(root, platform)))];
}

export function usualCandidates(place: SearchPlace): Candidate[] {
  return claudeIn(usualPlaces(place), "usual-place", place);
}

function claudeIn(
  directories: readonly string[],
  source: CliSource,
  { directory, platform }: SearchPlace,
): Candidate[] {
  return directories
    .map((one) => resolvePath(directory, `${one}/claude`, platform))
    .flatMap((path) => programsCalled(path, platform))
    .map((path) => ({ path, source }));
}

/** On Windows a name without ending means one with an ending that can be started. */
function withEndings(path: string, platform: string): string[] {
  if (!isWindows(platform) || /\.[a-z0-9]{2,4}$/i.test(path)) return [path];
  return [...programsCalled(path, platform), path];
}

function programsCalled(path: string, platform: string): string[] {
  return isWindows(platform)
    ? [".exe", ".cmd", ".bat"].map((ending) => path + ending)
    : [path];
}

/**
 * Paths in a directory that holds a `node_modules`.
 *
 * The npm package holds a program that only its install script makes, so the native packages come as well: beside it,
 * inside of it, and where pnpm and Deno put indirect dependencies; last those of the official SDK.
 */
function modulePaths(place: SearchPlace): string[] {
  const { platform } = place;
  const native = `claude-code-${nativeProgram(place)}`;
  return [
    ...programsCalled("node_modules/.bin/claude", platform),
    // The same name on every platform.
    `${SCOPE}/claude-code/bin/claude.exe`,
    `${SCOPE}/${native}`,
    `${SCOPE}/claude-code/${SCOPE}/${native}`,
    `node_modules/.pnpm/${SCOPE}/${native}`,
    `node_modules/.deno/${SCOPE}/${native}`,
    officialPath(place),
  ];
}

/** Where npm puts the CLI that comes with the official SDK, below a directory that holds a `node_modules`. */
export function officialPath(place: SearchPlace): string {
  return `${SCOPE}/claude-agent-sdk-${nativeProgram(place)}`;
}

function nativeProgram({ arch, libc, platform }: SearchPlace): string {
  const target = `${platform}-${arch}${libc === "musl" ? "-musl" : ""}`;
  return `${target}/${isWindows(platform) ? "claude.exe" : "claude"}`;
}

/** Where the native installer and npm put a `claude`, the likeliest first. */
function usualPlaces(
  { env, home, npmPrefix, platform }: SearchPlace,
): string[] {
  const given = (name: string) => variable(env, name, platform);
  const inHome = (path: string) => below(home, path);
  const prefixes = [
    given("npm_config_prefix"),
    given("NPM_CONFIG_PREFIX"),
    npmPrefix,
  ];
  const installer = [inHome(".local/bin"), inHome(".claude/local")];
  const places = isWindows(platform)
    ? [
      ...installer,
      // npm's prefix holds the programs itself here.
      ...prefixes,
      below(given("APPDATA"), "npm"),
      below(given("LOCALAPPDATA"), "Programs/claude"),
      below(given("ProgramFiles"), "nodejs"),
    ]
    : [
      ...installer,
      ...prefixes.map((prefix) => below(prefix, "bin")),
      inHome(".npm-global/bin"),
      ...platform === "darwin" ? ["/opt/homebrew/bin"] : [],
      "/usr/local/bin",
      "/usr/bin",
      "/opt/claude/bin",
      "/opt/bin",
    ];
  return places.flatMap((place) => place ? [place] : []);
}

function below(directory: string | undefined, path: string) {
  return directory && `${directory}/${path}`;
}
