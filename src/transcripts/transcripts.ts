import { either, integer } from "../options/fields.ts";
import { refuse } from "../options/refuse.ts";
import { projectKey } from "./places.ts";
import { restore, unsafeParts } from "./restore.ts";
import { infosOf, linesOn, notFound, partsOn, removeOn } from "./shelf.ts";
import { complete, copySession } from "./copy.ts";
import { forkOn } from "./fork.ts";
import { messagesOn, subagentsOn, type TranscriptMessage } from "./messages.ts";
import type { TranscriptEntry, TranscriptStore } from "./store.ts";
import type { TranscriptInfo } from "./summary.ts";
import {
  checkId,
  openStore,
  projectsOf,
  shelfOf,
  type TranscriptPlace,
} from "./place.ts";

/** A page of a list. */
export interface TranscriptPage {
  /** Maximum number; all. */
  readonly limit?: number | undefined;
  /** Number to skip; 0. */
  readonly offset?: number | undefined;
}

/**
 * Lists sessions of the CLI, last changed first.
 *
 * @param options Where to look, and which page
 * @returns Their summaries; empty if there are none
 * @throws {TranscriptError} If the store fails, or cannot list
 *
 * @example List the sessions of a store
 * ```ts
 * import { listTranscripts, memoryTranscripts } from "@sluice/agent/transcripts";
 * import assert from "node:assert/strict";
 *
 * const store = memoryTranscripts();
 * const key = { projectKey: "letters", sessionId: "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11" };
 * await store.append(key, [{ type: "custom-title", customTitle: "To Charles" }]);
 * const [newest] = await listTranscripts({ store, projectKey: "letters" });
 * assert.equal(newest?.title, "To Charles");
 * ```
 */
export async function listTranscripts(
  options: TranscriptPlace & TranscriptPage = {},
): Promise<readonly TranscriptInfo[]> {
  const { limit, offset } = options;
  checkPage(options);
  return await infosOf(await shelfOf(options), { limit, offset });
}

/**
 * Reads the messages of a session, the oldest first.
 *
 * Shape:
 * - The newest branch, with all parallel tool calls and their results.
 * - After a compaction its summary, the messages kept word for word, and the later ones.
 *
 * @param sessionId Its id
 * @param options Where to look, and which messages: of a subagent, with the CLI's own
 * @returns The messages
 * @throws {ConfigError} If the id is not a UUID
 * @throws {TranscriptError} If there is no such session or subagent, or the store fails
 *
 * @example Read the first message
 * ```ts
 * import { memoryTranscripts, readTranscript } from "@sluice/agent/transcripts";
 * import assert from "node:assert/strict";
 *
 * const store = memoryTranscripts();
 * const sessionId = "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11";
 * await store.append({ projectKey: "letters", sessionId }, [
 *   { type: "user", uuid: "1", parentUuid: null, message: { role: "user", content: "Dear Charles" } },
 * ]);
 * const [first] = await readTranscript(sessionId, { store, projectKey: "letters" });
 * assert.equal(first?.type, "user");
 * ```
 */
export async function readTranscript(
  sessionId: string,
  options: TranscriptPlace & {
    /** Id of a subagent, see `listSubagents()`; absent = the main line. */
    readonly subagent?: string | undefined;
    /** Whether to include the CLI's own messages; false. */
    readonly includeSystem?: boolean | undefined;
  } = {},
): Promise<readonly TranscriptMessage[]> {
  checkId(sessionId);
  const { subagent, includeSystem } = options;
  const shelf = await shelfOf(options);
  const messages = await messagesOn(shelf, sessionId, {
    subagent,
    includeSystemMessages: includeSystem,
  });
  if (messages !== undefined) return messages;
  throw notFound(sessionId, subagent);
}

