import { printable } from "../errors/printable.ts";
import { Fleet } from "../fleet/fleet.ts";
import type { Job } from "../fleet/job.ts";
import type { JobState, JobStatus } from "../types/fleet.ts";
import { DONE, FAILED } from "./exit_code.ts";
import { interrupts } from "./interrupts.ts";
import type { Screen } from "./screen.ts";
import { teller } from "./teller.ts";
import {
  type FleetFlags,
  type JobsAction,
  type JobsFlags,
  UsageError,
  type WorkerFlags,
} from "./tree.ts";

const DEFAULT_SERVER = "nats://127.0.0.1:4222";

/** Does jobs of a fleet until it is told to end. */
export async function worker(flags: WorkerFlags, on: Screen): Promise<number> {
  const fleet = await connect(flags, on);
  const say = async (text: string, facts: object) => {
    if (flags.json) await on.json({ ...facts });
    else await on.note(printable(text));
  };
  try {
    const { cli, cwd, concurrency } = flags;
    const working = await fleet.work({
      ...concurrency !== undefined && { concurrency },
      options: {
        ...cli !== undefined && { cliPath: cli },
        ...cwd !== undefined && { cwd },
      },
      metrics: {
        attemptStart: (job, attempt, waitedMs) =>
          void say(`${job}: attempt ${attempt} begins`, {
            type: "begin",
            job,
            attempt,
            waitedMs: Math.round(waitedMs),
          }),
        attemptEnd: (job, attempt, outcome, ms) =>
          void say(`${job}: attempt ${attempt} ${outcome}`, {
            type: "end",
            job,
            attempt,
            outcome,
            durationMs: Math.round(ms),
          }),
      },
      logger: {
        debug() {},
        info() {},
        warn: (text) => void on.note(on.err.yellow(printable(text))),
        error: (text) => void on.note(on.err.red(printable(text))),
      },
    });
    await say(`${working.name} works; Ctrl-C drains it`, {
      type: "ready",
      worker: working.name,
    });
    await working.ended;
    return DONE;
  } finally {
    await fleet.close();
  }
}

/** Shows jobs of a fleet, and does something about one. */
export async function jobs(
  action: JobsAction,
  id: string | undefined,
  flags: JobsFlags,
  on: Screen,
): Promise<number> {
  const isOfAll = action === "list" || action === "dead";
  if (isOfAll !== (id === undefined)) {
    throw new UsageError(
      isOfAll ? `jobs ${action} takes no id` : `jobs ${action} needs an id`,
    );
  }
  const fleet = await connect(flags, on);
  try {
    if (isOfAll) return await list(fleet, action, flags, on);
    return await ofOne(fleet, await fleet.job(id ?? ""), action, flags, on);
  } finally {
    await fleet.close();
  }
}

async function list(
  fleet: Fleet,
  action: "list" | "dead",
  { state, json }: JobsFlags,
  on: Screen,
): Promise<number> {
  const states: JobState | undefined = action === "dead" ? "dead" : state;
  for await (const status of fleet.jobs({ state: states })) {
    if (json) await on.json(status);
    else await on.write(lineOf(status));
  }
  return DONE;
}

async function ofOne(
  fleet: Fleet,
  job: Job,
  action: Exclude<JobsAction, "list" | "dead">,
  { json, reason }: JobsFlags,
  on: Screen,
): Promise<number> {
  switch (action) {
    case "show": {
      const status = await job.status();
      if (json) await on.json(status);
      else await on.write(await pageOf(fleet, status));
      return DONE;
    }
    case "follow":
      return await follow(job, json === true, on);
    case "cancel":
      await job.cancel(reason);
      return DONE;
    case "retry":
      await job.retry();
      return DONE;
    case "approve":
    case "deny":
      return await answer(fleet, job, action, reason, on);
  }
}

/** Answers every question of a job that waits. */
async function answer(
  fleet: Fleet,
  job: Job,
  action: "approve" | "deny",
  reason: string | undefined,
  on: Screen,
): Promise<number> {
  const { waitingFor } = await job.status();
  if (waitingFor.length === 0) {
    await on.note("nothing of this job waits for an answer");
    return FAILED;
  }
  for (const id of waitingFor) {
    await fleet.approvals.answer(
      id,
      action === "approve"
        ? { behavior: "allow" }
        : { behavior: "deny", message: reason ?? "Denied" },
    );
  }
  return DONE;
}

async function follow(
  job: Job,
  isJson: boolean,
  on: Screen,
): Promise<number> {
  const stopped = interrupts(on.program);
  const { tell } = teller(on, {});
  try {
    const { signal } = stopped;
    for await (const one of job.messages({ signal })) {
      if (isJson) await on.json(one);
      else await tell(one.message);
    }
    return (await job.status()).state === "done" ? DONE : FAILED;
  } catch (error) {
    const code = stopped.exitCode();
    if (code === undefined) throw error;
    return code;
  } finally {
    stopped.stop();
  }
}

function lineOf(status: JobStatus): string {
  const { id, state, attempts, waitingFor, cost, reason } = status;
  const words = [
    state.padEnd(9),
    `${attempts.length}/${status.maxAttempts}`,
    `$${cost.totalUsd.toFixed(2)}`,
    id,
    ...waitingFor.length > 0 ? [`waits for ${waitingFor.length} answers`] : [],
    ...reason === undefined ? [] : [reason],
  ];
  return `${printable(words.join("  ")).replaceAll("\n", " ")}\n`;
}

async function pageOf(fleet: Fleet, status: JobStatus): Promise<string> {
  const lines = [lineOf(status).trimEnd()];
  for (const { attempt, worker, outcome = "runs", reason } of status.attempts) {
    const why = reason === undefined ? "" : `: ${reason}`;
    lines.push(`  attempt ${attempt} on ${worker} ${outcome}${why}`);
  }
  for (const id of status.waitingFor) {
    const { request } = await fleet.approvals.get(id) ?? {};
    if (request === undefined) continue;
    lines.push(`  asks for ${request.tool} ${JSON.stringify(request.input)}`);
  }
  return `${lines.map((line) => printable(line)).join("\n")}\n`;
}

/** Where the fleet is: flags, then variables, whose values no other user of the machine can read. */
function connect(flags: FleetFlags, on: Screen): Promise<Fleet> {
  const { env } = on.program;
  const credentials = flags.creds !== undefined
    ? { credsFile: flags.creds }
    : env["NATS_USER"]
    ? { user: env["NATS_USER"], password: env["NATS_PASSWORD"] ?? "" }
    : undefined;
  return Fleet.connect({
    servers: (flags.server ?? (env["NATS_URL"] || DEFAULT_SERVER)).split(","),
    name: flags.fleet,
    credentials,
    key: env["SLUICE_FLEET_KEY"] || undefined,
  });
}
