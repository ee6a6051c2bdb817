import { ConfigError } from "../errors/base.ts";
import { printable } from "../errors/text.ts";
import {
  type CliFlags,
  DONE,
  FAILED,
  type JobsAction,
  type Screen,
  untilEnded,
  UsageError,
} from "./command_line.ts";
import {
  type Fleet,
  type FleetFault,
  type FleetOptions,
  fleetPackage,
  type Job,
  type JobStatus,
} from "./fleet_package.ts";
import type { JobState } from "./job_state.ts";

const DEFAULT_SERVER = "nats://127.0.0.1:4222";

/** Flags of every command about a fleet. */
interface FleetFlags {
  readonly fleet: string;
  readonly server?: string;
  readonly creds?: string;
  readonly lease?: number;
  readonly json?: true;
}

interface WorkerFlags extends FleetFlags, CliFlags {
  readonly concurrency?: number;
}

interface JobsFlags extends FleetFlags {
  readonly state?: JobState | undefined;
  readonly name?: string;
  readonly reason?: string;
  readonly most?: number | "any";
}

/** Does jobs of a fleet until it is told to end. */
export async function worker(flags: WorkerFlags, on: Screen): Promise<number> {
  const fleet = await connect(flags, on);
  const say = async (text: string, facts: object) => {
    if (flags.json) await on.json(facts);
    else await on.note(printable(text));
  };
  const given: (() => void)[] = [];
  try {
    const { cli, cwd, concurrency } = flags;
    const now = new AbortController();
    const working = await fleet.work({
      concurrency,
      drainOnSignal: false,
      signal: now.signal,
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
    let isDraining = false;
    const end = () => {
      if (isDraining) return now.abort(new Error("Told twice to end"));
      isDraining = true;
      const { running } = working;
      const text = running === 0
        ? "ends"
        : `ends when what runs is done (jobs: ${running}), in 30 s at most; Ctrl-C again gives it back now`;
      void say(text, { type: "drain", running });
      void working.drain();
    };
    // A terminal that is closed is no reason to lose what runs.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      given.push(on.program.onSignal(signal, end));
    }
    await say(`${working.name} works; Ctrl-C drains it`, {
      type: "ready",
      worker: working.name,
    });
    await working.ended;
    return DONE;
  } finally {
    for (const giveBack of given) giveBack();
    await fleet.close();
  }
}

/** Flags that only some actions take. */
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
  return await untilEnded(on.program, async (signal) => {
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
    await fleet.limit(name, most === "any" ? undefined : most);
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
    // What the agent does may be a second old.
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
    // Asked just now, or answered by somebody else.
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
  const { teller } = await import("./teller.ts");
  const { tell, note } = teller(on);
  return await untilEnded(on.program, async (stopped) => {
    const ended = new AbortController();
    const signal = AbortSignal.any([stopped, ended.signal]);
    const watching = watch(signal);
    // It is told below.
    watching.catch(() => ended.abort());
    try {
      for await (const one of job.messages({ signal })) {
        if (json) await on.json(one);
        else await tell(one.message);
      }
      return await watching;
    } catch (error) {
      // What ended the one ended the other.
      await watching;
      throw error;
    } finally {
      ended.abort();
      await watching.catch(() => {});
    }
  });

  /** Tells how the job goes, beside its messages; gives the exit code when it is over. */
  async function watch(signal: AbortSignal): Promise<number> {
    let told = "";
    let code = FAILED;
    const asked = new Set<string>();
    for await (const status of job.watch({ signal })) {
      code = status.state === "done" ? DONE : FAILED;
      if (json) {
        await on.json({ status });
        continue;
      }
      // What the agent does is seen by its messages, and what it costs at the end.
      const { activity: _, ...rest } = status;
      const what = [rest.state, rest.attempts.length, rest.reason].join();
      if (what !== told) await note(lineOf(rest));
      told = what;
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

/** Where the fleet is: flags, then variables, whose values no other user of the machine can read. */
async function connect(flags: FleetFlags, on: Screen): Promise<Fleet> {
  const { env } = on.program;
  const credentials = flags.creds !== undefined
    ? { credsFile: flags.creds }
    : env["NATS_USER"]
    ? { user: env["NATS_USER"], password: env["NATS_PASSWORD"] ?? "" }
    : undefined;
  const { NATS_CA: caFile, NATS_CERT: certFile, NATS_KEY: keyFile } = env;
  const tls = {
    ...caFile && { caFile },
    ...certFile && { certFile },
    ...keyFile && { keyFile },
  };
  const options: FleetOptions = {
    servers: (flags.server ?? (env["NATS_URL"] || DEFAULT_SERVER)).split(","),
    name: flags.fleet,
    leaseMs: flags.lease,
    credentials,
    ...Object.keys(tls).length > 0 && { tls },
    key: env["SLUICE_FLEET_KEY"] || undefined,
  };
  const { Fleet, FleetError } = await fleetPackage();
  try {
    return await Fleet.connect(options);
  } catch (cause) {
    if (cause instanceof ConfigError) {
      const { key, value } = cause;
      throw new ConfigError({ message: withFlags(cause.message), key, value });
    }
    if (!(cause instanceof FleetError)) throw cause;
    const { fault, details } = cause;
    const lease = details?.["leaseMs"];
    const fix = lease === undefined ? FIXES[fault] : `--lease ${lease}`;
    const message = withFlags(cause.message);
    throw new FleetError({
      message: fix === undefined ? message : `${message}; ${fix}`,
      fault,
      cause,
    });
  }
}

/** What was wrong, by the names that it has at a command line. */
function withFlags(message: string): string {
  return message.replace(
    /(?:Option )?"(key|leaseMs|name|servers)"/g,
    (whole, key: string) => FLEET_FLAGS[key] ?? whole,
  );
}

const FLEET_FLAGS: Readonly<Record<string, string>> = {
  key: "Variable SLUICE_FLEET_KEY",
  leaseMs: "--lease",
  name: "--fleet",
  servers: "--server",
};

/** What to do at a command line about what may be wrong with a server. */
const FIXES: Partial<Record<FleetFault, string>> = {
  unreachable: "--server, or the variable NATS_URL, says where it is",
  unreadable: "the variable SLUICE_FLEET_KEY has its key",
  refused:
    "--creds, or the variables NATS_USER and NATS_PASSWORD, say who asks",
};
