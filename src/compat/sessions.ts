import { isObject } from "../errors/is_object.ts";
import type { Host } from "../ports/host.ts";
import { host as hostOf } from "../runtime/host.ts";
import {
  entriesOf,
  findSession,
  isSessionId,
  listed,
  outerEntries,
  projectKey,
  type SessionFile,
  sessionFiles,
} from "./session_files.ts";
import { foldSessionSummary, infoOf } from "./store.ts";
import {
  addLine,
  addTo,
  forked,
  messagesOf,
  writeNew,
} from "./session_lines.ts";
import type {
  ForkSessionOptions,
  ForkSessionResult,
  GetSessionInfoOptions,
  GetSessionMessagesOptions,
  GetSubagentMessagesOptions,
  ImportSessionToStoreOptions,
  ListSessionsOptions,
  ListSubagentsOptions,
  SDKSessionInfo,
  SessionMessage,
  SessionMutationOptions,
  SessionStore,
  SessionStoreEntry,
} from "./types_sessions.ts";

/** Lines that go to a store at once, unless told otherwise. */
const BATCH = 500;

/**
 * The sessions of a directory, or of all, the newest first.
 *
 * @param options Which ones; from the CLI's files, unless a store is given
 * @returns What is known of them
 *
 * @example The newest session
 * ```ts ignore
 * import { listSessions } from "@sluice/agent/compat";
 *
 * const [newest] = await listSessions({ dir: ".", limit: 1 });
 * console.log(newest?.summary);
 * ```
 */
export async function listSessions(
  options: ListSessionsOptions = {},
): Promise<SDKSessionInfo[]> {
  const { dir, limit, offset = 0, includeWorktrees, sessionStore } = options;
  const host = await hostOf();
  if (sessionStore) return await listStored(host, sessionStore, options);
  const files = await sessionFiles(host, { dir, includeWorktrees });
  const wanted: SDKSessionInfo[] = [];
  const most = limit !== undefined && limit > 0 ? offset + limit : Infinity;
  for (const file of files) {
    if (wanted.length >= most) break;
    const info = await infoOfFile(host, file);
    if (info === undefined) continue;
    if (options.includeProgrammatic === false && info.isProgrammatic) continue;
    wanted.push(info.info);
  }
  return wanted.slice(offset);
}

/**
 * What is known of a session.
 *
 * @param sessionId Its id
 * @param options Where it is looked for
 * @returns What is known; `undefined` where there is no such session
 *
 * @example A title
 * ```ts ignore
 * import { getSessionInfo } from "@sluice/agent/compat";
 *
 * console.log((await getSessionInfo("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11"))?.summary);
 * ```
 */
export async function getSessionInfo(
  sessionId: string,
  { dir, sessionStore }: GetSessionInfoOptions = {},
): Promise<SDKSessionInfo | undefined> {
  if (!isSessionId(sessionId)) return undefined;
  const host = await hostOf();
  if (sessionStore) {
    const key = await keyOf(host, sessionId, dir);
    const entries = await sessionStore.load(key);
    if (!entries || entries.length === 0) return undefined;
    const newest = Date.parse(String(entries.at(-1)?.timestamp));
    const mtime = Number.isNaN(newest) ? Date.now() : newest;
    return infoOf(foldSessionSummary(undefined, key, entries, { mtime }));
  }
  const file = await findSession(host, sessionId, dir);
  return file && (await infoOfFile(host, file))?.info;
}

/**
 * The messages of a session, the oldest first.
 *
 * @param sessionId Its id
 * @param options Which of them
 * @returns The messages; none where there is no such session
 *
 * @example What was said
 * ```ts ignore
 * import { getSessionMessages } from "@sluice/agent/compat";
 *
 * const messages = await getSessionMessages("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11");
 * console.log(messages.length);
 * ```
 */
export async function getSessionMessages(
  sessionId: string,
  options: GetSessionMessagesOptions = {},
): Promise<SessionMessage[]> {
  if (!isSessionId(sessionId)) return [];
  const { dir, sessionStore, includeSystemMessages = false } = options;
  const host = await hostOf();
  const entries = await read(host, sessionId, dir, sessionStore);
  return paged(messagesOf(entries, { includeSystemMessages }), options);
}

