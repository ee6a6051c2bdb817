import assert from "node:assert/strict";
import { fakeCli } from "@sluice/agent/testing";
import { SHORT_LEASE_MS, test } from "./_fleet.ts";
import { startWorker } from "./_processes.ts";

test("Of one name run as many jobs at a time as the fleet allows, over all workers", async (rig) => {
  const fleet = await rig.fleet();
  const other = await rig.fleet();
  await fleet.limit("review", 5);
  await other.limit("review", 2);
  await other.limit("other", 1);
  await other.limit("other", undefined);
  assert.deepEqual([...await fleet.limits()], [["review", 2]]);
  const { cliPath } = fakeCli({ turns: [[{ wait: 50 }, "done"]] });
  const options = { cliPath };
  const jobs = [
    ...Array.from(
      { length: 7 },
      (_, at) => ({ id: `r${at}`, name: "review" }),
    ),
    ...Array.from(
      { length: 4 },
      (_, at) => ({ id: `o${at}`, name: "other" }),
    ),
    // Both of a key that is free and of a name that is full, and the other way round.
    { id: "r8", name: "review", key: "k" },
    { id: "o8", name: "other", key: "k" },
  ];
  for (const job of jobs) {
    await fleet.submit("x", { ...job, options });
  }
  const running = new Set<string>();
  let most = 0;
  let all = 0;
  const metrics = {
    attemptStart(id: string) {
      running.add(id);
      const reviews = [...running].filter((one) => one.startsWith("r"));
      most = Math.max(most, reviews.length);
      all = Math.max(all, running.size);
    },
    attemptEnd: (id: string) => void running.delete(id),
  };
  await fleet.work({ concurrency: 6, metrics });
  await other.work({ concurrency: 6, metrics });
  for (const { id } of jobs) {
    const { attempts } = await (await fleet.job(id)).result();
    assert.equal(attempts.length, 1);
  }
  assert.equal(most, 2);
  assert.ok(all > 2);
  const found: string[] = [];
  for await (const { id, name } of fleet.jobs({ name: "other" })) {
    assert.equal(name, "other");
    found.push(id);
  }
  assert.deepEqual(found.toSorted(), ["o0", "o1", "o2", "o3", "o8"]);
});

test(
  "A killed worker frees no slot: its jobs continue before others of the name begin",
  async (rig) => {
    const fleet = await rig.fleet();
    await fleet.limit("review", 2);
    const stuck = [["one", { wait: "forever" }]] as const;
    const held = fakeCli({
      runs: [stuck, stuck, ...Array.from({ length: 4 }, () => "done")],
    });
    const options = { cliPath: held.cliPath };
    const submit = (id: string) =>
      fleet.submit("x", { id, name: "review", options });
    const first = await startWorker(
      rig.connect,
      { concurrency: 4 },
    );
    const jobs = [await submit("a"), await submit("b")];
    await held.until((runs) => runs.length === 2);
    jobs.push(await submit("c"), await submit("d"));
    await first.kill();
    const began: string[] = [];
    await fleet.work({
      concurrency: 4,
      metrics: { attemptStart: (id, attempt) => began.push(id + attempt) },
    });
    for (const job of jobs) await job.result();
    assert.match(began[0] ?? "", /^[ab]2$/);
    const ends = await Promise.all(jobs.map((job) => job.status()));
    const [a, b, c, d] = ends.map(({ attempts }) => attempts.at(-1));
    // The third begins when one of the lost ones has ended elsewhere.
    const firstEnd = Math.min(a?.endedAt ?? 0, b?.endedAt ?? 0);
    for (const late of [c, d]) assert.ok((late?.beganAt ?? 0) >= firstEnd);
  },
  { leaseMs: SHORT_LEASE_MS },
);
