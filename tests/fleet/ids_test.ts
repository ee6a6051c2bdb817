import assert from "node:assert/strict";
import { test } from "../_harness.ts";
import { isRunning } from "../_children.ts";
import { faultyCli as fakeCli } from "../_faulty_cli.ts";
import { asked, outcomes, withFleet } from "./_fleet.ts";
import { reasonWithoutNats } from "./_nats.ts";

const skip = reasonWithoutNats;

test(
  "An id submitted again right after remove() is a new job that runs",
  () =>
    withFleet(async (rig) => {
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
    }),
  { skip },
);

test(
  "An attempt of a removed job is stopped, although another job has its id and number",
  () =>
    withFleet(async (rig) => {
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
    }),
  { skip },
);

test(
  "remove() deletes the questions of its job, answered or open, and those of no other",
  () =>
    withFleet(async (rig) => {
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
    }),
  { skip },
);
