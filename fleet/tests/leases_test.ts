import assert from "node:assert/strict";
import process from "node:process";
import { isRunning, needsProc } from "../../tests/_children.ts";
import { Deferred } from "@sluice/agent/extend";
import { fakeCli, type FakeCliScript } from "@sluice/agent/testing";
import type { WorkOptions } from "@sluice/fleet";
import { type FleetRig, outcomes, test, until } from "./_fleet.ts";
import { startWorker } from "./_processes.ts";
import { type Proxy, proxyTo } from "./_proxy.ts";

const LEASE_MS = 3_000;

/** Runs a body with a worker whose way to the server can be cut. */
async function withCutOff(
  rig: FleetRig,
  options: WorkOptions,
  use: (cut: Proxy["cut"]) => Promise<void>,
): Promise<void> {
  const proxy = await proxyTo(rig.port);
  try {
    const servers = proxy.url;
    const cutOff = await rig.fleet({ servers, patienceMs: 120_000 });
    await cutOff.work(options);
    await use(proxy.cut);
  } finally {
    await proxy.close();
  }
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
    async (rig) => {
      const begun = { turns: [["Begun.", { wait: "forever" }]], ...stubborn };
      const fake = fakeCli({ runs: [begun as FakeCliScript, "done"] });
      const fleet = await rig.fleet();
      const job = await fleet.submit("x", {
        options: { cliPath: fake.cliPath },
        maxAttempts: 2,
      });
      const ended = new Deferred<string>();
      const attemptEnd = (_: string, attempt: number, outcome: string) =>
        ended.resolve(`${attempt} ${outcome}`);
      const options = { name: "cut off", metrics: { attemptEnd } };
      await withCutOff(rig, options, async (cut) => {
        await job.messages().getReader().read();
        cut(true);
        await fleet.work({ name: "successor" });
        await fake.until((runs) => runs.length === 2);
        assert.equal(isRunning(fake.runs[0]?.pid ?? 0), false);
        const { attempts } = await job.result();
        assert.deepEqual(outcomes({ attempts }), ["lost", "done"]);
        cut(false);
        assert.equal(await ended.promise, "1 lost");
        // It changes nothing of what its successor wrote.
        assert.deepEqual((await job.status()).attempts, attempts);
      });
    },
    { leaseMs: LEASE_MS, skip: needsProc },
  );
}

test(
  "A job whose worker was cut off for longer than a lease continues without a lost attempt, unless another worker took it",
  async (rig) => {
    const fake = fakeCli({
      runs: [[["Begun.", { wait: "forever" }]], "done"],
    });
    const job = await (await rig.fleet()).submit("x", {
      options: { cliPath: fake.cliPath },
      maxAttempts: 1,
    });
    await withCutOff(rig, {}, async (cut) => {
      await job.messages().getReader().read();
      cut(true);
      await fake.until(([run]) => run !== undefined && !isRunning(run.pid));
      cut(false);
      const { attempts } = await job.result();
      assert.deepEqual(outcomes({ attempts }), ["released", "done"]);
      assert.match(attempts[0]?.reason ?? "", /cut off from the server/);
    });
  },
  { leaseMs: LEASE_MS, skip: needsProc },
);

test(
  "The job of a killed worker is taken over within 1.3 leases",
  async (rig) => {
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
  },
  { skip: needsProc },
);

test(
  "A job that is in the queue twice stays with its worker",
  async (rig) => {
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
  },
  { skip: needsProc },
);
