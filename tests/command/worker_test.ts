import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import process from "node:process";
import { test } from "../_harness.ts";
import { isRunning, needsProc } from "../_children.ts";
import {
  type FleetRig,
  outcomes,
  withFleet,
} from "../../fleet/tests/_fleet.ts";
import { reasonWithoutNats } from "../../fleet/tests/_nats.ts";
import { type Running, type StandIn, start, withStandIn } from "./_program.ts";

const skip = reasonWithoutNats ?? needsProc;
const LEASE_MS = 10_000;
const FULL = "/dev/full";

/** Starts the program as a worker, and waits until it works. */
async function startWorker(
  rig: FleetRig,
  { env }: StandIn,
  ...flags: readonly string[]
): Promise<Running> {
  const at = ["--fleet", "test", "--server", rig.url];
  const worker = start(["worker", ...at, ...flags], {
    env: { ...env, NO_COLOR: "1" },
    loadsPackages: true,
  });
  await worker.said(flags.includes("--json") ? '"ready"' : "works");
  return worker;
}

/** By its id: Deno takes a signal that it sent for the way in which a child ended. */
const tellToEnd = ({ pid }: Running, signal = "SIGTERM") =>
  process.kill(pid, signal);

test(
  "SIGTERM drains a worker: the job that runs ends once, no other is taken, and the exit code is 0",
  () =>
    withFleet((rig) =>
      withStandIn(
        { runs: [[["Begun.", { wait: { control: "interrupt" } }, "Done."]]] },
        async (standIn) => {
          const fleet = await rig.fleet({ leaseMs: LEASE_MS });
          const worker = await startWorker(rig, standIn, "--concurrency", "2");
          const job = await fleet.submit("x", { id: "one" });
          await job.messages().getReader().read();
          tellToEnd(worker);
          await worker.said("ends when");
          const late = await fleet.submit("y", { id: "two" });
          await job.interrupt();
          const { attempts } = await job.result();
          assert.deepEqual(outcomes({ attempts }), ["done"]);
          const { code, signal, stdout, stderr } = await worker.ended;
          assert.deepEqual([code, signal, stdout], [0, null, ""]);
          const [name = ""] = stderr.split(" ");
          assert.equal(attempts[0]?.worker, name);
          assert.deepEqual(stderr.trim().split("\n"), [
            `${name} works; Ctrl-C drains it`,
            "one: attempt 1 begins",
            "ends when what runs is done (jobs: 1), in 30 s at most; Ctrl-C again gives it back now",
            "one: attempt 1 done",
          ]);
          const { state, attempts: none } = await late.status();
          assert.deepEqual([state, none], ["queued", []]);
          assert.equal(standIn.fake.runs.length, 1);
        },
      )
    ),
  { skip },
);

test(
  "SIGTERM after the terminal is gone gives the job back at once: its agent is gone, and another worker does it",
  () =>
    withFleet((rig) =>
      withStandIn(
        { runs: [[["Begun.", { wait: "forever" }]], "Done."] },
        async (standIn) => {
          const fleet = await rig.fleet({ leaseMs: LEASE_MS });
          const worker = await startWorker(rig, standIn, "--json");
          const job = await fleet.submit("x", { id: "one" });
          await job.messages().getReader().read();
          // Its terminal is gone.
          tellToEnd(worker, "SIGHUP");
          await worker.said('"drain"');
          tellToEnd(worker);
          const { code, signal, stdout, stderr } = await worker.ended;
          assert.deepEqual([code, signal, stderr], [0, null, ""]);
          const told = stdout.trim().split("\n").map((line) => {
            const { type, job, attempt, outcome } = JSON.parse(line);
            return [type, job, attempt, outcome].join(" ").trim();
          });
          assert.deepEqual(told, [
            "ready",
            "begin one 1",
            "drain",
            "end one 1 released",
          ]);
          const { state, attempts } = await job.status();
          assert.equal(state, "queued");
          assert.deepEqual(outcomes({ attempts }), ["released"]);
          assert.equal(isRunning(standIn.fake.runs[0]?.pid ?? 0), false);
          const next = await startWorker(rig, standIn);
          const ended = await job.result();
          assert.deepEqual(outcomes(ended), ["released", "done"]);
          assert.equal(
            ended.result.subtype === "success" && ended.result.result,
            "Done.",
          );
          tellToEnd(next);
          assert.equal((await next.ended).code, 0);
          assert.equal(standIn.fake.runs.length, 2);
        },
      )
    ),
  { skip },
);

test(
  "A worker whose stdout is a full disk does its jobs, and fails at its end with the reason",
  () =>
    withFleet((rig) =>
      withStandIn("Done.", async ({ env }) => {
        const fleet = await rig.fleet({ leaseMs: LEASE_MS });
        const worker = start(
          ["worker", "--json", "--fleet", "test", "--server", rig.url],
          { env, loadsPackages: true, stdout: FULL },
        );
        for (const id of ["one", "two"]) {
          const job = await fleet.submit("x", { id });
          const { attempts } = await job.result();
          assert.deepEqual(outcomes({ attempts }), ["done"]);
        }
        tellToEnd(worker);
        const { code, stderr } = await worker.ended;
        assert.match(stderr, /^error: Cannot write to stdout: .*space left/m);
        assert.equal(code, 1);
      })
    ),
  { skip: skip ?? (existsSync(FULL) ? undefined : `needs ${FULL}`) },
);
