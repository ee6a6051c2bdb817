// Random kills over a fleet of workers on all three runtimes; what becomes of its jobs, as a table.
//
//   deno run -A fleet/scripts/chaos.ts --minutes=10 --workers=6 --every=1000
//   deno run -A fleet/scripts/chaos.ts --jobs=2000 --workers=4 --concurrency=8 --minutes=60
//   deno run -A fleet/scripts/chaos.ts --jobs=400 --workers=4 --outage=60000
//
// --jobs        ends after this number of jobs, or after the minutes
// --every       milliseconds from one kill to the next, on average
// --outage      the server is frozen for this many milliseconds, then killed and gone for as many; nothing else is killed
import { setTimeout as sleep } from "node:timers/promises";
import { Fleet } from "../src/fleet.ts";
import type { Job } from "../src/job.ts";
import { fakeCli } from "@sluice/agent/testing";
import { installNats } from "../../scripts/install/debian.ts";
import { compiledPath, writeNodeTree } from "../../scripts/test/node_lane.mjs";
import {
  BUN,
  commandLine,
  DENO,
  remove,
  ROOT_PATH,
  say,
} from "../../scripts/project.ts";

const WORKER = "fleet/tests/_worker.ts";
const NODE_TREE = `.lane/chaos-${Deno.pid}`;
const MESSAGES = 20;
const SAMPLE_MS = 2_000;

const { flags } = commandLine();
const minutes = Number(flags.get("minutes") ?? 10);
const count = Number(flags.get("workers") ?? 6);
const everyMs = Number(flags.get("every") ?? 1_000);
const concurrency = Number(flags.get("concurrency") ?? 4);
const mostJobs = Number(flags.get("jobs") ?? Infinity);
const outageMs = Number(flags.get("outage") ?? 0);
/** As many as the workers take at once. */
const openJobs = count * concurrency;

const COMMANDS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  deno: [DENO, "run", "-A", "--quiet", "--no-check", WORKER],
  bun: [BUN, WORKER],
  node: ["node", `${NODE_TREE}/${compiledPath(WORKER)}`],
};

const installed = await installNats();
if ("problem" in installed) throw new Error(installed.problem);
const program = installed.path;
await writeNodeTree(ROOT_PATH + NODE_TREE);
const folder = await Deno.makeTempDir({ prefix: "chaos-" });
const port = 20_000 + Math.floor(Math.random() * 10_000);
const connect = {
  servers: `nats://127.0.0.1:${port}`,
  name: "chaos",
  leaseMs: outageMs > 0 ? 30_000 : 2_000,
};

interface Running {
  readonly runtime: string;
  readonly child: Deno.ChildProcess;
}

const workers: Running[] = [];
let isEnding = false;
const kills: Record<string, number> = {
  "CLI, kill -9": 0,
  "worker, kill -9": 0,
  "worker, SIGTERM": 0,
  "server, kill -9": 0,
  "server, frozen": 0,
};
let server = startServer();
await sleep(500);
const fleet = await Fleet.connect(connect);
const fake = fakeCli({
  turns: [
    Array.from(
      { length: MESSAGES },
      () => ["A line of what an agent says.", { wait: 25 }],
    ).flat(),
  ],
  record: false,
});
// The lightest runtime: the machine shall be busy with the fleet.
const cliPath = [BUN, ...fake.cliPath.slice(-2)];

const names = Object.keys(COMMANDS);
for (let at = 0; at < count; at++) startOne(names[at % names.length] ?? "bun");

const began = performance.now();
const end = began + minutes * 60_000;
const jobs: Job[] = [];
let open = 0;
/** MiB at a time, of whom. */
const memory: Readonly<Record<string, number[]>> = {
  submitter: [],
  server: [],
  "largest worker": [],
};
const sampling = setInterval(sample, SAMPLE_MS);
let isOver = false;
const killing = outageMs > 0 ? outage() : kill();
while (performance.now() < end && jobs.length < mostJobs) {
  if (open >= openJobs) {
    await sleep(50);
    continue;
  }
  open++;
  const options = {
    id: `job-${jobs.length}`,
    options: { cliPath },
    maxAttempts: 20,
  };
  const job = await fleet.submit("go", options);
  jobs.push(job);
  job.result().catch(() => {}).finally(() => open--);
}
isOver = true;
await killing;
const submitted = (performance.now() - began) / 1_000;
say(`No more kills: ${jobs.length} jobs submitted, ${open} open`);
const late = AbortSignal.timeout(300_000);
const states: Record<string, number> = {};
const problems: string[] = [];
let attempts = 0;
let most = 0;
const outcomes: Record<string, number> = {};
const runtimes: Record<string, number> = {};
for (const job of jobs) {
  await job.result({ signal: late }).catch((error) => {
    if (late.aborted) problems.push(`${job.id} has no end`);
    else problems.push(String(error));
  });
  const status = await job.status();
  states[status.state] = (states[status.state] ?? 0) + 1;
  attempts += status.attempts.length;
  most = Math.max(most, status.attempts.length);
  let done = 0;
  for (const { outcome = "none", worker } of status.attempts) {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (outcome !== "done") continue;
    done++;
    const runtime = worker.split("-")[0] ?? "";
    runtimes[runtime] = (runtimes[runtime] ?? 0) + 1;
  }
  if (done !== 1) problems.push(`${job.id} was done ${done} times`);
  let next = 1;
  let said = 0;
  for await (const { seq, attempt, message } of job.messages()) {
    if (seq !== next++) problems.push(`${job.id} has a gap at ${seq}`);
    const isLast = attempt === status.attempts.length;
    if (isLast && message.type === "assistant") said++;
  }
  if (said !== MESSAGES) problems.push(`${job.id} has ${said} lines`);
}
const depth = await fleet.depth();
clearInterval(sampling);
await fleet.close();
isEnding = true;
const left = workers.map(({ child }) => child);
for (const child of left) child.kill("SIGTERM");
await Promise.all(left.map((child) => child.status));
server.kill("SIGKILL");
await server.status;
await fake.close();
await remove(NODE_TREE);
await Deno.remove(folder, { recursive: true });

