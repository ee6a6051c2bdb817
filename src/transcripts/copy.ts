import { missingIn } from "./lines.ts";
import { linesOn, partsOn, type Shelf } from "./shelf.ts";
import type {
  TranscriptEntry,
  TranscriptKey,
  TranscriptStore,
} from "./store.ts";

/** Entries that a store gets at once. */
const AT_ONCE = 500;

/** The key of a whole session. */
export type SessionKey = Omit<TranscriptKey, "subpath">;

/** Hands over the entries of a session, part by part; returns whether there is such a session. */
export async function copySession(
  shelf: Shelf,
  session: SessionKey,
  add: (
    key: TranscriptKey,
    entries: readonly TranscriptEntry[],
  ) => Promise<unknown>,
  includeSubagents = true,
): Promise<boolean> {
  const { sessionId } = session;
  const entries = await linesOn(shelf, sessionId);
  if (entries === undefined) return false;
  await add(session, entries);
  if (!includeSubagents) return true;
  for (const subpath of await partsOn(shelf, sessionId)) {
    const part = await linesOn(shelf, sessionId, subpath) ?? [];
    await add({ ...session, subpath }, part);
  }
  return true;
}

/** Adds to a store the entries that it lacks; returns those that it alone has. */
export async function complete(
  store: Pick<TranscriptStore, "load" | "append">,
  key: TranscriptKey,
  entries: readonly TranscriptEntry[],
  atOnce?: number,
): Promise<readonly TranscriptEntry[]> {
  const there = await store.load(key) ?? [];
  await addTo(store, key, missingIn(entries, there), atOnce);
  return missingIn(there, entries);
}

/** Adds entries to a store in batches. */
export async function addTo(
  store: Pick<TranscriptStore, "append">,
  key: TranscriptKey,
  entries: readonly TranscriptEntry[],
  atOnce: number = AT_ONCE,
): Promise<void> {
  for (let at = 0; at < entries.length; at += atOnce) {
    await store.append(key, entries.slice(at, at + atOnce));
  }
}
