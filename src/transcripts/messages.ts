import { branchOf } from "./branch.ts";
import { AGENT_METADATA } from "./lines.ts";
import { isOwnLine } from "./origin.ts";
import { linesOn, partsOn, type Shelf } from "./shelf.ts";
import type { TranscriptEntry } from "./store.ts";

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

/** Lines of a branch that are messages, and the calls that started their author. */
interface SpokenLines {
  /** The oldest first. */
  readonly lines: readonly SpokenLine[];
  /** See {@link TranscriptMessage}. */
  readonly parentToolUseId: string | null;
  /** See {@link TranscriptMessage}. */
  readonly parentAgentId: string | null;
}

export type SpokenLine = TranscriptEntry & Pick<TranscriptMessage, "type">;

/** Which messages of a session are read. */
export interface SpokenOptions {
  /** Id of a subagent; absent = the main conversation. */
  readonly subagent?: string | undefined;
  /** Whether to include the CLI's own messages; false. */
  readonly includeSystemMessages?: boolean | undefined;
  /** Whether to include parallel calls and results that are beside the chain of parents; true. */
  readonly includeParallel?: boolean | undefined;
}

/** Messages of a session's current branch, or of a subagent, oldest first; `undefined` if there is no such session. */
export async function messagesOn(
  shelf: Shelf,
  sessionId: string,
  options: SpokenOptions,
): Promise<TranscriptMessage[] | undefined> {
  const spoken = await spokenOn(shelf, sessionId, options);
  return spoken?.lines.map((line): TranscriptMessage => ({
    type: line.type,
    uuid: String(line.uuid),
    sessionId: String(line.sessionId),
    ...typeof line.timestamp === "string" && { timestamp: line.timestamp },
    message: line.message,
    parentToolUseId: spoken.parentToolUseId,
    parentAgentId: spoken.parentAgentId,
    ...line.isCompactSummary === true && { isCompactSummary: true },
    ...isMarked(line) && { isMeta: true },
  }));
}

/** The lines behind {@link messagesOn}. */
export async function spokenOn(
  shelf: Shelf,
  sessionId: string,
  { subagent, includeSystemMessages = false, includeParallel }: SpokenOptions,
): Promise<SpokenLines | undefined> {
  const isSubagent = subagent !== undefined;
  const path = isSubagent
    ? await pathOf(shelf, sessionId, subagent)
    : undefined;
  if (isSubagent && path === undefined) return undefined;
  const entries = await linesOn(shelf, sessionId, path);
  const meta = isSubagent
    ? entries?.findLast(({ type }) => type === AGENT_METADATA)
    : undefined;
  const parents = {
    parentToolUseId: textOrNull(meta?.toolUseId),
    parentAgentId: textOrNull(meta?.parentAgentId),
  };
  if (entries === undefined) {
    return isSubagent ? { ...parents, lines: [] } : undefined;
  }
  const branch = branchOf(entries, { isSubagent, includeParallel });
  const lines = branch.filter((line): line is SpokenLine => {
    const { type } = line;
    const isSpoken = type === "user" || type === "assistant" ||
      type === "system" && includeSystemMessages && !isSubagent;
    return isSpoken && (isSubagent || !isOwnLine(line) && !isQuietEnd(line));
  });
  return { ...parents, lines };
}

/** Whether a line is the placeholder of a turn without an answer. Source: official SDK 0.3.330. */
function isQuietEnd({ type, closesQuietTurn, message }: TranscriptEntry) {
  if (type !== "assistant" || closesQuietTurn !== true) return false;
  const { content } = Object(message);
  const [first, ...others] = Array.isArray(content) ? content : [];
  const { type: kind, text } = Object(first);
  return others.length === 0 && kind === "text" &&
    (text === "" || text === "No response requested.");
}

/** Whether a message is the CLI's, and not a prompt or an answer. */
export function isMarked(
  { isMeta, isCompactSummary, isVisibleInTranscriptOnly }: TranscriptEntry,
): boolean {
  return [isMeta, isCompactSummary, isVisibleInTranscriptOnly].includes(true);
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
