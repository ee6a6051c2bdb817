import { TranscriptError } from "../errors/transcript.ts";
import { show } from "../errors/text.ts";
import type { Host } from "../ports/host.ts";
import { SESSION_SUFFIX } from "../session/files.ts";
import { branchOf, mainLinesIn, messageId } from "./branch.ts";
import { addTo, AGENT_METADATA, entriesIn, missingIn } from "./lines.ts";
import {
  addLines,
  atFile,
  entriesOf,
  findFile,
  type LocalFile,
  type LocalPlace,
  partEntries,
  partsOf,
  projectKey,
  sessionFiles,
  writeNew,
} from "./local_files.ts";
import type {
  TranscriptEntry,
  TranscriptKey,
  TranscriptStore,
} from "./store.ts";
import { foldSummary, infoOf, type TranscriptInfo } from "./summary.ts";

/** So many sessions are looked into at once. */
const AT_ONCE = 16;

/** Of a file that is larger than four of these only its beginning and its end are read, for a list. */
const PART_BYTES = 64 * 1024;

/** Where sessions are, be it the CLI's own files or a store: everything that is done with sessions is done on one of these. */
export interface Shelf {
  /** The sessions, the newest first; each says what is known of it, `undefined` where it is none for a list. */
  list(): Promise<readonly (() => Promise<TranscriptInfo | undefined>)[]>;
  /** What is known of a session; `undefined` where there is none. */
  info(sessionId: string): Promise<TranscriptInfo | undefined>;
  /** The lines of a session, or of a part of it; `undefined` where there is none. */
  load(
    sessionId: string,
    subpath?: string,
  ): Promise<readonly TranscriptEntry[] | undefined>;
  /** The parts of a session beside the main one. */
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

/** The CLI's own files. */
export function localShelf(host: Host, place: LocalPlace): Shelf {
  const find = (sessionId: string) => findFile(host, place, sessionId);
  return {
    async list() {
      const files = await sessionFiles(host, place);
      return files.map((file) => () => infoOfFile(host, file));
    },
    async info(sessionId) {
      const file = await find(sessionId);
      return file && await infoOfFile(host, file);
    },
    async load(sessionId, subpath) {
      const file = await find(sessionId);
      if (file === undefined) return undefined;
      if (subpath === undefined) return await entriesOf(host, file.path);
      const part = `${file.folder}/${sessionId}/${subpath}${SESSION_SUFFIX}`;
      return await partEntries(host, part);
    },
    async subpaths(sessionId) {
      const file = await find(sessionId);
      return file === undefined ? [] : await partsOf(host, file);
    },
    async note(sessionId, note) {
      const file = await find(sessionId);
      if (file === undefined) return false;
      const { path } = file;
      const lines = [{ ...note, sessionId }];
      await atFile(sessionId, path, () => addLines(host, path, lines));
      return true;
    },
    async create(sessionId, entries, beside) {
      const folder = beside === undefined
        ? `${place.projects}/${await projectKey(host, place.cwd)}`
        : (await find(beside))?.folder;
      if (folder === undefined) throw notFound(beside ?? sessionId);
      const path = `${folder}/${sessionId}${SESSION_SUFFIX}`;
      await atFile(sessionId, path, () => writeNew(host, path, entries));
    },
    async remove(sessionId) {
      const file = await find(sessionId);
      if (file === undefined) return false;
      await host.files.remove(file.path);
      await host.files.remove(`${file.folder}/${sessionId}`);
      return true;
    },
  };
}

/** The sessions of one project in a store. */
export function storedShelf(store: TranscriptStore, projectKey: string): Shelf {
  const load = async (sessionId: string, subpath?: string) => {
    const key = { projectKey, sessionId };
    const entries = await store.load(
      subpath === undefined ? key : { ...key, subpath },
    );
    return entries === null || entries.length === 0 ? undefined : entries;
  };
  return {
    async list() {
      if (!store.listSessions && !store.listSessionSummaries) {
        throw lacks("listSessions", "list its sessions");
      }
      const summaries = await store.listSessionSummaries?.(projectKey) ?? [];
      const byId = new Map(summaries.map((one) => [one.sessionId, one]));
      const sessions = await store.listSessions?.(projectKey) ?? summaries;
      const newest = sessions.toSorted((a, b) => b.mtime - a.mtime);
      return newest.map(({ sessionId, mtime }) => async () => {
        const summary = byId.get(sessionId);
        // One that is older than the session has not seen all of it.
        if (summary && summary.mtime >= mtime) return infoOf(summary);
        const entries = await load(sessionId);
        return entries &&
          infoOf(foldSummary(undefined, sessionId, entries, mtime));
      });
    },
    async info(sessionId) {
      const entries = await load(sessionId);
      if (entries === undefined) return undefined;
      const newest = Date.parse(String(entries.at(-1)?.timestamp));
      const mtime = Number.isNaN(newest) ? Date.now() : newest;
      return infoOf(foldSummary(undefined, sessionId, entries, mtime));
    },
    load,
    async subpaths(sessionId) {
      if (!store.listSubkeys) throw lacks("listSubkeys", "list subagents");
      return await store.listSubkeys({ projectKey, sessionId });
    },
    async note(sessionId, note) {
      const uuid = crypto.randomUUID();
      const timestamp = new Date().toISOString();
      const entry = { ...note, sessionId, uuid, timestamp };
      await store.append({ projectKey, sessionId }, [entry]);
      return true;
    },
    async create(sessionId, entries) {
      await store.append({ projectKey, sessionId }, entries);
    },
    async remove(sessionId) {
      if (!store.delete) throw lacks("delete", "remove a session");
      await store.delete({ projectKey, sessionId });
      return true;
    },
  };
}

/** What is known of sessions, the newest first; looks into no more of them than are wanted. */
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

/** One message of a session. */
export interface TranscriptMessage {
  /** Who said it. */
  readonly type: "user" | "assistant" | "system";
  /** Id of its line. */
  readonly uuid: string;
  /** Id of the session. */
  readonly sessionId: string;
  /** When it was said, as `2026-01-31T12:00:00.000Z`; absent where the line does not tell. */
  readonly timestamp?: string;
  /** What was said, as the model's API has it: `role` and `content`; `undefined` for what the CLI says of itself. */
  readonly message: unknown;
  /** The tool call that began the subagent which said it; `null` in the main line. */
  readonly parentToolUseId: string | null;
  /** The subagent that began that one; `null` in the main line, and for subagents of it. */
  readonly parentAgentId: string | null;
}

/** The messages of the conversation that a session, or one of its subagents, is at, the oldest first; `undefined` where there is none. */
export async function messagesOn(
  shelf: Shelf,
  sessionId: string,
  { subagent, includeSystemMessages = false, includeParallel }: {
    readonly subagent?: string | undefined;
    readonly includeSystemMessages?: boolean | undefined;
    /** Whether to include parallel calls and results that are beside the chain of parents; true. */
    readonly includeParallel?: boolean | undefined;
  },
): Promise<TranscriptMessage[] | undefined> {
  const isSubagent = subagent !== undefined;
  const path = isSubagent
    ? (await shelf.subpaths(sessionId)).find((one) =>
      subagentOf(one) === subagent
    )
    : undefined;
  if (isSubagent && path === undefined) return undefined;
  const entries = await shelf.load(sessionId, path);
  if (entries === undefined) return isSubagent ? [] : undefined;
  const meta = isSubagent
    ? entries.findLast(({ type }) => type === AGENT_METADATA)
    : undefined;
  const parentToolUseId = textOrNull(meta?.toolUseId);
  const parentAgentId = textOrNull(meta?.parentAgentId);
  const branch = branchOf(entries, { isSubagent, includeParallel });
  return branch.flatMap((entry): TranscriptMessage[] => {
    const { type, uuid, sessionId, timestamp, message, isMeta } = entry;
    const isSpoken = type === "user" || type === "assistant" ||
      type === "system" && includeSystemMessages && !isSubagent;
    if (!isSpoken || isMeta === true && !isSubagent) return [];
    return [{
      type,
      uuid: String(uuid),
      sessionId: String(sessionId),
      ...typeof timestamp === "string" && { timestamp },
      message,
      parentToolUseId,
      parentAgentId,
    }];
  });
}

/** Ids of the subagents of a session. */
export async function subagentsOn(
  shelf: Shelf,
  sessionId: string,
): Promise<string[]> {
  const paths = await shelf.subpaths(sessionId);
  return [...new Set(paths.flatMap((path) => subagentOf(path) ?? []))];
}

/** Copies a session, or its beginning, under a new id, which is given; `undefined` where there is none to copy. */
export async function forkOn(
  shelf: Shelf,
  from: string,
  { upToMessageId, title }: {
    readonly upToMessageId?: string | undefined;
    readonly title?: string | undefined;
  },
): Promise<string | undefined> {
  const entries = await shelf.load(from);
  if (entries === undefined) return undefined;
  const own = mainLinesIn(entries);
  const last = upToMessageId === undefined
    ? own.length - 1
    : own.findIndex((line) => messageId(line) === upToMessageId);
  const kept = own.slice(0, last + 1).filter(({ type }) => type !== "progress");
  if (kept.length === 0) {
    const message = upToMessageId !== undefined && last === -1
      ? `Message ${upToMessageId} not found in session ${from}`
      : `Session ${from} has no messages to fork`;
    throw new TranscriptError({ message, sessionId: from });
  }
  const sessionId = crypto.randomUUID();
  const byId = new Map(own.map((entry) => [entry.uuid, entry]));
  const ids = new Map(kept.map(({ uuid }) => [uuid, crypto.randomUUID()]));
  // A line that is left out hands on the one before it.
  const parentOf = (id: unknown): string | null => {
    let at = id as string | undefined;
    for (const seen = new Set(); at && !seen.has(at);) {
      const copy = ids.get(at);
      if (copy !== undefined) return copy;
      seen.add(at);
      at = byId.get(at)?.parentUuid as string | undefined;
    }
    return null;
  };
  const copies = kept.map((entry): TranscriptEntry => ({
    ...entry,
    ...entry.compactMetadata !== undefined && {
      compactMetadata: JSON.parse(
        JSON.stringify(keptUpTo(upToMessageId, entry.compactMetadata)),
        (_, value) => ids.get(value) ?? value,
      ),
    },
    uuid: ids.get(entry.uuid) ?? crypto.randomUUID(),
    parentUuid: parentOf(entry.parentUuid),
    ...entry.logicalParentUuid !== undefined && {
      logicalParentUuid: parentOf(entry.logicalParentUuid),
    },
    sessionId,
    isSidechain: false,
    forkedFrom: { sessionId: from, messageUuid: entry.uuid },
  }));
  const before = infoOf(foldSummary(undefined, from, entries));
  const called = before?.title ?? before?.firstPrompt ?? "Forked session";
  const customTitle = title?.trim() || `${called} (fork)`;
  const name = { type: "custom-title", customTitle, sessionId };
  await shelf.create(sessionId, [...copies, name], from);
  return sessionId;
}

/** Metadata of a compaction for a copy: without kept messages that would follow the copy's last one. */
function keptUpTo(uuid: string | undefined, metadata: unknown): unknown {
  const { preservedMessages, preservedSegment, ...rest } = Object(metadata);
  const { anchorUuid } = Object(preservedMessages ?? preservedSegment);
  return uuid !== undefined && anchorUuid === uuid ? rest : metadata;
}

/** Copies a session with its parts into a store, so many lines at once; whether there is such a session. */
export async function copyInto(
  shelf: Shelf,
  store: TranscriptStore,
  key: { readonly projectKey: string; readonly sessionId: string },
  { atOnce, includeSubagents = true, isCompleting = false }: {
    readonly atOnce: number;
    readonly includeSubagents?: boolean | undefined;
    /** Whether what the store has is left out. */
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

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** Id of the subagent that a part of a session is. */
function subagentOf(subpath: string): string | undefined {
  return /subagents\/(?:.*\/)?agent-([^/]*)$/s.exec(subpath)?.[1];
}

async function infoOfFile(
  host: Host,
  file: LocalFile,
): Promise<TranscriptInfo | undefined> {
  const entries = await outerEntries(host, file);
  const { id, modifiedMs, size } = file;
  const info = infoOf(foldSummary(undefined, id, entries, modifiedMs));
  if (info === undefined) return undefined;
  const isArchived = await archivedOf(host, file, entries);
  return {
    ...info,
    bytes: size,
    ...isArchived !== undefined && { isArchived },
    isProgrammatic: entries.some(({ entrypoint }) =>
      typeof entrypoint === "string" && entrypoint.startsWith("sdk")
    ),
  };
}

/** Lines at the beginning and at the end of a file: what a list needs to know. */
async function outerEntries(
  host: Host,
  { path, size }: LocalFile,
): Promise<TranscriptEntry[]> {
  if (size <= 4 * PART_BYTES) return await entriesOf(host, path);
  const file = await host.files.open(path, "read");
  try {
    const parts: string[] = [];
    for (const position of [0, size - PART_BYTES]) {
      const buffer = new Uint8Array(PART_BYTES);
      const count = await file.read(buffer, position);
      parts.push(new TextDecoder().decode(buffer.subarray(0, count)));
    }
    return entriesIn(parts.join("\n"));
  } finally {
    await file.close();
  }
}

/** Whether a session is aside; `undefined` where nobody ever said so. */
async function archivedOf(
  { files }: Host,
  { folder, id }: LocalFile,
  entries: readonly TranscriptEntry[],
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

function lacks(method: string, what: string): TranscriptError {
  return new TranscriptError({
    message: `Store cannot ${what}: it has no ${method}()`,
  });
}
