import type { Host } from "../ports/host.ts";
import {
  isAbsolutePath,
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

/** The machine as a search sees it. */
export interface Search {
  readonly host: Host;
  readonly platform: string;
  readonly env: Readonly<Record<string, string>>;
  readonly home: string | undefined;
  /** Working directory of this program, the base of relative paths. */
  readonly directory: string;
  /** Directories from which `node_modules` is searched upwards. */
  readonly roots: string[];
  /** The command the user named, with arguments before those of the CLI; nothing else is tried then. */
  named?: {
    readonly command: string;
    readonly args: readonly string[];
    readonly source: "option" | "environment";
  };
}

const SCOPE = "node_modules/@anthropic-ai";

/** The places where a CLI may be, in order; finds out what only the later ones need when they are asked for. */
export async function* candidates(search: Search): AsyncGenerator<Candidate> {
  const { directory, named, platform } = search;
  const inFolders = (folders: readonly string[], source: CliSource) =>
    folders.map((one) => resolvePath(directory, `${one}/claude`, platform))
      .flatMap((path) => programsCalled(path, platform))
      .map((path) => ({ path, source }));
  if (named !== undefined) {
    const { command, source } = named;
    const folders = isPath(command, platform)
      ? [directory]
      : pathDirectories(search);
    yield* folders.map((one) => resolvePath(one, command, platform))
      .flatMap((path) => withEndings(path, platform))
      .map((path) => ({ path, source }));
    return;
  }
  yield* inFolders(pathDirectories(search), "path");
  yield* moduleCandidates(search);
  yield* inFolders(await usualFolders(search), "usual-place");
}

/** The places in each `node_modules` from the roots upwards. */
export async function* moduleCandidates(
  { host, platform, roots }: Search,
): AsyncGenerator<Candidate> {
  const paths = await modulePaths(host);
  const folders = roots.flatMap((root) => upwards(root, platform));
  for (const folder of new Set(folders)) {
    const installation = resolvePath(folder, "node_modules", platform);
    // One candidate stands for a folder that does not exist.
    const isThere = await exists(host, installation);
    for (const path of isThere ? paths : paths.slice(0, 1)) {
      yield {
        path: resolvePath(folder, path, platform),
        source: "node_modules",
        installation,
      };
    }
  }
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
 * and where pnpm and Deno put indirect dependencies; last those of the official SDK, of which the one for the other C
 * library may be there alone.
 */
async function modulePaths(host: Host): Promise<readonly string[]> {
  const { arch, platform } = host;
  const target = `${platform}-${arch}`;
  const [own, ...others] = platform !== "linux"
    ? [target] as const
    : await isMusl(host)
    ? [`${target}-musl`, target] as const
    : [target, `${target}-musl`] as const;
  const program = isWindows(platform) ? "claude.exe" : "claude";
  const native = `${SCOPE}/claude-code-${own}/${program}`;
  return [
    ...programsCalled("node_modules/.bin/claude", platform),
    // The same name on every platform.
    `${SCOPE}/claude-code/bin/claude.exe`,
    native,
    `node_modules/.pnpm/${native}`,
    `node_modules/.deno/${native}`,
    ...[own, ...others].map((one) =>
      `${SCOPE}/claude-agent-sdk-${one}/${program}`
    ),
  ];
}

/** A program built for one C library does not start on the other. */
async function isMusl(host: Host): Promise<boolean> {
  if (await exists(host, "/etc/alpine-release")) return true;
  const [glibc, musl] = host.arch === "arm64"
    ? ["/lib/ld-linux-aarch64.so.1", "/lib/ld-musl-aarch64.so.1"] as const
    : ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-musl-x86_64.so.1"] as const;
  return !await exists(host, glibc) && await exists(host, musl);
}

/** Folders into which the native installer and npm put a `claude`, the likeliest first. */
async function usualFolders(search: Search): Promise<readonly string[]> {
  const { env, home, platform } = search;
  const given = (name: string) => variable(env, name, platform);
  const below = (folder: string | undefined, path: string) =>
    folder && `${folder}/${path}`;
  const prefixes = [
    given("npm_config_prefix"),
    given("NPM_CONFIG_PREFIX"),
    await npmPrefix(search),
  ];
  const folders = [
    below(home, ".local/bin"),
    below(home, ".claude/local"),
    ...isWindows(platform)
      ? [
        // npm's prefix holds the programs itself here.
        ...prefixes,
        below(given("APPDATA"), "npm"),
        below(given("LOCALAPPDATA"), "Programs/claude"),
        below(given("ProgramFiles"), "nodejs"),
      ]
      : [
        ...prefixes.map((prefix) => below(prefix, "bin")),
        below(home, ".npm-global/bin"),
        platform === "darwin" ? "/opt/homebrew/bin" : "/opt/claude/bin",
        "/usr/local/bin",
        "/usr/bin",
        "/opt/bin",
      ],
  ];
  return folders.flatMap((folder) => folder ? [folder] : []);
}

async function npmPrefix(
  { env, home, host, platform }: Search,
): Promise<string | undefined> {
  const file = variable(env, "npm_config_userconfig", platform) ??
    (home && resolvePath(home, ".npmrc", platform));
  if (!file) return undefined;
  const text = await host.files.readText(file).catch(() => "");
  const [, value = ""] = /^[ \t]*prefix[ \t]*=[ \t]*"?([^"\r\n]*?)"?[ \t]*$/m
    .exec(text) ?? [];
  const path = value
    .replace(/\$\{([^}]+)\}/g, (_, name) => variable(env, name, platform) ?? "")
    .replace(/^~(?=[\\/])/, home ?? "~");
  return isAbsolutePath(path, platform) ? path : undefined;
}

export async function exists(host: Host, path: string): Promise<boolean> {
  const status = await host.files.status(path).catch(() => undefined);
  return status !== undefined;
}
