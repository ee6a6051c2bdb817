import { TranscriptError } from "../errors/transcript.ts";
import { show } from "../errors/text.ts";
import { addTo, missingIn } from "./lines.ts";
import type {
  TranscriptEntry,
  TranscriptKey,
  TranscriptStore,
} from "./store.ts";
import type { TranscriptInfo } from "./summary.ts";

const AT_ONCE = 16;

/** Where sessions are, be it the CLI's own files or a store: everything that is done with sessions is done on one of these. */
export interface Shelf {
  /** The sessions, newest first; each loads its summary, `undefined` for one that is not listed. */
  list(): Promise<readonly (() => Promise<TranscriptInfo | undefined>)[]>;
  /** Summary of a session; `undefined` if it is missing. */
  info(sessionId: string): Promise<TranscriptInfo | undefined>;
  /** Lines of a session, or of a part of it; `undefined` if it is missing. */
  load(
    sessionId: string,
    subpath?: string,
  ): Promise<readonly TranscriptEntry[] | undefined>;
  subpaths(sessionId: string): Promise<readonly string[]>;
  /** Adds a line that says something of the session; whether there is such a session. */
  note(sessionId: string, note: TranscriptEntry): Promise<boolean>;
  /** Keeps the lines of a new session: beside another one, else where those of the place are. */
  create(
    sessionId: string,
    entries: readonly TranscriptEntry[],
    beside?: string,
  ): Promise<void>;
  /** Removes a session with all its parts; whether there was one. */
  remove(sessionId: string): Promise<boolean>;
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
    const infos = await Promise.all(some.map((look) => look()));
    found.push(
      ...infos.flatMap((info) =>
        info !== undefined && isWanted(info) ? [info] : []
      ),
    );
  }
  return found.slice(offset, offset + limit);
}

/** Copies a session with its parts into a store in batches; returns whether there is such a session. */
export async function copyInto(
  shelf: Shelf,
  store: TranscriptStore,
  key: { readonly projectKey: string; readonly sessionId: string },
  { atOnce, includeSubagents = true, isCompleting = false }: {
    readonly atOnce: number;
    readonly includeSubagents?: boolean | undefined;
    readonly isCompleting?: boolean;
  },
): Promise<boolean> {
  const add = async (key: TranscriptKey, all: readonly TranscriptEntry[]) => {
    const there = isCompleting ? await store.load(key) ?? [] : [];
    await addTo(store, key, missingIn(all, there), atOnce);
  };
  const entries = await shelf.load(key.sessionId);
  if (entries === undefined) return false;
  await add(key, entries);
  if (!includeSubagents) return true;
  for (const subpath of await shelf.subpaths(key.sessionId)) {
    const part = await shelf.load(key.sessionId, subpath) ?? [];
    await add({ ...key, subpath }, part);
  }
  return true;
}

/** There is no such session where it was looked for. */
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
  });
}
