import type { AgentOptions } from "@sluice/agent";
import { currentName } from "@sluice/agent/extend";
import type { TranscriptStore } from "@sluice/agent/transcripts";
import type { JobAgentOptions } from "./types.ts";
import type { Questions } from "./questions.ts";
import type { JobRecord } from "./record.ts";
import { PROJECT_KEY } from "./transcripts.ts";

/** From SIGTERM to SIGKILL for an agent that is stopped, at most: the last part of a lease. */
const KILL_MS = 5_000;
const KILL_PART = 1 / 6;
/** From the end of stdin to SIGTERM, for an agent that has its last result. */
const GRACE_MS = 10_000;

/** The most of `waitMs` of an agent's approvals. */
export const LONGEST_IDLE_MS: number = 2 ** 31 - 1 - 3_600_000;

/** Time for a stopped agent to end; its worker stops it this long before the lease expires. */
export function killMsOf(leaseMs: number): number {
  return Math.min(KILL_MS, leaseMs * KILL_PART);
}

/** The options of a job's agent: the worker's over those that were sent, maps joined, and what the fleet adds. */
export function agentOptions(
  { record, sent, own, questions, idleMs }: {
    readonly record: JobRecord;
    readonly sent: JobAgentOptions;
    readonly own: AgentOptions;
    readonly questions: Questions;
    readonly idleMs: number;
  },
  { leaseMs, transcripts }: {
    readonly leaseMs: number;
    /** Store that shares its session with other workers. */
    readonly transcripts: TranscriptStore | undefined;
  },
): AgentOptions {
  const joined = (key: "env" | "mcpServers") =>
    sent[key] === undefined && own[key] === undefined
      ? {}
      : { [key]: { ...sent[key], ...own[key] } };
  const { graceMs = GRACE_MS, ...shutdown } = {
    ...sent.shutdown,
    ...own.shutdown,
  };
  const { canUseTool, approvals } = own.permissions ?? {};
  return {
    ...sent,
    ...own,
    ...joined("env"),
    ...joined("mcpServers"),
    permissions: {
      ...sent.permissions,
      ...own.permissions,
      ...record.asksForApproval && canUseTool === undefined &&
        { canUseTool: questions.ask },
      ...record.parks !== undefined && approvals === undefined && {
        approvals: {
          store: questions.store,
          park: isOneOf(record.parks),
          waitMs: idleMs,
        },
      },
    },
    shutdown: {
      // Signals to this program are for the worker: it drains, and its agents continue meanwhile.
      forwardSignals: false,
      ownProcessGroup: true,
      graceMs,
      killMs: graceMs + Math.ceil(killMsOf(leaseMs)),
      ...shutdown,
    },
    ...transcripts !== undefined && {
      transcripts: {
        // A session that `continue` would find belongs to another job.
        store: { ...transcripts, listSessions: () => Promise.resolve([]) },
        flush: "eager",
        projectKey: PROJECT_KEY,
      },
    },
  };
}

/** Whether a tool is among those named, by their current names; a trailing `*` stands for any rest. */
function isOneOf(names: readonly string[]): (tool: string) => boolean {
  const current = names.map(currentName);
  return (tool) =>
    current.some((name) =>
      name.endsWith("*") ? tool.startsWith(name.slice(0, -1)) : tool === name
    );
}