/**
 * Ids of the subagents of a session.
 *
 * @param sessionId Its id
 * @param options Where it is looked for
 * @returns The ids; none where there is no such session
 *
 * @example Who helped
 * ```ts ignore
 * import { listSubagents } from "@sluice/agent/compat";
 *
 * console.log(await listSubagents("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11"));
 * ```
 */
export async function listSubagents(
  sessionId: string,
  { dir, sessionStore }: ListSubagentsOptions = {},
): Promise<string[]> {
  if (!isSessionId(sessionId)) return [];
  const host = await hostOf();
  if (sessionStore) {
    const paths = await subkeys(host, sessionStore, sessionId, dir);
    return [...new Set(paths.flatMap((path) => agentOf(path) ?? []))];
  }
  const file = await findSession(host, sessionId, dir);
  if (file === undefined) return [];
  const paths = await subagentFiles(host, file);
  return paths.flatMap((path) => agentOf(path.replace(/\.jsonl$/, "")) ?? []);
}

/**
 * The messages of a subagent, the oldest first.
 *
 * @param sessionId Id of the session
 * @param agentId Id of the subagent
 * @param options Which of them
 * @returns The messages; none where there is no such subagent
 *
 * @example What it said
 * ```ts ignore
 * import { getSubagentMessages } from "@sluice/agent/compat";
 *
 * console.log(await getSubagentMessages("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11", "a1"));
 * ```
 */
export async function getSubagentMessages(
  sessionId: string,
  agentId: string,
  options: GetSubagentMessagesOptions = {},
): Promise<SessionMessage[]> {
  if (!isSessionId(sessionId) || agentId === "") return [];
  const { dir, sessionStore } = options;
  const host = await hostOf();
  let entries: SessionStoreEntry[] = [];
  let meta: { readonly [key: string]: unknown } | undefined;
  if (sessionStore) {
    const paths = await subkeys(host, sessionStore, sessionId, dir);
    const subpath = paths.find((path) => agentOf(path) === agentId);
    if (subpath === undefined) return [];
    const key = await keyOf(host, sessionId, dir);
    entries = await sessionStore.load({ ...key, subpath }) ?? [];
    meta = entries.findLast(({ type }) => type === "agent_metadata");
  } else {
    const file = await findSession(host, sessionId, dir);
    const paths = file === undefined ? [] : await subagentFiles(host, file);
    const path = paths.find((one) =>
      agentOf(one.replace(/\.jsonl$/, "")) === agentId
    );
    if (path === undefined) return [];
    entries = await entriesOf(host, path);
    meta = await metaOf(host, path);
  }
  const { toolUseId, parentAgentId } = meta ?? {};
  const messages = messagesOf(entries, {
    isSubagent: true,
    parentToolUseId: typeof toolUseId === "string" ? toolUseId : null,
    parentAgentId: typeof parentAgentId === "string" ? parentAgentId : null,
  });
  return paged(messages, options);
}

/**
 * Copies a session, or its beginning, under a new id.
 *
 * @param sessionId Its id
 * @param options Up to where, and how the copy is called
 * @returns The id of the copy
 * @throws {Error} If there is no such session or message
 *
 * @example A copy
 * ```ts ignore
 * import { forkSession } from "@sluice/agent/compat";
 *
 * const { sessionId } = await forkSession("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11");
 * console.log(sessionId);
 * ```
 */
export async function forkSession(
  sessionId: string,
  options: ForkSessionOptions = {},
): Promise<ForkSessionResult> {
  checkId(sessionId);
  const { dir, sessionStore } = options;
  const host = await hostOf();
  if (sessionStore) {
    const key = await keyOf(host, sessionId, dir);
    const entries = await sessionStore.load(key);
    if (!entries || entries.length === 0) throw notFound(sessionId);
    const copy = forked(sessionId, entries, options);
    await sessionStore.append(
      { projectKey: key.projectKey, sessionId: copy.sessionId },
      copy.entries,
    );
    return { sessionId: copy.sessionId };
  }
  const file = await findSession(host, sessionId, dir);
  if (file === undefined) throw notFound(sessionId, dir);
  const entries = await entriesOf(host, file.path);
  const copy = forked(sessionId, entries, options);
  await writeNew(host, `${file.folder}/${copy.sessionId}.jsonl`, copy.entries);
  return { sessionId: copy.sessionId };
}

