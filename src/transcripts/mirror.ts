import { Deferred } from "../async/deferred.ts";
import { unlessAborted } from "../async/on_abort.ts";
import { after } from "../async/timer.ts";
import type { Timer } from "../ports/clock.ts";
import { isPartName, isSessionId } from "./places.ts";
import type {
  TranscriptEntry,
  TranscriptKey,
  TranscriptStore,
} from "./store.ts";

/** Most entries, or bytes of output, that wait before the store gets them. */
const MOST_ENTRIES = 500;
const MOST_BYTES = 1024 * 1024;
/** Most bytes of output that wait for a slow or failing store; later ones are read from the file, where that can be done. */
const MOST_WAITING_BYTES = 64 * 1024 * 1024;

/** Entries that the store refused. */
export interface Refusal {
  readonly key: TranscriptKey;
  readonly count: number;
  readonly error: unknown;
  readonly tries: number;
  /** Number of calls given up since the store accepted one. */
  readonly givenUp: number;
  /** Whether the mirror closes, so that there is no other try. */
  readonly isLast: boolean;
}

export interface MirrorInit {
  /** Its calls end in time, see `checkedStore()`. */
  readonly store: Pick<TranscriptStore, "append">;
  readonly clock: Timer;
  /** Whether entries go to the store as they come, not at the next {@link Mirror.flush}. */
  readonly isEager: boolean;
  /** Whether each {@link Mirror.put} is a call of its own; entries that wait go together. */
  readonly isSeparate?: boolean;
  /** Milliseconds until refused entries are tried again; `undefined` = they are lost. */
  readonly onRefused: (refusal: Refusal) => number | undefined;
  /** Makes a path of the CLI a key of the store; `undefined` for other files. */
  readonly keyOf: (path: string) => TranscriptKey | undefined;
  /** Called with entries of a file that has no key; they are lost. */
  readonly onUnknown?: (path: string, count: number) => void;
  /** Adds to the store what a file has and the store has not; rejects where one of the two cannot be had. */
  readonly catchUp?: (path: string, key: TranscriptKey) => Promise<void>;
}

/** Takes copies of what the CLI writes to disk, and hands them to a store. */
export interface Mirror {
  put(path: string, entries: readonly TranscriptEntry[], bytes: number): void;
  /** Delivers waiting entries; resolves when all are stored or lost. */
  flush(): Promise<void>;
  /** Tries once more, with a timeout for each call of the store; returns how many entries were lost in all. */
  close(ms: number): Promise<number>;
}

interface Part {
  readonly path: string;
  readonly key: TranscriptKey;
  entries: TranscriptEntry[];
  /** Numbers of entries that go to the store in calls of their own. */
  readonly separate: number[];
  tries: number;
  /** Before that time of the clock it is not tried again. */
  dueMs: number;
  /** Entries that were not kept in memory; what comes next is not either, until all that waits is done. */
  behind: number;
}

/**
 * Copies entries into a store: those of one file in their order, many at once, and again while the store refuses them.
 *
 * The store is not waited for, so the queue is bounded where a file can be read again once the store has taken the rest.
 */
