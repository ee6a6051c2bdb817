import assert from "node:assert/strict";
import { isRunning } from "../../tests/_children.ts";
import type { Engine } from "../src/engine.ts";
import type { Fleet } from "@sluice/fleet";
import { jobOf } from "../src/job.ts";
import { push, wakeWorkers } from "../src/queue.ts";
import { type JobRecord, PLACES } from "../src/record.ts";
import { sealingWith } from "../src/sealing.ts";
import { Store } from "../src/store.ts";
import { startWorker } from "../src/worker.ts";
import { Deferred } from "@sluice/agent/extend";
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
  const { fleet, fake, job } = await rig.job(
    [["Begun.", { wait: "forever" }]],
    { id: "same" },
  );
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

test("A submitter that is lost in the middle leaves no job, and a later one is not held up", async (rig) => {
  const fake = fakeCli({ turns: "done", record: false });
  const options = { cliPath: fake.cliPath };
  const fleet = await rig.fleet();
  const engine = await rig.engine();
  // It writes into the queue, and no row.
  const dying = new Proxy(engine, {
    get: (target, key) =>
      key === "put"
        ? () => Promise.reject(new Error("killed"))
        : Reflect.get(target, key),
  });
  const sealing = await sealingWith(undefined);
  const job = await fleet.submit("x", { id: "lost", options });
  await job.cancel();
  await fleet.work();
  await untilEmpty(fleet);
  const lost = jobOf(new Store(dying as Engine, sealing), "lost");
  await assert.rejects(lost.retry(), /killed/);
  assert.equal(await fleet.depth(), 1);
  const other = await fleet.submit("x", { options });
  assert.deepEqual(outcomes(await other.result()), ["done"]);
  assert.equal((await job.status()).state, "cancelled");
  await job.retry();
  assert.deepEqual(outcomes(await job.result()), ["done"]);
  await untilEmpty(fleet);
});

test("A job whose entry is taken before its row is there is begun as soon as that is", async (rig) => {
  const fake = fakeCli({ turns: "done", record: false });
  const options = { cliPath: fake.cliPath };
  const fleet = await rig.fleet();
  const model = await fleet.submit("x", { options, delayMs: 600_000 });
  const store = new Store(await rig.engine(), await sealingWith(undefined));
  const found = await store.get<JobRecord>(PLACES.job(model.id));
  assert.ok(found);
  const record = { ...found, id: "a b", spec: "s", notBefore: 0 };
  await store.save(PLACES.spec("a b", "s"), { prompt: "x", options });
  await push(store, record);
  const looked = new Deferred<void>();
  const slow = new Proxy(store.engine, {
    get(target, key) {
      const value = Reflect.get(target, key);
      if (key !== "newest") return value;
      return (path: readonly string[]) => {
        if (path.includes("spec")) looked.resolve();
        return value(path);
      };
    },
  });
  const late = new Store(slow as Engine, await sealingWith(undefined));
  const worker = await startWorker(late, {});
  await looked.promise;
  await store.create(PLACES.job("a b"), record);
  wakeWorkers(store, "a b");
  const job = await fleet.job("a b");
  assert.deepEqual(outcomes(await job.result()), ["done"]);
  await worker.drain();
});

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