/**
 * Gives a session a title.
 *
 * @param sessionId Its id
 * @param title The title
 * @param options Where it is looked for
 * @throws {Error} If there is no such session, or the title is empty
 *
 * @example A title
 * ```ts ignore
 * import { renameSession } from "@sluice/agent/compat";
 *
 * await renameSession("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11", "Letters");
 * ```
 */
export async function renameSession(
  sessionId: string,
  title: string,
  options: SessionMutationOptions = {},
): Promise<void> {
  checkId(sessionId);
  const customTitle = title.trim();
  if (customTitle === "") throw new Error("title must be non-empty");
  await mark(sessionId, { type: "custom-title", customTitle }, options);
}

/**
 * Gives a session a tag, or takes it away.
 *
 * @param sessionId Its id
 * @param tag The tag; `null` = none
 * @param options Where it is looked for
 * @throws {Error} If there is no such session, or the tag is empty
 *
 * @example A tag
 * ```ts ignore
 * import { tagSession } from "@sluice/agent/compat";
 *
 * await tagSession("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11", "later");
 * ```
 */
export async function tagSession(
  sessionId: string,
  tag: string | null,
  options: SessionMutationOptions = {},
): Promise<void> {
  checkId(sessionId);
  const text = tag?.trim();
  if (text === "") throw new Error("tag must be non-empty (use null to clear)");
  await mark(sessionId, { type: "tag", tag: text ?? "" }, options);
}

/**
 * Puts a session aside: lists say so until somebody speaks in it again.
 *
 * @param sessionId Its id
 * @param options Where it is looked for
 * @throws {Error} If there is no such session
 *
 * @example Aside
 * ```ts ignore
 * import { archiveSession } from "@sluice/agent/compat";
 *
 * await archiveSession("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11");
 * ```
 */
export async function archiveSession(
  sessionId: string,
  options: SessionMutationOptions = {},
): Promise<void> {
  await archive(sessionId, true, options);
}

/**
 * Takes a session back that was put aside.
 *
 * @param sessionId Its id
 * @param options Where it is looked for
 * @throws {Error} If there is no such session
 *
 * @example Back again
 * ```ts ignore
 * import { unarchiveSession } from "@sluice/agent/compat";
 *
 * await unarchiveSession("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11");
 * ```
 */
export async function unarchiveSession(
  sessionId: string,
  options: SessionMutationOptions = {},
): Promise<void> {
  await archive(sessionId, false, options);
}

/**
 * Removes a session with all that belongs to it.
 *
 * @param sessionId Its id
 * @param options Where it is looked for
 * @throws {Error} If there is no such session
 *
 * @example Gone
 * ```ts ignore
 * import { deleteSession } from "@sluice/agent/compat";
 *
 * await deleteSession("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11");
 * ```
 */
export async function deleteSession(
  sessionId: string,
  { dir, sessionStore }: SessionMutationOptions = {},
): Promise<void> {
  checkId(sessionId);
  const host = await hostOf();
  if (sessionStore) {
    await sessionStore.delete?.(await keyOf(host, sessionId, dir));
    return;
  }
  const file = await findSession(host, sessionId, dir);
  if (file === undefined) throw notFound(sessionId, dir ?? null);
  await host.files.remove(file.path);
  await host.files.remove(`${file.folder}/${sessionId}`);
}

/**
 * Copies a session of the CLI into a store.
 *
 * @param sessionId Its id
 * @param store The store
 * @param options Where it is looked for, and how many lines go at once
 * @throws {Error} If there is no such session
 *
 * @example A copy elsewhere
 * ```ts ignore
 * import { importSessionToStore, InMemorySessionStore } from "@sluice/agent/compat";
 *
 * await importSessionToStore("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11", new InMemorySessionStore());
 * ```
 */