/**
 * Lists the subagents of a session.
 *
 * @param sessionId Its id
 * @param options Where
 * @returns Their ids; empty if the session has none, or is missing
 * @throws {ConfigError} If the id is not a UUID
 * @throws {TranscriptError} If the store fails, or cannot list
 *
 * @example List the subagents of a session
 * ```ts
 * import { listSubagents, memoryTranscripts } from "@sluice/agent/transcripts";
 * import assert from "node:assert/strict";
 *
 * const store = memoryTranscripts();
 * const key = { projectKey: "letters", sessionId: "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11" };
 * await store.append({ ...key, subpath: "subagents/agent-a1" }, [{ type: "user" }]);
 * assert.deepEqual(await listSubagents(key.sessionId, { store, projectKey: "letters" }), ["a1"]);
 * ```
 */
export async function listSubagents(
  sessionId: string,
  options: TranscriptPlace = {},
): Promise<readonly string[]> {
  checkId(sessionId);
  return await subagentsOn(await shelfOf(options), sessionId);
}

/**
 * Copies a session, or its beginning, under a new id.
 *
 * @param sessionId Its id
 * @param options Where to look, the last message to copy (the id of its line), and the title of the copy
 * @returns The id of the copy
 * @throws {ConfigError} If the id is not a UUID
 * @throws {TranscriptError} If there is no such session or message, or the store fails
 *
 * @example Copy a session
 * ```ts
 * import { forkTranscript, listTranscripts, memoryTranscripts } from "@sluice/agent/transcripts";
 * import assert from "node:assert/strict";
 *
 * const place = { store: memoryTranscripts(), projectKey: "letters" };
 * const sessionId = "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11";
 * await place.store.append({ projectKey: "letters", sessionId }, [
 *   { type: "user", uuid: "1", parentUuid: null, message: { role: "user", content: "Dear Charles" } },
 * ]);
 * const copy = await forkTranscript(sessionId, { ...place, title: "Another beginning" });
 * assert.deepEqual((await listTranscripts(place)).map((one) => one.sessionId), [copy, sessionId]);
 * ```
 */
export async function forkTranscript(
  sessionId: string,
  options: TranscriptPlace & {
    /** Id of the last message that is copied; the newest one. */
    readonly upTo?: string | undefined;
    /** The title of the copy; that of the session and "(fork)". */
    readonly title?: string | undefined;
  } = {},
): Promise<string> {
  checkId(sessionId);
  const { upTo, title } = options;
  const shelf = await shelfOf(options);
  const copy = await forkOn(shelf, sessionId, { upToMessageId: upTo, title });
  if (copy === undefined) throw notFound(sessionId);
  return copy;
}

/**
 * Sets the title of a session.
 *
 * @param sessionId Its id
 * @param title The title
 * @param options Where
 * @throws {ConfigError} If the id is not a UUID, or the title is empty
 * @throws {TranscriptError} If there is no such session, or the store fails
 *
 * @example Set the title of a session
 * ```ts ignore
 * import { renameTranscript } from "@sluice/agent/transcripts";
 *
 * await renameTranscript("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11", "Letters");
 * ```
 */
export async function renameTranscript(
  sessionId: string,
  title: string,
  options: TranscriptPlace = {},
): Promise<void> {
  const customTitle = trimmed("title", title);
  await note(sessionId, { type: "custom-title", customTitle }, options);
}

/**
 * Sets or removes the tag of a session.
 *
 * @param sessionId Its id
 * @param tag The tag; `null` = none
 * @param options Where
 * @throws {ConfigError} If the id is not a UUID, or the tag is empty
 * @throws {TranscriptError} If there is no such session, or the store fails
 *
 * @example Tag a session
 * ```ts ignore
 * import { tagTranscript } from "@sluice/agent/transcripts";
 *
 * await tagTranscript("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11", "later");
 * ```
 */
export async function tagTranscript(
  sessionId: string,
  tag: string | null,
  options: TranscriptPlace = {},
): Promise<void> {
  const text = tag === null ? "" : trimmed("tag", tag);
  await note(sessionId, { type: "tag", tag: text }, options);
}

/**
 * Removes a session with all its parts.
 *
 * @param sessionId Its id
 * @param options Where
 * @returns Whether the session existed
 * @throws {ConfigError} If the id is not a UUID
 * @throws {TranscriptError} If the store fails, or cannot delete
 *
 * @example Delete a session
 * ```ts
 * import { deleteTranscript, memoryTranscripts } from "@sluice/agent/transcripts";
 * import assert from "node:assert/strict";
 *
 * const place = { store: memoryTranscripts(), projectKey: "letters" };
 * assert.equal(await deleteTranscript("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11", place), false);
 * ```
 */
