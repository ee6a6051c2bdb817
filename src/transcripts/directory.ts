import { show } from "../errors/text.ts";
import { TranscriptError } from "../errors/transcript.ts";
import {
  checkPath,
  folderOf,
  loadHost,
  PRIVATE_FOLDER,
  SESSION_SUFFIX,
  sessionFilesIn,
  toPath,
} from "../session/files.ts";
import { addLines, entriesOf, filesBelow } from "./local_files.ts";
import type { TranscriptKey, TranscriptStore } from "./store.ts";
import { fromName, namesOf } from "./key_names.ts";

/**
 * Keeps sessions in a folder: of this machine, or one that several machines share.
 *
 * Shape: `<project>/<session>.jsonl`, the parts beside it in `<project>/<session>/`, a line for each entry, as the CLI has it.
 * Capitals and other characters that not every system tells apart are written as `+a` and `%20`. Files are made for this
 * user alone and only grow; a line that a crash cut off stays, and is skipped. Several processes may add to one session.
 *
 * @param path The folder, which is made when the first entry comes; a path or a `file:` URL
 * @returns The store; its calls reject with the system's error, such as `ENOSPC`
 *
 * @example Entries in a folder
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
  /** Calls of this store for one key, one after the other: two that find a line cut off would both end it. */
  const queues = new Map<string, Promise<unknown>>();

  function inOrder<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = queues.get(name) ?? Promise.resolve();
    const done = before.then(work, work);
    const settled = done.catch(() => {});
    queues.set(name, settled);
    settled.then(() => {
      if (queues.get(name) === settled) queues.delete(name);
    });
    return done;
  }

  async function find(key: TranscriptKey) {
    const host = await loadHost();
    const root = toPath(path, host).replace(/[/\\]+$/, "");
    return { host, name: [root, ...namesOf(key)].join("/") };
  }

  return {
    async append(key, entries) {
      const { host, name } = await find(key);
      if (entries.length === 0) return;
      const file = name + SESSION_SUFFIX;
      await inOrder(file, async () => {
        await host.files.makeDirectory(folderOf(file), PRIVATE_FOLDER);
        await addLines(host, file, entries);
      });
    },
    async load(key) {
      const { host, name } = await find(key);
      const file = name + SESSION_SUFFIX;
      const status = await host.files.status(file);
      if (status === undefined) return null;
      if (status.kind !== "file") {
        throw new TranscriptError({
          message: `Transcript is no file: ${show(file)}`,
          sessionId: key.sessionId,
        });
      }
      return await inOrder(file, () => entriesOf(host, file));
    },
    async listSessions(projectKey) {
      const { host, name } = await find({ projectKey, sessionId: "-" });
      const folder = name.slice(0, -"/-".length);
      const found = await sessionFilesIn(host.files, folder, fromName)
        .catch(() => []);
      return found.map(({ id, modifiedMs }) => ({
        sessionId: id,
        mtime: modifiedMs,
      }));
    },
    async listSubkeys({ projectKey, sessionId }) {
      const { host, name } = await find({ projectKey, sessionId });
      return (await filesBelow(host, name)).map((names) => names.map(fromName))
        .filter((names) => !names.includes(undefined))
        .map((names) => names.join("/"));
    },
    async delete(key) {
      const { host, name } = await find(key);
      const file = name + SESSION_SUFFIX;
      await inOrder(file, async () => {
        await host.files.remove(file);
        if (!key.subpath) await host.files.remove(name);
      });
    },
  };
}
