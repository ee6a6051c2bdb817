import type { Host } from "../ports/host.ts";
import { fromHere } from "../process/paths.ts";
import { workTrees } from "./work_trees.ts";

/** Longer names of directories are cut, with a checksum behind. Source: official SDK 0.3.330. */
const MOST_OF_NAME = 200;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

type Variables = Readonly<Record<string, string | undefined>>;

/** Whether a text is the id of a session; nothing else becomes part of a path. */
export function isSessionId(id: unknown): id is string {
  return typeof id === "string" && UUID.test(id);
}

/** Whether a text is a path below the session's own folder, and nowhere else. */
export function isPartName(subpath: unknown): subpath is string {
  return typeof subpath === "string" && subpath !== "" &&
    !subpath.includes("\0") && !/^[a-z]:/i.test(subpath) &&
    !subpath.split(/[/\\]/).some((part) => /^(?:\.*|.*[. ])$/.test(part));
}

/**
 * Folder of the CLI's own files, which the CLI normalizes. A relative one begins at the working directory of the CLI, and an empty
 * `CLAUDE_CONFIG_DIR` counts as set: it is that directory.
 *
 * @param cwd Working directory of the CLI; that of this program
 */
export function configFolder(
  host: Host,
  env: Variables = host.env(),
  cwd?: string,
): string {
  const folder = env.CLAUDE_CONFIG_DIR ?? `${homeOf(host, env)}/.claude`;
  return fromCli(host, folder.normalize("NFC"), cwd);
}

/**
 * The CLI's file `.claude.json`: in the home directory, unless `CLAUDE_CONFIG_DIR` names a folder, which is not normalized here.
 * Source: tried on CLI 2.1.330.
 *
 * @param cwd Working directory of the CLI; that of this program
 */
export function stateFile(
  host: Host,
  env: Variables = host.env(),
  cwd?: string,
): string {
  const folder = env.CLAUDE_CONFIG_DIR || homeOf(host, env);
  return fromCli(host, `${folder}/.claude.json`, cwd);
}

const MANAGED: Readonly<Record<string, string>> = {
  darwin: "/Library/Application Support/ClaudeCode",
  win32: "C:\\Program Files\\ClaudeCode",
};

/** Folder with the managed settings of a machine. */
export function managedFolder({ platform }: Pick<Host, "platform">): string {
  return MANAGED[platform] ?? "/etc/claude-code";
}

function homeOf(host: Host, env: Variables): string {
  return env.HOME || host.home() || "";
}

function fromCli(host: Host, path: string, cwd: string = "."): string {
  const { platform } = host;
  return fromHere({ platform, cwd: () => fromHere(host, cwd) }, path);
}

/** Folders searched for sessions of the CLI on this machine. */
export interface LocalPlace {
  /** The folder that has one folder for each working directory; see {@link projectsFolder}. */
  readonly projects: string;
  /** The working directory; absent = all. */
  readonly cwd?: string | undefined;
  /** Whether other work trees of its repository count as well. */
  readonly includeWorktrees?: boolean | undefined;
  /** Variables of the CLI; those of this program. */
  readonly env?: Variables | undefined;
}

export function projectsFolder(
  host: Host,
  env?: Variables,
  cwd?: string,
): string {
  return `${configFolder(host, env, cwd)}/projects`;
}

/**
 * Under which name the CLI keeps the sessions of a directory.
 *
 * @param env Variables of the CLI; those of this program
 */
export async function projectKey(
  host: Host,
  directory: string = host.cwd(),
  env: Variables = host.env(),
): Promise<string> {
  return sharedKey(env) ?? await derivedKey(host, directory);
}

/** One name for all directories of a configuration folder. Source: official SDK 0.3.330. */
function sharedKey(env: Variables): string | undefined {
  const name = env.CLAUDE_CODE_PROJECT_DIR_NAME ?? "";
  const isUsed = env.CLAUDE_CONFIG_DIR && /^[A-Za-z0-9_-]{1,64}$/.test(name) &&
    !/^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/i.test(name);
  return isUsed ? name : undefined;
}

async function derivedKey(host: Host, directory: string): Promise<string> {
  const real = await realDirectory(host, directory);
  // As the CLI does: file systems of macOS return decomposed names.
  const path = host.platform === "darwin" ? real.normalize("NFC") : real;
  const name = path.replaceAll(/[^a-zA-Z0-9]/g, "-");
  return name.length <= MOST_OF_NAME
    ? name
    : `${name.slice(0, MOST_OF_NAME)}-${sumOf(path)}`;
}

/** A directory by its real path; one that is not on this machine by its absolute path. */
async function realDirectory(host: Host, directory: string): Promise<string> {
  const { files } = host;
  const path = fromHere(host, directory);
  return await files.realPath(directory)
    .catch(() => files.realPath(path)).catch(() => path);
}

function sumOf(text: string): string {
  let sum = 0;
  for (let at = 0; at < text.length; at++) {
    sum = (sum << 5) - sum + text.charCodeAt(at) | 0;
  }
  return Math.abs(sum).toString(36);
}

/** The projects of a place, by the names of their folders. */
export async function projectKeysOf(
  host: Host,
  { projects, cwd, includeWorktrees = true, env = host.env() }: LocalPlace,
): Promise<readonly string[]> {
  if (cwd === undefined) return await listed(host, projects);
  const own = await realDirectory(host, cwd);
  const places = includeWorktrees ? await workTrees(host, own) : [own];
  const keys = await Promise.all(places.map((one) => derivedKey(host, one)));
  const shared = sharedKey(env);
  return [...new Set(shared === undefined ? keys : [shared, ...keys])];
}

/** Names in a directory; none where there is no such directory. */
export async function listed(
  { files }: Host,
  path: string,
): Promise<readonly string[]> {
  try {
    return await files.list(path);
  } catch {
    return [];
  }
}
