import assert from "node:assert/strict";
import { faultyCli as fakeCli } from "../../tests/_faulty_cli.ts";
import { all, outcomes, test, written } from "./_fleet.ts";

test("High jobs go first, one job of a key runs at a time, and a delay is kept", async (rig) => {
  const fleet = await rig.fleet();
  const { cliPath } = fakeCli({ turns: ["done"], record: false });
  const options = { cliPath };
  const began: string[] = [];
  let same = 0;
  let most = 0;
  const late = await fleet.submit("x", {
    id: "late",
    options,
    delayMs: 700,
  });
  const jobs = [
    await fleet.submit("x", { id: "low", options, priority: "low" }),
    await fleet.submit("x", { id: "k1", options, key: "repo" }),
    await fleet.submit("x", { id: "k2", options, key: "repo" }),
    await fleet.submit("x", { id: "high", options, priority: "high" }),
  ];
  const first = await fleet.work({
    metrics: { attemptStart: (id) => void began.push(id) },
  });
  await jobs[3]!.result();
  await fleet.work({
    concurrency: 4,
    metrics: {
      attemptStart(id) {
        began.push(id);
        if (id.startsWith("k")) most = Math.max(most, ++same);
      },
      attemptEnd: (id) => void (id.startsWith("k") && same--),
    },
  });
  for (const job of jobs) await job.result();
  assert.equal(began[0], "high");
  assert.ok(most <= 1);
  await late.result();
  const { attempts, submittedAt } = await late.status();
  assert.ok(attempts[0]!.beganAt - submittedAt >= 700);
  await first.drain();
});

test("Errors of a worker's own code are reported without secrets", async (rig) => {
  const fleet = await rig.fleet();
  const job = await fleet.submit("x", { maxAttempts: 1 });
  const worker = await fleet.work({
    options() {
      throw new Error("no access for https://ci:hunter2hunter2@vault/x");
    },
  });
  await assert.rejects(job.result(), (error: Error) => {
    assert.match(error.message, /no access for https:/);
    assert.doesNotMatch(error.message, /hunter2/);
    return true;
  });
  const { attempts } = await job.status();
  assert.doesNotMatch(JSON.stringify(attempts), /hunter2/);
  await worker.drain();
});

test("What may pass is tried again, what may not is a dead letter with its history", async (rig) => {
  const fleet = await rig.fleet();
  const crashing = fakeCli({ turns: [[{ kill: "SIGKILL" }]] });
  const refused = fakeCli({
    turns: [[{ stderr: "no login\n" }, { exit: 1 }]],
  });
  const overloaded = fakeCli({
    runs: [
      [{ result: { is_error: true, api_error_status: 529 } }],
      "done",
    ],
  });
  const run = (
    { cliPath }: { readonly cliPath: readonly string[] },
    id: string,
  ) => fleet.submit("x", { id, options: { cliPath }, maxAttempts: 2 });
  const jobs = [
    await run(crashing, "crash"),
    await run(refused, "refused"),
    await run(overloaded, "later"),
  ] as const;
  await fleet.work({ concurrency: 3 });
  await assert.rejects(jobs[0].result(), {
    state: "dead",
    name: "JobError",
  });
  await assert.rejects(jobs[1].result(), { state: "dead" });
  const { attempts } = await jobs[2].result();
  assert.deepEqual(outcomes({ attempts }), ["failed", "done"]);
  const dead = new Map<string, readonly (string | undefined)[]>();
  for await (const status of fleet.deadLetters()) {
    dead.set(status.id, outcomes(status));
    assert.match(status.reason ?? "", /./);
    assert.match(status.attempts[0]?.reason ?? "", /exit|signal|SIGKILL/i);
  }
  assert.deepEqual([...dead].toSorted(), [
    ["crash", ["failed", "failed"]],
    ["refused", ["failed"]],
  ]);
  assert.equal(refused.runs.length, 1);
  await (await fleet.job("refused")).retry();
  await assert.rejects(jobs[1].result(), { state: "dead" });
  assert.equal(refused.runs.length, 2);
  await jobs[0].remove();
  await assert.rejects(fleet.job("crash"), { fault: "unknown_job" });
});

test("A job is retried with as many attempts as it had, however often, and whether or not any had begun", async (rig) => {
  const fleet = await rig.fleet();
  const { cliPath } = fakeCli({ turns: [[{ kill: "SIGKILL" }]] });
  const options = { cliPath };
  const job = await fleet.submit("x", {
    options,
    maxAttempts: 1,
    delayMs: 60_000,
  });
  await job.cancel();
  await fleet.work();
  for (const count of [1, 2, 3]) {
    await job.retry();
    await assert.rejects(job.result(), { state: "dead" });
    const { attempts, maxAttempts } = await job.status();
    assert.equal(attempts.length, count);
    assert.equal(maxAttempts, count);
  }
});

