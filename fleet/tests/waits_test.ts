import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { needsProc } from "../../tests/_children.ts";
import { reasonWithoutCli, withRealCli } from "../../tests/_real_cli.ts";
import { Deferred } from "@sluice/agent/extend";
import { fakeCli } from "@sluice/agent/testing";
import type { JobStatus } from "@sluice/fleet";
import {
  asked,
  loads,
  outcomes,
  SHORT_LEASE_MS,
  test,
  until,
  written,
} from "./_fleet.ts";
import { startWorker } from "./_processes.ts";

const isWaiting = ({ state }: JobStatus) => state === "waiting";

test(
  "The real CLI ends while its job waits for a prompt or an answer, and continues where it was",
  (rig) =>
    withRealCli([
      "One.",
      { tools: [{ name: "Bash", input: { command: "touch made" } }] },
      "Two.",
    ], async (cli) => {
      const fleet = await rig.fleet();
      const job = await fleet.submit("The first prompt", {
        approvals: ["Ba*"],
        open: true,
        idleMs: 50,
        key: "k",
      });
      const free = new Deferred<void>();
      const { metrics, told } = loads();
      await fleet.work({
        options: cli.options,
        metrics: { ...metrics, attemptEnd: () => free.resolve() },
      });
      const idle = await until(job, isWaiting);
      assert.deepEqual(outcomes(idle), ["waiting"]);
      assert.equal(idle.activity, undefined);
      await free.promise;
      await job.send("The second prompt");
      const asks = await until(
        job,
        (status) => isWaiting(status) && status.waitingFor.length > 0,
      );
      assert.equal(existsSync(join(cli.cwd, "made")), false);
      // It is counted although nothing runs.
      await told(0, 1);
      const [id = ""] = asks.waitingFor;
      const question = await fleet.approvals.get(id);
      assert.deepEqual(question?.request.input, { command: "touch made" });
      // Said meanwhile, it has its turn after the call that waits.
      await job.end();
      await assert.rejects(job.send("more"), { name: "FleetError" });
      assert.equal((await job.status()).state, "waiting");
      const { approvals } = await rig.fleet();
      await approvals.answer(id, { behavior: "allow" });
      const { result, attempts } = await job.result();
      assert.equal(result.subtype === "success" && result.result, "Two.");
      await told(0, 0);
      assert.deepEqual(outcomes({ attempts }), [
        "waiting",
        "waiting",
        "done",
      ]);
      assert.equal(existsSync(join(cli.cwd, "made")), true);
      const status = await job.status();
      assert.deepEqual(status.waitingFor, []);
      assert.deepEqual(
        attempts.map(({ resumed }) => resumed),
        [undefined, status.sessionId, status.sessionId],
      );
      assert.ok(status.cost.totalUsd <= status.cost.sessionUsd + 1e-9);
      assert.ok(status.cost.totalUsd > 0);
      const said = JSON.stringify(cli.model.requests.at(-1));
      for (const text of ["The first prompt", "The second prompt"]) {
        assert.equal(said.split(text).length, 2, text);
      }
      assert.doesNotMatch(said, /was lost/);
    }),
  { skip: reasonWithoutCli },
);

test("An open job takes prompts while its agent idles, and is over by end(), also when it waits", async (rig) => {
  const { fleet, fake, job } = await rig.job([
    "one",
    "two",
    [{ wait: { control: "interrupt" } }, "three"],
  ], { open: true });
  await fleet.work({ concurrency: 2 });
  await until(job, ({ cost }) => cost.turns === 1);
  const large = "y".repeat(1_200_000);
  await job.send(large);
  await until(job, ({ cost }) => cost.turns === 2);
  assert.ok(JSON.stringify(fake.runs[0]?.received).includes(large));
  await job.send("z");
  await job.end();
  await job.end();
  await fake.until(([run]) =>
    run?.received.filter(({ type }) => type === "user").length === 3
  );
  // A running turn can be interrupted, although no prompt is accepted any more.
  await job.interrupt();
  await assert.rejects(job.send("more"), { name: "FleetError" });
  assert.deepEqual(outcomes(await job.result()), ["done"]);
  assert.equal(fake.runs.length, 1);
  const { cliPath } = fakeCli("alone");
  const other = await fleet.submit("x", {
    open: true,
    idleMs: 0,
    options: { cliPath },
  });
  const { sessionId = "" } = await until(other, isWaiting);
  // Nothing of a stand-in's session is kept by itself.
  const key = { projectKey: "fleet", sessionId };
  await fleet.transcripts.append(key, [{ type: "user", uuid: "1" }]);
  await other.end();
  const ended = await other.result();
  assert.equal(
    ended.result.subtype === "success" && ended.result.result,
    "alone",
  );
  assert.deepEqual(outcomes(ended), ["waiting", "done"]);
});

test("A job that waits keeps its deadline, and can be cancelled and removed", async (rig) => {
  const fleet = await rig.fleet();
  const { cliPath } = fakeCli({ turns: ["done"], record: false });
  const options = { cliPath };
  const submit = (more: object) =>
    fleet.submit("x", { open: true, idleMs: 0, options, ...more });
  const jobs = [
    await submit({}),
    await submit({ deadlineMs: 8_000 }),
    await submit({}),
  ] as const;
  const worker = await fleet.work({ concurrency: 3 });
  await Promise.all(jobs.map((job) => until(job, isWaiting)));
  await jobs[0].cancel("enough");
  await assert.rejects(jobs[0].result(), { state: "cancelled" });
  await assert.rejects(jobs[1].result(), { message: /deadline/ });
  await jobs[2].remove();
  await assert.rejects(fleet.job(jobs[2].id), { fault: "unknown_job" });
  await worker.drain();
});

test(
  "An idle agent that is lost is not begun again until there is a prompt, which it then gets",
  async (rig) => {
    const { fleet, fake, job } = await rig.job({ runs: ["one", "two"] }, {
      open: true,
    });
    const first = await startWorker(rig.connect, {});
    const { sessionId = "" } = await until(
      job,
      ({ cost }) => cost.turns === 1,
    );
    const key = { projectKey: "fleet", sessionId };
    await fleet.transcripts.append(key, [{ type: "user", uuid: "1" }]);
    const engine = await rig.engine();
    await written(engine, job.id, '"wait":');
    await first.kill();
    await fleet.work();
    const waiting = await until(job, isWaiting);
    assert.deepEqual(outcomes(waiting), ["lost", "waiting"]);
    assert.equal(fake.runs.length, 1);
    await job.send("y");
    await job.end();
    const { result } = await job.result();
    assert.equal(result.subtype === "success" && result.result, "two");
    const said = JSON.stringify(fake.runs[1]?.received);
    assert.match(said, /"y"/);
    assert.doesNotMatch(said, /was lost/);
  },
  { leaseMs: SHORT_LEASE_MS, skip: needsProc },
);

test(
  "A tool that is named as it once was waits for its answer under the name that it has now",
  async (rig) => {
    const { fleet, job } = await rig.job([[
      { tool: "Agent", input: {} },
      "done",
    ]], { approvals: ["Task"] });
    await fleet.work();
    const question = await fleet.approvals.get(await asked(fleet, job));
    assert.equal(question?.request.tool, "Agent");
    await job.cancel();
  },
);
