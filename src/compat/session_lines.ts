import type { Host } from "../ports/host.ts";
import { foldSessionSummary, infoOf } from "./store.ts";
import type {
  SessionKey,
  SessionMessage,
  SessionStore,
  SessionStoreEntry,
} from "./types_sessions.ts";

/** Kinds of lines that hang together by `parentUuid`. */
const LINKED: ReadonlySet<string> = new Set([
  "user",
  "assistant",
  "system",
  "attachment",
  "progress",
]);

/** What is told of the messages of a session. */
interface Telling {
  readonly includeSystemMessages?: boolean;
  /** Whether they are those of a subagent, all of which are beside the main line. */
  readonly isSubagent?: boolean;
  readonly parentToolUseId?: string | null;
  readonly parentAgentId?: string | null;
}

/** The messages of the branch that the session is at, the oldest first. */
export function messagesOf(
  entries: readonly SessionStoreEntry[],
  {
    includeSystemMessages = false,
    isSubagent = false,
    parentToolUseId = null,
    parentAgentId = null,
  }: Telling,
): SessionMessage[] {
  return branchOf(entries, isSubagent).flatMap((entry): SessionMessage[] => {
    const { type, uuid, sessionId, message, isMeta } = entry;
    const isWanted = type === "user" || type === "assistant" ||
      (type === "system" && includeSystemMessages);
    if (!isWanted || (isMeta === true && !isSubagent)) return [];
    return [{
      type: type as SessionMessage["type"],
      uuid: String(uuid),
      session_id: String(sessionId),
      message,
      parent_tool_use_id: parentToolUseId,
      parent_agent_id: parentAgentId,
    }];
  });
}

/** Lines from the first to the newest, by what each says of the one before it. */
function branchOf(
  entries: readonly SessionStoreEntry[],
  isSubagent: boolean,
): readonly SessionStoreEntry[] {
  const linked = entries.filter(({ type, uuid, isSidechain }) =>
    LINKED.has(type) && typeof uuid === "string" &&
    (isSubagent || isSidechain !== true)
  );
  const byId = new Map(linked.map((entry) => [entry.uuid, entry]));
  const branch: SessionStoreEntry[] = [];
  const seen = new Set<unknown>();
  let entry = linked.findLast(({ type }) =>
    type === "user" || type === "assistant"
  );
  while (entry !== undefined && !seen.has(entry.uuid)) {
    seen.add(entry.uuid);
    branch.unshift(entry);
    const { parentUuid, logicalParentUuid } = entry;
    entry = byId.get((parentUuid ?? logicalParentUuid) as string);
  }
  return branch;
}

/** The lines of a copy under a new id; every line gets an id of its own. */
export function forked(
  from: string,
  entries: readonly SessionStoreEntry[],
  { upToMessageId, title }: {
    readonly upToMessageId?: string | undefined;
    readonly title?: string | undefined;
  },
): { readonly sessionId: string; readonly entries: SessionStoreEntry[] } {
  const own = entries.filter(({ type, uuid, isSidechain }) =>
    LINKED.has(type) && typeof uuid === "string" && isSidechain !== true
  );
  const last = upToMessageId === undefined
    ? own.length - 1
    : own.findIndex(({ uuid }) => uuid === upToMessageId);
  if (upToMessageId !== undefined && last === -1) {
    throw new Error(`Message ${upToMessageId} not found in session ${from}`);
  }
  const kept = own.slice(0, last + 1).filter(({ type }) => type !== "progress");
  if (kept.length === 0) {
    throw new Error(`Session ${from} has no messages to fork`);
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
  const copies = kept.map((entry): SessionStoreEntry => ({
    ...entry,
    uuid: ids.get(entry.uuid) ?? crypto.randomUUID(),
    parentUuid: parentOf(entry.parentUuid),
    ...entry.logicalParentUuid !== undefined && {
      logicalParentUuid: parentOf(entry.logicalParentUuid),
    },
    sessionId,
    isSidechain: false,
    forkedFrom: { sessionId: from, messageUuid: entry.uuid },
  }));
  const key = { projectKey: "", sessionId: from };
  const before = infoOf(foldSessionSummary(undefined, key, [...entries]));
  const called = before?.customTitle ?? before?.firstPrompt ?? "Forked session";
  const customTitle = title?.trim() || `${called} (fork)`;
  return {
    sessionId,
    entries: [...copies, { type: "custom-title", customTitle, sessionId }],
  };
}

/** Adds a line to the end of a file. */
export async function addLine(
  host: Host,
  path: string,
  entry: SessionStoreEntry,
): Promise<void> {
  await host.files.appendText(path, JSON.stringify(entry) + "\n");
}

/** Writes lines to a new file, which this user alone can read. */
export async function writeNew(
  { files }: Host,
  path: string,
  entries: readonly SessionStoreEntry[],
): Promise<void> {
  const text = entries.map((entry) => JSON.stringify(entry) + "\n").join("");
  const file = await files.open(path, "new");
  try {
    let bytes = new TextEncoder().encode(text);
    while (bytes.length > 0) bytes = bytes.subarray(await file.write(bytes));
  } finally {
    await file.close();
  }
}

/** Adds lines to a store, so many at once. */
export async function addTo(
  store: SessionStore,
  key: SessionKey,
  entries: readonly SessionStoreEntry[],
  size: number,
): Promise<void> {
  for (let at = 0; at < entries.length; at += size) {
    await store.append(key, entries.slice(at, at + size));
  }
}
