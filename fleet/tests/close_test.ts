import assert from "node:assert/strict";
import { isRunning, needsProc } from "../../tests/_children.ts";
import { fakeCli } from "@sluice/agent/testing";
import { test } from "./_fleet.ts";

/** Longer than any of these tests may take. */
const patienceMs = 600_000;

test(
  "close() and drain() end at once when the server is gone, and their agents with them",
  async (rig) => {
    const fleet = await rig.fleet({ patienceMs });
    const fake = fakeCli([["one", { wait: "forever" }]]);
    const options = { cliPath: fake.cliPath };
    const ids = ["a", "b"];
    for (const id of ids) await fleet.submit("x", { id, options });
    const draining = await fleet.work({ drainMs: 1 });
    await fake.until((runs) => runs.length === 1);
    const other = await fleet.work({ drainMs: patienceMs });
    await fake.until((runs) => runs.length === 2);
    const drained = other.drain();
    await rig.kill();
    await draining.drain();
    assert.equal(fake.runs.filter(({ pid }) => isRunning(pid)).length, 1);
    await fleet.close();
    await drained;
    assert.equal(fake.runs.filter(({ pid }) => isRunning(pid)).length, 0);
  },
  { skip: needsProc },
);

test(
  "close() ends in bounded time when the server is there and says nothing",
  async (rig) => {
    const fleet = await rig.fleet({ patienceMs });
    const fake = fakeCli([["one", { wait: "forever" }]]);
    const job = await fleet.submit("x", {
      options: { cliPath: fake.cliPath },
    });
    await fleet.work();
    await job.messages().getReader().read();
    rig.freeze(true);
    await fleet.close();
    rig.freeze(false);
    assert.equal(fake.runs.filter(({ pid }) => isRunning(pid)).length, 0);
  },
  { skip: needsProc },
);
