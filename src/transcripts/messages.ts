import { branchOf } from "./branch.ts";
import { AGENT_METADATA } from "./lines.ts";
import { linesOn, partsOn, type Shelf } from "./shelf.ts";

/** One message of a session. */
export interface TranscriptMessage {
  /** Its author. */
  readonly type: "user" | "assistant" | "system";
  /** Id of its line. */
  readonly uuid: string;
  /** Id of the session. */
  readonly sessionId: string;
  /** Time, as `2026-01-31T12:00:00.000Z`; absent if the line has none. */
  readonly timestamp?: string;
  /** The message in the format of the model's API: `role` and `content`; `undefined` for the CLI's own lines. */
  readonly message: unknown;
  /** The tool call that started its subagent; `null` in the main conversation. */
  readonly parentToolUseId: string | null;
  /** The subagent that started its subagent; `null` in the main conversation and for its subagents. */
  readonly parentAgentId: string | null;
  /** True for the summary that a compaction left. */
  readonly isCompactSummary?: true;
  /** True for a line that the CLI wrote by itself, such as a summary. */
  readonly isMeta?: true;
}

/** Messages of a session's current branch, or of a subagent, oldest first; `undefined` if there is no such session. */
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
    ? await pathOf(shelf, sessionId, subagent)
    : undefined;
  if (isSubagent && path === undefined) return undefined;
  const entries = await linesOn(shelf, sessionId, path);
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
    const isSummary = entry.isCompactSummary === true;
    return [{
      type,
      uuid: String(uuid),
      sessionId: String(sessionId),
      ...typeof timestamp === "string" && { timestamp },
      message,
      parentToolUseId,
      parentAgentId,
      ...isSummary && { isCompactSummary: true },
      ...(isSummary || isMeta === true ||
        entry.isVisibleInTranscriptOnly === true) && { isMeta: true },
    }];
  });
}

export async function subagentsOn(
  shelf: Shelf,
  sessionId: string,
): Promise<string[]> {
  const paths = await partsOn(shelf, sessionId);
  return [...new Set(paths.flatMap((path) => subagentOf(path) ?? []))];
}

/** The part of a subagent; its usual one in a store that cannot list them. */
async function pathOf(
  shelf: Shelf,
  sessionId: string,
  subagent: string,
): Promise<string | undefined> {
  if (!shelf.store.listSubkeys) return `subagents/agent-${subagent}`;
  const paths = await partsOn(shelf, sessionId);
  return paths.find((one) => subagentOf(one) === subagent);
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function subagentOf(subpath: string): string | undefined {
  return /subagents\/(?:.*\/)?agent-([^/]*)$/s.exec(subpath)?.[1];
}
