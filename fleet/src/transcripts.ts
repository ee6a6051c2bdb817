import type {
  StoredTranscript,
  TranscriptEntry,
  TranscriptKey,
  TranscriptStore,
} from "@sluice/agent/transcripts";
import type { Path } from "./engine.ts";
import { sizeOf, type Store } from "./store.ts";

/** Under which name sessions of jobs are kept: the same on every machine, wherever the job works. */
export const PROJECT_KEY = "fleet";

/** Lines that were added together, or the name of the document with those that are too large. */
interface Lines {
  readonly entries: readonly TranscriptEntry[];
  readonly large?: string;
}

/** A session's list of what it consists of. */
interface Index {
  readonly projectKey: string;
  readonly sessionId: string;
  readonly subpaths: readonly string[];
  readonly mtime: number;
}

/** The time of a change is noted so often at most while an attempt writes, in milliseconds. */
const NOTE_MS = 1_000;

/** Sessions of all jobs of a fleet. */
export function fleetTranscripts(store: Store): TranscriptStore {
  return {
    ...readers(store),
    async append(key, entries) {
      await note(store, key);
      const path = logOf(key);
      await appended(store, path, await linesOf(store, path, entries));
    },
  };
}

/** The same for one attempt: when a later one has taken a part of a session up, what this one adds to it is dropped. */
export function fencedTranscripts(store: Store): TranscriptStore {
  const parts = new Map<string, Promise<Part>>();
  /** One after the other; after one that failed the next begins at the same place. */
  async function step(
    key: TranscriptKey,
    go: (part: Part) => Promise<Part>,
  ): Promise<void> {
    const name = JSON.stringify(logOf(key));
    const before = parts.get(name);
    const next = (before ?? begin(store, key)).then(go);
    const settled = next.catch((error) => {
      if (before !== undefined) return before;
      parts.delete(name);
      throw error;
    });
    settled.catch(() => {});
    parts.set(name, settled);
    await next;
  }
  const { listSessions, listSubkeys } = readers(store);
  return {
    append: (key, entries) =>
      step(key, (part) => add(store, key, entries, part)),
    listSessions,
    listSubkeys,
    async load(key) {
      const isOurs = parts.has(JSON.stringify(logOf(key)));
      if (!isOurs && await store.engine.newest(logOf(key)) === undefined) {
        return null;
      }
      // The mark comes first: what is read then is all there will ever be of others.
      if (!isOurs) await step(key, (part) => Promise.resolve(part));
      return await load(store, key);
    },
  };
}

/** What an attempt knows of a part of a session. */
interface Part {
  /** Of the newest entry; `undefined` = a later attempt has it. */
  readonly place: number | undefined;
  /** When its change was noted last. */
  readonly notedAt: number;
}

/** A mark of its own is what earlier attempts do not know of. */
async function begin(store: Store, key: TranscriptKey): Promise<Part> {
  await note(store, key);
  const notedAt = store.engine.now();
  const mark: Lines = { entries: [] };
  return { place: await appended(store, logOf(key), mark), notedAt };
}

/** Adds lines behind whatever is there by then; gives their place. */
async function appended(
  store: Store,
  path: Path,
  lines: Lines,
): Promise<number> {
  for (;;) {
    const newest = await store.engine.newest(path);
    const place = await store.append(path, lines, newest?.place ?? 0);
    if (place !== undefined) return place;
  }
}

async function add(
  store: Store,
  key: TranscriptKey,
  entries: readonly TranscriptEntry[],
  part: Part,
): Promise<Part> {
  if (part.place === undefined) return part;
  let { notedAt } = part;
  const now = store.engine.now();
  if (now - notedAt >= NOTE_MS) {
    await note(store, key);
    notedAt = now;
  }
  // Last, since what was added and then failed would be taken for a later attempt's.
  const path = logOf(key);
  const lines = await linesOf(store, path, entries);
  return { place: await store.append(path, lines, part.place), notedAt };
}

function readers(
  store: Store,
): Required<Omit<TranscriptStore, "append" | "listSessionSummaries">> {
  return {
    load: (key) => load(store, key),
    async listSessions(projectKey) {
      const sessions: StoredTranscript[] = [];
      const below = ["transcript", projectKey];
      for await (const { sessionId, mtime } of store.rows<Index>(below)) {
        const at = sessions.findIndex((one) => one.sessionId === sessionId);
        if (at >= 0) sessions.splice(at, 1);
        sessions.push({ sessionId, mtime });
      }
      return sessions;
    },
    async listSubkeys({ projectKey, sessionId }) {
      const index = await store.get<Index>(rowOf({ projectKey, sessionId }));
      return index?.subpaths ?? [];
    },
    async delete(key) {
      await store.engine.remove("log", logOf(key));
      if (key.subpath === undefined) {
        await store.engine.remove("row", rowOf(key));
        return;
      }
      await store.change<Index>(rowOf(key), (index) =>
        index && {
          ...index,
          subpaths: index.subpaths.filter((one) => one !== key.subpath),
        });
    },
  };
}

async function load(
  store: Store,
  key: TranscriptKey,
): Promise<readonly TranscriptEntry[] | null> {
  const path = logOf(key);
  const all: TranscriptEntry[] = [];
  let after = 0;
  let isThere = false;
  for (;;) {
    const found = await store.read<Lines>(path, after);
    if (found === undefined) return isThere ? all : null;
    after = found.place;
    const { entries, large } = found.value;
    const lines = large === undefined
      ? entries
      : await store.readDocument<TranscriptEntry[]>([...path, large]);
    for (const line of lines) all.push(line);
    isThere ||= lines.length > 0;
  }
}

async function linesOf(
  store: Store,
  path: Path,
  entries: readonly TranscriptEntry[],
): Promise<Lines> {
  if (store.fits(sizeOf(entries))) return { entries };
  const large = crypto.randomUUID();
  await store.writeDocument([...path, large], entries);
  return { entries: [], large };
}

/** Notes that a part is there, and when it changed. */
async function note(store: Store, key: TranscriptKey): Promise<void> {
  const { projectKey, sessionId, subpath } = key;
  const mtime = Math.round(store.engine.now());
  await store.change<Index>(rowOf(key), (index) => {
    const subpaths = index?.subpaths ?? [];
    const isNew = subpath !== undefined && !subpaths.includes(subpath);
    return {
      projectKey,
      sessionId,
      subpaths: isNew ? [...subpaths, subpath] : subpaths,
      mtime,
    };
  });
}

function rowOf(
  { projectKey, sessionId }: Pick<TranscriptKey, "projectKey" | "sessionId">,
): Path {
  return ["transcript", projectKey, sessionId];
}

/** The main part lies above the others, so that they go with it. */
function logOf({ projectKey, sessionId, subpath }: TranscriptKey): Path {
  const path = ["transcript", projectKey, sessionId];
  return subpath === undefined ? path : [...path, "part", subpath];
}
