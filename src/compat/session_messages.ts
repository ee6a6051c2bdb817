import { asList } from "../errors/text.ts";
import {
  isMarked,
  type SpokenLine,
  spokenOn,
  type SpokenOptions,
} from "../transcripts/messages.ts";
import type { Shelf } from "../transcripts/shelf.ts";
import type { TranscriptEntry } from "../transcripts/store.ts";
import type {
  GetSubagentMessagesOptions,
  SessionMessage,
} from "./generated/types.ts";
import { pageOf } from "./page.ts";

/** Reasons for which a tool did not run. Source: official SDK 0.3.330. */
const DENIALS: ReadonlySet<unknown> = new Set([
  "user-rejected",
  "permission-rule",
  "automode-blocked",
  "automode-unavailable",
  "automode-parsing-error",
  "interrupted",
  "cancelled",
]);

/** Ids of runs that the official SDK returns. */
const RUN_ID = /^[A-Za-z0-9_.:-]{1,128}$/;

/** A page of the messages of a session, as the official SDK returns them; empty if there is no such session. */
export async function sessionMessages(
  shelf: Shelf,
  sessionId: string,
  options: SpokenOptions & GetSubagentMessagesOptions,
): Promise<SessionMessage[]> {
  const spoken = await spokenOn(shelf, sessionId, options);
  if (spoken === undefined) return [];
  const { lines, parentToolUseId, parentAgentId } = spoken;
  return pageOf(lines, options).map((line) => ({
    type: line.type,
    uuid: String(line.uuid),
    session_id: String(line.sessionId),
    message: line.message,
    parent_tool_use_id: parentToolUseId,
    parent_agent_id: parentAgentId,
    ...undeclared(line),
  }));
}

/** Fields that the official SDK returns without declaring them. */
function undeclared(line: SpokenLine): object {
  const { toolDenialUnanswered, timestamp, origin } = line;
  return {
    ...line.interruptedByShutdown === true && { interruptedByShutdown: true },
    ...toolDenialUnanswered === "stream-closed" && { toolDenialUnanswered },
    ...denialOf(line),
    ...line.isCompactSummary === true && { isCompactSummary: true },
    ...isMarked(line) && { is_meta: true },
    ...line.isQueuedCommand === true && { isQueuedCommand: true },
    ...line.isCompletedLocalCommand === true && {
      isCompletedLocalCommand: true,
    },
    timestamp,
    ...origin ? { origin: originOf(origin) } : {},
  };
}

/** Why the only result of a line is not that of a tool. */
function denialOf({ toolDenialKind, message }: TranscriptEntry): object {
  const { content } = Object(message);
  const results = asList(content).map(Object)
    .filter(({ type }) => type === "tool_result");
  const id = results[0]?.tool_use_id;
  return results.length === 1 && typeof id === "string" &&
      DENIALS.has(toolDenialKind)
    ? { tool_result_meta: [{ id, non_execution_kind: toolDenialKind }] }
    : {};
}

/** An origin; of the notification of a task only known fields. */
function originOf(origin: unknown): unknown {
  const { kind, subkind, fireReason, producer, runId, taskKind } = Object(
    origin,
  );
  if (kind !== "task-notification") return origin;
  return {
    kind,
    ...subkind !== undefined && { subkind },
    ...fireReason !== undefined && { fireReason },
    ...producer !== undefined && { producer },
    ...typeof runId === "string" && RUN_ID.test(runId) && { runId },
    ...taskKind === "mcp-task" && { taskKind },
  };
}
