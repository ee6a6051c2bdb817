import { show } from "../errors/text.ts";
import { TranscriptError } from "../errors/transcript.ts";
import type { Host } from "../ports/host.ts";
import { cliStore } from "./cli_files.ts";
import { complete, type SessionKey } from "./copy.ts";
import { isPartName, isSessionId } from "./places.ts";
import type { TranscriptEntry, TranscriptStore } from "./store.ts";

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
 * Writes a session of a store, and its parts, where the CLI keeps its own: as a project of `projects`. Files that exist
 * get what they lack, behind what they have; nothing in them is changed.
 */
export async function restore(
  host: Host,
  store: Pick<TranscriptStore, "load" | "listSubkeys">,
  key: SessionKey,
  { projects, projectKey }: {
    readonly projects: string;
    readonly projectKey: string;
  },
): Promise<Restored> {
  const ahead: Restored["ahead"][number][] = [];
  const unsafe: string[] = [];
  const { sessionId } = key;
  // Nothing else becomes part of a path.
  if (!isSessionId(sessionId)) return { isStored: false, ahead, unsafe };
  const files = cliStore(host, projects);
  const local = { projectKey, sessionId };
  const bring = async (subpath?: string): Promise<number> => {
    const part = subpath === undefined ? {} : { subpath };
    const all = await store.load({ ...key, ...part }) ?? [];
    const to = { ...local, ...part };
    const entries = await complete(files, to, all, Infinity);
    if (entries.length > 0) ahead.push({ path: files.pathOf(to), entries });
    return all.length;
  };
  const isStored = await bring() > 0;
  const stored = isStored ? await store.listSubkeys?.(key) ?? [] : [];
  // Names that differ in case only may be one file.
  const taken = new Set<string>();
  for (const subpath of stored) {
    if (!isPartName(subpath) || taken.has(subpath.toLowerCase())) {
      unsafe.push(subpath);
      continue;
    }
    taken.add(subpath.toLowerCase());
    await bring(subpath);
  }
  // Parts that a killed host did not hand over in time.
  for (const subpath of await files.listSubkeys(local)) {
    if (!taken.has(subpath.toLowerCase())) await bring(subpath);
  }
  return { isStored, ahead, unsafe };
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
