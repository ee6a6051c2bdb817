import { fakeCli } from "@sluice/agent/testing";
import { asked, loads, SHORT_LEASE_MS, test } from "./_fleet.ts";

test(
  "Workers report the number of jobs that wait for an answer, and that run, zero included",
  async (rig) => {
    const fleet = await rig.fleet();
    const other = await rig.fleet();
    const { cliPath } = fakeCli([[
      { tool: "Bash", input: { command: "ls" } },
      "done",
    ]]);
    const options = { cliPath };
    const [busy, idle] = [loads(), loads()];
    await fleet.work({ concurrency: 2, metrics: busy.metrics });
    await busy.told(0, 0);
    const runs = await fleet.submit("x", { approvals: true, options });
    const waits = await fleet.submit("x", { approvals: true, options });
    const id = await asked(fleet, runs);
    await asked(fleet, waits);
    await busy.told(2, 2);
    // One that does nothing tells it, too.
    await other.work({ metrics: idle.metrics });
    await idle.told(0, 2);
    await fleet.approvals.answer(id, { behavior: "allow" });
    await runs.result();
    await busy.told(1, 1);
    await waits.cancel();
    await Promise.all([busy.told(0, 0), idle.told(0, 0)]);
  },
  { leaseMs: SHORT_LEASE_MS },
);
