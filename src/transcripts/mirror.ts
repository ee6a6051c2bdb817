import { withTimeout } from "../async/deadline.ts";
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
/** Most bytes of output that wait for a slow or failing store; later ones are read from the file. */
const MOST_WAITING_BYTES = 64 * 1024 * 1024;

/** Entries that the store did not take. */
export interface Refusal {
  readonly key: TranscriptKey;
  readonly count: number;
  /** Error of the store, or a timeout. */
  readonly error: unknown;
  readonly tries: number;
}

export interface MirrorInit {
  readonly store: Pick<TranscriptStore, "append">;
  readonly clock: Timer;
  /** Whether entries go to the store as they come, not at the next {@link Mirror.flush}. */
  readonly isEager: boolean;
  /** Timeout of one call of the store, in milliseconds. */
  readonly appendMs: number;
  readonly onTimeout: (key: TranscriptKey) => unknown;
  /** Milliseconds until refused entries are tried again; `undefined` = they are lost. */
  readonly onRefused: (refusal: Refusal) => number | undefined;
  /** Makes a path of the CLI a key of the store; `undefined` for other files. */
  readonly keyOf: (path: string) => TranscriptKey | undefined;
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
  tries: number;
  /** Before that time, in milliseconds since 1970, it is not tried again. */
  dueMs: number;
  /** Entries that were not kept in memory; what comes next is not either, until all that waits is done. */
  behind: number;
}

/**
 * Copies entries into a store: those of one file in their order, many at once, and again while the store refuses them.
 *
 * The store is not waited for, so the queue is bounded: beyond that a file is read again once the store has taken the rest.
 */
export function mirrorInto(init: MirrorInit): Mirror {
  const { store, clock, isEager } = init;
  const parts = new Map<string, Part>();
  let { appendMs } = init;
  let newEntries = 0;
  let newBytes = 0;
  let waitingBytes = 0;
  let lost = 0;
  let isClosing = false;
  let sending: Promise<void> | undefined;
  /** The call that the store has not answered, and the pause before the next one. */
  let asking = new AbortController();
  let pausing = new AbortController();

  function put(
    path: string,
    entries: readonly TranscriptEntry[],
    bytes: number,
  ): void {
    let part = parts.get(path);
    if (part === undefined) {
      const key = init.keyOf(path);
      if (key === undefined) {
        lost += entries.length;
        return;
      }
      part = { path, key, entries: [], tries: 0, dueMs: 0, behind: 0 };
      parts.set(path, part);
    }
    if (waitingBytes > MOST_WAITING_BYTES) {
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
    // The others are not held up by one that the store does not like.
    pausing.abort();
    return sending ??= send().finally(() => sending = undefined);
  }

  async function send(): Promise<void> {
    for (;;) {
      const part = nextPart();
      if (part === undefined) return;
      const pauseMs = part.dueMs - clock.monotonic();
      if (pauseMs > 0 && !isClosing) {
        pausing = new AbortController();
        await clock.sleep(pauseMs, pausing.signal).catch(() => {});
      } else await tryPart(part);
    }
  }

  function nextPart(): Part | undefined {
    let next: Part | undefined;
    for (const part of parts.values()) {
      if (part.entries.length === 0 && part.behind === 0) {
        parts.delete(part.path);
      } else if (next === undefined || part.dueMs < next.dueMs) next = part;
    }
    if (next === undefined) waitingBytes = 0;
    return next;
  }

  async function tryPart(part: Part): Promise<void> {
    const { key, path, behind } = part;
    let some: readonly TranscriptEntry[] = part.entries.slice(0, MOST_ENTRIES);
    const { length } = some;
    let isLate = false;
    asking = new AbortController();
    try {
      await withTimeout(
        async () => {
          if (length > 0) await store.append(key, some);
          else if (init.catchUp) await init.catchUp(path, key);
          else throw new Error("More entries came than could wait");
        },
        {
          clock,
          ms: appendMs,
          signal: asking.signal,
          onTimeout: () => {
            isLate = true;
            return init.onTimeout(key);
          },
        },
      );
      took(part, length, behind);
      part.tries = part.dueMs = 0;
    } catch (thrown) {
      const error = asking.signal.aborted ? init.onTimeout(key) : thrown;
      const count = length || behind;
      const refusal = { key, count, error, tries: part.tries++ };
      const waitMs = init.onRefused(refusal);
      if (isClosing) {
        // Entries after a gap are useless, and a store that hangs is not asked again.
        const hangs = isLate || asking.signal.aborted;
        for (const one of hangs ? parts.values() : [part]) {
          lost += one.entries.length + one.behind;
          one.entries = [];
          one.behind = 0;
        }
      } else if (waitMs === undefined) {
        lost += count;
        took(part, length, behind);
      } else part.dueMs = clock.monotonic() + waitMs;
    } finally {
      // A timer that was cleared may live for a while, and whatever its call held with it.
      some = [];
    }
  }

  return {
    put,
    flush,
    async close(ms) {
      appendMs = Math.min(appendMs, ms);
      isClosing = true;
      const timer = new AbortController();
      if (sending !== undefined) {
        // A call that began before may take longer than there is time.
        const begun = asking;
        clock.sleep(ms, timer.signal).then(() => begun.abort(), () => {});
      }
      await flush();
      timer.abort();
      return lost;
    },
  };
}

/** Drops delivered entries, or counts of unkept ones: more may have come since the file was read. */
function took(part: Part, count: number, behind: number): void {
  if (count > 0) part.entries.splice(0, count);
  else part.behind -= behind;
}

/** The store key of a file of the CLI; `undefined` for other files. */
export function keyOfFile(path: string): TranscriptKey | undefined {
  const match =
    /.*\/projects\/([^/]+)\/([^/]+?)(?:\.jsonl|\/(.+?)(?:\.jsonl)?)$/
      .exec(path.replaceAll("\\", "/"));
  const [, projectKey, sessionId, subpath] = match ?? [];
  if (projectKey === undefined || !isSessionId(sessionId)) return undefined;
  if (subpath === undefined) return { projectKey, sessionId };
  return isPartName(subpath) ? { projectKey, sessionId, subpath } : undefined;
}
