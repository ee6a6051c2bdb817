import { checkPath, loadHost, toPath } from "../session/files.ts";
import { type FileStore, fileStore } from "./file_store.ts";
import { fromName, namesOf } from "./key_names.ts";
import type { TranscriptStore } from "./store.ts";

/**
 * Creates a transcript store in a folder, which several machines may share.
 *
 * Shape:
 * - `<project>/<session>.jsonl`, the parts beside it in `<project>/<session>/`; a line for each entry, as in files of the CLI.
 * - Capitals and special characters are written as `+a` and `%20`.
 * - Files only grow, and only this user can read them; a line that a crash cut off is skipped.
 * - Several processes may add to one session.
 *
 * @param path The folder, created with the first entry; a path or a `file:` URL
 * @returns The store; its calls reject with the system's error, such as `ENOSPC`
 *
 * @example Keep sessions in a folder
 * ```ts
 * import { directoryTranscripts } from "@sluice/agent/transcripts";
 * import assert from "node:assert/strict";
 * import { mkdtemp, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 *
 * const folder = await mkdtemp(`${tmpdir()}/transcripts-`);
 * const key = { projectKey: "-home-ada", sessionId: "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11" };
 * await directoryTranscripts(folder).append(key, [{ type: "custom-title", customTitle: "Letters" }]);
 * assert.equal((await directoryTranscripts(folder).load(key))?.length, 1);
 * await rm(folder, { recursive: true });
 * ```
 */
export function directoryTranscripts(
  path: string | URL,
): Required<Omit<TranscriptStore, "listSessionSummaries">> {
  checkPath(path);
  let opened: Promise<FileStore> | undefined;
  const store = () => opened ??= open(path);
  return {
    append: async (key, entries) => await (await store()).append(key, entries),
    load: async (key) => await (await store()).load(key),
    listSessions: async (key) => await (await store()).listSessions(key),
    listSubkeys: async (key) => await (await store()).listSubkeys(key),
    delete: async (key) => await (await store()).delete(key),
  };
}

async function open(path: string | URL): Promise<FileStore> {
  const host = await loadHost();
  const root = toPath(path, host).replace(/[/\\]+$/, "");
  return fileStore(host.files, root, { of: namesOf, toText: fromName });
}
