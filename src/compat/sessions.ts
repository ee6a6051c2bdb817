import { host as hostOf } from "../runtime/host.ts";
import { findFile } from "../transcripts/cli_files.ts";
import { isSessionId, projectKey } from "../transcripts/places.ts";
import type { TranscriptInfo } from "../transcripts/summary.ts";
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
  SessionKey,
  SessionMessage,
  SessionMutationOptions,
  SessionStore,
  SessionStoreEntry,
} from "./generated/types.ts";
import { countedPage, neededFor, pageOf } from "./page.ts";
import {
  checkId,
  checkSubkeys,
  localPlace,
  notFound,
  opened,
} from "./session_place.ts";

/**
 * Lists the sessions of a directory, or all of them, newest first.
 *
 * @example Find the newest session
 * ```ts ignore
 * import { listSessions } from "@sluice/agent/compat";
 *
 * const [newest] = await listSessions({ dir: ".", limit: 1 });
 * ```
 */
export async function listSessions(
  given: ListSessionsOptions = {},
): Promise<SDKSessionInfo[]> {
  // The official SDK accepts `null`.
  const options = given ?? {};
  const { sessionStore } = options;
  if (
    sessionStore && !sessionStore.listSessions &&
    !sessionStore.listSessionSummaries
  ) {
    throw new Error(
      "sessionStore.listSessions is not implemented: a store without it cannot list sessions",
    );
  }
  const { shelf, infosOf } = await opened(options);
  const page = sessionStore ? options : countedPage(options);
  const infos = await infosOf(shelf, {
    limit: neededFor(page),
    isWanted: ({ isProgrammatic }) =>
      options.includeProgrammatic !== false || isProgrammatic !== true,
  });
  return pageOf(infos, page).map(toInfo);
}

/**
 * Returns the summary of a session; `undefined` if there is no such session.
 *
 * @example Get the summary of a session
 * ```ts ignore
 * import { getSessionInfo } from "@sluice/agent/compat";
 *
 * const info = await getSessionInfo("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11");
 * ```
 */
export async function getSessionInfo(
  sessionId: string,
  options: GetSessionInfoOptions = {},
): Promise<SDKSessionInfo | undefined> {
  if (!isSessionId(sessionId)) return undefined;
  const { shelf } = await opened(options);
  const info = await shelf.info(sessionId);
  return info && toInfo(info);
}

/**
 * Returns the messages of a session, oldest first; an empty list if there is no such session.
 *
 * @example Read the messages of a session
 * ```ts ignore
 * import { getSessionMessages } from "@sluice/agent/compat";
 *
 * const messages = await getSessionMessages("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11");
 * ```
 */
export async function getSessionMessages(
  sessionId: string,
  options: GetSessionMessagesOptions = {},
): Promise<SessionMessage[]> {
  if (!isSessionId(sessionId)) return [];
  const { shelf } = await opened(options);
  const { sessionMessages } = await import("./session_messages.ts");
  return await sessionMessages(shelf, sessionId, options);
}

/**
 * Lists the ids of the subagents of a session; an empty list if there is no such session.
 *
 * @example List the subagents of a session
 * ```ts ignore
 * import { listSubagents } from "@sluice/agent/compat";
 *
 * const ids = await listSubagents("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11");
 * ```
 */
export async function listSubagents(
  sessionId: string,
  options: ListSubagentsOptions = {},
): Promise<string[]> {
  if (!isSessionId(sessionId)) return [];
  checkSubkeys(options.sessionStore);
  const { shelf, subagentsOn } = await opened(options);
  return await subagentsOn(shelf, sessionId);
}

/**
 * Returns the messages of a subagent, oldest first; an empty list if there is no such subagent.
 *
 * @example Read the messages of a subagent
 * ```ts ignore
 * import { getSubagentMessages } from "@sluice/agent/compat";
 *
 * const messages = await getSubagentMessages("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11", "a1");
 * ```
 */
export async function getSubagentMessages(
  sessionId: string,
  agentId: string,
  options: GetSubagentMessagesOptions = {},
): Promise<SessionMessage[]> {
  if (!isSessionId(sessionId) || !agentId) return [];
  const { shelf } = await opened(options);
  const { sessionMessages } = await import("./session_messages.ts");
  // The official package leaves parallel calls of subagents out.
  const part = { subagent: agentId, includeParallel: false };
  return await sessionMessages(shelf, sessionId, { ...options, ...part });
}

