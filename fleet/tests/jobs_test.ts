import assert from "node:assert/strict";
import { fakeCli } from "@sluice/agent/testing";
import { all, outcomes, test } from "./_fleet.ts";

test("A job is done by a worker, and followed from the beginning by another program", async (rig) => {
  const { cliPath } = fakeCli("Hello from afar.");
  const here = await rig.fleet();
  const there = await rig.fleet();
  const job = await here.submit("Say hello", { id: "one" });
  assert.equal((await job.status()).state, "queued");
  await there.work({ options: { cliPath }, name: "w" });
  const { result, attempts } = await job.result();
  assert.equal(
    result.subtype === "success" && result.result,
    "Hello from afar.",
  );
  assert.deepEqual(attempts.map(({ worker }) => worker), ["w"]);
  const messages = await all((await there.job("one")).messages());
  assert.deepEqual(
    messages.map(({ seq }) => seq),
    messages.map((_, at) => at + 1),
  );
  assert.ok(messages.some(({ message }) => message.type === "result"));
  const late = await all(job.messages({ from: messages.length }));
  assert.deepEqual(late, messages.slice(-1));
  const status = await job.status();
  assert.equal(status.state, "done");
  assert.equal(status.sessionId !== undefined, true);
});

test("The same id twice is one job, of which the first prompt counts", async (rig) => {
  const fake = fakeCli("ok");
  const fleet = await rig.fleet();
  const other = await rig.fleet();
  const [one, two] = await Promise.all([
    fleet.submit("first", { id: "x" }),
    other.submit("second", { id: "x" }),
  ]);
  const worker = await fleet.work({
    options: { cliPath: fake.cliPath },
    concurrency: 3,
  });
  assert.deepEqual((await one.result()).id, (await two.result()).id);
  await fleet.submit("third", { id: "x" });
  await worker.drain();
  assert.equal(fake.runs.length, 1);
  assert.equal(await fleet.depth(), 0);
});

test("A job that is cancelled while it waits, or while it runs, has no result", async (rig) => {
  const fake = fakeCli([["Begun.", { wait: "forever" }]]);
  const fleet = await rig.fleet();
  const waiting = await fleet.submit("a", { delayMs: 60_000 });
  await waiting.cancel("not needed");
  await assert.rejects(waiting.result(), {
    name: "JobError",
    state: "cancelled",
    message: /not needed/,
  });
  const running = await fleet.submit("b");
  await fleet.work({ options: { cliPath: fake.cliPath } });
  await running.messages().getReader().read();
  await running.cancel("enough");
  await assert.rejects(running.result(), { state: "cancelled" });
  assert.deepEqual(outcomes(await running.status()), ["stopped"]);
  await running.cancel("again");
  await fake.until(([run]) =>
    run?.exitCode !== undefined || run?.signals.length === 1
  );
});
