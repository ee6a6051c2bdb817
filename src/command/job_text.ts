import { printable } from "../errors/printable.ts";
import type { Fleet, JobStatus } from "./fleet_package.ts";

/** A job in one line: state, attempts, cost, id, and facts worth knowing. */
export function lineOf(
  {
    activity,
    attempts,
    cost,
    id,
    maxAttempts,
    name,
    reason,
    state,
    waitingFor,
  }: JobStatus,
): string {
  const { length: count } = waitingFor;
  // One that was given back unharmed, or let go, does not count.
  const { length: counted } = attempts.filter(({ outcome }) =>
    outcome !== "released" && outcome !== "waiting"
  );
  const waits = count > 0
    ? `waits for ${count} answer${count === 1 ? "" : "s"}`
    : state === "waiting" && "waits for a prompt, or a worker";
  const words = [
    state.padEnd(9),
    `${counted}/${maxAttempts}`,
    `$${cost.totalUsd.toFixed(4)}`,
    id,
    name,
    activity && `agent ${activity.state}`,
    waits,
    reason,
  ];
  return printable(words.filter((one) => one).join("  "));
}

/** A job with its attempts, and what it asks. */
export async function pageOf(fleet: Fleet, status: JobStatus): Promise<string> {
  const lines = [lineOf(status)];
  for (const one of status.attempts) {
    const { attempt, worker, outcome = "runs", reason } = one;
    const why = reason === undefined ? "" : `: ${reason}`;
    lines.push(`  attempt ${attempt} on ${worker} ${outcome}${why}`);
  }
  for (const id of status.waitingFor) {
    const question = await fleet.approvals.get(id);
    if (question === undefined) continue;
    lines.push(`  asks for ${callOf(question.request)}`);
  }
  return `${lines.map((line) => printable(line)).join("\n")}\n`;
}

export function callOf(
  { tool, input }: { readonly tool: string; readonly input: object },
): string {
  return `${tool} ${JSON.stringify(input)}`;
}
