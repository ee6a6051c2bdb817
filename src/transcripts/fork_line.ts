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

/** A line without what belongs to its session alone. */
export function withoutSession(entry: TranscriptEntry): TranscriptEntry {
  const shared = Object.entries(entry).filter(([key]) => !OF_SESSION.has(key));
  return Object.fromEntries(shared) as unknown as TranscriptEntry;
}

/** The session that sent the request of an answer: the model's provider knows the request by it. */
export function senderOf(entry: TranscriptEntry): unknown {
  const { sessionId } = Object(entry.forkedFrom);
  return [entry.requestSessionId, sessionId, entry.sessionId]
    .find((id) => typeof id === "string");
}
