import { LONGEST_TIMER_MS, systemClock } from "../async/system_clock.ts";
import { ConfigError } from "../errors/base.ts";
import { show } from "../errors/text.ts";
import type { Host } from "../ports/host.ts";
import { loadHost } from "../session/files.ts";
import { checkedStore } from "./checked_store.ts";
import { isSessionId, projectKey, projectsFolder } from "./places.ts";
import { type Shelf, storedShelf } from "./shelf.ts";
import { localShelf } from "./local_shelf.ts";
import type { TranscriptStore } from "./store.ts";

/** Where sessions are. */
export interface TranscriptPlace {
  /** A store; unset = the CLI's own files on this machine. */
  readonly store?: TranscriptStore | undefined;
  /** Whose sessions: those of a working directory, and in files of the other work trees of its repository; that of this program in a store, all in files. */
  readonly cwd?: string | undefined;
  /** The name of the project in a store; what the CLI makes of `cwd`. */
  readonly projectKey?: string | undefined;
  /** Where the CLI keeps its files; `CLAUDE_CONFIG_DIR`, else `.claude` in the user's home. */
  readonly configDirectory?: string | undefined;
  /** How long one answer of the store may take, in milliseconds; 60,000. */
  readonly loadTimeoutMs?: number | undefined;
}

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

/** A store as it is used here, and where it has sessions. */
export async function openStore(options: TranscriptPlace): Promise<{
  readonly host: Host;
  readonly store: TranscriptStore;
  readonly projectKey: string;
}> {
  const { store, loadTimeoutMs: ms, cwd } = options;
  checkStore(store);
  checkPlace(options);
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

/** Throws for what is no id of a session. */
export function checkId(sessionId: unknown): void {
  if (isSessionId(sessionId)) return;
  refuse("sessionId", "a UUID, as the CLI makes one", sessionId);
}

/** Refuses what can be no store, before anything is asked there. */
function checkStore(store: unknown): asserts store is TranscriptStore {
  if (typeof store !== "object" || store === null) {
    refuse("store", "a store", store);
  }
  for (const method of ["append", "load"] as const) {
    const value = (store as Partial<TranscriptStore>)[method];
    if (typeof value === "function") continue;
    refuse(`store.${method}`, "a function", value);
  }
}

function checkPlace({ loadTimeoutMs, ...texts }: TranscriptPlace): void {
  for (const key of ["cwd", "projectKey", "configDirectory"] as const) {
    const text: unknown = texts[key];
    if (text === undefined || typeof text === "string" && text !== "") continue;
    refuse(key, "a text with content", text);
  }
  const fits = loadTimeoutMs === undefined ||
    Number.isInteger(loadTimeoutMs) && loadTimeoutMs >= 1 &&
      loadTimeoutMs <= LONGEST_TIMER_MS;
  if (fits) return;
  const range = `whole milliseconds from 1 to ${LONGEST_TIMER_MS}`;
  refuse("loadTimeoutMs", range, loadTimeoutMs);
}

export function refuse(key: string, must: string, value: unknown): never {
  throw new ConfigError({
    message: `"${key}" must be ${must}: ${show(value)}`,
    key,
    value,
  });
}
