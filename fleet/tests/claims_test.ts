import assert from "node:assert/strict";
import { Deferred } from "@sluice/agent/extend";
import type { Engine } from "../src/engine.ts";
import { sealingWith } from "../src/sealing.ts";
import { Store } from "../src/store.ts";
import { startWorker } from "../src/worker.ts";
import { fakeCli } from "@sluice/agent/testing";
import { outcomes, test } from "./_fleet.ts";

const LEASE_MS = 600_000;

test("A job that two find in the queue at the same time is begun by one of them, and lost by none", async (rig) => {
  const fleet = await rig.fleet({ leaseMs: LEASE_MS });
  const fake = fakeCli([[{ say: "begun" }, {
    wait: { control: "interrupt" },
  }]]);
  const job = await fleet.submit("x", {
    maxAttempts: 1,
    options: { cliPath: fake.cliPath },
  });
  // It has looked at the job, and is held up before it begins it.
  const looked = new Deferred<void>();
  const goOn = new Deferred<void>();
  const asked = new Deferred<void>();
  const engine = await rig.engine({ leaseMs: LEASE_MS });
  const slow = new Proxy(engine, {
    get(target, name) {
      if (name === "get") {
        return async (path: readonly string[]) => {
          const row = await target.get(path);
          if (path[0] !== "job" || looked.isSettled) return row;
          looked.resolve();
          await goOn.promise;
          return row;
        };
      }
      // Whatever it decides about the entry that it has.
      if (name === "take") {
        return async () => {
          const lease = await target.take();
          if (lease === undefined) return undefined;
          const told = () => asked.resolve();
          return {
            ...lease,
            later: (ms: number) => lease.later(ms).finally(told),
            done: () => lease.done().finally(told),
          };
        };
      }
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  }) as Engine;
  const first = await startWorker(
    new Store(slow, await sealingWith(undefined)),
    { name: "first" },
  );
  await looked.promise;
  // The queue has it a second time.
  await job.retry();
  const second = await fleet.work({ name: "second" });
  await job.messages().getReader().read();
  goOn.resolve();
  await asked.promise;
  await job.interrupt();
  const { attempts } = await job.result();
  assert.deepEqual(outcomes({ attempts }), ["done"]);
  assert.equal(attempts[0]?.worker, "second");
  assert.equal(fake.runs.length, 1);
  await Promise.all([first.drain(), second.drain()]);
});
