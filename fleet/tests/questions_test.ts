import assert from "node:assert/strict";
import { isRunning, needsProc } from "../../tests/_children.ts";
import type { ApprovalStore } from "@sluice/agent";
import { fakeCli } from "@sluice/agent/testing";
import { asked, SHORT_LEASE_MS, test } from "./_fleet.ts";
import { startWorker } from "./_processes.ts";

const ASKS = [[{ tool: "Bash", input: { command: "true" } }, "done"]] as const;

/** Ids of the unanswered questions. */
async function open(approvals: ApprovalStore): Promise<readonly string[]> {
  return (await approvals.list())
    .filter(({ decision }) => decision === undefined)
    .map(({ request }) => request.id);
}

/** Waits until all of them are answered. */
async function allAnswered(approvals: ApprovalStore): Promise<void> {
  const ended = new AbortController();
  const news = approvals.watch!(ended.signal)[Symbol.asyncIterator]();
  // Answers from here on are reported.
  let next = news.next();
  while ((await open(approvals)).length > 0) {
    await next;
    next = news.next();
  }
  ended.abort();
  await next;
}

test(
  "The question of a worker that was killed is gone when the next attempt asks its own",
  async (rig) => {
    const { fleet, job } = await rig.job({ runs: [ASKS, ASKS] }, {
      approvals: true,
    });
    const first = await startWorker(rig.connect, {});
    const old = await asked(fleet, job);
    assert.deepEqual(await open(fleet.approvals), [old]);
    await first.kill();
    await fleet.work();
    const next = await asked(fleet, job, [old]);
    assert.deepEqual(await open(fleet.approvals), [next]);
    const allow = { behavior: "allow" } as const;
    assert.equal(await fleet.approvals.answer(old, allow), false);
    assert.equal(await fleet.approvals.answer(next, allow), true);
    await job.result();
    assert.deepEqual(await open(fleet.approvals), []);
  },
  { leaseMs: SHORT_LEASE_MS, skip: needsProc },
);

test(
  "A question is gone when its worker was killed and the job ends without another one",
  async (rig) => {
    const fleet = await rig.fleet();
    const { cliPath } = fakeCli(ASKS);
    const options = { cliPath };
    const submit = (more: object) =>
      fleet.submit("x", { approvals: true, options, ...more });
    const jobs = [
      await submit({ deadlineMs: 4_000 }),
      await submit({ maxAttempts: 1 }),
      await submit({}),
    ] as const;
    const first = await startWorker(rig.connect, { concurrency: 3 });
    await Promise.all(jobs.map((job) => asked(fleet, job)));
    assert.equal((await open(fleet.approvals)).length, 3);
    await first.kill();
    await assert.rejects(jobs[0].result(), { message: /deadline/ });
    assert.equal((await open(fleet.approvals)).length, 2);
    await jobs[2].cancel();
    await fleet.work({ concurrency: 2 });
    for (const job of jobs) await assert.rejects(job.result());
    await allAnswered(fleet.approvals);
  },
  { leaseMs: SHORT_LEASE_MS, skip: needsProc },
);

test(
  "A worker that was replaced gives its agent no answer any more, and stops it",
  async (rig) => {
    const leaseMs = 600_000;
    const fleet = await rig.fleet({ leaseMs });
    const fake = fakeCli(ASKS);
    const options = { cliPath: fake.cliPath };
    const job = await fleet.submit("x", { approvals: true, options });
    await fleet.work();
    const old = await asked(fleet, job);
    // As a successor does, of which it was not told.
    const engine = await rig.engine({ leaseMs });
    const row = await engine.get(["job", job.id]);
    const record = JSON.parse(new TextDecoder().decode(row?.value.slice(1)));
    record.attempts.push({ attempt: 2, worker: "w", beganAt: 0 });
    const next = new TextEncoder().encode(`\0${JSON.stringify(record)}`);
    await engine.put(["job", job.id], next, row?.revision ?? 0);
    await fleet.approvals.answer(old, { behavior: "allow" });
    await fake.until(([run]) => run !== undefined && !isRunning(run.pid));
    assert.deepEqual(fake.decisions, []);
  },
  { skip: needsProc },
);

test(
  "A worker that is drained gives its agent no answer, and the next attempt asks anew",
  async (rig) => {
    const { fleet, fake, job } = await rig.job({ runs: [ASKS, ASKS] }, {
      approvals: true,
    });
    const worker = await fleet.work({ drainMs: 1 });
    const old = await asked(fleet, job);
    await worker.drain();
    assert.deepEqual(fake.decisions, []);
    assert.deepEqual(await open(fleet.approvals), []);
    await fleet.work();
    const next = await asked(fleet, job, [old]);
    assert.deepEqual(await open(fleet.approvals), [next]);
  },
  { skip: needsProc },
);
