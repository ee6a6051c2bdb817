import { TranscriptError } from "../errors/transcript.ts";
import { show } from "../errors/text.ts";
import type { Host } from "../ports/host.ts";
import {
  checkPath,
  loadHost,
  SESSION_SUFFIX,
  toPath,
} from "../session/files.ts";
import { addLines, entriesOf, listed } from "./local_files.ts";
import { fromName, namesOf } from "./names.ts";
import type {
  StoredTranscript,
  TranscriptKey,
  TranscriptStore,
} from "./store.ts";

const PRIVATE_FOLDER = 0o700;

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

  function root(host: Host): string {
    return toPath(path, host).replace(/[/\\]+$/, "");
  }

  return {
    async append(key, entries) {
      const host = await loadHost();
      const file = fileOf(root(host), key);
      if (entries.length === 0) return;
      await inOrder(file, async () => {
        const folder = file.slice(0, file.lastIndexOf("/"));
        await host.files.makeDirectory(folder, PRIVATE_FOLDER);
        await addLines(host, file, entries);
      });
    },
    async load(key) {
      const host = await loadHost();
      const file = fileOf(root(host), key);
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
      const host = await loadHost();
      const [project] = namesOf({ projectKey, sessionId: "-" });
      const folder = `${root(host)}/${project}`;
      const found: StoredTranscript[] = [];
      for (const name of await listed(host, folder)) {
        const sessionId = idOf(name);
        if (sessionId === undefined) continue;
        const status = await host.files.status(`${folder}/${name}`);
        if (status?.kind !== "file") continue;
        found.push({ sessionId, mtime: status.modifiedMs });
      }
      return found;
    },
    async listSubkeys(key) {
      const host = await loadHost();
      const [project, session] = namesOf(key);
      const own = `${root(host)}/${project}/${session}`;
      const found: string[] = [];
      const folders: { readonly path: string; readonly names: string[] }[] = [
        { path: own, names: [] },
      ];
      for (const { path, names } of folders) {
        for (const name of [...await listed(host, path)].sort()) {
          const below = `${path}/${name}`;
          const status = await host.files.status(below);
          const plain = status?.kind === "file" ? idOf(name) : fromName(name);
          if (plain === undefined || status === undefined) continue;
          const all = [...names, plain];
          if (status.kind === "file") found.push(all.join("/"));
          else if (status.kind === "directory") {
            folders.push({ path: below, names: all });
          }
        }
      }
      return found;
    },
    async delete(key) {
      const host = await loadHost();
      const file = fileOf(root(host), key);
      await inOrder(file, async () => {
        await host.files.remove(file);
        if (key.subpath) return;
        await host.files.remove(file.slice(0, -SESSION_SUFFIX.length));
      });
    },
  };
}

function fileOf(root: string, key: TranscriptKey): string {
  return `${root}/${namesOf(key).join("/")}${SESSION_SUFFIX}`;
}

/** The text that a file is called by. */
function idOf(name: string): string | undefined {
  return name.endsWith(SESSION_SUFFIX)
    ? fromName(name.slice(0, -SESSION_SUFFIX.length))
    : undefined;
}
