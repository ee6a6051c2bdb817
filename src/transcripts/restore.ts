import { show } from "../errors/text.ts";
import { TranscriptError } from "../errors/transcript.ts";
import type { Host } from "../ports/host.ts";
import { codeOf, SESSION_SUFFIX } from "../session/files.ts";
import { AGENT_METADATA, missingIn } from "./lines.ts";
import {
  addLines,
  atFile,
  entriesOf,
  isPartName,
  isSessionId,
  META_SUFFIX,
  partEntries,
  partsOf,
  writeNew,
} from "./local_files.ts";
import type { TranscriptEntry, TranscriptStore } from "./store.ts";

/** The part of a session in which hosts say that they write it; no file of the CLI is called so. */
export const HOSTS_PART = "hosts";

/** What became of a session that was to be written where the CLI looks for it. */
export interface Restored {
  /** Whether the store has it. */
  readonly isStored: boolean;
  /** What the files on this machine had and the store has not. */
  readonly ahead: readonly {
    readonly path: string;
    readonly entries: readonly TranscriptEntry[];
  }[];
  /** Names of parts that were left out, since they would not be written where they belong. */
  readonly unsafe: readonly string[];
}

/**
 * Writes a session of a store, and its parts, into a folder of the CLI. Files that are there already get what they lack,
 * behind what they have; nothing in them is changed.
 */
export async function restore(
  host: Host,
  store: TranscriptStore,
  key: { readonly projectKey: string; readonly sessionId: string },
  folder: string,
): Promise<Restored> {
  const ahead: Restored["ahead"][number][] = [];
  const unsafe: string[] = [];
  const { projectKey, sessionId } = key;
  // Nothing else becomes part of a path.
  if (!isSessionId(sessionId)) return { isStored: false, ahead, unsafe };
  const entries = await store.load(key) ?? [];
  const isStored = entries.length > 0;
  const main = `${folder}/${sessionId}`;
  const path = `${main}${SESSION_SUFFIX}`;
  const bringTo = (path: string, lines: readonly TranscriptEntry[]) =>
    atFile(sessionId, path, () => bring(host, path, lines));
  const rest = await bringTo(path, entries);
  if (rest.length > 0) ahead.push({ path, entries: rest });
  if (!isStored) {
    for (const subpath of await partsOf(host, { folder, id: sessionId })) {
      const path = `${main}/${subpath}${SESSION_SUFFIX}`;
      ahead.push({ path, entries: await partEntries(host, path) });
    }
    return { isStored, ahead, unsafe };
  }
  const subpaths = await store.listSubkeys?.({ projectKey, sessionId }) ?? [];
  const taken = new Set<string>();
  for (const subpath of subpaths) {
    if (subpath === HOSTS_PART) continue;
    // Where case does not count two names are one file.
    const plain = subpath.toLowerCase();
    if (!isPartName(subpath) || taken.has(plain)) {
      unsafe.push(subpath);
      continue;
    }
    taken.add(plain);
    const part = { ...key, subpath };
    const all = await store.load(part) ?? [];
    const lines = all.filter(({ type }) => type !== AGENT_METADATA);
    if (lines.length > 0) {
      const path = `${main}/${subpath}${SESSION_SUFFIX}`;
      const rest = await bringTo(path, lines);
      if (rest.length > 0) ahead.push({ path, entries: rest });
    }
    const meta = all.findLast(({ type }) => type === AGENT_METADATA);
    if (meta === undefined) continue;
    const { type: _, ...rest } = meta;
    const file = `${main}/${subpath}${META_SUFFIX}`;
    const note = [rest as TranscriptEntry];
    await atFile(sessionId, file, () => writeUnlessThere(host, file, note));
  }
  return { isStored, ahead, unsafe };
}

/** Brings a file up to date; gives what it had beyond that. */
async function bring(
  host: Host,
  path: string,
  entries: readonly TranscriptEntry[],
): Promise<readonly TranscriptEntry[]> {
  if (entries.length > 0 && await writeUnlessThere(host, path, entries)) {
    return [];
  }
  const there = await entriesOf(host, path);
  const missing = missingIn(entries, there);
  if (missing.length > 0) await addLines(host, path, missing);
  return missingIn(there, entries);
}

/** Writes a file unless there is one, which somebody may make at the same time; whether it did. */
async function writeUnlessThere(
  host: Host,
  path: string,
  entries: readonly TranscriptEntry[],
): Promise<boolean> {
  if (await host.files.status(path) !== undefined) return false;
  try {
    await writeNew(host, path, entries);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** What the error says of parts that were left out. */
export function unsafeParts(
  sessionId: string,
  unsafe: readonly string[],
): TranscriptError {
  return new TranscriptError({
    message:
      `Parts of session ${sessionId} were not written, their names lead elsewhere: ${
        unsafe.map((one) => show(one)).join(", ")
      }`,
    sessionId,
  });
}
