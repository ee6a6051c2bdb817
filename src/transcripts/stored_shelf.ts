import { TranscriptError } from "../errors/transcript.ts";
import type { TranscriptStore } from "./store.ts";
import { foldSummary, infoOf } from "./summary.ts";
import type { Shelf } from "./shelf.ts";

/** The sessions of one project in a store. */
export function storedShelf(store: TranscriptStore, projectKey: string): Shelf {
  const load = async (sessionId: string, subpath?: string) => {
    const key = { projectKey, sessionId };
    const entries = await store.load(
      subpath === undefined ? key : { ...key, subpath },
    );
    return entries === null || entries.length === 0 ? undefined : entries;
  };
  return {
    async list() {
      if (!store.listSessions && !store.listSessionSummaries) {
        throw lacks("listSessions", "list its sessions");
      }
      const summaries = await store.listSessionSummaries?.(projectKey) ?? [];
      const byId = new Map(summaries.map((one) => [one.sessionId, one]));
      const sessions = await store.listSessions?.(projectKey) ?? summaries;
      const newest = sessions.toSorted((a, b) => b.mtime - a.mtime);
      return newest.map(({ sessionId, mtime }) => async () => {
        const summary = byId.get(sessionId);
        // One that is older than the session has not seen all of it.
        if (summary && summary.mtime >= mtime) return infoOf(summary);
        const entries = await load(sessionId);
        return entries &&
          infoOf(foldSummary(undefined, sessionId, entries, mtime));
      });
    },
    async info(sessionId) {
      const entries = await load(sessionId);
      if (entries === undefined) return undefined;
      const newest = Date.parse(String(entries.at(-1)?.timestamp));
      const mtime = Number.isNaN(newest) ? Date.now() : newest;
      return infoOf(foldSummary(undefined, sessionId, entries, mtime));
    },
    load,
    async subpaths(sessionId) {
      if (!store.listSubkeys) throw lacks("listSubkeys", "list subagents");
      return await store.listSubkeys({ projectKey, sessionId });
    },
    async note(sessionId, note) {
      const uuid = crypto.randomUUID();
      const timestamp = new Date().toISOString();
      const entry = { ...note, sessionId, uuid, timestamp };
      await store.append({ projectKey, sessionId }, [entry]);
      return true;
    },
    async create(sessionId, entries) {
      await store.append({ projectKey, sessionId }, entries);
    },
    async remove(sessionId) {
      if (!store.delete) throw lacks("delete", "remove a session");
      await store.delete({ projectKey, sessionId });
      return true;
    },
  };
}

function lacks(method: string, what: string): TranscriptError {
  return new TranscriptError({
    message: `Store cannot ${what}: it has no ${method}()`,
  });
}
