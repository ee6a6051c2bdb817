import { printable } from "../errors/printable.ts";
import { type Screen, untilEnded, UsageError } from "./command_line.ts";
import { DONE, FAILED } from "./exit_codes.ts";
import type { Fleet, Job, JobState } from "./fleet_package.ts";
import { connect, type FleetFlags } from "./fleet.ts";
import type { JOBS_ACTIONS } from "./flags.ts";
import { callOf, lineOf, pageOf } from "./job_text.ts";
import { printer } from "./printer.ts";

type JobsAction = typeof JOBS_ACTIONS[number];

interface JobsFlags extends FleetFlags {
  readonly state?: JobState | undefined;
  readonly name?: string;
  readonly reason?: string;
}

/** The actions that a flag is for. */
const FLAGS = {
  state: ["list"],
  name: ["list"],
  reason: ["cancel", "deny"],
} as const satisfies Partial<Record<keyof JobsFlags, readonly JobsAction[]>>;

/** Shows the jobs of a fleet, or changes one. */
export async function jobs(
  action: JobsAction,
  id: string | undefined,
  flags: JobsFlags,
  on: Screen,
): Promise<number> {
  checkUsage(action, id, flags);
  const fleet = await connect(flags, on);
  try {
    if (action === "list") return await list(fleet, flags, on);
    const job = await fleet.job(id ?? "");
    if (action === "follow") return await follow(fleet, job, flags, on);
    return await change(fleet, job, action, flags, on);
  } finally {
    await fleet.close();
  }
}

function checkUsage(
  action: JobsAction,
  id: string | undefined,
  flags: JobsFlags,
): void {
  if (action === "list" && id !== undefined) {
    throw new UsageError("jobs list takes no id: jobs show has one job");
  }
  if (action !== "list" && id === undefined) {
    throw new UsageError(`jobs ${action} needs an id: jobs list shows them`);
  }
  for (const [flag, actions] of Object.entries(FLAGS)) {
    const isGiven = flags[flag as keyof typeof FLAGS] !== undefined;
    if (isGiven && !actions.some((one) => one === action)) {
      throw new UsageError(
        `--${flag} is for jobs ${actions.join(" and ")}, not for ${action}`,
      );
    }
  }
}

function list(
  fleet: Fleet,
  { name, json, fleet: of, state }: JobsFlags,
  on: Screen,
): Promise<number> {
  return untilEnded(on, async (signal) => {
    let isEmpty = true;
    // An agent may run and wait for an answer.
    const states = state === "waiting" ? [state, "running"] as const : state;
    for await (const status of fleet.jobs({ state: states, name })) {
      signal.throwIfAborted();
      const isBusy = status.state === "running" && !status.waitingFor.length;
      if (state === "waiting" && isBusy) continue;
      isEmpty = false;
      if (json) await on.json(status);
      else await on.write(`${lineOf(status)}\n`);
    }
    signal.throwIfAborted();
    if (isEmpty && !json) await on.note(`no such jobs in the fleet "${of}"`);
    return DONE;
  });
}

/** Shows a job, with what was done about it. */
async function change(
  fleet: Fleet,
  job: Job,
  action: JobsAction,
  { json, reason }: JobsFlags,
  on: Screen,
): Promise<number> {
  if (action === "cancel") await job.cancel(reason);
  if (action === "retry") await job.retry();
  if (action === "approve" || action === "deny") {
    if (!await answer(fleet, job, action, reason, on)) return FAILED;
  }
  const status = await job.status();
  if (json) await on.json(status);
  else if (action === "show") await on.write(await pageOf(fleet, status));
  // The activity may be a second old.
  else await on.note(lineOf({ ...status, activity: undefined }));
  return DONE;
}

/** Answers every open question of a job; whether there was one. */
async function answer(
  fleet: Fleet,
  job: Job,
  action: "approve" | "deny",
  reason = "Denied",
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
        : { behavior: "deny", message: reason },
    );
    if (!isOurs) continue;
    count++;
    const word = action === "approve" ? "allowed" : "denied";
    await on.note(printable(`${word} ${callOf(found.request)}`));
  }
  if (count === 0) await on.note("nothing of this job waits for an answer");
  return count > 0;
}

/** Shows the messages of a job and its states as they come; returns the exit code when it is over. */
async function follow(
  fleet: Fleet,
  job: Job,
  { json, fleet: name }: JobsFlags,
  on: Screen,
): Promise<number> {
  const { print, note } = printer(on);
  return await untilEnded(on, async (stopped) => {
    const ended = new AbortController();
    const signal = AbortSignal.any([stopped, ended.signal]);
    const [code] = await Promise.all([watch(signal), show(signal)])
      .finally(() => ended.abort());
    return code;
  });

  async function show(signal: AbortSignal): Promise<void> {
    for await (const one of job.messages({ signal })) {
      if (json) await on.json(one);
      else await print(one.message);
    }
  }

  async function watch(signal: AbortSignal): Promise<number> {
    let lastPrinted = "";
    let code = FAILED;
    const asked = new Set<string>();
    for await (const status of job.watch({ signal })) {
      const { attempts, reason, state, waitingFor } = status;
      code = state === "done" ? DONE : FAILED;
      if (json) {
        await on.json({ status });
        continue;
      }
      // The messages show the activity, the end the cost.
      const fact = [state, attempts.length, reason].join();
      if (fact !== lastPrinted) {
        await note(lineOf({ ...status, activity: undefined }));
      }
      lastPrinted = fact;
      for (const id of waitingFor.filter((one) => !asked.has(one))) {
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
