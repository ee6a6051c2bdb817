import { printable } from "../errors/text.ts";
import {
  DONE,
  FAILED,
  type Screen,
  untilEnded,
  UsageError,
} from "./command_line.ts";
import type { Fleet, Job, JobStatus } from "./fleet_package.ts";
import type { JobsAction, JobState } from "./job_words.ts";
import { connect, type FleetFlags } from "./fleet.ts";

interface JobsFlags extends FleetFlags {
  readonly state?: JobState | undefined;
  readonly name?: string;
  readonly reason?: string;
  /** A number, or `any`. */
  readonly most?: string;
}

const FLAGS = {
  state: ["list"],
  name: ["list", "dead"],
  reason: ["cancel", "deny"],
  most: ["limit"],
} as const satisfies Partial<Record<keyof JobsFlags, readonly JobsAction[]>>;

/** Shows jobs of a fleet, and does something about one. */
export async function jobs(
  action: JobsAction,
  id: string | undefined,
  flags: JobsFlags,
  on: Screen,
): Promise<number> {
  const isOfAll = action === "list" || action === "dead";
  if (action !== "limit" && isOfAll !== (id === undefined)) {
    throw new UsageError(
      isOfAll
        ? `jobs ${action} takes no id: jobs show has one job`
        : `jobs ${action} needs an id: jobs list shows them`,
    );
  }
  for (const [flag, actions] of Object.entries(FLAGS)) {
    const isGiven = flags[flag as keyof typeof FLAGS] !== undefined;
    if (isGiven && !actions.some((one) => one === action)) {
      throw new UsageError(
        `--${flag} is for jobs ${actions.join(" and ")}, not for ${action}`,
      );
    }
  }
  if (action === "limit" && id === undefined && flags.most !== undefined) {
    throw new UsageError("--most needs the name of jobs: jobs limit NAME");
  }
  const fleet = await connect(flags, on);
  try {
    if (action === "limit") return await limit(fleet, id, flags, on);
    const state = action === "dead" ? action : flags.state;
    if (isOfAll) return await list(fleet, { ...flags, state }, on);
    return await ofOne(fleet, await fleet.job(id ?? ""), action, flags, on);
  } finally {
    await fleet.close();
  }
}

async function list(
  fleet: Fleet,
  { state, name, json, fleet: of }: JobsFlags,
  on: Screen,
): Promise<number> {
  return await untilEnded(on, async (signal) => {
    let isEmpty = true;
    // An agent may run and wait for an answer.
    const states = state === "waiting" ? [state, "running"] as const : state;
    for await (const status of fleet.jobs({ state: states, name })) {
      signal.throwIfAborted();
      const { waitingFor } = status;
      const runs = status.state === "running" && waitingFor.length === 0;
      if (state === "waiting" && runs) continue;
      isEmpty = false;
      if (json) await on.json(status);
      else await on.write(`${lineOf(status)}\n`);
    }
    signal.throwIfAborted();
    if (isEmpty && !json) await on.note(`no such jobs in the fleet "${of}"`);
    return DONE;
  });
}

/** Shows how many of each name may run, or says it of one. */
async function limit(
  fleet: Fleet,
  name: string | undefined,
  { most, json }: JobsFlags,
  on: Screen,
): Promise<number> {
  if (name !== undefined && most !== undefined) {
    const count = most === "any" ? undefined : Number(most);
    if (count !== undefined && !(count >= 1 && count <= 1_000)) {
      throw new UsageError("--most must be a number from 1 to 1000, or any");
    }
    await fleet.limit(name, count);
  }
  const limits = await fleet.limits();
  const shown = name === undefined
    ? limits
    : [[name, limits.get(name) ?? "any"] as const];
  for (const [one, count] of shown) {
    if (json) await on.json({ name: one, most: count });
    else await on.write(`${String(count).padStart(4)}  ${printable(one)}\n`);
  }
  return DONE;
}

async function ofOne(
  fleet: Fleet,
  job: Job,
  action: Exclude<JobsAction, "list" | "dead" | "limit">,
  flags: JobsFlags,
  on: Screen,
): Promise<number> {
  const { json, reason } = flags;
  switch (action) {
    case "show":
      break;
    case "follow":
      return await follow(fleet, job, flags, on);
    case "cancel":
      await job.cancel(reason);
      break;
    case "retry":
      await job.retry();
      break;
    case "approve":
    case "deny":
      if (!await answer(fleet, job, action, reason, on)) return FAILED;
  }
  const status = await job.status();
  if (json) await on.json(status);
  else if (action === "show") await on.write(await pageOf(fleet, status));
  else {
    // The activity may be a second old.
    const { activity: _, ...rest } = status;
    await on.note(lineOf(rest));
  }
  return DONE;
}

