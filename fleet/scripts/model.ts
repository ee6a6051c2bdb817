// Capacity of fleets beyond one machine: measures one server and a cluster of three here, and computes the table of docs/fleet_operations.md.
//
//   deno run -A fleet/scripts/model.ts             the table, from the numbers below
//   deno run -A fleet/scripts/model.ts --measure   measures them anew first; two minutes
import { connect } from "@nats-io/transport-node";
import { connectNats } from "../src/connect_nats.ts";
import { Fleet } from "../src/fleet.ts";
import { fakeCli } from "@sluice/agent/testing";
import { withCluster, withNats } from "../tests/_nats.ts";
import { say } from "../../scripts/project.ts";

/** Measurements of a place for a fleet. */
interface Place {
  readonly name: string;
  /** Writes of 1 KB a second, 64 at a time. */
  readonly writes: number;
}

/** Measured cost of jobs. */
interface Cost {
  /** Entries that a job of one batch writes. */
  readonly writes: number;
  /** Bytes that such a job leaves, with the least of messages. */
  readonly bytes: number;
}

/** Measured on two shared cores of a small virtual machine that had other work too, nats-server 2.10.27, all servers of a cluster on it. */
const PLACES: readonly Place[] = [
  { name: "one server", writes: 4_756 },
  { name: "one, sync_interval: always", writes: 372 },
  { name: "three, replicas: 3", writes: 3_577 },
];
const COST: Cost = { writes: 18, bytes: 8_199 };

/** The job of the table: an agent of five minutes. */
const JOB = { seconds: 300, batches: 200, bytes: 1_000_000 };
/** Planned share of a server's capacity. */
const LOAD = 0.5;
const AT_ONCE = 64;
const MEASURE_MS = 2_000;
const ROUNDS = 3;

const isAnew = Deno.args.includes("--measure");
const places = isAnew ? await measurePlaces() : PLACES;
const cost = isAnew ? await measureCost() : COST;
say(
  `A job of one batch, without a session: ${cost.writes} writes, ${cost.bytes} bytes`,
);
say(
  "| where | fleets | writes/s | jobs/s | agents at work | GB a day on each disk | a write waits, ms, half and 99 % |",
);
say("| --- | --- | --- | --- | --- | --- | --- |");
for (const place of places) {
  for (const fleets of [1, 4]) say(rowOf(place, fleets));
}
Deno.exit();

function rowOf({ name, writes }: Place, fleets: number): string {
  // A session is copied as the messages are.
  const perJob = cost.writes + 2 * JOB.batches;
  const jobs = writes * LOAD / perJob * fleets;
  const bytes = cost.bytes + 2 * JOB.bytes;
  const perDisk = jobs / fleets * bytes * 86_400 / 1e9;
  const { half, most } = waits(writes, fleets, jobs * perJob);
  return `| ${name} | ${fleets} | ${Math.round(writes)} | ${
    jobs.toFixed(1)
  } | ${Math.round(jobs * JOB.seconds)} | ${Math.round(perDisk)} | ${
    half.toFixed(1)
  }, ${most.toFixed(1)} |`;
}

/** A minute of writes that come at random, each to the fleet that a hash of its job gives, which takes one after the other. */
function waits(
  writes: number,
  fleets: number,
  perSecond: number,
): { readonly half: number; readonly most: number } {
  const freeAt = new Array<number>(fleets).fill(0);
  const list: number[] = [];
  let seed = 1;
  const random = () => {
    seed = Math.imul(seed, 1_664_525) + 1_013_904_223 >>> 0;
    return (seed + 1) / 2 ** 32;
  };
  for (let at = 0; at < 60;) {
    at -= Math.log(random()) / perSecond;
    const fleet = Math.floor(random() * fleets);
    const begins = Math.max(at, freeAt[fleet] ?? 0);
    freeAt[fleet] = begins + 1 / writes;
    list.push((begins - at) * 1_000);
  }
  list.sort((one, other) => one - other);
  const of = (share: number) => list[Math.floor(list.length * share)] ?? 0;
  return { half: of(0.5), most: of(0.99) };
}

async function measurePlaces(): Promise<readonly Place[]> {
  const found = PLACES.map((): number[] => []);
  // In turns, since a machine is busy for longer than a run.
  for (let round = 0; round < ROUNDS; round++) {
    await withNats(async ({ url }) => {
      found[0]?.push(await writesOf([url], 1));
    });
    await withNats(async ({ url }) => {
      found[1]?.push(await writesOf([url], 1));
    }, { jetstream: "sync_interval: always" });
    await withCluster(async ({ urls }) => {
      found[2]?.push(await writesOf(urls, 3));
    });
  }
  return PLACES.map((place, at) => {
    const list = (found[at] ?? []).toSorted((one, other) => one - other);
    say(`${place.name}: ${list.map(Math.round).join(", ")} writes a second`);
    return { ...place, writes: list[list.length >> 1] ?? 0 };
  });
}

/** Successful writes of a row per second. */
async function writesOf(
  servers: readonly string[],
  replicas: number,
): Promise<number> {
  const engine = await connectNats({ servers, name: "model", replicas });
  const value = crypto.getRandomValues(new Uint8Array(1_024));
  let count = 0;
  const began = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, async (_, at) => {
    let revision = 0;
    while (performance.now() - began < MEASURE_MS) {
      revision = await engine.put([`${at}`], value, revision) ?? revision;
      count++;
    }
  }));
  const seconds = (performance.now() - began) / 1_000;
  await engine.close();
  return count / seconds;
}

/** Data that a job of one message leaves on the server. */
async function measureCost(): Promise<Cost> {
  const jobs = 20;
  let left: Cost = { writes: 0, bytes: 0 };
  await withNats(async ({ url }) => {
    const fleet = await Fleet.connect({ servers: url, name: "model" });
    const fake = fakeCli({ turns: "done", record: false });
    await fleet.work({ options: { cliPath: fake.cliPath } });
    for (let at = 0; at < jobs; at++) {
      await (await fleet.submit("go")).result();
    }
    await fleet.close();
    const connection = await connect({ servers: url });
    for (const part of ["rows", "logs", "queue"]) {
      const call = `$JS.API.STREAM.INFO.SLUICE_model_${part}`;
      const { state } = (await connection.request(call)).json<
        {
          readonly state: { readonly last_seq: number; readonly bytes: number };
        }
      >();
      left = {
        writes: left.writes + state.last_seq / jobs,
        bytes: left.bytes + state.bytes / jobs,
      };
    }
    await connection.close();
    await fake.close();
  });
  return { writes: Math.round(left.writes), bytes: Math.round(left.bytes) };
}
