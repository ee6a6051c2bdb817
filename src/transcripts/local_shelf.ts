import type { Host } from "../ports/host.ts";
import { codeOf, SESSION_SUFFIX } from "../session/files.ts";
import {
  cliStore,
  findFile,
  type LocalFile,
  sessionFiles,
} from "./cli_files.ts";
import { linesAt } from "./file_store.ts";
import { entriesIn } from "./lines.ts";
import { type LocalPlace, projectKey } from "./places.ts";
import type { Shelf } from "./shelf.ts";
import type { TranscriptEntry } from "./store.ts";
import { foldSummary, infoOf, type TranscriptInfo } from "./summary.ts";

/** Of a file that is larger than four of these only its beginning and its end are read, for a list. */
const PART_BYTES = 64 * 1024;

/** The CLI's own files. */
export async function localShelf(
  host: Host,
  place: LocalPlace,
): Promise<Shelf> {
  const find = (sessionId: string) => findFile(host, place, sessionId);
  const store = cliStore(host, place.projects);
  return {
    store,
    async add(sessionId, line) {
      const file = await find(sessionId);
      if (file === undefined) return false;
      const { projectKey } = file;
      // A file that is made for a line alone would bring back a session that is removed meanwhile.
      return await store.extend({ projectKey, sessionId }, [line]);
    },
    projectKey: await projectKey(host, place.cwd, place.env),
    async find(sessionId) {
      const file = await find(sessionId);
      return file && { projectKey: file.projectKey, sessionId };
    },
    async list() {
      const files = await sessionFiles(host, place);
      return files.map((file) => () => infoIfReadable(host, file));
    },
    async info(sessionId) {
      const file = await find(sessionId);
      return file && await infoIfReadable(host, file);
    },
  };
}

/** Summary of a file; `undefined` if the file cannot be read, so that it does not hide the others. */
async function infoIfReadable(
  host: Host,
  file: LocalFile,
): Promise<TranscriptInfo | undefined> {
  try {
    return await infoOfFile(host, file);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}

async function infoOfFile(
  host: Host,
  file: LocalFile,
): Promise<TranscriptInfo | undefined> {
  const entries = await outerEntries(host, file);
  const { id, modifiedMs, size } = file;
  const summary = foldSummary(undefined, id, entries, modifiedMs);
  const info = infoOf(summary, entries);
  if (info === undefined) return undefined;
  const isArchived = await archivedOf(host, file, entries);
  return {
    ...info,
    bytes: size,
    ...isArchived !== undefined && { isArchived },
    isProgrammatic: entries.some(({ entrypoint }) =>
      typeof entrypoint === "string" && entrypoint.startsWith("sdk")
    ),
  };
}

/** Lines at the beginning and at the end of a file: enough for a list. */
async function outerEntries(
  { files }: Host,
  { path, size }: LocalFile,
): Promise<TranscriptEntry[]> {
  if (size <= 4 * PART_BYTES) return await linesAt(files, path);
  const file = await files.open(path, "read");
  try {
    const parts: string[] = [];
    for (const position of [0, size - PART_BYTES]) {
      const buffer = new Uint8Array(PART_BYTES);
      const count = await file.read(buffer, position);
      parts.push(new TextDecoder().decode(buffer.subarray(0, count)));
    }
    const [head = ""] = parts;
    return [...entriesIn(parts.join("\n")), ...cutPrompt(head)];
  } finally {
    await file.close();
  }
}

/** The prompt that is cut off at the end of a text: one with an image or a document is mostly longer than that. */
function cutPrompt(text: string): TranscriptEntry[] {
  const line = text.slice(text.lastIndexOf("\n") + 1);
  const type = /"type":"user".*"type":"(image|document)"/.exec(line)?.[1];
  if (type === undefined) return [];
  return [{ type: "user", message: { content: [{ type }] } }];
}

/** Marks a session as archived, or not, as the official SDK does; false if the session is removed meanwhile. */
export async function setArchived(
  { files }: Host,
  file: LocalFile,
  archived: boolean,
): Promise<boolean> {
  const folder = file.path.slice(0, -SESSION_SUFFIX.length);
  await files.makeDirectory(folder, 0o700);
  const note = { archived, at: new Date().toISOString(), by: "sdk" };
  const isThere = async () => await files.status(file.path) !== undefined;
  try {
    await files.writeText(archiveNoteOf(file), JSON.stringify(note));
  } catch (error) {
    if (await isThere()) throw error;
  }
  if (await isThere()) return true;
  await files.remove(folder);
  return false;
}

/** Whether a session is archived; `undefined` if never set. */
async function archivedOf(
  { files }: Host,
  file: LocalFile,
  entries: readonly TranscriptEntry[],
): Promise<boolean | undefined> {
  try {
    const { archived, at } = JSON.parse(
      await files.readText(archiveNoteOf(file)),
    );
    if (archived !== true) return false;
    const setMs = Date.parse(at);
    return !entries.some(({ type, timestamp, isMeta }) =>
      type === "user" && isMeta !== true &&
      Date.parse(String(timestamp)) > setMs
    );
  } catch {
    return undefined;
  }
}

function archiveNoteOf({ path }: LocalFile): string {
  return `${path.slice(0, -SESSION_SUFFIX.length)}/archived.json`;
}
