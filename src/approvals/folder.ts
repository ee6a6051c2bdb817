import { isObject, show } from "../errors/text.ts";
import type { Files } from "../ports/files.ts";
import { codeOf, loadHost, PRIVATE_FOLDER, toPath } from "../session/files.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";

/** A folder that holds approvals. */
export interface Folder {
  readonly files: Files;
  readonly folder: string;
  /** The file of a request. */
  readonly at: (id: string, suffix: string) => string;
}

/** Opens a folder, which is created if it is missing; throws if other users could give approvals in it. */
export async function openFolder(directory: string | URL): Promise<Folder> {
  const host = await loadHost();
  const { files } = host;
  const path = toPath(directory, host);
  await files.makeDirectory(path, PRIVATE_FOLDER);
  const folder = await files.realPath(path);
  // A decision is a new file, so a sticky bit is no help.
  if ((await files.status(folder))?.mayAllAdd === true) {
    throw new Error(
      `Approvals in ${
        show(folder)
      } could be given by every user of this machine: take their right to write (chmod o-w)`,
    );
  }
  return { files, folder, at: (id, suffix) => `${folder}/${id}${suffix}` };
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
  let text: string;
  try {
    text = await files.readText(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  try {
    const value: JsonValue = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Told below.
  }
  throw new Error(`Approval in ${show(path)} is no JSON object: remove it`);
}
