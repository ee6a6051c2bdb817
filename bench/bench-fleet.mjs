// deno-lint-ignore-file no-console -- prints its result
// Measures what a fleet costs beside a plain query() with the fake CLI, with a real nats-server. Prints one JSON line.
//   node bench-fleet.mjs --peer=sluice [--messages=10000 --jobs=50 --subscribers=100 --rounds=3]
// SLUICE_NATS: the server, else that of `npm test`; without one the line says why nothing was measured.
// SLUICE_MODULE (or SLUICE_MODULE_NODE, ...): the root entry; that of fleets is looked for beside it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { args, FAKE, runtime } from "./lib/common.mjs";

const program = process.env.SLUICE_NATS ??
  fileURLToPath(new URL("../.nats/nats-server", import.meta.url));
const median = (a) => a.sort((x, y) => x - y)[(a.length - 1) >> 1];

console.log(JSON.stringify(
  existsSync(program)
    ? await measured()
    : { skipped: "no nats-server: run `npm test`, or set SLUICE_NATS" },
));

async function measured() {
  const where = process.env[`SLUICE_MODULE_${runtime.toUpperCase()}`] ??
    process.env.SLUICE_MODULE;
  const root = /^[a-z]{2,}:/.test(where)
    ? where
    : pathToFileURL(resolve(where)).href;
  const entry = root.endsWith(".ts")
    ? root.replace(/mod\.ts$/, "fleet/src/mod.ts")
    : root.replace(/npm\/mod\.js$/, "npm-fleet/mod.js");
  const { query } = await import(root);
  const { Fleet } = await import(entry);
  const folder = await mkdtemp(join(tmpdir(), "bench-fleet-"));
  const server = spawn(program, [
    ...["-a", "127.0.0.1", "-p", "-1", "-js", "-sd", folder],
  ], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(server, "exit");
  try {
    const port = await portOf(server);
    const fleet = await Fleet.connect({
      servers: `nats://127.0.0.1:${port}`,
      name: "bench",
    });
    try {
      return await rows(fleet, query);
    } finally {
      await fleet.close();
    }
  } finally {
    process.kill(server.pid, "SIGKILL");
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
}

async function portOf(server) {
  let said = "";
  for await (const text of server.stderr) {
    said += text;
    if (said.includes("Server is ready")) break;
  }
  return /connections on 127\.0\.0\.1:(\d+)/.exec(said)[1];
}

async function rows(fleet, query) {
  const messages = Number(args.messages ?? 10_000);
  const jobs = Number(args.jobs ?? 50);
  const subscribers = Number(args.subscribers ?? 100);
  const options = (n) => ({
    cliPath: FAKE,
    env: { FAKECLI: `mode=stream,n=${n},size=250,kind=delta` },
    includePartialMessages: true,
    persistSession: false,
  });
  const plain = async (n) => {
    let count = 0;
    for await (const _ of query("hi", options(n))) count++;
    return count;
  };
  const byFleet = async (n) => {
    const job = await fleet.submit("hi", { options: options(n) });
    return [job, await counted(job)];
  };
  await fleet.work();
  // Once, unmeasured: code is loaded, streams are made.
  await plain(10);
  await byFleet(10);
  const times = {
    plain: [],
    fleet: [],
    plainJob: [],
    fleetJob: [],
    hundred: [],
  };
  for (let round = 0; round < Number(args.rounds ?? 3); round++) {
    const expected = await took(times.plain, () => plain(messages));
    const [, count] = await took(times.fleet, () => byFleet(messages));
    const [job, fewer] = await byFleet(messages / 10);
    const all = await took(
      times.hundred,
      () =>
        Promise.all(Array.from({ length: subscribers }, () => counted(job))),
    );
    // A time counts only without lost messages.
    if (count !== expected || all.some((one) => one !== fewer)) {
      return { error: `messages: ${expected} plain, ${count} by the fleet` };
    }
    await took(times.plainJob, () => inTurn(jobs, () => plain(1)));
    await took(times.fleetJob, () => inTurn(jobs, () => byFleet(1)));
  }
  const [alone, far, aloneJob, farJob, hundred] = Object.values(times).map(
    median,
  );
  return {
    fleetMessageUs: (far - alone) / messages * 1_000,
    fleetJobMs: (farJob - aloneJob) / jobs,
    subscriberUs: hundred / (messages / 10) / subscribers * 1_000,
  };
}

async function counted(job) {
  let count = 0;
  for await (const _ of job.messages()) count++;
  return count;
}

async function took(list, go) {
  const began = performance.now();
  const result = await go();
  list.push(performance.now() - began);
  return result;
}

async function inTurn(times, go) {
  for (let at = 0; at < times; at++) await go();
}