const rows: readonly (readonly [string, unknown])[] = [
  ["minutes of kills", (submitted / 60).toFixed(1)],
  ["workers, of each runtime", `${count}, ${Math.ceil(count / names.length)}`],
  ...Object.entries(kills).map(([what, times]) =>
    [`killed: ${what}`, times] as const
  ),
  ["jobs submitted", jobs.length],
  ...Object.entries(states).map(([state, times]) =>
    [`jobs that ended ${state}`, times] as const
  ),
  ["jobs without an end, or with two", problems.length],
  ["attempts", attempts],
  ...Object.entries(outcomes).map(([outcome, times]) =>
    [`attempts that ended ${outcome}`, times] as const
  ),
  ["most attempts of one job", most],
  ...Object.entries(runtimes).map(([runtime, times]) =>
    [`jobs done on ${runtime}`, times] as const
  ),
  ["left in the queue", depth],
  ...Object.entries(memory).map(([who, list]) =>
    [
      `memory of the ${who}, MiB, in each quarter`,
      quarters(list).join(", "),
    ] as const
  ),
];
say("| what | count |\n| --- | --- |");
for (const [what, value] of rows) say(`| ${what} | ${value} |`);
for (const problem of problems.slice(0, 20)) say(problem);
Deno.exit(problems.length === 0 && depth === 0 ? 0 : 1);

function startServer(): Deno.ChildProcess {
  return new Deno.Command(program, {
    args: ["-a", "127.0.0.1", "-p", `${port}`, "-js", "-sd", folder],
    stdout: "null",
    stderr: "null",
  }).spawn();
}

function startOne(runtime: string): void {
  const [command, ...flags] = COMMANDS[runtime] ?? [DENO];
  const work = {
    concurrency,
    name: `${runtime}-${crypto.randomUUID().slice(0, 8)}`,
  };
  const child = new Deno.Command(command, {
    args: [...flags, JSON.stringify({ connect, work })],
    cwd: ROOT_PATH,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const running = { runtime, child };
  workers.push(running);
  // As systemd would: a worker that ends, or finds no server, is restarted.
  void child.status.then(async () => {
    workers.splice(workers.indexOf(running), 1);
    await sleep(500);
    if (!isEnding) startOne(runtime);
  });
}

/** One kill after the other, until the time is up. */
async function kill(): Promise<void> {
  // Workers need a moment to begin.
  await sleep(3_000);
  while (performance.now() < end && !isOver) {
    await sleep(everyMs * (0.5 + Math.random()));
    const dice = Math.random();
    if (dice < 0.6) killCli();
    else if (dice < 0.85) endOne("SIGKILL", "worker, kill -9");
    else if (dice < 0.93) endOne("SIGTERM", "worker, SIGTERM");
    else await killServer();
  }
}

/** The server stops answering, then is gone; jobs continue meanwhile. */
async function outage(): Promise<void> {
  await sleep(10_000);
  server.kill("SIGSTOP");
  kills["server, frozen"]!++;
  await sleep(outageMs);
  server.kill("SIGCONT");
  await sleep(10_000);
  server.kill("SIGKILL");
  await server.status;
  kills["server, kill -9"]!++;
  await sleep(outageMs);
  server = startServer();
}

function sample(): void {
  const mib = (pid: number) => {
    try {
      const status = Deno.readTextFileSync(`/proc/${pid}/status`);
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
    } catch {
      return 0;
    }
  };
  memory["submitter"]?.push(mib(Deno.pid));
  memory["server"]?.push(mib(server.pid));
  const all = workers.map(({ child }) => mib(child.pid));
  memory["largest worker"]?.push(Math.max(0, ...all));
}

/** The median of each quarter. */
function quarters(list: readonly number[]): readonly number[] {
  return [0, 1, 2, 3].map((quarter) => {
    const part = list.slice(
      Math.floor(list.length * quarter / 4),
      Math.ceil(list.length * (quarter + 1) / 4),
    ).toSorted((one, other) => one - other);
    return Math.round(part[part.length >> 1] ?? 0);
  });
}

function killCli(): void {
  const pids = workers.flatMap(({ child }) => childrenOf(child.pid));
  const pid = pids[Math.floor(Math.random() * pids.length)];
  if (pid === undefined) return;
  try {
    Deno.kill(pid, "SIGKILL");
    kills["CLI, kill -9"]!++;
  } catch {
    // It ended by itself just now.
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`)
      .split(" ").map(Number).filter((child) =>
        child > 0 &&
        Deno.readTextFileSync(`/proc/${child}/cmdline`).includes("fake_cli")
      );
  } catch {
    return [];
  }
}

function endOne(signal: Deno.Signal, what: string): void {
  const child = workers[Math.floor(Math.random() * workers.length)]?.child;
  if (child === undefined) return;
  child.kill(signal);
  kills[what]!++;
}

async function killServer(): Promise<void> {
  server.kill("SIGKILL");
  await server.status;
  kills["server, kill -9"]!++;
  await sleep(Math.random() * 3_000);
  server = startServer();
}
