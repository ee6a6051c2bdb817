import { systemClock } from "../async/system_clock.ts";
import { duration, type Fields, fitting, text } from "../options/fields.ts";
import { withMethods } from "../options/host_objects.ts";
import { refuse } from "../options/refuse.ts";
import type { Host } from "../ports/host.ts";
import { loadHost } from "../session/files.ts";
import { checkedStore } from "./checked_store.ts";
import { isSessionId, projectKey, projectsFolder } from "./places.ts";
import { type Shelf, storedShelf } from "./shelf.ts";
import { localShelf } from "./local_shelf.ts";
import type { TranscriptStore } from "./store.ts";

/** Place of the sessions: a store, or the CLI's own files. */
export interface TranscriptPlace {
  /** A store; unset = the CLI's own files on this machine. */
  readonly store?: TranscriptStore | undefined;
  /** The working directory whose sessions are meant, in files with the other work trees of its repository; all directories in files, this program's in a store. */
  readonly cwd?: string | undefined;
  /** Name of the project in a store; by default the CLI's name for `cwd`. */
  readonly projectKey?: string | undefined;
  /** Folder of the CLI's files; `CLAUDE_CONFIG_DIR`, else `.claude` in the user's home. */
  readonly configDirectory?: string | undefined;
  /** Timeout of one answer of the store, in milliseconds; 60,000. */
  readonly loadTimeoutMs?: number | undefined;
}

const PLACE: Fields<TranscriptPlace> = {
  store: withMethods("append", "load"),
  cwd: text,
  projectKey: text,
  configDirectory: text,
  loadTimeoutMs: duration,
};

const uuid = fitting("a UUID, as the CLI makes one", isSessionId);

/** Throws if a value is no id of a session. */
export function checkId(sessionId: unknown): void {
  uuid(sessionId, "sessionId");
}

/** The shelf of the sessions in a place. */
export async function shelfOf(options: TranscriptPlace): Promise<Shelf> {
  if (options.store !== undefined) {
    const { store, projectKey } = await openStore(options);
    return storedShelf(store, projectKey);
  }
  checkPlace(options);
  const host = await loadHost();
  const { cwd } = options;
  return await localShelf(host, { projects: projectsOf(host, options), cwd });
}

/** A store whose answers are checked, and its project. */
export async function openStore(options: TranscriptPlace): Promise<{
  readonly host: Host;
  readonly store: TranscriptStore;
  readonly projectKey: string;
}> {
  checkPlace(options);
  const { store, loadTimeoutMs: ms, cwd } = options;
  if (store === undefined) refuse("store", store, "set");
  const host = await loadHost();
  return {
    host,
    store: checkedStore(store, { clock: systemClock, ms }),
    projectKey: options.projectKey ?? await projectKey(host, cwd),
  };
}

export function projectsOf(
  host: Host,
  { configDirectory }: TranscriptPlace,
): string {
  return configDirectory === undefined
    ? projectsFolder(host)
    : `${configDirectory}/projects`;
}

function checkPlace(options: TranscriptPlace): void {
  for (const [key, check] of Object.entries(PLACE)) {
    const value = options[key as keyof TranscriptPlace];
    if (value !== undefined) check(value, key);
  }
}
