import { canonicalText } from "../errors/canonical.ts";
import { isObject } from "../errors/text.ts";
import { TranscriptError } from "../errors/transcript.ts";
import type { TranscriptEntry } from "./store.ts";
import { foldSummary, infoOf } from "./summary.ts";

/** The kind of line that tells what is known of a subagent; the CLI has it in a file beside the subagent's lines. */
export const AGENT_METADATA = "agent_metadata";

/** One message of a session. */
export interface TranscriptMessage {
  /** Who said it. */
  readonly type: "user" | "assistant" | "system";
  /** Id of its line. */
  readonly uuid: string;
  /** Id of the session. */
  readonly sessionId: string;
  /** What was said, as the model's API has it: `role` and `content`; `undefined` for what the CLI says of itself. */
  readonly message: unknown;
  /** The tool call that began the subagent which said it; `null` in the main line. */
  readonly parentToolUseId: string | null;
  /** The subagent that began that one; `null` in the main line, and for subagents of it. */
  readonly parentAgentId: string | null;
}

/** Kinds of lines that hang together by `parentUuid`. */
const LINKED: ReadonlySet<string> = new Set([
  "user",
  "assistant",
  "system",
  "attachment",
  "progress",
]);

/** Who began a subagent. */
type Parents = Pick<TranscriptMessage, "parentToolUseId" | "parentAgentId">;

/** The messages of the branch that the session, or a subagent with these parents, is at, the oldest first. */
export function messagesOf(
  entries: readonly TranscriptEntry[],
  includesSystem: boolean,
  parents?: Parents,
): TranscriptMessage[] {
  const isSubagent = parents !== undefined;
  return branchOf(entries, isSubagent).flatMap((entry): TranscriptMessage[] => {
    const { type, uuid, sessionId, message, isMeta } = entry;
    if (!isSpoken(type) || (type === "system" && !includesSystem)) return [];
    if (isMeta === true && !isSubagent) return [];
    return [{
      type,
      uuid: String(uuid),
      sessionId: String(sessionId),
      message,
      parentToolUseId: parents?.parentToolUseId ?? null,
      parentAgentId: parents?.parentAgentId ?? null,
    }];
  });
}

function isSpoken(type: string): type is TranscriptMessage["type"] {
  return type === "user" || type === "assistant" || type === "system";
}

/** Lines from the first to the newest, by what each says of the one before it. */
export function branchOf(
  entries: readonly TranscriptEntry[],
  isSubagent = false,
): readonly TranscriptEntry[] {
  const linked = linkedIn(entries, isSubagent);
  const byId = new Map(linked.map((entry) => [entry.uuid, entry]));
  const branch: TranscriptEntry[] = [];
  const seen = new Set<unknown>();
  let entry = linked.findLast(({ type }) =>
    type === "user" || type === "assistant"
  );
  while (entry !== undefined && !seen.has(entry.uuid)) {
    seen.add(entry.uuid);
    branch.push(entry);
    const { parentUuid, logicalParentUuid } = entry;
    entry = byId.get((parentUuid ?? logicalParentUuid) as string);
  }
  return branch.reverse();
}

/** Lines that hang together; those of a subagent are all beside the main line. */
function linkedIn(
  entries: readonly TranscriptEntry[],
  isSubagent: boolean,
): readonly TranscriptEntry[] {
  return entries.filter(({ type, uuid, isSidechain }) =>
    LINKED.has(type) && typeof uuid === "string" &&
    (isSubagent || isSidechain !== true)
  );
}

/** The lines of a copy under a new id; every line gets an id of its own. */
export function forked(
  from: string,
  entries: readonly TranscriptEntry[],
  { upToMessageId, title }: {
    readonly upToMessageId?: string | undefined;
    readonly title?: string | undefined;
  },
): { readonly sessionId: string; readonly entries: TranscriptEntry[] } {
  const own = linkedIn(entries, false);
  const last = upToMessageId === undefined
    ? own.length - 1
    : own.findIndex(({ uuid }) => uuid === upToMessageId);
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
  return {
    sessionId,
    entries: [...copies, { type: "custom-title", customTitle, sessionId }],
  };
}

/** All lines in one text, each with its newline. */
export function textOf(entries: readonly TranscriptEntry[]): string {
  return entries.map((entry) => JSON.stringify(entry) + "\n").join("");
}

/** The lines in a text; what is no line of a session, or was cut off by a crash, is left out. */
export function entriesIn(text: string): TranscriptEntry[] {
  return text.split("\n").flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return isEntry(value) ? [value] : [];
    } catch {
      // An empty line, or one that was cut.
      return [];
    }
  });
}

/** Whether a value is a line of a session. */
export function isEntry(value: unknown): value is TranscriptEntry {
  return isObject<unknown>(value) && typeof value.type === "string";
}

/**
 * Those of the first list that are not in the second. Lines without an id, such as titles, may rightly come again: they
 * are counted.
 */
export function missingIn(
  entries: readonly TranscriptEntry[],
  others: readonly TranscriptEntry[],
): TranscriptEntry[] {
  const ids = new Set<string>();
  const counts = new Map<string, number>();
  for (const entry of others) {
    const { uuid } = entry;
    if (typeof uuid === "string") ids.add(uuid);
    else {
      const text = canonicalText(entry);
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  return entries.filter((entry) => {
    if (typeof entry.uuid === "string") return !ids.has(entry.uuid);
    const text = canonicalText(entry);
    const left = counts.get(text) ?? 0;
    if (left > 0) counts.set(text, left - 1);
    return left === 0;
  });
}
