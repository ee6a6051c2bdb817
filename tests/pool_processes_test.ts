import assert from "node:assert/strict";
import process from "node:process";
import { Pool, type PoolOptions } from "@sluice/agent";
import {
  type FakeCli,
  fakeCli,
  type FakeCliScript,
} from "@sluice/agent/testing";
import {
  fixture,
  host,
  isGoneWithin,
  Lines,
  needsProc,
  needsShell,
  ownChildren,
  release,
  textOf,
} from "./_children.ts";
import { collect } from "./_collect.ts";
import { turns } from "./conversation/_rig.ts";
import { processesBelow } from "./e2e/_query.ts";
import { test } from "./_harness.ts";

const skip = needsProc;

/** A pool of fake CLIs; none of their processes is left afterwards. */
async function withPool(
  script: FakeCliScript,
  use: (pool: Pool, fake: FakeCli) => Promise<void>,
  options: PoolOptions = {},
): Promise<void> {
  const before = new Set(ownChildren());
  const fake = fakeCli(script);
  const pool = new Pool({ cliPath: fake.cliPath, ...options });
  try {
    await use(pool, fake);
  } finally {
    const pids = ownChildren().filter((pid) => !before.has(pid));
    await pool.close();
    await fake.close();
    for (const pid of pids) assert.ok(await isGoneWithin(10_000, pid));
  }
}

test(
  "a killed parked process is never handed out, and the pool is warm again after the next query",
  () =>
    withPool("Hello.", async (pool, fake) => {
      await pool.ready();
      const [parked] = await fake.until((runs) => runs.length === 1);
      const pid = parked?.pid ?? 0;
      process.kill(pid, "SIGKILL");
      assert.ok(await isGoneWithin(10_000, pid));
      while (pool.stats().warm > 0) await turns(1);
      assert.equal(await pool.query("one").text(), "Hello.");
      await pool.ready();
      const conversation = pool.query("two");
      assert.equal(await conversation.text(), "Hello.");
      const { hits, misses } = pool.stats();
      assert.deepEqual([hits, misses], [1, 1]);
    }),
  { skip },
);

test(
  "close() of a pool with queries open ends them, and no process is left",
  () =>
    withPool([["First.", { wait: 60_000 }]], async (pool) => {
      const before = new Set(ownChildren());
      await pool.ready();
      const conversations = [pool.query("one"), pool.query("two")];
      const readings = conversations.map((one) => collect(one));
      for (const one of conversations) await one.ready;
      await pool.close();
      for (const { error } of await Promise.all(readings)) {
        assert.equal(error, undefined);
      }
      const left = ownChildren().filter((pid) => !before.has(pid));
      for (const pid of left) assert.ok(await isGoneWithin(10_000, pid));
    }, { shutdown: { graceMs: 200, killMs: 1_000 } }),
  { skip },
);

test(
  "no process of a pool outlives a program that is killed, be it parked, busy or deaf",
  async () => {
    const fake = fakeCli({
      turns: [["First.", { wait: 60_000 }]],
      onStdinEnd: "ignore",
      onSigterm: "ignore",
    });
    const module = new URL("./fixtures/pool_driver.ts", import.meta.url);
    const current = await host();
    const options = {
      cliPath: fake.cliPath,
      shutdown: { graceMs: 100, killMs: 400 },
    };
    const driver = await current.spawn(
      fixture(module, JSON.stringify(options)),
    );
    const lines = new Lines(driver.stdout);
    const problems = textOf(driver.stderr);
    try {
      if (await lines.next() !== "ready") assert.fail(await problems);
      const busy = Number(await lines.next());
      const below = processesBelow(driver.pid);
      assert.ok(below.includes(busy));
      assert.ok(below.length >= 3, `${below}`);
      driver.kill("SIGKILL");
      await driver.exited;
      for (const pid of below) {
        assert.ok(await isGoneWithin(10_000, pid), `process ${pid} is gone`);
      }
    } finally {
      await lines.cancel();
      await problems;
      await release(driver);
      await fake.close();
    }
  },
  { skip: needsShell ?? needsProc, ids: ["P-06"] },
);