export async function deleteTranscript(
  sessionId: string,
  options: TranscriptPlace = {},
): Promise<boolean> {
  checkId(sessionId);
  const { store } = options;
  const shelf = await shelfOf(options);
  if (store !== undefined) {
    // Parts may have come without their session.
    const isThere = await linesOn(shelf, sessionId) !== undefined ||
      store.listSubkeys !== undefined &&
        (await partsOn(shelf, sessionId)).length > 0;
    if (!isThere) return false;
  }
  return await removeOn(shelf, sessionId);
}

/**
 * Copies a session of the CLI's own files into a store, with its subagents; adds only what the store lacks.
 *
 * @param sessionId Its id
 * @param options The store, and where the files are
 * @throws {ConfigError} If the id is not a UUID
 * @throws {TranscriptError} If there is no such session, or the store fails
 *
 * @example Copy a session into a store
 * ```ts ignore
 * import { directoryTranscripts, importTranscript } from "@sluice/agent/transcripts";
 *
 * const store = directoryTranscripts("/mnt/shared/transcripts");
 * await importTranscript("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11", { store });
 * ```
 */
export async function importTranscript(
  sessionId: string,
  options: TranscriptPlace & {
    /** The store. */
    readonly store: TranscriptStore;
  },
): Promise<void> {
  checkId(sessionId);
  const { store, projectKey } = await openStore(options);
  const shelf = await shelfOf({ ...options, store: undefined });
  const add = (...part: Parameters<TranscriptStore["append"]>) =>
    complete(store, ...part);
  const isThere = await copySession(shelf, { projectKey, sessionId }, add);
  if (!isThere) throw notFound(sessionId);
}

/**
 * Writes a session of a store where the CLI looks for it, with its subagents; existing files get only what they lack.
 *
 * The option `transcripts` does so automatically; call this for a CLI behind a transport or in a container.
 *
 * @param sessionId Its id
 * @param options The store, and where the files are
 * @throws {ConfigError} If the id is not a UUID
 * @throws {TranscriptError} If the store has no such session, fails, or names parts that would lie elsewhere
 *
 * @example Write a session of a store to disk
 * ```ts ignore
 * import { directoryTranscripts, restoreTranscript } from "@sluice/agent/transcripts";
 *
 * const store = directoryTranscripts("/mnt/shared/transcripts");
 * await restoreTranscript("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11", { store, configDirectory: "/home/ada/.claude" });
 * ```
 */
export async function restoreTranscript(
  sessionId: string,
  options: TranscriptPlace & {
    /** The store. */
    readonly store: TranscriptStore;
  },
): Promise<void> {
  checkId(sessionId);
  const { host, store, projectKey: own } = await openStore(options);
  const key = { projectKey: own, sessionId };
  const { isStored, unsafe } = await restore(host, store, key, {
    projects: projectsOf(host, options),
    projectKey: await projectKey(host, options.cwd),
  });
  if (!isStored) throw notFound(sessionId);
  if (unsafe.length > 0) throw unsafeParts(sessionId, unsafe);
}

async function note(
  sessionId: string,
  line: TranscriptEntry,
  options: TranscriptPlace,
): Promise<void> {
  checkId(sessionId);
  const shelf = await shelfOf(options);
  // A store would begin a session with it.
  const isThere = options.store === undefined ||
    await linesOn(shelf, sessionId) !== undefined;
  if (!isThere || !await shelf.add(sessionId, { ...line, sessionId })) {
    throw notFound(sessionId);
  }
}

/** A number of sessions. */
const count = either(
  (value) => value === Infinity,
  () => {},
  integer({ min: 0 }),
);

function checkPage({ limit = 0, offset = 0 }: TranscriptPage): void {
  count(limit, "limit");
  count(offset, "offset");
}

function trimmed(key: string, text: string): string {
  const trimmed = typeof text === "string" ? text.trim() : "";
  if (trimmed === "") refuse(key, text, "a text with content");
  return trimmed;
}
