import assert from "node:assert/strict";
import type { Engine } from "../src/engine.ts";
import { sealingWith } from "../src/sealing.ts";
import { Store } from "../src/store.ts";
import { startWorker } from "../src/worker.ts";
import { fakeCli } from "@sluice/agent/testing";
import { test } from "./_fleet.ts";

/** An idle worker polls after half a second at the earliest. */
const POLL_MS = 500;

test("A job that is submitted while a worker looks is begun without waiting for the next look", async (rig) => {
  const fleet = await rig.fleet();
  const { cliPath } = fakeCli("ok");
  const engine = await rig.engine();
  let afterLook = async () => {};
  const slow = new Proxy(engine, {
    get(target, key) {
      if (key !== "take") return Reflect.get(target, key);
      return async () => {
        const lease = await target.take();
        if (lease === undefined) await afterLook();
        return lease;
      };
    },
  });
  let began = (_job: string) => {};
  const attemptStart = (job: string) => began(job);
  const store = new Store(slow as Engine, await sealingWith(undefined));
  const options = { metrics: { attemptStart }, options: { cliPath } };
  const worker = await startWorker(store, options);
  let best = Infinity;
  for (let round = 0; round < 5; round++) {
    const submitted = new Promise<string>((resolve) => {
      afterLook = async () => {
        afterLook = async () => {};
        const woken = new Promise<void>((wake) =>
          engine.listen(["queue"], wake)
        );
        const { id } = await fleet.submit("x");
        await woken;
        resolve(id);
      };
    });
    const begun = new Promise<string>((resolve) => began = resolve);
    const id = await submitted;
    const at = performance.now();
    assert.equal(await begun, id);
    best = Math.min(best, performance.now() - at);
    await (await fleet.job(id)).result();
  }
  await worker.drain();
  // A busy machine may be late, but not each time.
  assert.ok(best < POLL_MS, `${best} ms`);
});
