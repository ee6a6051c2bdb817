import assert from "node:assert/strict";
import { isRunning } from "../../tests/_children.ts";
import type { Engine } from "../src/engine.ts";
import type { Fleet } from "@sluice/fleet";
import { jobOf } from "../src/job.ts";
import { sealingWith } from "../src/sealing.ts";
import { Store } from "../src/store.ts";
import { fakeCli } from "@sluice/agent/testing";
import { asked, outcomes, test } from "./_fleet.ts";

test("An id submitted again right after remove() is a new job that runs", async (rig) => {
  const fleet = await rig.fleet();
  const fake = fakeCli("ok");
  const options = { cliPath: fake.cliPath };
  const first = await fleet.submit("one", { id: "same", options });
  await first.remove();
  const second = await fleet.submit("two", { id: "same", options });
  await fleet.work();
  assert.deepEqual(outcomes(await second.result()), ["done"]);
  await second.remove();
  const third = await fleet.submit("three", { id: "same", options });
  assert.deepEqual(outcomes(await third.result()), ["done"]);
  const prompts = fake.received.filter(({ type }) => type === "user");
  assert.deepEqual(
    prompts.map((line) => /"(two|three)"/.exec(JSON.stringify(line))?.[1]),
    ["two", "three"],
  );
});

test("An attempt of a removed job is stopped, although another job has its id and number", async (rig) => {
  const fleet = await rig.fleet();
  const fake = fakeCli([["Begun.", { wait: "forever" }]]);
  const job = await fleet.submit("x", {
    id: "same",
    options: { cliPath: fake.cliPath },
  });
  await fleet.work();
  await job.messages().getReader().read();
  const engine = await rig.engine();
  const row = await engine.get(["job", "same"]);
  const text = new TextDecoder().decode(row?.value)
    .replace(/"spec":"[^"]*"/, '"spec":"another"');
  assert.ok(
    await engine.put(
      ["job", "same"],
      new TextEncoder().encode(text),
      row?.revision ?? 0,
    ),
  );
  engine.signal(["job", "same"]);
  await fake.until(([run]) => run !== undefined && !isRunning(run.pid));
  const after = await engine.get(["job", "same"]);
  assert.match(new TextDecoder().decode(after?.value), /"running"/);
});

test("remove() deletes the questions of its job, answered or open, and those of no other", async (rig) => {
  const fleet = await rig.fleet();
  const { cliPath } = fakeCli([[
    { tool: "Bash", input: { command: "ls" } },
    { tool: "Bash", input: { command: "pwd" } },
    "done",
  ]]);
  const options = { cliPath };
  const job = await fleet.submit("x", { approvals: true, options });
  const other = await fleet.submit("x", { approvals: true, options });
  await fleet.work({ concurrency: 2 });
  const kept = await asked(fleet, other);
  const first = await asked(fleet, job);
  await fleet.approvals.answer(first, { behavior: "allow" });
  await asked(fleet, job, [first]);
  await assert.rejects(job.remove(), {
    fault: "settings",
    message: /runs: cancel it first/,
  });
  assert.equal((await job.status()).state, "running");
  await job.cancel();
  await assert.rejects(job.result(), { name: "JobError" });
  assert.equal((await fleet.approvals.list()).length, 3);
  await job.remove();
  const left = await fleet.approvals.list();
  assert.deepEqual(left.map(({ request }) => request.id), [kept]);
  const engine = await rig.engine();
  assert.deepEqual(await engine.paths(["asked", job.id]), []);
  assert.deepEqual(await engine.paths(["open", job.id]), []);
});

test(
  "A job whose submitter was lost before it was in the queue is put there by a worker",
  async (rig) => {
    const { cliPath } = fakeCli({ turns: "done", record: false });
    const lost = await rig.fleet();
    const engine = await rig.engine();
    // Nothing of this fleet reaches the queue any more.
    const dead = new Proxy(engine, {
      get: (target, key) =>
        key === "push"
          ? () => Promise.reject(new Error("killed"))
          : Reflect.get(target, key),
    });
    const store = new Store(dead as Engine, await sealingWith(undefined));
    const job = await lost.submit("x", { id: "lost", options: { cliPath } });
    // Nothing of that is left where it went well.
    assert.deepEqual(await engine.paths(["push"]), []);
    await job.cancel();
    await lost.work();
    await untilEmpty(lost);
    await assert.rejects(jobOf(store, "lost").retry(), /killed/);
    assert.equal((await job.status()).state, "queued");
    assert.equal(await lost.depth(), 0);
    assert.equal((await engine.paths(["push"])).length, 1);
    assert.deepEqual(outcomes(await job.result()), ["done"]);
    while ((await engine.paths(["push"])).length > 0) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  },
  { leaseMs: 1_000 },
);

test(
  "One row that cannot be read hides no other job, question or limit",
  async (rig) => {
    const fleet = await rig.fleet();
    await fleet.submit("x", { id: "one" });
    await fleet.submit("x", { id: "two" });
    const engine = await rig.engine();
    await engine.put(["job", "bad"], new Uint8Array([7, 7]), 0);
    await engine.put(["job", "worse"], new Uint8Array([0, 0x7b]), 0);
    await engine.put(["limit", "bad"], new Uint8Array(0), 0);
    const ids: string[] = [];
    for await (const { id } of fleet.jobs()) ids.push(id);
    assert.deepEqual(ids.toSorted(), ["one", "two"]);
    assert.equal((await fleet.limits()).size, 0);
    for (const id of ["bad", "worse"]) {
      await assert.rejects(fleet.job(id), { fault: "unreadable" });
    }
  },
);

test("In a sealed fleet no path shows a name or a key, and limits hold", async (rig) => {
  const fleet = await rig.fleet({ key: btoa("k".repeat(32)) });
  const fake = fakeCli([[{ wait: { control: "interrupt" } }, "done"]]);
  const options = { cliPath: fake.cliPath };
  await fleet.limit("secret-name", 1);
  assert.deepEqual([...await fleet.limits()], [["secret-name", 1]]);
  const job = await fleet.submit("x", {
    name: "secret-name",
    key: "secret-key",
    options,
  });
  await fleet.work({ concurrency: 2 });
  await fake.receivedLine((line) => line["type"] === "user");
  const engine = await rig.engine();
  for (const below of ["limit", "slots"]) {
    const paths = await engine.paths([below]);
    assert.equal(paths.length, below === "limit" ? 1 : 2);
    assert.doesNotMatch(JSON.stringify(paths), /secret/);
  }
  const next = await fleet.submit("x", { name: "secret-name", options });
  await job.interrupt();
  await job.result();
  assert.ok(fake.runs.length <= 2);
  await fake.until((runs) => runs.length === 2);
  await next.interrupt();
  await next.result();
});

test("A result that is too large ends its job with an error that names the limit", async (rig) => {
  const fleet = await rig.fleet();
  const { cliPath } = fakeCli({
    turns: ["x".repeat(4_000)],
    record: false,
  });
  const job = await fleet.submit("x", {
    options: { cliPath, limits: { maxMessageBytes: 3_000 } },
  });
  await fleet.work();
  await assert.rejects(job.result(), {
    state: "dead",
    message: /too large.*"limits.maxMessageBytes" is 3000/,
  });
});

async function untilEmpty(fleet: Fleet): Promise<void> {
  while (await fleet.depth() > 0) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