export async function importSessionToStore(
  sessionId: string,
  store: SessionStore,
  options: ImportSessionToStoreOptions = {},
): Promise<void> {
  checkId(sessionId);
  const { dir, includeSubagents = true, batchSize = BATCH } = options;
  const size = batchSize > 0 ? batchSize : BATCH;
  const host = await hostOf();
  const file = await findSession(host, sessionId, dir);
  if (file === undefined) throw notFound(sessionId);
  const key = await keyOf(host, sessionId, dir);
  await addTo(store, key, await entriesOf(host, file.path), size);
  if (!includeSubagents) return;
  for (const path of await subagentFiles(host, file)) {
    const below = path.slice(`${file.folder}/${sessionId}/`.length);
    const part = { ...key, subpath: below.replace(/\.jsonl$/, "") };
    await addTo(store, part, await entriesOf(host, path), size);
    const meta = await metaOf(host, path);
    if (meta === undefined) continue;
    await store.append(part, [{ ...meta, type: "agent_metadata" }]);
  }
}

/** Where sessions of a directory lie in a store. */
async function keyOf(
  host: Host,
  sessionId: string,
  dir: string | undefined,
): Promise<{ projectKey: string; sessionId: string }> {
  return { projectKey: await projectKey(host, dir), sessionId };
}

async function read(
  host: Host,
  sessionId: string,
  dir: string | undefined,
  store: SessionStore | undefined,
): Promise<SessionStoreEntry[]> {
  if (store) return await store.load(await keyOf(host, sessionId, dir)) ?? [];
  const file = await findSession(host, sessionId, dir);
  return file === undefined ? [] : await entriesOf(host, file.path);
}

async function listStored(
  host: Host,
  store: SessionStore,
  { dir, limit, offset = 0 }: ListSessionsOptions,
): Promise<SDKSessionInfo[]> {
  if (!store.listSessions && !store.listSessionSummaries) {
    throw new Error(
      "sessionStore.listSessions is not implemented: a store without it cannot list sessions",
    );
  }
  const key = await projectKey(host, dir);
  const summaries = await store.listSessionSummaries?.(key) ?? [];
  const byId = new Map(summaries.map((one) => [one.sessionId, one]));
  const sessions = await store.listSessions?.(key) ?? summaries;
  const infos = await Promise.all(sessions.map(async ({ sessionId, mtime }) => {
    const summary = byId.get(sessionId);
    // One that is older than the session has not seen all of it.
    if (summary !== undefined && summary.mtime >= mtime) return infoOf(summary);
    const whole = { projectKey: key, sessionId };
    const entries = await store.load(whole).catch(() => null);
    return entries === null
      ? undefined
      : infoOf(foldSessionSummary(undefined, whole, entries, { mtime }));
  }));
  const known = infos.filter((info) => info !== undefined)
    .sort((a, b) => b.lastModified - a.lastModified);
  return paged(known, { limit, offset });
}

async function infoOfFile(
  host: Host,
  file: SessionFile,
): Promise<
  | { readonly info: SDKSessionInfo; readonly isProgrammatic: boolean }
  | undefined
> {
  const entries = await outerEntries(host, file);
  const summary = foldSessionSummary(
    undefined,
    { projectKey: "", sessionId: file.id },
    entries,
    { mtime: file.modifiedMs },
  );
  const info = infoOf(summary);
  if (info === undefined) return undefined;
  return {
    info: {
      ...info,
      fileSize: file.size,
      archived: await archivedOf(host, file, entries),
    },
    isProgrammatic: entries.some(({ entrypoint }) =>
      typeof entrypoint === "string" && entrypoint.startsWith("sdk")
    ),
  };
}

