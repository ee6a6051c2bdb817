import { isObject, parsedJson, show } from "../errors/text.ts";
import type { Files } from "../ports/files.ts";
import {
  loadHost,
  PRIVATE_FOLDER,
  textIfThere,
  toPath,
  writableByAll,
} from "../session/files.ts";
import type { JsonObject } from "../types/json.ts";

/** A folder that holds approvals. */
export interface Folder {
  readonly files: Files;
  readonly folder: string;
  /** The file of a request. */
  readonly at: (id: string, suffix: string) => string;
}

/**
 * Opens a folder at each use: it is created if it is missing, and checked again, since others may have changed it.
 *
 * @returns Opens the folder; throws if other users could give approvals in it
 */
export function folderAt(directory: string | URL): () => Promise<Folder> {
  /** Path of the first use, for a program that changes its working directory. */
  let first: string | undefined;
  return async () => {
    const host = await loadHost();
    const { files } = host;
    const path = first ?? toPath(directory, host);
    await files.makeDirectory(path, PRIVATE_FOLDER);
    const folder = await files.realPath(path);
    await refuseOtherWriters(files, folder);
    first = folder;
    return { files, folder, at: (id, suffix) => `${folder}/${id}${suffix}` };
  };
}

/** Other users with write access could approve calls. */
async function refuseOtherWriters(files: Files, folder: string): Promise<void> {
  const { isForeign, mayAllAdd } = await files.status(folder) ?? {};
  const fact = `Approvals in ${show(folder)} could be given by`;
  // A decision is a new file, so a sticky bit is no help.
  const open = mayAllAdd ? folder : await writableByAll(files, folder);
  if (open !== undefined) {
    throw new Error(
      `${fact} every user of this machine: take their right to write (chmod o-w ${
        show(open)
      })`,
    );
  }
  if (isForeign) {
    throw new Error(
      `${fact} another user of this machine, who owns it: use a folder that this user owns`,
    );
  }
}

/** Content of a file; `undefined` if it does not exist. */
export async function readIfThere(
  files: Files,
  path: string,
): Promise<JsonObject | undefined> {
  // Only regular files are opened: a pipe would block the reader, a link leads elsewhere.
  const isLink = await files.linkTarget(path) !== undefined;
  const found = await files.status(path);
  if (found === undefined && !isLink) return undefined;
  if (isLink || found?.kind !== "file") {
    throw new Error(`Approval in ${show(path)} is no file: remove it`);
  }
  // The folder may have been open to others before.
  if (found.isForeign) {
    throw new Error(
      `Approval in ${show(path)} belongs to another user: remove it`,
    );
  }
  const text = await textIfThere(files, path);
  if (text === undefined) return undefined;
  const value = parsedJson(text);
  if (isObject(value)) return value;
  throw new Error(`Approval in ${show(path)} is no JSON object: remove it`);
}
