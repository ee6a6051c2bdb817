import { TranscriptError } from "../errors/transcript.ts";
import { show } from "../errors/text.ts";
import { presentIn } from "./lines.ts";
import { newestStored } from "./newest.ts";
import type {
  StoredTranscript,
  TranscriptEntry,
  TranscriptKey,
  TranscriptStore,
} from "./store.ts";
import { foldSummary, infoOf, type TranscriptInfo } from "./summary.ts";

const AT_ONCE = 16;

/** Place of sessions: a store, or the CLI's own files as one, with its own way to find and list sessions. */
export interface Shelf {
  readonly store: TranscriptStore;
  /** Adds a line to a session; false if the session is missing for certain. */
  add(sessionId: string, line: TranscriptEntry): Promise<boolean>;
  /** The key of a session, or of a new one; `undefined` if it is missing for certain. */
  find(sessionId: string): Promise<TranscriptKey | undefined>;
  /** Project of new sessions. */
  readonly projectKey: string;
  /** The sessions, newest first; each loads its summary, `undefined` for one that is not listed. */
  list(): Promise<readonly (() => Promise<TranscriptInfo | undefined>)[]>;
  /** Summary of a session; `undefined` if it is missing. */
  info(sessionId: string): Promise<TranscriptInfo | undefined>;
}

/** The sessions of one project in a store; a list stands in for those that cannot be loaded, or rejects. */
export function storedShelf(
  store: TranscriptStore,
  projectKey: string,
  unloadable?: (session: StoredTranscript) => TranscriptInfo,
): Shelf {
  const infoOn = async (sessionId: string, mtime?: number) => {
    const loaded = await store.load({ projectKey, sessionId }) ?? [];
    const entries = presentIn(loaded);
    if (entries.length === 0) return undefined;
    const newest = Date.parse(String(entries.at(-1)?.timestamp));
    const changed = mtime ?? (Number.isNaN(newest) ? Date.now() : newest);
    const summary = foldSummary(undefined, sessionId, entries, changed);
    return infoOf(summary, entries);
  };
  return {
    store,
    async add(sessionId, line) {
      const uuid = crypto.randomUUID();
      const timestamp = new Date().toISOString();
      const key = { projectKey, sessionId };
      await store.append(key, [{ ...line, uuid, timestamp }]);
      return true;
    },
    projectKey,
    find: (sessionId) => Promise.resolve({ projectKey, sessionId }),
    async list() {
      if (!store.listSessions && !store.listSessionSummaries) {
        throw lacks("listSessions", "list its sessions");
      }
      const summaries = newestStored(
        await store.listSessionSummaries?.(projectKey) ?? [],
      );
      const byId = new Map(summaries.map((one) => [one.sessionId, one]));
      const sessions = await store.listSessions?.(projectKey) ?? summaries;
      return newestStored(sessions).map((session) => async () => {
        const { sessionId, mtime } = session;
        const summary = byId.get(sessionId);
        // One that is older than the session has not seen all of it.
        if (summary && summary.mtime >= mtime) return infoOf(summary);
        try {
          return await infoOn(sessionId, mtime);
        } catch (error) {
          if (unloadable === undefined) throw error;
          return unloadable(session);
        }
      });
    },
    info: (sessionId) => infoOn(sessionId),
  };
}

/** Summaries of sessions, newest first; loads no more than needed. */
export async function infosOf(
  shelf: Shelf,
  { limit = Infinity, offset = 0, isWanted = () => true }: {
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
    readonly isWanted?: (info: TranscriptInfo) => boolean;
  },
): Promise<TranscriptInfo[]> {
  const all = await shelf.list();
  const found: TranscriptInfo[] = [];
  for (let at = 0; at < all.length && found.length < offset + limit;) {
    const some = all.slice(at, at += AT_ONCE);
    const infos = await Promise.all(some.map((load) => load()));
    found.push(...infos.filter((info) => info !== undefined).filter(isWanted));
  }
  return found.slice(offset, offset + limit);
}

/** Lines of a session, or of a part of it; `undefined` if it is missing. */
export async function linesOn(
  shelf: Shelf,
  sessionId: string,
  subpath?: string,
): Promise<readonly TranscriptEntry[] | undefined> {
  const key = await shelf.find(sessionId);
  if (key === undefined) return undefined;
  const loaded = await shelf.store.load(
    subpath === undefined ? key : { ...key, subpath },
  );
  // A store over a `Map` gives `undefined`.
  const entries = presentIn(loaded ?? []);
  return entries.length > 0 ? entries : undefined;
}

/** The parts of a session beside its main one. */
export async function partsOn(
  { store, find }: Shelf,
  sessionId: string,
): Promise<readonly string[]> {
  if (!store.listSubkeys) throw lacks("listSubkeys", "list subagents");
  const key = await find(sessionId);
  return key === undefined ? [] : await store.listSubkeys(key);
}

/** Removes a session with all its parts; false if it is missing for certain. */
export async function removeOn(
  { store, find }: Shelf,
  sessionId: string,
): Promise<boolean> {
  if (!store.delete) throw lacks("delete", "remove a session");
  const key = await find(sessionId);
  if (key !== undefined) await store.delete(key);
  return key !== undefined;
}

/** The error for a missing session or subagent. */
export function notFound(
  sessionId: string,
  subagent?: string,
): TranscriptError {
  const what = subagent === undefined
    ? `Session ${sessionId}`
    : `Subagent ${show(subagent)} of session ${sessionId}`;
  return new TranscriptError({
    message: `${what} not found`,
    sessionId,
    missing: true,
  });
}

function lacks(method: string, what: string): TranscriptError {
  return new TranscriptError({
    message: `Store cannot ${what}: it has no ${method}()`,
  });
}
