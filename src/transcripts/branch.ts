import { localCommandsIn } from "./local_commands.ts";
import { queuedOrigin } from "./origin.ts";
import { type Lines, resultIds, withParallel } from "./parallel.ts";
import type { TranscriptEntry } from "./store.ts";

const LINKED: ReadonlySet<string> = new Set([
  "user",
  "assistant",
  "system",
  "attachment",
  "progress",
]);

export interface BranchOptions {
  /** Whether all lines are those of a subagent, which are marked as beside the main conversation; false. */
  readonly isSubagent?: boolean | undefined;
  /** Whether to include what compactions replaced by a summary; false. */
  readonly includeCompacted?: boolean | undefined;
  /** Whether to include parallel calls and results that are beside the chain of parents; true. */
  readonly includeParallel?: boolean | undefined;
}

/** Text that the CLI writes as the user's when a turn is interrupted. */
const INTERRUPTED = /^\[Request interrupted by user/;

/**
 * The conversation that a session is at, the oldest line first: from the newest compaction, or the beginning, to the newest
 * message.
 *
 * A prompt that the CLI inserted while the model was at work is an attachment in the file, and a line of the user here.
 */
export function branchOf(
  entries: readonly TranscriptEntry[],
  {
    isSubagent = false,
    includeCompacted = false,
    includeParallel = true,
  }: BranchOptions = {},
): readonly TranscriptEntry[] {
  const isOwn = (entry: TranscriptEntry) => isSubagent || isMain(entry);
  const lines = linesOf(entries);
  if (!includeCompacted) relinkKept(lines);
  const parentOf = ({ parentUuid, logicalParentUuid }: TranscriptEntry) =>
    lines.get(parentUuid ?? (includeCompacted ? logicalParentUuid : null));
  const upFrom = (line: TranscriptEntry | undefined) => {
    const up: TranscriptEntry[] = [];
    for (
      const seen = new Set();
      line && !seen.has(line);
      line = parentOf(line)
    ) {
      seen.add(line);
      up.push(line);
    }
    return up;
  };
  for (const tip of tipsOf([...lines.values()].filter(isOwn))) {
    const up = upFrom(tip);
    const at = up.findIndex(isMessage);
    if (at === -1) continue;
    // Behind the newest message nothing counts but prompts that wait for their answer.
    const unanswered = up.slice(0, at).filter(isQueuedPrompt).reverse();
    const chain = up.slice(at).reverse();
    const whole = includeParallel ? withParallel(chain, lines) : chain;
    return withPrompts(whole, unanswered).filter(isOwn);
  }
  return [];
}

/** Lines of the main conversation that are linked to each other, in the order of the file. */
export function mainLinesIn(
  entries: readonly TranscriptEntry[],
): readonly TranscriptEntry[] {
  return entries.filter((entry) => isLinked(entry) && !entry.isSidechain);
}

/** Id of the message that a line is: a prompt that was inserted has one beside that of its line. */
export function messageId(line: TranscriptEntry): unknown {
  const { source_uuid } = Object(line.attachment);
  return isQueuedPrompt(line) && source_uuid || line.uuid;
}

function isLinked({ type, uuid }: TranscriptEntry): boolean {
  return LINKED.has(type) && typeof uuid === "string";
}

/** A teammate writes to files of the main conversation, too. */
function isMain({ isSidechain, teamName }: TranscriptEntry): boolean {
  return !isSidechain && !teamName;
}

function isMessage({ type }: TranscriptEntry): boolean {
  return type === "user" || type === "assistant";
}

/** Of several lines with one id the last counts. */
function linesOf(entries: readonly TranscriptEntry[]): Lines {
  const lines: Lines = new Map();
  for (const entry of entries) {
    if (!isLinked(entry)) continue;
    lines.delete(entry.uuid);
    lines.set(entry.uuid, entry);
  }
  return lines;
}

/** Links messages that a compaction kept word for word between its anchor, usually the summary, and what follows that. */
function relinkKept(lines: Lines): void {
  for (const { type, subtype, compactMetadata } of [...lines.values()]) {
    if (type !== "system" || subtype !== "compact_boundary") continue;
    const { preservedMessages, preservedSegment } = Object(compactMetadata);
    const { anchorUuid } = Object(preservedMessages ?? preservedSegment);
    const kept: readonly unknown[] = preservedMessages
      ? [Object(preservedMessages).uuids].flat()
      : [Object(preservedSegment).headUuid];
    if (kept.length === 0 || !kept.every((uuid) => lines.has(uuid))) continue;
    const last = preservedMessages
      ? kept.at(-1)
      : Object(preservedSegment).tailUuid;
    for (const [uuid, line] of lines) {
      const at = kept.indexOf(uuid);
      const parentUuid = at > 0
        ? kept[at - 1]
        : at === 0
        ? anchorUuid
        : line.parentUuid === anchorUuid
        ? last
        : line.parentUuid;
      if (parentUuid !== line.parentUuid) {
        lines.set(uuid, { ...line, parentUuid });
      }
    }
  }
}

/** Lines that no other one follows, the newest first. */
function tipsOf(
  entries: readonly TranscriptEntry[],
): readonly TranscriptEntry[] {
  const steps = entries.filter(({ type, attachment }) =>
    type !== "progress" && Object(attachment).type !== "fork_briefing"
  );
  const parents = new Set(steps.map(({ parentUuid }) => parentUuid));
  return steps.filter(({ uuid }) => !parents.has(uuid)).reverse();
}

function isQueuedPrompt({ type, attachment }: TranscriptEntry): boolean {
  const { type: kind, prompt, forwardedIntent } = Object(attachment);
  return type === "attachment" && kind === "queued_command" &&
    !Object(forwardedIntent).lineage &&
    (typeof prompt === "string" || Array.isArray(prompt));
}

/** Makes prompts that were inserted lines of the user; one that a later prompt follows before any answer was not inserted there. */
function withPrompts(
  answered: readonly TranscriptEntry[],
  unanswered: readonly TranscriptEntry[],
): readonly TranscriptEntry[] {
  const lines = [...answered, ...unanswered];
  const known = new Set(lines.map(({ uuid }) => uuid));
  const inserted = new Set(unanswered);
  const commands = localCommandsIn(lines);
  let isAnswered = false;
  for (const line of answered.toReversed()) {
    const { type, isMeta, isCompactSummary } = line;
    if (
      type === "assistant" || resultIds(line).length > 0 || isInterruption(line)
    ) {
      isAnswered = true;
    } else if (
      type === "user" && !isMeta && !isCompactSummary && !commands.has(line)
    ) {
      isAnswered = false;
    } else if (isAnswered && isQueuedPrompt(line)) inserted.add(line);
  }
  return lines.map((line) =>
    inserted.has(line)
      ? promptOf(line, known)
      : commands.has(line)
      ? { ...line, isCompletedLocalCommand: true }
      : line
  );
}

function isInterruption({ type, message }: TranscriptEntry): boolean {
  const { content } = Object(type === "user" && message);
  const text = Array.isArray(content) ? Object(content[0]).text : content;
  return typeof text === "string" && INTERRUPTED.test(text);
}

/** The line of the user that an inserted prompt stands for; itself where the prompt is there already. */
function promptOf(line: TranscriptEntry, known: Set<unknown>): TranscriptEntry {
  const { attachment, isMeta: _, ...rest } = line;
  const { prompt, isMeta } = Object(attachment);
  const origin = queuedOrigin(attachment);
  const uuid = messageId(line);
  if (uuid !== line.uuid && known.has(uuid)) return line;
  known.add(uuid);
  return {
    ...rest,
    type: "user",
    uuid,
    message: { role: "user", content: prompt },
    // Fields that the CLI gives such lines itself. Source: official SDK 0.3.330.
    isQueuedCommand: true,
    ...isMeta && { isMeta: true },
    ...origin !== undefined && { origin },
  };
}
