import type {
  StoredTranscript,
  TranscriptEntry,
  TranscriptKey,
  TranscriptStore,
} from "@sluice/agent/transcripts";
import type { Path } from "./engine.ts";
import type { Store } from "./store.ts";

/** Under which name sessions of jobs are kept: the same on every machine, wherever the job works. */
export const PROJECT_KEY = "fleet";

/** Lines that were added together. */
interface Lines {
  readonly entries: readonly TranscriptEntry[];
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
      await store.add<Lines>(logOf(key), () => ({ entries }));
    },
  };
}

/** The same for one attempt: once a later one has taken a part of a session over, what this one adds to it is dropped. */
export function fencedTranscripts(store: Store): TranscriptStore {
  const parts = new Map<string, Part>();
  const nameOf = (key: TranscriptKey) => JSON.stringify(logOf(key));
  function partOf(key: TranscriptKey): Part {
    const name = nameOf(key);
    const part = parts.get(name) ?? partFor(store, key);
    parts.set(name, part);
    return part;
  }
  const { listSessions, listSubkeys } = readers(store);
  return {
    append: (key, entries) => partOf(key).append(entries),
    listSessions,
    listSubkeys,
    async load(key) {
      if (!parts.has(nameOf(key))) {
        if (await store.engine.newest(logOf(key)) === undefined) return null;
        // Taken over first: then no other attempt adds to what is read.
        await partOf(key).takeOver();
      }
      return await load(store, key);
    },
  };
}

/** A part of a session, as one attempt writes it: one call after the other. */
interface Part {
  takeOver(): Promise<void>;
  append(entries: readonly TranscriptEntry[]): Promise<void>;
}

function partFor(store: Store, key: TranscriptKey): Part {
  let add: ((lines: Lines) => Promise<boolean>) | undefined;
  let isOurs = true;
  let notedAt = 0;
  let last: Promise<void> = Promise.resolve();

  async function takeOver(): Promise<void> {
    if (add !== undefined) return;
    await note(store, key);
    notedAt = store.engine.now();
    add = await store.takeOver<Lines>(logOf(key), () => ({ entries: [] }));
  }

  function next(work: () => Promise<void>): Promise<void> {
    const done = last.then(takeOver).then(work);
    last = done.catch(() => {});
    return done;
  }

  return {
    takeOver: () => next(() => Promise.resolve()),
    append: (entries) =>
      next(async () => {
        if (!isOurs) return;
        const now = store.engine.now();
        if (now - notedAt >= NOTE_MS) {
          await note(store, key);
          notedAt = now;
        }
        // Last: after an entry that was added and then failed, a repetition would be refused.
        isOurs = await add?.({ entries }) ?? false;
      }),
  };
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
    const { entries } = found.value;
    for (const line of entries) all.push(line);
    isThere ||= entries.length > 0;
  }
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
