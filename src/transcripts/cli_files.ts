import {
  cut,
  isObject,
  parsedJson,
  show,
  textOfError,
} from "../errors/text.ts";
import { TranscriptError } from "../errors/transcript.ts";
import type { Host } from "../ports/host.ts";
import type { Files } from "../ports/files.ts";
import {
  codeOf,
  folderOf,
  newestFirst,
  placeFile,
  PRIVATE_FOLDER,
  SESSION_SUFFIX,
  type SessionFile,
  writeText,
} from "../session/files.ts";
import { type FileStore, fileStore, linesAt } from "./file_store.ts";
import { AGENT_METADATA, missingIn, textOf } from "./lines.ts";
import { isSessionId, type LocalPlace, projectKeysOf } from "./places.ts";
import type { TranscriptEntry, TranscriptKey } from "./store.ts";

/** Ending of the file with the CLI's notes on a subagent. */
const META_SUFFIX = ".meta.json";

/** A session of the CLI on this disk. */
export interface LocalFile extends SessionFile {
  readonly projectKey: string;
}

/**
 * The CLI's own files as a store, whose projects are the folders in `projects`. The CLI keeps what it knows of a subagent
 * in a file beside its lines; here it is one of the lines.
 */
export function cliStore({ files }: Host, projects: string): FileStore {
  const store = fileStore(files, projects, {
    of: ({ projectKey, sessionId, subpath }) =>
      [projectKey, sessionId, subpath ?? []].flat(),
    toText: (name) => name,
  });
  /** Adds the rest of a session to its beginning, which must exist. */
  async function extended(
    key: TranscriptKey,
    lines: readonly TranscriptEntry[],
  ): Promise<void> {
    if (lines.length === 0 || await store.extend(key, lines)) return;
    const { sessionId } = key;
    throw new TranscriptError({
      message:
        `Session ${sessionId} was removed while it was written: try again`,
      sessionId,
    });
  }

  async function written<T>(
    key: TranscriptKey,
    write: (path: string) => Promise<T>,
  ): Promise<T> {
    const path = store.pathOf(key);
    try {
      return await write(path);
    } catch (cause) {
      if (cause instanceof TranscriptError) throw cause;
      const { sessionId } = key;
      throw new TranscriptError({
        message: `Session ${sessionId} cannot be written to ${show(path)}: ${
          cut(textOfError(cause))
        }: see that this user may write there and the disk has room, or set another configDirectory`,
        sessionId,
        cause,
      });
    }
  }

  return {
    ...store,
    append: (key, entries) =>
      written(key, async (path) => {
        const lines = entries.filter(({ type }) => type !== AGENT_METADATA);
        const meta = entries.findLast(({ type }) => type === AGENT_METADATA);
        const isNew = lines.length > 0 &&
          await files.status(path) === undefined;
        if (!isNew) await extended(key, lines);
        else if (!await makeFile(files, path, textOf(lines))) {
          // Another process made it meanwhile.
          await extended(key, missingIn(lines, await linesAt(files, path)));
        }
        if (meta === undefined) return;
        const { type: _, ...known } = meta;
        await makeFile(files, metaOf(path), JSON.stringify(known) + "\n");
      }),
    extend: (key, entries) => written(key, () => store.extend(key, entries)),
    async load(key) {
      const path = store.pathOf(key);
      const entries = key.subpath === undefined
        ? await linesAt(files, path)
        : await partAt(files, path);
      return entries.length === 0 ? null : entries;
    },
    async listSubkeys({ projectKey, sessionId }) {
      // No other folder: those hold many files that are no parts.
      const folder = { projectKey, sessionId: `${sessionId}/subagents` };
      return (await store.listSubkeys(folder))
        .map((name) => `subagents/${name}`)
        .filter((path) => /\/agent-[^/]*$/.test(path));
    },
  };
}

/** Makes a file that this user alone can read, with all it holds in one step; false if it exists. */
async function makeFile(
  files: Files,
  path: string,
  text: string,
): Promise<boolean> {
  await files.makeDirectory(folderOf(path), PRIVATE_FOLDER);
  try {
    await placeFile(files, path, {
      by: "link",
      write: (file) => writeText(file, text),
    });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** The lines of a part's file, with one for what the CLI knows of a subagent. */
export async function partAt(
  files: Files,
  path: string,
): Promise<TranscriptEntry[]> {
  const entries = await linesAt(files, path);
  // Not every subagent has it.
  const meta = parsedJson(await files.readText(metaOf(path)).catch(() => ""));
  if (isObject(meta)) entries.push({ ...meta, type: AGENT_METADATA });
  return entries;
}

function metaOf(path: string): string {
  return path.slice(0, -SESSION_SUFFIX.length) + META_SUFFIX;
}

/** The sessions of a place, the newest first; of two files of one session the newer one. */
export async function sessionFiles(
  host: Host,
  place: LocalPlace,
): Promise<readonly LocalFile[]> {
  const store = cliStore(host, place.projects);
  const projects = await projectKeysOf(host, place);
  const found = await Promise.all(projects.map(async (projectKey) => {
    const all = await store.filesOf(projectKey).catch(() => []);
    return all.filter(({ id, size }) => isSessionId(id) && size > 0)
      .map((file) => ({ ...file, projectKey }));
  }));
  const newest = new Map<string, LocalFile>();
  for (const file of newestFirst(found.flat())) {
    if (!newest.has(file.id)) newest.set(file.id, file);
  }
  return [...newest.values()];
}

/** One session of a place, and of the other work trees in any case. */
export async function findFile(
  host: Host,
  { projects, cwd, env }: LocalPlace,
  id: string,
  leastBytes = 1,
): Promise<LocalFile | undefined> {
  // Nothing else becomes part of a path.
  if (!isSessionId(id)) return undefined;
  for (const projectKey of await projectKeysOf(host, { projects, cwd, env })) {
    const path = `${projects}/${projectKey}/${id}${SESSION_SUFFIX}`;
    // A file that cannot be looked at hides no session of another project.
    const status = await host.files.status(path).catch(() => undefined);
    if (status?.kind !== "file" || status.size < leastBytes) continue;
    const { size, modifiedMs } = status;
    return { id, path, size, modifiedMs, projectKey };
  }
  return undefined;
}
