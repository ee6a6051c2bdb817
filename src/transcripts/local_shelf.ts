import type { Host } from "../ports/host.ts";
import { SESSION_SUFFIX } from "../session/files.ts";
import { entriesIn } from "./lines.ts";
import {
  addLines,
  atFile,
  entriesOf,
  findFile,
  type LocalFile,
  partEntries,
  partsOf,
  sessionFiles,
  writeNew,
} from "./local_files.ts";
import { type LocalPlace, projectKey } from "./places.ts";
import type { TranscriptEntry } from "./store.ts";
import { foldSummary, infoOf, type TranscriptInfo } from "./summary.ts";
import { notFound, type Shelf } from "./shelf.ts";

/** Of a file that is larger than four of these only its beginning and its end are read, for a list. */
const PART_BYTES = 64 * 1024;
/** File beside a session that says whether it is archived. */
const ARCHIVED = "archived.json";

/** The CLI's own files. */
export function localShelf(host: Host, place: LocalPlace): Shelf {
  const find = (sessionId: string) => findFile(host, place, sessionId);
  return {
    async list() {
      const files = await sessionFiles(host, place);
      return files.map((file) => () => infoOfFile(host, file));
    },
    async info(sessionId) {
      const file = await find(sessionId);
      return file && await infoOfFile(host, file);
    },
    async load(sessionId, subpath) {
      const file = await find(sessionId);
      if (file === undefined) return undefined;
      if (subpath === undefined) return await entriesOf(host, file.path);
      const part = `${file.folder}/${sessionId}/${subpath}${SESSION_SUFFIX}`;
      return await partEntries(host, part);
    },
    async subpaths(sessionId) {
      const file = await find(sessionId);
      return file === undefined ? [] : await partsOf(host, file);
    },
    async note(sessionId, note) {
      const file = await find(sessionId);
      if (file === undefined) return false;
      const { path } = file;
      const lines = [{ ...note, sessionId }];
      await atFile(sessionId, path, () => addLines(host, path, lines));
      return true;
    },
    async create(sessionId, entries, beside) {
      const folder = beside === undefined
        ? `${place.projects}/${await projectKey(host, place.cwd)}`
        : (await find(beside))?.folder;
      if (folder === undefined) throw notFound(beside ?? sessionId);
      const path = `${folder}/${sessionId}${SESSION_SUFFIX}`;
      await atFile(sessionId, path, () => writeNew(host, path, entries));
    },
    async remove(sessionId) {
      const file = await find(sessionId);
      if (file === undefined) return false;
      await host.files.remove(file.path);
      await host.files.remove(`${file.folder}/${sessionId}`);
      return true;
    },
  };
}

async function infoOfFile(
  host: Host,
  file: LocalFile,
): Promise<TranscriptInfo | undefined> {
  const entries = await outerEntries(host, file);
  const { id, modifiedMs, size } = file;
  const info = infoOf(foldSummary(undefined, id, entries, modifiedMs));
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

/** Lines at the beginning and at the end of a file: what a list needs to know. */
async function outerEntries(
  host: Host,
  { path, size }: LocalFile,
): Promise<TranscriptEntry[]> {
  if (size <= 4 * PART_BYTES) return await entriesOf(host, path);
  const file = await host.files.open(path, "read");
  try {
    const parts: string[] = [];
    for (const position of [0, size - PART_BYTES]) {
      const buffer = new Uint8Array(PART_BYTES);
      const count = await file.read(buffer, position);
      parts.push(new TextDecoder().decode(buffer.subarray(0, count)));
    }
    return entriesIn(parts.join("\n"));
  } finally {
    await file.close();
  }
}

/** Marks a session as archived, or not, as the official SDK does. */
export async function setArchived(
  { files }: Host,
  { folder, id }: LocalFile,
  archived: boolean,
): Promise<void> {
  await files.makeDirectory(`${folder}/${id}`, 0o700);
  const note = { archived, at: new Date().toISOString(), by: "sdk" };
  await files.writeText(`${folder}/${id}/${ARCHIVED}`, JSON.stringify(note));
}

/** Whether a session is archived; `undefined` if never set. */
async function archivedOf(
  { files }: Host,
  { folder, id }: LocalFile,
  entries: readonly TranscriptEntry[],
): Promise<boolean | undefined> {
  try {
    const text = await files.readText(`${folder}/${id}/${ARCHIVED}`);
    const { archived, at } = JSON.parse(text);
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
