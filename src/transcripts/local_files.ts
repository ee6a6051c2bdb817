import { cut, isObject, show, textOfError } from "../errors/text.ts";
import { TranscriptError } from "../errors/transcript.ts";
import type { Host } from "../ports/host.ts";
import type { Files, OpenFile } from "../ports/files.ts";
import {
  codeOf,
  folderOf,
  newestFirst,
  placeFile,
  PRIVATE_FOLDER,
  SESSION_SUFFIX,
  type SessionFile,
  sessionFileAt,
  sessionFilesIn,
  writeText,
} from "../session/files.ts";
import { AGENT_METADATA, entriesIn, textOf } from "./lines.ts";
import type { TranscriptEntry } from "./store.ts";
import { foldersOf, isSessionId, listed, type LocalPlace } from "./places.ts";

/** Ending of the file with the CLI's notes on a subagent. */
export const META_SUFFIX = ".meta.json";
const NEWLINE = 0x0a;

/** A session of the CLI on this disk. */
export interface LocalFile extends SessionFile {
  readonly folder: string;
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

/** All lines of a file; empty if it is missing. */
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
  await files.makeDirectory(folderOf(path), PRIVATE_FOLDER);
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