/** Whether a session is aside; `undefined` where nobody ever said so. */
async function archivedOf(
  { files }: Host,
  { folder, id }: SessionFile,
  entries: readonly SessionStoreEntry[],
): Promise<boolean | undefined> {
  try {
    const text = await files.readText(`${folder}/${id}/archived.json`);
    const { archived, at } = JSON.parse(text);
    if (archived !== true) return false;
    const setMs = Date.parse(at);
    return !entries.some(({ type, timestamp, isMeta }) =>
      type === "user" && isMeta !== true &&
      Date.parse(String(timestamp)) > setMs
    );
  } catch {
    return undefined;
  }
}

async function archive(
  sessionId: string,
  archived: boolean,
  { dir, sessionStore }: SessionMutationOptions,
): Promise<void> {
  checkId(sessionId);
  if (sessionStore) {
    throw new Error(
      "Archiving is not supported with sessionStore: the mark is no line of the session",
    );
  }
  const host = await hostOf();
  const file = await findSession(host, sessionId, dir);
  if (file === undefined) throw notFound(sessionId, dir ?? null);
  const folder = `${file.folder}/${sessionId}`;
  await host.files.makeDirectory(folder, 0o700);
  const note = { archived, at: new Date().toISOString(), by: "sdk" };
  await host.files.writeText(`${folder}/archived.json`, JSON.stringify(note));
}

/** Adds a line that says something of the session. */
async function mark(
  sessionId: string,
  fields: { readonly type: string; readonly [key: string]: unknown },
  { dir, sessionStore }: SessionMutationOptions,
): Promise<void> {
  const host = await hostOf();
  const entry = { ...fields, sessionId };
  if (sessionStore) {
    const more = {
      uuid: crypto.randomUUID(),
      timestamp: new Date().toISOString(),
    };
    const key = await keyOf(host, sessionId, dir);
    return await sessionStore.append(key, [{ ...entry, ...more }]);
  }
  const file = await findSession(host, sessionId, dir);
  if (file === undefined) throw notFound(sessionId, dir ?? null);
  await addLine(host, file.path, entry);
}

async function subkeys(
  host: Host,
  store: SessionStore,
  sessionId: string,
  dir: string | undefined,
): Promise<readonly string[]> {
  if (!store.listSubkeys) {
    throw new Error(
      "sessionStore.listSubkeys is not implemented: a store without it cannot list subagents",
    );
  }
  return await store.listSubkeys(await keyOf(host, sessionId, dir));
}

/** Id of the subagent that a part of a session is. */
function agentOf(path: string): string | undefined {
  const name = path.split("/").at(-1) ?? "";
  return path.includes("subagents/") && name.startsWith("agent-")
    ? name.slice("agent-".length)
    : undefined;
}

async function subagentFiles(
  host: Host,
  { folder, id }: SessionFile,
): Promise<readonly string[]> {
  const found: string[] = [];
  const folders = [`${folder}/${id}/subagents`];
  for (const one of folders) {
    for (const name of [...await listed(host, one)].sort()) {
      const path = `${one}/${name}`;
      if (name.startsWith("agent-") && name.endsWith(".jsonl")) {
        found.push(path);
      } else if ((await host.files.status(path))?.kind === "directory") {
        folders.push(path);
      }
    }
  }
  return found;
}

/** What the CLI notes of a subagent beside its lines. */
async function metaOf(
  { files }: Host,
  path: string,
): Promise<{ readonly [key: string]: unknown } | undefined> {
  try {
    const text = await files.readText(path.replace(/\.jsonl$/, ".meta.json"));
    const meta: unknown = JSON.parse(text);
    return isObject(meta) ? meta as { [key: string]: unknown } : undefined;
  } catch {
    return undefined;
  }
}

function paged<T>(
  all: readonly T[],
  { limit, offset = 0 }: {
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
  },
): T[] {
  return limit !== undefined && limit > 0
    ? all.slice(offset, offset + limit)
    : all.slice(offset);
}

function checkId(sessionId: string): void {
  if (!isSessionId(sessionId)) {
    throw new Error(`Invalid sessionId: ${sessionId}`);
  }
}

function notFound(sessionId: string, dir?: string | null): Error {
  const where = dir === undefined
    ? ""
    : dir === null
    ? " in any project directory"
    : ` in project directory for ${dir}`;
  return new Error(`Session ${sessionId} not found${where}`);
}