/**
 * Copies a session, or its beginning, under a new id.
 *
 * @throws {Error} If there is no such session or message
 *
 * @example Copy a session
 * ```ts ignore
 * import { forkSession } from "@sluice/agent/compat";
 *
 * const { sessionId } = await forkSession("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11");
 * ```
 */
export async function forkSession(
  sessionId: string,
  options: ForkSessionOptions = {},
): Promise<ForkSessionResult> {
  checkId(sessionId);
  const { shelf, forkOn } = await opened(options);
  const copy = await forkOn(shelf, sessionId, {
    ...options,
    upToMessageId: options.upToMessageId || undefined,
  });
  if (copy === undefined) {
    throw notFound(sessionId, options.sessionStore ? undefined : options.dir);
  }
  return { sessionId: copy };
}

/**
 * Sets the title of a session.
 *
 * @throws {Error} If there is no such session, or the title is empty
 *
 * @example Set the title of a session
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
 * Sets the tag of a session; `null` removes it.
 *
 * @throws {Error} If there is no such session, or the tag is empty
 *
 * @example Tag a session
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
  const text = tag === null ? "" : visible(tag).trim();
  if (tag !== null && text === "") {
    throw new Error("tag must be non-empty (use null to clear)");
  }
  await mark(sessionId, { type: "tag", tag: text }, options);
}

/**
 * Archives a session, until its next prompt.
 *
 * @throws {Error} If there is no such session
 *
 * @example Archive a session
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
 * Unarchives a session.
 *
 * @throws {Error} If there is no such session
 *
 * @example Unarchive a session
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
 * Deletes a session with its subagents.
 *
 * @throws {Error} If there is no such session
 *
 * @example Delete a session
 * ```ts ignore
 * import { deleteSession } from "@sluice/agent/compat";
 *
 * await deleteSession("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11");
 * ```
 */
export async function deleteSession(
  sessionId: string,
  options: SessionMutationOptions = {},
): Promise<void> {
  checkId(sessionId);
  const { sessionStore } = options;
  if (sessionStore && !sessionStore.delete) return;
  const { shelf, removeOn } = await opened(options);
  if (await removeOn(shelf, sessionId)) return;
  throw notFound(sessionId, options.dir ?? null);
}

/**
 * Copies a session of the CLI into a store.
 *
 * @throws {Error} If there is no such session
 *
 * @example Copy a session into a store
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
  const { dir, includeSubagents, batchSize } = options;
  const key = { projectKey: await projectKey(await hostOf(), dir), sessionId };
  const { addTo, copySession } = await import("../transcripts/copy.ts");
  const { shelf } = await opened(
    dir === undefined ? {} : { dir },
  );
  const atOnce = batchSize !== undefined && batchSize > 0
    ? batchSize
    : undefined;
  const add = (part: SessionKey, entries: readonly SessionStoreEntry[]) =>
    addTo(store, part, entries, atOnce);
  const isThere = await copySession(shelf, key, add, includeSubagents);
  if (!isThere) throw notFound(sessionId);
}

/** Has every key, as in the official SDK. */
function toInfo(info: TranscriptInfo): SDKSessionInfo {
  return {
    sessionId: info.sessionId,
    summary: info.summary,
    lastModified: info.updated.getTime(),
    fileSize: info.bytes,
    customTitle: info.title,
    firstPrompt: info.firstPrompt,
    gitBranch: info.gitBranch,
    cwd: info.cwd,
    tag: info.tag,
    createdAt: info.created?.getTime(),
    ...info.bytes !== undefined && { archived: info.isArchived },
  };
}

/** A text without invisible characters, as the official SDK keeps tags; other values unchanged. */
function visible(text: string): string {
  if (typeof text !== "string") return text;
  return text.normalize("NFKC").replace(/[\p{Cf}\p{Cn}\p{Co}\p{Cs}]/gu, "");
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
  const file = await findFile(host, localPlace(host, dir), sessionId);
  const { setArchived } = await import("../transcripts/local_shelf.ts");
  const isThere = file !== undefined && await setArchived(host, file, archived);
  if (!isThere) throw notFound(sessionId, dir ?? null);
}

async function mark(
  sessionId: string,
  fields: { readonly type: string; readonly [key: string]: unknown },
  options: SessionMutationOptions,
): Promise<void> {
  const { shelf } = await opened(options);
  const isThere = await shelf.add(sessionId, { ...fields, sessionId });
  if (!isThere) throw notFound(sessionId, options.dir ?? null);
}
