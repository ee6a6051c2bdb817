import { TranscriptError } from "../errors/transcript.ts";
import { mainLinesIn, messageId } from "./branch.ts";
import { beforeLastCompaction } from "./fork_end.ts";
import { copiedLine, senderOf } from "./fork_line.ts";
import { notesOf } from "./fork_notes.ts";
import type { TranscriptEntry } from "./store.ts";
import { foldSummary, infoOf } from "./summary.ts";
import { linesOn, type Shelf } from "./shelf.ts";

/** Copies a session, or its beginning, and returns the new id; `undefined` if the session is missing. */
export async function forkOn(
  shelf: Shelf,
  from: string,
  { upToMessageId, title }: {
    readonly upToMessageId?: string | undefined;
    readonly title?: string | undefined;
  },
): Promise<string | undefined> {
  const key = await shelf.find(from);
  const entries = await linesOn(shelf, from);
  if (key === undefined || entries === undefined) return undefined;
  const own = mainLinesIn(entries);
  const last = upToMessageId === undefined
    ? own.length - 1
    : own.findIndex((line) => messageId(line) === upToMessageId);
  const wanted = upToMessageId === undefined
    ? own
    : beforeLastCompaction(own.slice(0, last + 1));
  const kept = wanted.filter(({ type }) => type !== "progress");
  if (kept.length === 0) {
    const message = upToMessageId !== undefined && last === -1
      ? `Message ${upToMessageId} not found in session ${from}`
      : `Session ${from} has no messages to fork`;
    throw new TranscriptError({ message, sessionId: from });
  }
  const sessionId = crypto.randomUUID();
  const byId = new Map(own.map((entry) => [entry.uuid, entry]));
  const ids = new Map<unknown, string>(
    kept.map(({ uuid }) => [uuid, crypto.randomUUID()]),
  );
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
  const timestamp = new Date().toISOString();
  const copies = kept.map((entry): TranscriptEntry => ({
    ...copiedLine(entry, ids, upToMessageId),
    uuid: ids.get(entry.uuid) ?? crypto.randomUUID(),
    parentUuid: parentOf(entry.parentUuid),
    ...entry.logicalParentUuid !== undefined && {
      logicalParentUuid: parentOf(entry.logicalParentUuid),
    },
    sessionId,
    isSidechain: false,
    ...entry.type === "assistant" && {
      requestSessionId: senderOf(entry) ?? from,
    },
    ...entry === kept.at(-1) && { timestamp },
    forkedFrom: { sessionId: from, messageUuid: entry.uuid },
  }));
  const notes = notesOf(entries, { from, sessionId, timestamp });
  const before = infoOf(foldSummary(undefined, from, entries));
  const called = before?.title ?? before?.firstPrompt ?? "Forked session";
  const customTitle = title?.trim() || `${called} (fork)`;
  const uuid = crypto.randomUUID();
  const name = {
    ...{ type: "custom-title", sessionId, customTitle },
    ...{ uuid, timestamp },
  };
  const lines = [...notes.before, ...copies, ...notes.behind, name];
  await shelf.store.append({ ...key, sessionId }, lines);
  return sessionId;
}