export function mirrorInto(init: MirrorInit): Mirror {
  const { store, clock, isEager } = init;
  const parts = new Map<string, Part>();
  let newEntries = 0;
  let newBytes = 0;
  let waitingBytes = 0;
  let lost = 0;
  let givenUp = 0;
  /** Timeout of each call once the mirror closes. */
  let closingMs: number | undefined;
  let sending: Promise<void> | undefined;
  /** The call that the store has not answered, and the pause before the next one. */
  let asking = new AbortController();
  let pausing = new AbortController();

  function put(
    path: string,
    entries: readonly TranscriptEntry[],
    bytes: number,
  ): void {
    const key = parts.get(path)?.key ?? init.keyOf(path);
    if (key === undefined) {
      lost += entries.length;
      init.onUnknown?.(path, entries.length);
      return;
    }
    const part = parts.get(path) ??
      {
        ...{ path, key, entries: [], separate: [] },
        ...{ tries: 0, dueMs: 0, behind: 0 },
      };
    if (init.isSeparate && entries.length > 0) {
      part.separate.push(entries.length);
    }
    parts.set(path, part);
    if (init.catchUp !== undefined && waitingBytes > MOST_WAITING_BYTES) {
      part.behind += entries.length;
    } else {
      for (const entry of entries) part.entries.push(entry);
      waitingBytes += bytes;
    }
    newEntries += entries.length;
    newBytes += bytes;
    if (isEager || newEntries > MOST_ENTRIES || newBytes > MOST_BYTES) {
      void flush();
    }
  }

  function flush(): Promise<void> {
    newEntries = newBytes = 0;
    // A refused part does not delay the others.
    pausing.abort();
    if (sending !== undefined) return sending;
    // Marked first: the store may end the query, which flushes again.
    const sent = new Deferred<void>();
    sending = sent.promise;
    send().finally(() => sending = undefined).then(
      () => sent.resolve(),
      (error) => sent.reject(error),
    );
    return sent.promise;
  }

  async function send(): Promise<void> {
    for (let part = nextPart(); part; part = nextPart()) {
      const pauseMs = part.dueMs - clock.monotonic();
      if (pauseMs > 0 && closingMs === undefined) {
        pausing = new AbortController();
        await clock.sleep(pauseMs, pausing.signal).catch(() => {});
      } else await tryPart(part);
    }
  }

  function nextPart(): Part | undefined {
    for (const { path, entries, behind } of parts.values()) {
      if (entries.length === 0 && behind === 0) parts.delete(path);
    }
    if (parts.size === 0) waitingBytes = 0;
    return [...parts.values()].sort((a, b) => a.dueMs - b.dueMs)[0];
  }

  async function tryPart(part: Part): Promise<void> {
    const { key, behind } = part;
    const count = countOf(part);
    try {
      await ask(part);
      took(part, count, behind);
      givenUp = 0;
    } catch (error) {
      const some = count || behind;
      const waitMs = init.onRefused({
        key,
        count: some,
        error,
        tries: part.tries++,
        givenUp,
        isLast: closingMs !== undefined,
      });
      if (closingMs !== undefined) {
        // Entries after a gap are useless, and a store that hangs is not asked again.
        for (const one of asking.signal.aborted ? parts.values() : [part]) {
          lost += one.entries.length + one.behind;
          one.entries = [];
          one.separate.length = 0;
          one.behind = 0;
        }
      } else if (waitMs === undefined) {
        lost += some;
        givenUp++;
        took(part, count, behind);
      } else {
        part.dueMs = clock.monotonic() + waitMs;
        // Later entries do not share the tries of these.
        if (count > 0 && part.separate.length === 0) part.separate.push(count);
      }
    }
  }

  async function ask(part: Part): Promise<void> {
    const { key, path, entries } = part;
    asking = new AbortController();
    const cancel = closingMs === undefined ? undefined : limit(closingMs);
    try {
      const call = entries.length > 0
        ? store.append(key, entries.slice(0, countOf(part)))
        : init.catchUp?.(path, key) ?? Promise.resolve();
      await unlessAborted(call, asking.signal);
    } finally {
      cancel?.();
    }
  }

  /** Aborts the current call after a timeout; the returned function cancels that. */
  function limit(ms: number): () => void {
    const call = asking;
    const late = new Error(`No answer of the store within ${ms} ms`);
    return after(clock, ms, () => call.abort(late));
  }

  return {
    put,
    flush,
    async close(ms) {
      closingMs = ms;
      // The current call may take longer than that.
      const cancel = sending && limit(ms);
      await flush();
      cancel?.();
      return lost;
    },
  };
}

/** Drops the entries of a call, or counts of unkept ones: more may have come since the file was read. */
function took(part: Part, count: number, behind: number): void {
  part.tries = part.dueMs = 0;
  if (count === 0) {
    part.behind -= behind;
    return;
  }
  part.entries.splice(0, count);
  const [first] = part.separate;
  if (first === undefined) return;
  part.separate[0] = first - count;
  if (part.separate[0] === 0) part.separate.shift();
}

/** The number of entries for the next call. */
function countOf({ entries, separate: [first = Infinity] }: Part): number {
  return Math.min(entries.length, MOST_ENTRIES, first);
}

/**
 * The store key of a file of the CLI; `undefined` for other files.
 *
 * @param isSession Whether a name is that of a session
 */
export function keyOfFile(
  path: string,
  isSession: (name: string) => boolean = isSessionId,
): TranscriptKey | undefined {
  const match =
    /^(?:.*\/)?projects\/([^/]+)\/([^/]+?)(?:\.jsonl|\/(.+?)(?:\.jsonl)?)$/
      .exec(path.replaceAll("\\", "/"));
  const [, projectKey, sessionId, subpath] = match ?? [];
  if (projectKey === undefined || sessionId === undefined) return undefined;
  if (!isSession(sessionId)) return undefined;
  if (subpath === undefined) return { projectKey, sessionId };
  return isPartName(subpath) ? { projectKey, sessionId, subpath } : undefined;
}
