import { isPath, isWindows, resolvePath, upwards } from "../process/paths.ts";
import { pathDirectories, variable } from "../process/variables.ts";
import type { CliSource } from "../types/health.ts";

/** Where the CLI may be. */
export interface Candidate {
  readonly path: string;
  /** Why this path. */
  readonly source: CliSource;
  /** Directory of the installation it belongs to; several paths may lead to one installation. */
  readonly installation?: string;
}

/** What the candidates depend on; nothing of it need be true of this machine. */
export interface SearchPlace {
  readonly platform: string;
  readonly arch: string;
  /** Which C library Linux has; decides between two native packages. */
  readonly libc?: "glibc" | "musl";
  readonly env: Readonly<Record<string, string>>;
  readonly home: string | undefined;
  /** The `prefix` of the user's npm configuration. */
  readonly npmPrefix?: string | undefined;
  /** Working directory of this program: what relative paths begin at. */
  readonly directory: string;
  /** Where the search through `node_modules` begins. */
  readonly roots: readonly string[];
}

const WINDOWS_ENDINGS = [".exe", ".cmd", ".bat"];
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

/** `claude` in each directory of PATH. */
export function pathCandidates(place: SearchPlace): Candidate[] {
  return pathDirectories(place).flatMap((directory) =>
    claudeIn(directory, "path", place)
  );
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

/**
 * The CLI of the official SDK in each `node_modules` from the roots upwards: what npm installs along with that package.
 *
 * Where the one for this C library is missing, the other one may be there, as that package has it.
 */
export function officialCandidates(place: SearchPlace): Candidate[] {
  const { libc, platform } = place;
  const other = libc === "musl" ? "glibc" : "musl";
  const places = platform === "linux"
    ? [place, { ...place, libc: other }] as const
    : [place];
  const directories = directoriesAbove(place);
  return places.flatMap((one) =>
    directories.map((directory) => ({
      path: resolvePath(directory, officialPath(one), platform),
      source: "node_modules" as const,
    }))
  );
}

/** From the roots upwards, each once. */
function directoriesAbove({ platform, roots }: SearchPlace): readonly string[] {
  return [...new Set(roots.flatMap((root) => upwards(root, platform)))];
}

/** `claude` in the places that installers use. */
export function usualCandidates(place: SearchPlace): Candidate[] {
  return usualPlaces(place).flatMap((directory) =>
    claudeIn(directory, "usual-place", place)
  );
}

/** Node in each directory of a Windows PATH. */
export function nodeCandidates(place: SearchPlace): string[] {
  return pathDirectories(place).map((directory) =>
    resolvePath(directory, "node.exe", place.platform)
  );
}

function claudeIn(
  directory: string,
  source: CliSource,
  { directory: base, platform }: SearchPlace,
): Candidate[] {
  const path = resolvePath(
    resolvePath(base, directory, platform),
    "claude",
    platform,
  );
  const paths = isWindows(platform)
    ? WINDOWS_ENDINGS.map((ending) => path + ending)
    : [path];
  return paths.map((path) => ({ path, source }));
}

/** On Windows a name without ending means one with an ending that can be started. */
function withEndings(path: string, platform: string): string[] {
  if (!isWindows(platform) || /\.[a-z0-9]{2,4}$/i.test(path)) return [path];
  return [...WINDOWS_ENDINGS.map((ending) => path + ending), path];
}

/**
 * Paths in a directory that holds a `node_modules`.
 *
 * The npm package holds a program that only its install script makes, so the native packages come as well: beside it,
 * inside of it, and where pnpm and Deno put what nobody asked for by name; last those of the official SDK.
 */
function modulePaths(place: SearchPlace): string[] {
  const { platform } = place;
  const native = `claude-code-${nativeProgram(place)}`;
  const launchers = isWindows(platform)
    ? WINDOWS_ENDINGS.map((ending) => `node_modules/.bin/claude${ending}`)
    : ["node_modules/.bin/claude"];
  return [
    ...launchers,
    // The same name on every platform.
    `${SCOPE}/claude-code/bin/claude.exe`,
    `${SCOPE}/${native}`,
    `${SCOPE}/claude-code/${SCOPE}/${native}`,
    `node_modules/.pnpm/${SCOPE}/${native}`,
    `node_modules/.deno/${SCOPE}/${native}`,
    officialPath(place),
  ];
}

function officialPath(place: SearchPlace): string {
  return `${SCOPE}/claude-agent-sdk-${nativeProgram(place)}`;
}

/** The end of a native package's name, and the program in it. */
function nativeProgram({ arch, libc, platform }: SearchPlace): string {
  const target = `${platform}-${arch}${libc === "musl" ? "-musl" : ""}`;
  return `${target}/${isWindows(platform) ? "claude.exe" : "claude"}`;
}

/**
 * Directories in which installers put a `claude`, the likeliest first.
 *
 * One whose variable or home is unknown is left out.
 */
function usualPlaces(place: SearchPlace): string[] {
  return isWindows(place.platform) ? windowsPlaces(place) : unixPlaces(place);
}

function unixPlaces(
  { env, home, npmPrefix, platform }: SearchPlace,
): string[] {
  const isMac = platform === "darwin";
  const own = (path: string) => below(home, path);
  const places = [
    // The native installer, and the older local install.
    own(".local/bin"),
    own(".claude/local"),
    own(".claude/local/node_modules/.bin"),
    below(env.npm_config_prefix, "bin"),
    below(env.NPM_CONFIG_PREFIX, "bin"),
    below(npmPrefix, "bin"),
    own(".npm-global/bin"),
    own(".npm-packages/bin"),
    below(env.PNPM_HOME, ""),
    own(isMac ? "Library/pnpm" : ".local/share/pnpm"),
    below(env.BUN_INSTALL, "bin"),
    own(".bun/bin"),
    own(".yarn/bin"),
    own(".config/yarn/global/node_modules/.bin"),
    below(env.VOLTA_HOME, "bin"),
    own(".volta/bin"),
    below(env.ASDF_DATA_DIR, "shims"),
    own(".asdf/shims"),
    own(".local/share/mise/shims"),
    below(env.NVM_BIN, ""),
    own(".nvm/current/bin"),
    ...(isMac ? ["/opt/homebrew/bin"] : []),
    "/usr/local/bin",
    ...(isMac ? ["/opt/local/bin"] : []),
    ...(isMac ? [] : [
      "/home/linuxbrew/.linuxbrew/bin",
      "/usr/bin",
      "/snap/bin",
      "/run/current-system/sw/bin",
    ]),
    own(".nix-profile/bin"),
    "/opt/claude-code/bin",
    "/opt/claude/bin",
    "/opt/claude",
    "/opt/bin",
  ];
  return places.filter((place) => place !== undefined);
}

function windowsPlaces(
  { env, home, npmPrefix, platform }: SearchPlace,
): string[] {
  const value = (name: string) => variable(env, name, platform);
  const own = (path: string) => below(home, path);
  const appData = value("APPDATA");
  const localAppData = value("LOCALAPPDATA");
  const places = [
    own(".local/bin"),
    own(".claude/local"),
    own(".claude/local/node_modules/.bin"),
    // npm's prefix holds the programs itself here.
    below(value("npm_config_prefix"), ""),
    below(npmPrefix, ""),
    below(appData, "npm"),
    below(localAppData, "Programs/claude"),
    below(localAppData, "Programs/Claude Code"),
    below(localAppData, "Microsoft/WinGet/Links"),
    below(value("PNPM_HOME"), ""),
    below(localAppData, "pnpm"),
    below(value("BUN_INSTALL"), "bin"),
    own(".bun/bin"),
    below(localAppData, "Yarn/bin"),
    below(value("VOLTA_HOME"), "bin"),
    below(localAppData, "Volta/bin"),
    own("scoop/shims"),
    below(value("ProgramData"), "chocolatey/bin"),
    below(value("ProgramFiles"), "nodejs"),
    below(value("ProgramFiles"), "claude"),
    below(value("ProgramFiles"), "Claude Code"),
  ];
  return places.filter((place) => place !== undefined);
}

function below(
  directory: string | undefined,
  path: string,
): string | undefined {
  return directory ? `${directory}/${path}` : undefined;
}
