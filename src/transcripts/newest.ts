import type { StoredTranscript } from "./store.ts";

/** Sessions of a store, newest first. */
export function newestStored(
  sessions: readonly StoredTranscript[],
): readonly StoredTranscript[] {
  return sessions.toSorted((a, b) => b.mtime - a.mtime);
}
