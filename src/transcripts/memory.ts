import type {
  TranscriptEntry,
  TranscriptKey,
  TranscriptStore,
  TranscriptSummary,
} from "./store.ts";
import { foldSummary } from "./summary.ts";

/** A store in memory that can be inspected. */
export interface MemoryTranscripts extends Required<TranscriptStore> {
  /** Number of sessions. */
  readonly size: number;
  /** The lines of a session or of a part, synchronously; empty if it is missing. */
  entries(key: TranscriptKey): readonly TranscriptEntry[];
  /** Deletes everything. */
  clear(): void;
}

interface Kept {
  readonly key: TranscriptKey;
  readonly entries: TranscriptEntry[];
  summary?: TranscriptSummary;
}

/**
 * Creates a transcript store in memory: for tests, and for programs whose sessions need not outlive them.
 *
 * @returns The store
 *
 * @example Keep sessions in memory
 * ```ts
 * import { memoryTranscripts } from "@sluice/agent/transcripts";
 * import assert from "node:assert/strict";
 *
 * const store = memoryTranscripts();
 * const key = { projectKey: "-home-ada", sessionId: "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11" };
 * await store.append(key, [{ type: "custom-title", customTitle: "Letters" }]);
 * assert.equal((await store.load(key))?.length, 1);
 * assert.equal(store.size, 1);
 * ```
 */
export function memoryTranscripts(): MemoryTranscripts {
  const kept = new Map<string, Kept>();
  let lastMs = 0;

  const keptOf = ({ projectKey, sessionId }: TranscriptKey): Kept[] =>
    [...kept.values()].filter(({ key }) =>
      key.projectKey === projectKey && key.sessionId === sessionId
    );
  const summaries = (projectKey?: string): readonly TranscriptSummary[] =>
    [...kept.values()].filter(({ key }) =>
      projectKey === undefined || key.projectKey === projectKey
    ).flatMap(({ summary }) => summary ?? []);

  return {
    get size() {
      return summaries().length;
    },
    append(key, entries) {
      if (entries.length === 0) return Promise.resolve();
      // Copies in both directions keep callers from changing stored entries.
      const copies = structuredClone(entries);
      const one: Kept = kept.get(nameOf(key)) ??
        { key: { ...key }, entries: [] };
      kept.set(nameOf(key), one);
      for (const entry of copies) one.entries.push(entry);
      // No two changes have one time, so that the order of a list is certain.
      lastMs = Math.max(Date.now(), lastMs + 1);
      if (!key.subpath) {
        one.summary = foldSummary(one.summary, key.sessionId, entries, lastMs);
      }
      return Promise.resolve();
    },
    load(key) {
      const one = kept.get(nameOf(key));
      return Promise.resolve(one ? structuredClone(one.entries) : null);
    },
    listSessions(projectKey) {
      return Promise.resolve(
        summaries(projectKey).map(({ sessionId, mtime }) => ({
          sessionId,
          mtime,
        })),
      );
    },
    listSessionSummaries(projectKey) {
      return Promise.resolve(structuredClone(summaries(projectKey)));
    },
    listSubkeys(session) {
      return Promise.resolve(
        keptOf(session).flatMap(({ key }) => key.subpath || []),
      );
    },
    delete(session) {
      for (const { key } of keptOf(session)) {
        if (session.subpath && session.subpath !== key.subpath) continue;
        kept.delete(nameOf(key));
      }
      return Promise.resolve();
    },
    entries(key) {
      return structuredClone(kept.get(nameOf(key))?.entries ?? []);
    },
    clear() {
      kept.clear();
      lastMs = 0;
    },
  };
}

/** Unlike a text joined with a separator it names no two keys alike. */
function nameOf({ projectKey, sessionId, subpath }: TranscriptKey): string {
  return JSON.stringify([projectKey, sessionId, ...subpath ? [subpath] : []]);
}
