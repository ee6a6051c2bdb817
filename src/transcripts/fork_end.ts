import type { TranscriptEntry } from "./store.ts";

/**
 * The beginning of a session without a compaction at its end: a copy that has no summary ends with the last message before it.
 * Source: official SDK 0.3.330.
 */
export function beforeLastCompaction(
  lines: readonly TranscriptEntry[],
): readonly TranscriptEntry[] {
  const last = lines.findLastIndex(({ type }) =>
    type === "user" || type === "assistant"
  );
  const at = lines.findIndex((line, index) =>
    index > last && isCompaction(line)
  );
  const boundary = lines[at];
  if (boundary === undefined) return lines;
  const before = lines.slice(0, at);
  const end = lastCompacted(before, boundary);
  const kept = end === -1 ? before : before.slice(0, end + 1);
  return kept.some(({ type }) => type !== "progress") ? kept : lines;
}

/** Index of the last line that a compaction replaced or kept; -1 if it does not name one. */
function lastCompacted(
  before: readonly TranscriptEntry[],
  boundary: TranscriptEntry,
): number {
  if (anchorOf(boundary) === boundary.uuid) return -1;
  const named = [...keptBy(boundary), boundary.logicalParentUuid];
  const end = before.findLastIndex(({ uuid }) => named.includes(uuid));
  const earlier = before.findLast(isBoundary);
  // A line that an earlier compaction kept is in front of the summary.
  const isKept = earlier && end >= 0 && isCompaction(earlier) &&
    keptBy(earlier).includes(before[end]?.uuid);
  const anchor = isKept ? anchorOf(earlier) : undefined;
  return anchor === undefined
    ? end
    : Math.max(end, before.findLastIndex(({ uuid }) => uuid === anchor));
}

function isBoundary({ type, subtype }: TranscriptEntry): boolean {
  return type === "system" && subtype === "compact_boundary";
}

/** Whether a line is that of a compaction with a summary: one that took no time has none. */
export function isCompaction(line: TranscriptEntry): boolean {
  const { durationMs } = Object(line.compactMetadata);
  return isBoundary(line) &&
    !(durationMs === 0 && anchorOf(line) === line.uuid);
}

/** The line behind which the kept lines stand. */
export function anchorOf({ compactMetadata }: TranscriptEntry): unknown {
  const { preservedMessages, preservedSegment } = Object(compactMetadata);
  return Object(preservedMessages ?? preservedSegment).anchorUuid;
}

function keptBy({ compactMetadata }: TranscriptEntry): readonly unknown[] {
  const { preservedMessages, preservedSegment } = Object(compactMetadata);
  const { uuids } = Object(preservedMessages);
  const { headUuid, tailUuid } = Object(preservedSegment);
  return [...Array.isArray(uuids) ? uuids : [], headUuid, tailUuid]
    .filter((uuid) => uuid !== undefined);
}
