import { isObject } from "../errors/is_object.ts";
import type { Host } from "../ports/host.ts";
import type { SessionKey, SessionStoreEntry } from "./types_sessions.ts";

/** Names of directories are cut to so many characters, with a sum of the whole behind. Source: official SDK 0.3.330. */
const MOST_OF_NAME = 200;
/** Of a file that is larger than four of these only its beginning and its end are read, for a list. */
const PART_BYTES = 64 * 1024;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A session of the CLI on this disk. */
export interface SessionFile {
  /** Id of the session. */
  readonly id: string;
  /** The file. */
  readonly path: string;
  /** The folder that it lies in. */
  readonly folder: string;
  /** Its size in bytes. */
  readonly size: number;
  /** When it was changed, milliseconds since 1970. */
  readonly modifiedMs: number;
}

/** Whether a text is the id of a session; nothing else becomes part of a path. */
export function isSessionId(id: unknown): id is string {
  return typeof id === "string" && UUID.test(id);
}

/** Where the CLI keeps what is its own. */
export function configFolder(
  host: Host,
  env: Readonly<Record<string, string | undefined>> = host.env(),
): string {
  return env.CLAUDE_CONFIG_DIR || `${env.HOME || host.home() || ""}/.claude`;
}

/** Where the CLI keeps sessions. */
export function projectsFolder(
  host: Host,
  env?: Readonly<Record<string, string | undefined>>,
): string {
  return `${configFolder(host, env)}/projects`;
}

/** Under which name the CLI keeps the sessions of a directory. */
export async function projectKey(
  host: Host,
  directory: string = host.cwd(),
): Promise<string> {
  const real = await host.files.realPath(directory).catch(() => directory);
  const name = real.normalize("NFC").replaceAll(/[^a-zA-Z0-9]/g, "-");
  return name.length <= MOST_OF_NAME
    ? name
    : `${name.slice(0, MOST_OF_NAME)}-${sumOf(real)}`;
}

function sumOf(text: string): string {
  let sum = 0;
  for (let at = 0; at < text.length; at++) {
    sum = (sum << 5) - sum + text.charCodeAt(at) | 0;
  }
  return Math.abs(sum).toString(36);
}

/** The sessions of a directory, of its other work trees, or of all. */
export async function sessionFiles(
  host: Host,
  { dir, includeWorktrees = true }: {
    readonly dir?: string | undefined;
    readonly includeWorktrees?: boolean | undefined;
  },
): Promise<readonly SessionFile[]> {
  const folders = await foldersOf(host, dir, includeWorktrees);
  const found = await Promise.all(folders.map((one) => filesIn(host, one)));
  const newest = new Map<string, SessionFile>();
  for (const file of found.flat()) {
    const other = newest.get(file.id);
    if (other !== undefined && other.modifiedMs >= file.modifiedMs) continue;
    newest.set(file.id, file);
  }
  return [...newest.values()].sort((a, b) =>
    b.modifiedMs - a.modifiedMs || (a.id < b.id ? -1 : 1)
  );
}

/** One session, wherever it lies. */
export async function findSession(
  host: Host,
  id: string,
  dir: string | undefined,
): Promise<SessionFile | undefined> {
  const folders = await foldersOf(host, dir, true);
  for (const folder of folders) {
    const path = `${folder}/${id}.jsonl`;
    const status = await host.files.status(path);
    if (status?.kind !== "file" || status.size === 0) continue;
    const { size, modifiedMs } = status;
    return { id, path, folder, size, modifiedMs };
  }
  return undefined;
}

async function foldersOf(
  host: Host,
  dir: string | undefined,
  includeWorktrees: boolean,
): Promise<readonly string[]> {
  const projects = projectsFolder(host);
  if (dir !== undefined) {
    const places = includeWorktrees ? await worktrees(host, dir) : [dir];
    const keys = await Promise.all(places.map((one) => projectKey(host, one)));
    return [...new Set(keys)].map((key) => `${projects}/${key}`);
  }
  return (await listed(host, projects)).map((name) => `${projects}/${name}`);
}

async function filesIn(
  host: Host,
  folder: string,
): Promise<readonly SessionFile[]> {
  const ids = (await listed(host, folder))
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => name.slice(0, -".jsonl".length))
    .filter(isSessionId);
  const files = await Promise.all(ids.map(async (id) => {
    const path = `${folder}/${id}.jsonl`;
    const status = await host.files.status(path);
    if (status?.kind !== "file" || status.size === 0) return [];
    const { size, modifiedMs } = status;
    return [{ id, path, folder, size, modifiedMs }];
  }));
  return files.flat();
}

/** The directory, and the other work trees of its repository. */
async function worktrees(
  host: Host,
  dir: string,
): Promise<readonly string[]> {
  const { files } = host;
  const git = `${dir}/.git`;
  const status = await files.status(git).catch(() => undefined);
  if (status === undefined) return [dir];
  let common = git;
  if (status.kind === "file") {
    const line = await files.readText(git).catch(() => "");
    const own = /^gitdir: (.*)$/m.exec(line)?.[1];
    common = own?.replace(/\/worktrees\/[^/]*\/?$/, "") ?? git;
  }
  const names = await listed(host, `${common}/worktrees`);
  const others = await Promise.all(names.map(async (name) => {
    const path = `${common}/worktrees/${name}/gitdir`;
    const text = await files.readText(path).catch(() => "");
    return text.trim().replace(/\/\.git$/, "");
  }));
  const main = common.replace(/\/\.git$/, "");
  return [...new Set([dir, main, ...others.filter((one) => one !== "")])];
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

/** All lines of a file; what is no line of a session is left out. */
export async function entriesOf(
  { files }: Host,
  path: string,
): Promise<SessionStoreEntry[]> {
  return parse(await files.readText(path));
}

/** Lines at the beginning and at the end of a file: what a list needs to know. */
export async function outerEntries(
  host: Host,
  { path, size }: SessionFile,
): Promise<SessionStoreEntry[]> {
  if (size <= 4 * PART_BYTES) return await entriesOf(host, path);
  const file = await host.files.open(path, "read");
  try {
    const parts: string[] = [];
    for (const position of [0, size - PART_BYTES]) {
      const buffer = new Uint8Array(PART_BYTES);
      const count = await file.read(buffer, position);
      parts.push(new TextDecoder().decode(buffer.subarray(0, count)));
    }
    return parse(parts.join("\n"));
  } finally {
    await file.close();
  }
}

function parse(text: string): SessionStoreEntry[] {
  return text.split("\n").flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      const isEntry = isObject(value) && "type" in value &&
        typeof value.type === "string";
      return isEntry ? [value as SessionStoreEntry] : [];
    } catch {
      // An empty line, or one that was cut.
      return [];
    }
  });
}

/** Which session, and which part of it, a file of the CLI is. */
export function keyOfFile(
  path: string,
  projects: string,
): SessionKey | undefined {
  const plain = path.replaceAll("\\", "/");
  const folder = `${projects.replaceAll("\\", "/")}/`;
  if (!plain.startsWith(folder)) return undefined;
  const [projectKey, name, ...rest] = plain.slice(folder.length).split("/");
  if (projectKey === undefined || name === undefined) return undefined;
  if (rest.length === 0) {
    return name.endsWith(".jsonl")
      ? { projectKey, sessionId: name.slice(0, -".jsonl".length) }
      : undefined;
  }
  const subpath = rest.join("/").replace(/\.jsonl$/, "");
  return rest.length < 2 ? undefined : { projectKey, sessionId: name, subpath };
}