/** Answers every question of a job that waits; whether there was one. */
async function answer(
  fleet: Fleet,
  job: Job,
  action: "approve" | "deny",
  reason: string | undefined,
  on: Screen,
): Promise<boolean> {
  const { waitingFor } = await job.status();
  let count = 0;
  for (const id of waitingFor) {
    const found = await fleet.approvals.get(id);
    // Too new, or answered elsewhere.
    if (found === undefined || found.decision !== undefined) continue;
    const isOurs = await fleet.approvals.answer(
      id,
      action === "approve"
        ? { behavior: "allow" }
        : { behavior: "deny", message: reason ?? "Denied" },
    );
    if (!isOurs) continue;
    count++;
    const word = action === "approve" ? "allowed" : "denied";
    await on.note(printable(`${word} ${callOf(found.request)}`));
  }
  if (count > 0) return true;
  await on.note("nothing of this job waits for an answer");
  return false;
}

/** Tells the messages of a job as they come, and what becomes of it. */
async function follow(
  fleet: Fleet,
  job: Job,
  { json, fleet: name }: JobsFlags,
  on: Screen,
): Promise<number> {
  const { printer } = await import("./printer.ts");
  const { print, note } = printer(on);
  return await untilEnded(on, async (stopped) => {
    const ended = new AbortController();
    const signal = AbortSignal.any([stopped, ended.signal]);
    const watching = watch(signal);
    // Awaited below.
    watching.catch(() => ended.abort());
    try {
      for await (const one of job.messages({ signal })) {
        if (json) await on.json(one);
        else await print(one.message);
      }
      return await watching;
    } catch (error) {
      // Both end for the same reason.
      await watching;
      throw error;
    } finally {
      ended.abort();
      await watching.catch(() => {});
    }
  });

  /** Tells how the job goes, beside its messages; gives the exit code when it is over. */
  async function watch(signal: AbortSignal): Promise<number> {
    let lastPrinted = "";
    let code = FAILED;
    const asked = new Set<string>();
    for await (const status of job.watch({ signal })) {
      code = status.state === "done" ? DONE : FAILED;
      if (json) {
        await on.json({ status });
        continue;
      }
      // The messages show the activity, the end the cost.
      const { activity: _, ...rest } = status;
      const what = [rest.state, rest.attempts.length, rest.reason].join();
      if (what !== lastPrinted) await note(lineOf(rest));
      lastPrinted = what;
      for (const id of status.waitingFor.filter((one) => !asked.has(one))) {
        const question = await fleet.approvals.get(id);
        if (question === undefined) continue;
        asked.add(id);
        const command = `sluice jobs approve --fleet ${name} ${job.id}`;
        const text = `asks for ${callOf(question.request)}: ${command}`;
        await note(printable(text));
      }
    }
    return code;
  }
}

/** A job in one line: state, attempts, cost, id, and what there is to say of it. */
function lineOf(status: JobStatus): string {
  const { id, state, activity, waitingFor, cost, reason } = status;
  const count = waitingFor.length;
  const words = [
    state.padEnd(9),
    `${counted(status)}/${status.maxAttempts}`,
    `$${cost.totalUsd.toFixed(4)}`,
    id,
    ...status.name === undefined ? [] : [status.name],
    ...activity === undefined ? [] : [`agent ${activity.state}`],
    ...count > 0 ? [`waits for ${count} answer${count === 1 ? "" : "s"}`] : [],
    ...state === "waiting" && count === 0
      ? ["waits for a prompt, or a worker"]
      : [],
    ...reason === undefined ? [] : [reason],
  ];
  return printable(words.join("  "));
}

/** Attempts that count: one that was given back unharmed, or let go, does not. */
function counted({ attempts }: JobStatus): number {
  return attempts.filter(({ outcome }) =>
    outcome !== "released" && outcome !== "waiting"
  ).length;
}

async function pageOf(fleet: Fleet, status: JobStatus): Promise<string> {
  const { activity, attempts, cost, waitingFor } = status;
  const lines = [lineOf(status)];
  for (const { attempt, worker, outcome = "runs", reason } of attempts) {
    const why = reason === undefined ? "" : `: ${reason}`;
    lines.push(`  attempt ${attempt} on ${worker} ${outcome}${why}`);
  }
  if (activity !== undefined) {
    const { state, since, tasks } = activity;
    lines.push(`  agent ${state} since ${since.toISOString()}`);
    for (const { kind, description = "" } of tasks) {
      lines.push(`  in the background: ${kind} ${description}`);
    }
  }
  if (cost.turns > 0) {
    const { inputTokens, outputTokens } = cost.usage;
    const turns = cost.turns === 1 ? "1 turn" : `${cost.turns} turns`;
    const usd = cost.totalUsd.toFixed(4);
    lines.push(
      `  $${usd} for ${turns}: ${inputTokens} tokens read, ${outputTokens} written`,
    );
  }
  for (const id of waitingFor) {
    const question = await fleet.approvals.get(id);
    if (question !== undefined) {
      lines.push(`  asks for ${callOf(question.request)}`);
    }
  }
  return `${lines.map((line) => printable(line)).join("\n")}\n`;
}

function callOf(
  { tool, input }: { readonly tool: string; readonly input: object },
): string {
  return `${tool} ${JSON.stringify(input)}`;
}
