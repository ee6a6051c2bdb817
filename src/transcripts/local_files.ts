import { cut, isObject, show, textOfError } from "../errors/text.ts";
import { TranscriptError } from "../errors/transcript.ts";
import type { Host } from "../ports/host.ts";
import type { Files, OpenFile } from "../ports/files.ts";
import {
  codeOf,
  folderOf,
  newestFirst,
  placeFile,
  SESSION_SUFFIX,
  type SessionFile,
  sessionFileAt,
  sessionFilesIn,
  writeText,
} from "../session/files.ts";
import { AGENT_METADATA, entriesIn, textOf } from "./lines.ts";
import type { TranscriptEntry } from "./store.ts";

/** Names of directories are cut to so many characters, with a sum of the whole behind. Source: official SDK 0.3.330. */
const MOST_OF_NAME = 200;
/** What the CLI notes of a subagent is in a file of that name. */
export const META_SUFFIX = ".meta.json";
const NEWLINE = 0x0a;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A session of the CLI on this disk. */
export interface LocalFile extends SessionFile {
  readonly folder: string;
}

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

/** Where the CLI keeps what is its own. */
export function configFolder(
  host: Host,
  env: Readonly<Record<string, string | undefined>> = host.env(),
): string {
  return env.CLAUDE_CONFIG_DIR || `${env.HOME || host.home() || ""}/.claude`;
}

/** Where sessions of the CLI are looked for on this machine. */
export interface LocalPlace {
  /** The folder that has one folder for each working directory; see {@link projectsFolder}. */
  readonly projects: string;
  /** The working directory; absent = all. */
  readonly cwd?: string | undefined;
  /** Whether other work trees of its repository count as well. */
  readonly includeWorktrees?: boolean | undefined;
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

/** The sessions of a place, the newest first. */
export async function sessionFiles(
  host: Host,
  place: LocalPlace,
): Promise<readonly LocalFile[]> {
  const folders = await foldersOf(host, place);
  const found = await Promise.all(folders.map((one) => filesIn(host, one)));
  const newest = new Map<string, LocalFile>();
  for (const file of newestFirst(found.flat())) {
    if (!newest.has(file.id)) newest.set(file.id, file);
  }
  return [...newest.values()];
}

/** One session of a place, and of the other work trees in any case. */
export async function findFile(
  host: Host,
  { projects, cwd }: LocalPlace,
  id: string,
): Promise<LocalFile | undefined> {
  // Nothing else becomes part of a path.
  if (!isSessionId(id)) return undefined;
  const folders = await foldersOf(host, { projects, cwd });
  for (const folder of folders) {
    const path = `${folder}/${id}${SESSION_SUFFIX}`;
    const file = await sessionFileAt(host.files, path, id);
    if (file !== undefined && file.size > 0) return { ...file, folder };
  }
  return undefined;
}

async function foldersOf(
  host: Host,
  { projects, cwd, includeWorktrees = true }: LocalPlace,
): Promise<readonly string[]> {
  if (cwd !== undefined) {
    const places = includeWorktrees ? await worktrees(host, cwd) : [cwd];
    const keys = await Promise.all(places.map((one) => projectKey(host, one)));
    return [...new Set(keys)].map((key) => `${projects}/${key}`);
  }
  return (await listed(host, projects)).map((name) => `${projects}/${name}`);
}

async function filesIn(
  { files }: Host,
  folder: string,
): Promise<readonly LocalFile[]> {
  const found = await sessionFilesIn(
    files,
    folder,
    (name) => isSessionId(name) ? name : undefined,
  ).catch(() => []);
  return found.filter(({ size }) => size > 0)
    .map((file) => ({ ...file, folder }));
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

/** All lines of a file; none where there is none. */
export async function entriesOf(
  { files }: Host,
  path: string,
): Promise<TranscriptEntry[]> {
  try {
    return entriesIn(await files.readText(path));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** Writes lines to a new file, which this user alone can read; its folder is made. */
export async function writeNew(
  { files }: Host,
  path: string,
  entries: readonly TranscriptEntry[],
): Promise<void> {
  await files.makeDirectory(folderOf(path), 0o700);
  await placeFile(files, path, {
    by: "link",
    write: (file) => writeText(file, textOf(entries)),
  });
}

/** Does something with a file of the CLI; what the system refuses becomes an error that says which file, and what helps. */
export async function atFile<T>(
  sessionId: string,
  path: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new TranscriptError({
      message: `Session ${sessionId} cannot be written to ${show(path)}: ${
        cut(textOfError(cause))
      }: see that this user may write there and the disk has room, or set another configDirectory`,
      sessionId,
      cause,
    });
  }
}

/** Adds lines to the end of a file; one that a crash cut off stays what it is. */
export async function addLines(
  { files }: Host,
  path: string,
  entries: readonly TranscriptEntry[],
): Promise<void> {
  const size = (await files.status(path))?.size ?? 0;
  const lead = size === 0 || await endsLine(files, path, size) ? "" : "\n";
  const file = await openGrowing(files, path);
  try {
    // In one write, so that no other writer's line is torn.
    await writeText(file, lead + textOf(entries));
  } finally {
    await file.close();
  }
}

/** Opens a file to add to it, made when missing. */
async function openGrowing(files: Files, path: string): Promise<OpenFile> {
  try {
    return await files.open(path, "append");
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  try {
    return await files.open(path, "new");
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    return await files.open(path, "append");
  }
}

async function endsLine(
  files: Files,
  path: string,
  size: number,
): Promise<boolean> {
  const file = await files.open(path, "read");
  try {
    const last = new Uint8Array(1);
    await file.read(last, size - 1);
    return last[0] === NEWLINE;
  } finally {
    await file.close();
  }
}

/** Parts of a session beside its main one, as paths below its own folder, without the suffix. */
export async function partsOf(
  host: Host,
  { folder, id }: Pick<LocalFile, "folder" | "id">,
): Promise<readonly string[]> {
  const found = await filesBelow(host, `${folder}/${id}/subagents`);
  return found.map((names) => ["subagents", ...names].join("/"))
    .filter((path) => /\/agent-[^/]*$/.test(path));
}

/** The session files below a folder by the names that lead to each, the last without its suffix: those of a folder before those of the next level. */
export async function filesBelow(
  host: Host,
  folder: string,
): Promise<readonly (readonly string[])[]> {
  const found: (readonly string[])[] = [];
  const folders: (readonly string[])[] = [[]];
  for (const names of folders) {
    const path = [folder, ...names].join("/");
    for (const name of [...await listed(host, path)].sort()) {
      const status = await host.files.status(`${path}/${name}`);
      if (status?.kind === "directory") folders.push([...names, name]);
      else if (status?.kind === "file" && name.endsWith(SESSION_SUFFIX)) {
        found.push([...names, name.slice(0, -SESSION_SUFFIX.length)]);
      }
    }
  }
  return found;
}

/** The lines of a file of a part, with one for what the CLI notes of a subagent beside them. */
export async function partEntries(
  host: Host,
  path: string,
): Promise<TranscriptEntry[]> {
  const entries = await entriesOf(host, path);
  const name = path.slice(0, -SESSION_SUFFIX.length);
  try {
    const text = await host.files.readText(`${name}${META_SUFFIX}`);
    const meta: unknown = JSON.parse(text);
    if (isObject<unknown>(meta)) {
      entries.push({ ...meta, type: AGENT_METADATA });
    }
  } catch {
    // Not every subagent has it.
  }
  return entries;
}