test("A worker ends a job at its deadline that is not to begin yet, and one that has no place", async (rig) => {
  const fleet = await rig.fleet();
  await fleet.limit("one", 1);
  const { cliPath } = fakeCli([["Begun.", { wait: "forever" }]]);
  const runs = await fleet.submit("x", {
    name: "one",
    options: { cliPath },
  });
  await fleet.work({ concurrency: 2 });
  await runs.messages().getReader().read();
  const engine = await rig.engine();
  const deadlineMs = 300;
  await Promise.all([
    fleet.submit("x", { delayMs: 600_000, deadlineMs }),
    fleet.submit("x", { name: "one", deadlineMs }),
  ].map(async (job) =>
    await written(engine, (await job).id, '"its deadline has passed"')
  ));
  assert.equal((await runs.status()).state, "running");
});

test("A deadline is kept without a worker for programs that follow a job or list jobs", async (rig) => {
  const fleet = await rig.fleet();
  const deadlineMs = 50;
  const listed = await fleet.submit("x", { deadlineMs });
  const followed = await fleet.submit("x", { deadlineMs });
  assert.deepEqual(await all(followed.messages()), []);
  const seen = await fleet.submit("x", { deadlineMs });
  const states: string[] = [];
  for await (const { state } of seen.watch()) states.push(state);
  assert.deepEqual(states, ["queued", "dead"]);
  const { submittedAt, endedAt = 0 } = await seen.status();
  // No signal came: it polled.
  assert.ok(endedAt - submittedAt < 5_000, `${endedAt - submittedAt}`);
  const dead: string[] = [];
  for await (const { id } of fleet.deadLetters()) dead.push(id);
  assert.ok(dead.includes(listed.id));
});

test("A deadline ends a job that runs, and one that no worker takes", async (rig) => {
  const fleet = await rig.fleet();
  const alone = await fleet.submit("x", { deadlineMs: 50 });
  const waiting = alone.result();
  await assert.rejects(waiting, { state: "dead", message: /deadline/ });
  const fake = fakeCli([[{ wait: "forever" }]]);
  // There before it, so that it is taken long before its deadline.
  await fleet.work();
  const job = await fleet.submit("x", {
    deadlineMs: 2_000,
    options: { cliPath: fake.cliPath },
  });
  await assert.rejects(job.result(), {
    state: "dead",
    message: /deadline/,
  });
  assert.deepEqual(outcomes(await job.status()), ["stopped"]);
});

test("A worker that drains ends what it can and gives the rest back", async (rig) => {
  const fleet = await rig.fleet();
  const quick = fakeCli([[{ wait: { control: "interrupt" } }, "done"]]);
  const slow = fakeCli({
    runs: [[["one", { wait: "forever" }]], "done", "done"],
  });
  const one = await fleet.submit("x", {
    options: { cliPath: quick.cliPath },
  });
  const two = await fleet.submit("x", {
    options: { cliPath: slow.cliPath },
  });
  const first = await fleet.work({ concurrency: 2, drainMs: 4_000 });
  await quick.receivedLine((line) => line["type"] === "user");
  await slow.receivedLine((line) => line["type"] === "user");
  const drained = first.drain();
  const waiting = await fleet.submit("x", {
    options: { cliPath: slow.cliPath },
  });
  await one.interrupt();
  await one.result();
  await drained;
  await first.ended;
  assert.equal((await waiting.status()).state, "queued");
  assert.deepEqual(outcomes(await two.status()), ["released"]);
  await fleet.work({ concurrency: 2 });
  await waiting.result();
  assert.deepEqual(outcomes(await two.result()), ["released", "done"]);
});

test("A function for options that does not answer holds up neither a drain nor a cancel", async (rig) => {
  const fleet = await rig.fleet();
  const fake = fakeCli(["done"]);
  const asked: (() => void)[] = [];
  const come = () => new Promise<void>((resolve) => asked.push(resolve));
  const options = () => {
    asked.shift()?.();
    return new Promise<never>(() => {});
  };
  const job = await fleet.submit("x", {
    options: { cliPath: fake.cliPath },
  });
  const begun = come();
  const first = await fleet.work({ drainMs: 1, options });
  await begun;
  await first.drain();
  assert.deepEqual(outcomes(await job.status()), ["released"]);
  const again = come();
  const second = await fleet.work({ drainMs: 1, options });
  await again;
  await job.cancel();
  await assert.rejects(job.result(), { name: "JobError" });
  await second.drain();
  assert.deepEqual(outcomes(await job.status()), ["released", "stopped"]);
});
