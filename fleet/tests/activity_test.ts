import assert from "node:assert/strict";
import { faultyCli as fakeCli } from "../../tests/_faulty_cli.ts";
import type { JobStatus } from "@sluice/fleet";
import { outcomes, test } from "./_fleet.ts";

const ASKS = { tool: "Bash", input: { command: "true" } } as const;

/** The next status that fits. */
async function until(
  reader: ReadableStreamDefaultReader<JobStatus>,
  fits: (status: JobStatus) => boolean,
): Promise<JobStatus> {
  for (;;) {
    const { value } = await reader.read();
    assert.ok(value, "it ended before");
    if (fits(value)) return value;
  }
}

test("What an agent does and what it has cost is seen by another program, as it changes", async (rig) => {
  const fleet = await rig.fleet();
  const other = await rig.fleet();
  const interrupted = { wait: { control: "interrupt" } } as const;
  const fake = fakeCli([
    ["Begun.", ASKS, interrupted, "one"],
    ["more", interrupted, "two"],
  ]);
  const job = await fleet.submit("x", {
    approvals: true,
    options: { cliPath: fake.cliPath },
  });
  const seen = (await other.job(job.id)).watch().getReader();
  const queued = await until(seen, () => true);
  assert.deepEqual([queued.state, queued.activity], ["queued", undefined]);
  assert.deepEqual([queued.cost.totalUsd, queued.cost.turns], [0, 0]);
  await fleet.work();
  const asks = await until(
    seen,
    ({ activity, waitingFor }) =>
      activity?.waitingFor.length === 1 && waitingFor.length > 0,
  );
  const [waits] = asks.activity?.waitingFor ?? [];
  assert.deepEqual([waits?.kind, waits?.tool], ["permission", "Bash"]);
  assert.ok(waits?.since instanceof Date);
  assert.ok(asks.activity?.since instanceof Date);
  assert.deepEqual((await job.status()).activity, asks.activity);
  await job.send("next");
  await fleet.approvals.answer(asks.waitingFor[0] ?? "", {
    behavior: "allow",
  });
  const runs = await until(
    seen,
    ({ activity }) => activity?.state === "running",
  );
  assert.deepEqual(runs.waitingFor, []);
  await job.interrupt();
  const { cost } = await until(seen, ({ cost }) => cost.turns === 1);
  assert.ok(cost.totalUsd > 0 && cost.lastTurnUsd > 0);
  assert.ok(cost.usage.outputTokens > 0);
  await fake.until(([run]) =>
    run?.received.filter(({ type }) => type === "user").length === 2
  );
  await job.interrupt();
  const done = await until(seen, ({ state }) => state === "done");
  assert.equal(done.activity, undefined);
  assert.equal(done.cost.turns, 2);
  assert.ok(done.cost.totalUsd > cost.totalUsd);
  assert.equal((await seen.read()).done, true);
});

test("The costs of all attempts are added up, and a slow reader gets the newest status", async (rig) => {
  const fleet = await rig.fleet();
  const fake = fakeCli({
    runs: [["one", [{ kill: "SIGKILL" }]], "done"],
  });
  const job = await fleet.submit("x", {
    options: { cliPath: fake.cliPath },
  });
  await job.send("next");
  const slow = job.watch().getReader();
  await slow.read();
  await fleet.work();
  await job.result();
  const { value } = await slow.read();
  assert.equal(value?.state, "done");
  assert.deepEqual(outcomes(value), ["failed", "done"]);
  const { totalUsd, lastTurnUsd, turns, byModel } = value.cost;
  // The second attempt has the turn of the first, and the one that was sent.
  assert.ok(turns >= 2);
  assert.ok(totalUsd > lastTurnUsd);
  const sum = Object.values(byModel).reduce((all, { usd }) => all + usd, 0);
  assert.ok(Math.abs(sum - totalUsd) < 1e-9);
  const ended = new AbortController();
  const watching = (await fleet.submit("x", { delayMs: 60_000 }))
    .watch({ signal: ended.signal }).getReader();
  await watching.read();
  ended.abort(new Error("enough"));
  await assert.rejects(watching.read(), { message: "enough" });
});
