import type { Client } from "../client.ts";
import { unlessAborted } from "../async/on_abort.ts";
import { systemClock } from "../async/system_clock.ts";
import { hexDigest } from "../errors/digest.ts";
import { SessionNotFoundError } from "../errors/cli.ts";
import { TranscriptError } from "../errors/transcript.ts";
import { toEnvironment } from "../options/environment.ts";
import { resolveOptions } from "../options/resolve.ts";
import { loadHost } from "../session/files.ts";
import { checkedStore } from "../transcripts/checked_store.ts";
import { findFile } from "../transcripts/cli_files.ts";
import {
  isSessionId,
  projectKey,
  projectsFolder,
} from "../transcripts/places.ts";
import type {
  TranscriptEntry,
  TranscriptKey,
  TranscriptStore,
} from "../transcripts/store.ts";
import type { Host } from "../ports/host.ts";
import type { AgentOptions } from "../types/options.ts";

/** A user and a thread. */
export interface UserThread {
  /** Id of the user. */
  readonly user: string;
  /** Id of the thread; absent for users with a single one. */
  readonly thread?: string | undefined;
}

export interface ThreadSession {
  /** Its project in a store. */
  readonly project: string;
  /** Id made from the thread. */
  readonly first: string;
  /** Id of the newest session: another one after `/clear`. */
  readonly id: string;
}

/** Project of a store that holds the newest ids of threads whose id has changed. */
const MOVED = "sluice-moved-threads";

/**
 * Knows the session of each thread. Its id is a hash of the thread, so that no list must be kept; the few that have changed are in
 * the store, or in memory without one.
 */
export class ThreadSessions {
  readonly #moved = new Map<string, string>();

  async find(
    { user, thread }: UserThread,
    options: AgentOptions,
  ): Promise<ThreadSession> {
    const project = options.transcripts?.projectKey ??
      await projectOf(options);
    const first = await idOf([project, user, thread ?? null]);
    const stored = await storeOf(options)?.load(keyOf(first));
    const id = stored?.at(-1)?.["movedTo"] ?? this.#moved.get(first);
    return { project, first, id: isSessionId(id) ? id : first };
  }

  async move(
    { first, id: movedTo }: ThreadSession,
    options: AgentOptions,
  ): Promise<void> {
    const store = storeOf(options);
    if (store === undefined) this.#moved.set(first, movedTo);
    await store?.append(keyOf(first), [
      { type: "moved", uuid: crypto.randomUUID(), movedTo },
    ]);
  }
}

/** Connects a client with a session: resumes it, or begins it if it does not exist. */
export async function connectSession<C extends Client>(
  session: ThreadSession,
  options: AgentOptions,
  { make, signal }: {
    readonly make: (options: AgentOptions) => C;
    readonly signal: AbortSignal;
  },
): Promise<C> {
  const { id } = session;
  async function connected(more: AgentOptions): Promise<C> {
    const client = make({ ...options, ...more });
    await client.connect(undefined, { signal });
    return client;
  }
  const found = await unlessAborted(look(session, options), signal);
  if (found === undefined) return await connected({ sessionId: id });
  try {
    return await connected({ ...found, resume: id });
  } catch (error) {
    if (!isMissing(error)) throw error;
    // The file of the session holds no message: the CLI does not begin it again.
    const isTaken = error instanceof SessionNotFoundError &&
      options.transport === undefined;
    const sessionId = isTaken ? crypto.randomUUID() : id;
    return await connected({ sessionId });
  }
}

/** Name of the project that the CLI uses. */
async function projectOf(options: AgentOptions): Promise<string> {
  const host = await loadHost();
  return await projectKey(host, options.cwd, environmentOf(host, options));
}

/** Variables of the CLI. */
function environmentOf(host: Host, options: AgentOptions) {
  return toEnvironment(resolveOptions(options), host.env(), host.platform);
}

/**
 * Looks for a session in the files and in the store: a start that fails costs more, and would be reported as a failure.
 * Returns options to resume it with; `undefined` = it does not exist.
 */
async function look(
  { id, project: projectKey }: ThreadSession,
  options: AgentOptions,
): Promise<AgentOptions | undefined> {
  const { transcripts, transport, cwd } = options;
  // Files of another machine, perhaps.
  if (transport !== undefined) return {};
  const host = await loadHost();
  const env = environmentOf(host, options);
  const projects = projectsFolder(host, env, cwd);
  // A CLI that was killed early leaves an empty file, which takes the id.
  const file = await findFile(host, { projects, cwd, env }, id, 0) ??
    await findFile(host, { projects }, id, 0);
  if (file !== undefined) return {};
  const store = storeOf(options);
  if (transcripts === undefined || store === undefined) return undefined;
  const key = { projectKey, sessionId: id };
  const entries = await store.load(key) ?? [];
  if (entries.length === 0) return undefined;
  const loaded = loadedOnce(store, key, entries);
  return { transcripts: { ...transcripts, store: loaded } };
}

/** A store of which a session has been loaded: the next load returns that. */
function loadedOnce(
  store: TranscriptStore,
  { projectKey, sessionId }: TranscriptKey,
  entries: readonly TranscriptEntry[],
): TranscriptStore {
  let ahead: readonly TranscriptEntry[] | undefined = entries;
  return {
    ...store,
    async load(key) {
      const isLoaded = key.projectKey === projectKey &&
        key.sessionId === sessionId && key.subpath === undefined;
      const loaded = isLoaded ? ahead : undefined;
      if (loaded === undefined) return await store.load(key);
      ahead = undefined;
      return loaded;
    },
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof SessionNotFoundError ||
    error instanceof TranscriptError && error.missing;
}

function storeOf(
  { transcripts, clock, signal }: AgentOptions,
): TranscriptStore | undefined {
  return transcripts && checkedStore(transcripts.store, {
    clock: clock === undefined ? systemClock : resolveOptions({ clock }).clock,
    ms: transcripts.loadTimeoutMs,
    signal,
  });
}

function keyOf(first: string) {
  return { projectKey: MOVED, sessionId: first };
}

/** A UUID of version 8 from a hash; JSON keeps the parts apart, and lone surrogates too. */
async function idOf(parts: readonly (string | null)[]): Promise<string> {
  const hex = await hexDigest(JSON.stringify(parts));
  const variant = Number.parseInt(hex.slice(16, 18), 16) & 0x3f | 0x80;
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant.toString(16) + hex.slice(18, 20),
    hex.slice(20, 32),
  ].join("-");
}
