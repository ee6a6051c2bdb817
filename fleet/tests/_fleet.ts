import type { Engine } from "../src/engine.ts";
import {
  Fleet,
  type FleetMetrics,
  type FleetOptions,
  type Job,
  type JobMessage,
  type JobStatus,
  type SubmitOptions,
} from "@sluice/fleet";
import {
  type FakeCli,
  fakeCli,
  type FakeCliScript,
} from "@sluice/agent/testing";
import { test as declare } from "../../tests/_harness.ts";
import {
  type NatsServer,
  type NatsSettings,
  reasonWithoutNats,
  withNats,
} from "./_nats.ts";

/** Of tests in which no lease may end: a busy machine is not to be taken for a lost worker. */
const LEASE_MS = 30_000;
/** Of tests in which a lost worker is replaced. */
export const SHORT_LEASE_MS = 2_000;

/** A server, and fleets on it that end with the test. */
export interface FleetRig extends NatsServer {
  /** Options of all its fleets, for programs of their own. */
  readonly connect: FleetOptions;
  /** Connects to the fleet, as one program does. */
  fleet(options?: Partial<FleetOptions>): Promise<Fleet>;
  /** Connects, and submits a job whose agent plays a script. */
  job(script: FakeCliScript, options?: SubmitOptions): Promise<{
    readonly fleet: Fleet;
    readonly fake: FakeCli;
    readonly job: Job;
  }>;
}

/** Runs a test body with a server and fleets on it. */
export function withFleet(
  use: (rig: FleetRig) => Promise<void>,
  { leaseMs = LEASE_MS, ...settings }: NatsSettings & {
    readonly leaseMs?: number;
  } = {},
): Promise<void> {
  return withNats(async (server) => {
    const fleets: Fleet[] = [];
    const connect = { servers: server.url, name: "test", leaseMs };
    try {
      const rig: FleetRig = {
        ...server,
        connect,
        engine: (options) => server.engine({ leaseMs, ...options }),
        async fleet(options = {}) {
          const fleet = await Fleet.connect({
            ...connect,
            patienceMs: 20_000,
            ...options,
          });
          fleets.push(fleet);
          return fleet;
        },
        async job(script, { options, ...more } = {}) {
          const fleet = await rig.fleet();
          const fake = fakeCli(script);
          const { cliPath } = fake;
          const given = { ...more, options: { cliPath, ...options } };
          return { fleet, fake, job: await fleet.submit("x", given) };
        },
      };
      await use(rig);
    } finally {
      await Promise.all(fleets.map((fleet) => fleet.close()));
    }
  }, settings);
}

/** Declares a test with a server and fleets on it. */
export function test(
  name: string,
  use: (rig: FleetRig) => Promise<void>,
  { skip, ...settings }: Parameters<typeof withFleet>[1] & {
    readonly skip?: string | undefined;
  } = {},
): void {
  declare(name, () => withFleet(use, settings), {
    skip: reasonWithoutNats ?? skip,
  });
}

/** All messages of a stream. */
export async function all(
  stream: ReadableStream<JobMessage>,
): Promise<JobMessage[]> {
  const list: JobMessage[] = [];
  for await (const one of stream) list.push(one);
  return list;
}

/** History of a job, in short: the outcome of each attempt. */
export function outcomes(
  { attempts }: { readonly attempts: readonly { outcome?: string }[] },
): readonly (string | undefined)[] {
  return attempts.map(({ outcome }) => outcome);
}

/** The status of a job as soon as it fits. */
export async function until(
  job: Job,
  fits: (status: JobStatus) => boolean,
): Promise<JobStatus> {
  for await (const status of job.watch()) if (fits(status)) return status;
  throw new Error(`Job is over before: ${JSON.stringify(await job.status())}`);
}

/** The question of a job, another one than these, as soon as it can be answered. */
export async function asked(
  { approvals }: Fleet,
  job: Job,
  before: readonly string[] = [],
): Promise<string> {
  const isNew = (id: string) => !before.includes(id);
  const { waitingFor } = await until(
    job,
    (status) => status.waitingFor.some(isNew),
  );
  const id = waitingFor.find(isNew) ?? "";
  // It stands in the row of the job first.
  const seen = new AbortController();
  for await (const { request } of approvals.watch?.(seen.signal) ?? []) {
    if (request.id === id) break;
  }
  seen.abort();
  return id;
}

/** Waits until the row of a job contains a word, by any writer; reads nothing else, since a look at a job would end it at its deadline. */
export async function written(
  engine: Engine,
  id: string,
  word: string,
): Promise<void> {
  let wake = () => {};
  const leave = engine.listen(["job", id], () => wake());
  try {
    for (;;) {
      const told = new Promise<void>((resolve) => wake = resolve);
      const row = await engine.get(["job", id]);
      if (new TextDecoder().decode(row?.value).includes(word)) return;
      await told;
    }
  } finally {
    leave();
  }
}

/** Load that a worker reports. */
export function loads(): {
  readonly metrics: FleetMetrics;
  /** Resolves when it reports these numbers of running jobs and of jobs that wait for an answer. */
  told(running: number, asking: number): Promise<void>;
} {
  let look = () => {};
  let last = "";
  return {
    metrics: {
      load(_queued, running, asking) {
        last = `${running} ${asking}`;
        look();
      },
    },
    told: (running, asking) =>
      new Promise((resolve) => {
        look = () => {
          if (last === `${running} ${asking}`) resolve();
        };
        look();
      }),
  };
}
