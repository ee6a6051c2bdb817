import { anchorOf, isCompaction } from "./fork_end.ts";
import type { TranscriptEntry } from "./store.ts";

/**
 * Fields that name something of the session alone, such as the file of its plan. A copy with them would share it.
 * Source: official SDK 0.3.330.
 */
const OF_SESSION: ReadonlySet<string> = new Set([
  "agentName",
  "droppedPromptUuids",
  "requestSessionId",
  "rowsAheadOfPutBack",
  "sentAsUuid",
  "sessionKind",
  "slug",
  "sourceToolAssistantUUID",
  "summarizedTurnPromptUuids",
  "teamName",
  "turnAttributionKey",
]);

/** A line without what belongs to its session alone, which names other lines by the ids of their copies. */
export function copiedLine(
  entry: TranscriptEntry,
  ids: ReadonlyMap<unknown, string>,
  upTo?: string,
): TranscriptEntry {
  const shared = Object.entries(entry).filter(([key]) => !OF_SESSION.has(key));
  return {
    ...Object.fromEntries(shared) as unknown as TranscriptEntry,
    ...compactionOf(entry, ids, upTo),
    ...attachmentOf(entry, ids),
    ...noticeOf(entry, ids),
  };
}

/** The session that sent the request of an answer: the model's provider knows the request by it. */
export function senderOf(entry: TranscriptEntry): unknown {
  const { sessionId } = Object(entry.forkedFrom);
  return [entry.requestSessionId, sessionId, entry.sessionId]
    .find((id) => typeof id === "string");
}

/** Metadata of a compaction: without kept messages that would follow the copy's last one, and without what runs in the original. */
function compactionOf(
  entry: TranscriptEntry,
  ids: ReadonlyMap<unknown, string>,
  upTo: string | undefined,
): object {
  if (entry.compactMetadata === undefined) return {};
  const isLast = upTo !== undefined && isCompaction(entry) &&
    anchorOf(entry) === upTo;
  const metadata = JSON.stringify(entry.compactMetadata, (key, value) => {
    const isLeftOut = key === "runningTurnSends" || isLast && KEPT.has(key);
    return isLeftOut ? undefined : ids.get(value) ?? value;
  });
  return { compactMetadata: JSON.parse(metadata) };
}

const KEPT: ReadonlySet<string> = new Set([
  "preservedMessages",
  "preservedSegment",
  "postTokens",
]);

function attachmentOf(
  { type, attachment }: TranscriptEntry,
  ids: ReadonlyMap<unknown, string>,
): object {
  if (type !== "attachment") return {};
  const { type: kind, nameOnlyAnnouncements: names } = Object(attachment);
  if (kind === "queued_command") {
    return { attachment: sourced(attachment, ids) };
  }
  if (kind !== "deferred_tools_record" || !Array.isArray(names)) return {};
  const nameOnlyAnnouncements = names.flatMap((name) => ids.get(name) ?? []);
  return { attachment: { ...Object(attachment), nameOnlyAnnouncements } };
}

function noticeOf(
  { type, subtype, fold }: TranscriptEntry,
  ids: ReadonlyMap<unknown, string>,
): object {
  if (type !== "system") return {};
  if (subtype === "model_refusal_fallback") return { neutralizedByFork: true };
  const { command } = Object(fold);
  if (subtype !== "voice_call_talk" || !command) return {};
  return { fold: { ...Object(fold), command: sourced(command, ids) } };
}

/** A prompt that names another line as its source. */
function sourced(prompt: unknown, ids: ReadonlyMap<unknown, string>): object {
  const { source_uuid } = Object(prompt);
  return ids.has(source_uuid)
    ? { ...Object(prompt), source_uuid: ids.get(source_uuid) }
    : Object(prompt);
}
