import assert from "node:assert/strict";
import process from "node:process";
import { test } from "../../tests/_harness.ts";
import { isRunning, needsProc } from "../../tests/_children.ts";
import { fakeCli } from "@sluice/agent/testing";
import { type FleetRig, outcomes, until, withFleet } from "./_fleet.ts";
import { reasonWithoutNats } from "./_nats.ts";
import { startWorker } from "./_processes.ts";
import { type Proxy, proxyTo } from "./_proxy.ts";

const skip = reasonWithoutNats ?? needsProc;
const LEASE_MS = 3_000;

/** Runs a body with a server, and a way to it that can be cut. */
function withProxy(
  use: (rig: FleetRig, proxy: Proxy) => Promise<void>,
): Promise<void> {
  return withFleet(async (rig) => {
    const proxy = await proxyTo(rig.port);
    try {
      await use(rig, proxy);
    } finally {
      await proxy.close();
    }
  });
}

for (
  const [kind, stubborn] of [
    ["An agent", {}],
    ["An agent that ignores SIGTERM", {
      onStdinEnd: "ignore",
      onSigterm: "ignore",
    }],
  ] as const
) {
  test(
    `${kind} of a worker that is cut off has ended before its successor begins`,
    () =>
      withProxy(async (rig, proxy) => {
        const fake = fakeCli({
          runs: [
            { turns: [["Begun.", { wait: "forever" }]], ...stubborn },
            "done",
          ],
        });
        const fleet = await rig.fleet({ leaseMs: LEASE_MS });
        const job = await fleet.submit("x", {
          options: { cliPath: fake.cliPath },
          maxAttempts: 2,
        });
        const cutOff = await rig.fleet({
          leaseMs: LEASE_MS,
          servers: proxy.url,
          patienceMs: 120_000,
        });
        const ends: string[] = [];
        let told = () => {};
        const attemptEnd = (_: string, attempt: number, outcome: string) => {
          ends.push(`${attempt} ${outcome}`);
          told();
        };
        await cutOff.work({ name: "cut off", metrics: { attemptEnd } });
        await job.messages().getReader().read();
        proxy.cut(true);
        await fleet.work({ name: "successor" });
        await fake.until((runs) => runs.length === 2);
        assert.equal(isRunning(fake.runs[0]?.pid ?? 0), false);
        const { attempts } = await job.result();
        assert.deepEqual(outcomes({ attempts }), ["lost", "done"]);
        const ended = new Promise<void>((resolve) => told = resolve);
        proxy.cut(false);
        if (ends.length === 0) await ended;
        // It changes nothing of what its successor wrote.
        assert.deepEqual(ends, ["1 lost"]);
        assert.deepEqual((await job.status()).attempts, attempts);
      }),
    { skip },
  );
}

test(
  "A job whose worker was cut off for longer than a lease goes on without a lost attempt, where nobody else took it",
  () =>
    withProxy(async (rig, proxy) => {
      const fake = fakeCli({
        runs: [[["Begun.", { wait: "forever" }]], "done"],
      });
      const fleet = await rig.fleet({ leaseMs: LEASE_MS });
      const job = await fleet.submit("x", {
        options: { cliPath: fake.cliPath },
        maxAttempts: 1,
      });
      const cutOff = await rig.fleet({
        leaseMs: LEASE_MS,
        servers: proxy.url,
        patienceMs: 120_000,
      });
      await cutOff.work();
      await job.messages().getReader().read();
      proxy.cut(true);
      await fake.until(([run]) => run !== undefined && !isRunning(run.pid));
      proxy.cut(false);
      const { attempts } = await job.result();
      assert.deepEqual(outcomes({ attempts }), ["released", "done"]);
      assert.match(attempts[0]?.reason ?? "", /cut off from the server/);
    }),
  { skip },
);

test(
  "The job of a killed worker is taken over within 1.3 leases",
  () =>
    withFleet(async (rig) => {
      const leaseMs = 5_000;
      const fake = fakeCli({
        runs: [[["Begun.", { wait: "forever" }]], "done"],
      });
      const fleet = await rig.fleet({ leaseMs });
      const job = await fleet.submit("x", {
        options: { cliPath: fake.cliPath },
      });
      const connect = { servers: rig.url, name: "test", leaseMs };
      const first = await startWorker(connect, {});
      await job.messages().getReader().read();
      await fleet.work();
      const killed = performance.now();
      process.kill(first.pid, "SIGKILL");
      await until(job, ({ attempts }) => attempts.length === 2);
      const leases = (performance.now() - killed) / leaseMs;
      assert.ok(leases <= 1.3, `${leases} leases`);
      assert.deepEqual(outcomes(await job.result()), ["lost", "done"]);
      await first.kill();
    }),
  { skip },
);

test(
  "A job that is in the queue twice stays with its worker",
  () =>
    withFleet(async (rig) => {
      const fake = fakeCli([[{ wait: { control: "interrupt" } }, "done"]]);
      const fleet = await rig.fleet();
      const job = await fleet.submit("x", {
        options: { cliPath: fake.cliPath },
      });
      await fleet.work();
      await fake.receivedLine((line) => line["type"] === "user");
      // Its worker reports nothing more: it looks at the job when it is asked, or at its next heartbeat.
      await until(job, ({ activity }) => activity?.state === "running");
      const engine = await rig.engine();
      const asked = new Promise<void>((resolve, reject) => {
        let wasMissed = false;
        engine.listen(["job", job.id], () => {
          engine.get(["job", job.id]).then((row) => {
            const isMissed = new TextDecoder().decode(row?.value)
              .includes('"missed":1');
            if (wasMissed && !isMissed) resolve();
            wasMissed ||= isMissed;
          }).catch(reject);
        });
      });
      // A retry of a job that runs puts it into the queue once more.
      await job.retry();
      await (await rig.fleet()).work();
      await Promise.race([asked, job.result()]);
      await job.interrupt();
      assert.deepEqual(outcomes(await job.result()), ["done"]);
    }),
  { skip },
);
