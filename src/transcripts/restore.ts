import { show } from "../errors/text.ts";
import { TranscriptError } from "../errors/transcript.ts";
import type { Host } from "../ports/host.ts";
import { codeOf, SESSION_SUFFIX } from "../session/files.ts";
import { AGENT_METADATA, missingIn } from "./lines.ts";
import {
  addLines,
  atFile,
  META_SUFFIX,
  partEntries,
  partsOf,
  writeNew,
} from "./local_files.ts";
import { isPartName, isSessionId } from "./places.ts";
import type { TranscriptEntry, TranscriptStore } from "./store.ts";

/** The part of a session in which hosts say that they write it; no file of the CLI is called so. */
export const HOSTS_PART = "hosts";

/** Outcome of restoring a session. */
export interface Restored {
  readonly isStored: boolean;
  /** Entries that only the files on this machine have. */
  readonly ahead: readonly {
    readonly path: string;
    readonly entries: readonly TranscriptEntry[];
  }[];
  /** Unsafe names of parts, which were left out. */
  readonly unsafe: readonly string[];
}

/**
 * Writes a session of a store, and its parts, into a folder of the CLI. Files that are there already get what they lack,
 * behind what they have; nothing in them is changed. What they have beyond that is given back.
 */
export async function restore(
  host: Host,
  store: Pick<TranscriptStore, "load" | "listSubkeys">,
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
  const bringTo = async (
    name: string,
    all: readonly TranscriptEntry[],
  ): Promise<void> => {
    const path = `${name}${SESSION_SUFFIX}`;
    const rest = await atFile(sessionId, path, () => bring(host, path, all));
    if (rest.length > 0) ahead.push({ path, entries: rest });
  };
  await bringTo(main, entries);
  const known = isStored
    ? await store.listSubkeys?.({ projectKey, sessionId }) ?? []
    : [];
  const taken = new Set<string>();
  const bringPart = async (subpath: string): Promise<void> => {
    // Where case does not count two names are one file.
    taken.add(subpath.toLowerCase());
    const all = await store.load({ ...key, subpath }) ?? [];
    await bringTo(`${main}/${subpath}`, all);
    const meta = all.findLast(({ type }) => type === AGENT_METADATA);
    if (meta === undefined) return;
    const { type: _, ...rest } = meta;
    const file = `${main}/${subpath}${META_SUFFIX}`;
    const note = [rest as TranscriptEntry];
    await atFile(sessionId, file, () => writeUnlessThere(host, file, note));
  };
  for (const subpath of known) {
    if (subpath === HOSTS_PART) continue;
    if (isPartName(subpath) && !taken.has(subpath.toLowerCase())) {
      await bringPart(subpath);
    } else unsafe.push(subpath);
  }
  // Parts that a killed host did not hand over in time.
  for (const subpath of await partsOf(host, { folder, id: sessionId })) {
    if (!taken.has(subpath.toLowerCase())) await bringPart(subpath);
  }
  return { isStored, ahead, unsafe };
}

/** Brings a file up to date; gives what it had beyond that, with what is noted of a subagent. */
async function bring(
  host: Host,
  path: string,
  entries: readonly TranscriptEntry[],
): Promise<readonly TranscriptEntry[]> {
  const lines = entries.filter(({ type }) => type !== AGENT_METADATA);
  if (lines.length > 0 && await writeUnlessThere(host, path, lines)) return [];
  const there = await partEntries(host, path);
  const missing = missingIn(lines, there);
  if (missing.length > 0) await addLines(host, path, missing);
  return missingIn(there, entries);
}

/** Writes a file unless it exists, also when another process makes it at the same time; returns whether it did. */
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
