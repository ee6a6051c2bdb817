import { show } from "../errors/text.ts";
import { TranscriptError } from "../errors/transcript.ts";
import type { Files } from "../ports/files.ts";
import {
  folderOf,
  isMissing,
  PRIVATE_FOLDER,
  SESSION_SUFFIX,
  type SessionFile,
  sessionFilesIn,
  writeText,
} from "../session/files.ts";
import { entriesIn, textOf } from "./lines.ts";
import type {
  TranscriptEntry,
  TranscriptKey,
  TranscriptStore,
} from "./store.ts";

const NEWLINE = 0x0a;

/** Names of the files of a store. */
export interface FileNames {
  /** The names on the way to a key's file. */
  readonly of: (key: TranscriptKey) => readonly string[];
  /** The text that a name was made of; `undefined` for other names. */
  readonly toText: (name: string) => string | undefined;
}

/** A store in files, which shows where they are. */
export interface FileStore
  extends Required<Omit<TranscriptStore, "listSessionSummaries">> {
  /** The file of a key, whether it exists or not. */
  pathOf(key: TranscriptKey): string;
  /** Appends lines to a file that exists; false if it is missing, or is removed meanwhile. */
  extend(
    key: TranscriptKey,
    entries: readonly TranscriptEntry[],
  ): Promise<boolean>;
  /** The files of a project's sessions. */
  filesOf(projectKey: string): Promise<readonly SessionFile[]>;
}

/** Keeps sessions in `<project>/<session>.jsonl` and `<project>/<session>/<part>.jsonl`, a line for each entry. */
export function fileStore(
  files: Files,
  root: string,
  names: FileNames,
): FileStore {
  /** Calls for one file, one after the other: two that find a line cut off would both end it. */
  const queues = new Map<string, Promise<unknown>>();

  function inOrder<T>(path: string, work: () => Promise<T>): Promise<T> {
    const done = (queues.get(path) ?? Promise.resolve()).then(work);
    const settled = done.catch(() => {}).then(() => {
      if (queues.get(path) === settled) queues.delete(path);
    });
    queues.set(path, settled);
    return done;
  }

  const baseOf = (key: TranscriptKey) => [root, ...names.of(key)].join("/");
  const pathOf = (key: TranscriptKey) => baseOf(key) + SESSION_SUFFIX;

  async function filesOf(projectKey: string): Promise<readonly SessionFile[]> {
    const folder = baseOf({ projectKey, sessionId: "-" }).slice(
      0,
      -"/-".length,
    );
    return (await sessionFilesIn(files, folder)).flatMap((file) => {
      const id = names.toText(file.id);
      return id === undefined ? [] : [{ ...file, id }];
    });
  }

  return {
    pathOf,
    filesOf,
    async append(key, entries) {
      const path = pathOf(key);
      if (entries.length === 0) return;
      await inOrder(path, async () => {
        await files.makeDirectory(folderOf(path), PRIVATE_FOLDER);
        await addLines(files, path, "grow", entries);
      });
    },
    extend(key, entries) {
      const path = pathOf(key);
      return inOrder(path, async () => {
        try {
          return await addLines(files, path, "append", entries);
        } catch (error) {
          if (isMissing(error)) return false;
          throw error;
        }
      });
    },
    async load(key) {
      const path = pathOf(key);
      const status = await files.status(path);
      if (status === undefined) return null;
      if (status.kind !== "file") {
        throw new TranscriptError({
          message: `Transcript is no file: ${show(path)}`,
          sessionId: key.sessionId,
        });
      }
      return await inOrder(path, () => linesAt(files, path));
    },
    async listSessions(projectKey) {
      return (await filesOf(projectKey)).map(({ id, modifiedMs }) => ({
        sessionId: id,
        mtime: modifiedMs,
      }));
    },
    async listSubkeys({ projectKey, sessionId }) {
      const folder = baseOf({ projectKey, sessionId });
      const found = await sessionFilesIn(files, folder, true);
      return found.map(({ id }) => id.split("/").map(names.toText))
        .filter((parts) => !parts.includes(undefined))
        .map((parts) => parts.join("/"));
    },
    async delete(key) {
      await inOrder(pathOf(key), async () => {
        await files.remove(pathOf(key));
        if (!key.subpath) await files.remove(baseOf(key));
      });
    },
  };
}

/** The lines of a file; none if it is missing. */
export async function linesAt(
  files: Files,
  path: string,
): Promise<TranscriptEntry[]> {
  try {
    return entriesIn(await files.readText(path));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/**
 * Adds lines to the end of a file; a last line that a crash cut off is ended, and stays. False if the file is removed: lines that are
 * in no file are lost.
 */
async function addLines(
  files: Files,
  path: string,
  mode: "grow" | "append",
  entries: readonly TranscriptEntry[],
): Promise<boolean> {
  const file = await files.open(path, mode);
  try {
    const size = (await files.status(path))?.size ?? 0;
    const last = new Uint8Array(1);
    const count = size === 0 ? 0 : await file.read(last, size - 1);
    const lead = count === 0 || last[0] === NEWLINE ? "" : "\n";
    // In one write, so that no other writer's line is torn.
    await writeText(file, lead + textOf(entries));
    return !await file.isRemoved();
  } finally {
    await file.close();
  }
}
