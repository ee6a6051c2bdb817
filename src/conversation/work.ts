import type { LedgerState } from "./ledger.ts";

/** A turn runs or is owed, background tasks run, the turn that reports their end to the model may come, or nothing. */
export type Work = "turn" | "tasks" | "followUp" | "nothing";

/** The reason to keep stdin open: prompts and answers, or other work. */
export type StdinWait = "prompts" | Exclude<Work, "turn">;

/** Whether a turn runs. */
export function isRunning(
  { reported, isInTurn, open, rests }: LedgerState,
): boolean {
  if (reported === undefined) return isInTurn || open.length > 0;
  // It may not have read yet what was written after it was idle.
  return reported !== "idle" || open.some((one) => one.rests === rests);
}

/** Whether a turn or a background task runs. */
export function isBusy(state: LedgerState): boolean {
  return isRunning(state) || state.tasks.running.length > 0;
}

/** Whether the CLI waits for a decision, or a tool runs. */
export function isWaiting(state: LedgerState): boolean {
  return state.reported === "requires_action" ||
    isRunning(state) && state.openTools.size > 0;
}

/** Names of the prompts that have no result and were not taken back. */
export function unanswered({ lost, open }: LedgerState): readonly string[] {
  return [...lost, ...open.map(({ name }) => name)];
}

/** The reason to keep stdin open: hooks, permission callbacks and tools need it as long as the CLI may ask. */
export function stdinWait(state: LedgerState): StdinWait {
  const isOver = state.isReady && state.hasInputEnded && !isOwing(state);
  return isOver ? background(state) : "prompts";
}

/** The current work. A CLI reports "running" also while an agent in the background runs, without a turn. */
export function work(state: LedgerState): Work {
  const { reported, tasks, isInTurn, open } = state;
  const isBetween = reported === "running" && tasks.running.length > 0 &&
    !isInTurn && open.length === 0;
  return isOwing(state) && !isBetween ? "turn" : background(state);
}

/** Number of prompts that wait for their turn. */
export function queued({ open }: LedgerState): number {
  const waiting = open.filter(({ phase }) => phase === "queued").length;
  // If the CLI does not report phases, the oldest is the one that runs.
  return waiting === open.length ? Math.max(waiting - 1, 0) : waiting;
}

/** The wait that a sign of life is due for; `undefined` while silence is fine. */
export function dueSign(
  state: LedgerState,
): "silence" | "tool" | "tasks" | "exit" | undefined {
  if (state.isStdinClosed) {
    return state.tasks.running.length > 0 ? "tasks" : "exit";
  }
  if (!isOwing(state)) return undefined;
  const isToolOpen = state.openTools.size > 0 && isRunning(state);
  return isToolOpen && state.reported !== "requires_action"
    ? "tool"
    : "silence";
}

/** Whether a turn runs, or a prompt has no answer. */
function isOwing(state: LedgerState): boolean {
  return isRunning(state) || state.open.length > 0;
}

/** The current work beside turns. */
function background(
  { tasks, isFollowUpDue }: LedgerState,
): Exclude<Work, "turn"> {
  if (tasks.running.length > 0) return "tasks";
  return isFollowUpDue ? "followUp" : "nothing";
}
