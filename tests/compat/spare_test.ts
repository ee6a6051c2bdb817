import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { type Options, prewarm, startup } from "@sluice/agent/compat";
import type { FakeCli, FakeCliScript } from "@sluice/agent/testing";
import { test } from "../_harness.ts";
import { ended, withFake } from "./_compat.ts";

/** Runs a test body with a configuration folder of its own; the folders of spares that are left in it are given back. */
async function withSpares(
  script: FakeCliScript,
  use: (
    options: Options,
    fake: FakeCli,
    folders: () => Promise<readonly string[]>,
  ) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "spares-"));
  try {
    await withFake(script, async (options, fake) => {
      const env = { ...process.env, CLAUDE_CONFIG_DIR: folder };
      await use(
        { ...options, env },
        fake,
        () => readdir(join(folder, "spares")),
      );
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("a start that takes too long says so, and nothing of it stays behind", async () => {
  await withSpares(
    { initialize: "silent", turns: [] },
    async (options, _, folders) => {
      const late = { options, initializeTimeoutMs: 1 };
      const message =
        /^Subprocess initialization did not complete within 1ms\./;
      await assert.rejects(startup(late), { message });
      await assert.rejects(prewarm(late), { message });
      assert.deepEqual(await folders(), []);
    },
  );
});

test("close() ends an unclaimed spare, and its folder is removed", async () => {
  await withSpares([], async (options, fake, folders) => {
    const spare = await prewarm({ options });
    const [name = ""] = await folders();
    assert.match(name, /^spare-/);
    const [run] = await fake.until((runs) => runs.length === 1);
    assert.ok(run?.cwd.endsWith(name), run?.cwd);
    assert.ok(run?.args.includes("--await-claim"));
    spare.close();
    await assert.rejects(spare.claimed, { message: /^spare_closed:/ });
    await spare.exited;
    assert.deepEqual(await folders(), []);
    assert.equal((await ended(fake))[0]?.exitCode, 0);
  });
});

test("a spare that ends on its own rejects its claim", async () => {
  await withSpares(
    { ready: [{ exit: 3 }], turns: [] },
    async (options, _, folders) => {
      const spare = await prewarm({ options });
      await spare.exited;
      await assert.rejects(spare.claimed, { message: /^spare_exited:/ });
      assert.throws(
        () => spare.claim({ prompt: "Hi", options: { cwd: "." } }),
        /the spare was closed or has exited/,
      );
      assert.deepEqual(await folders(), []);
      await spare[Symbol.asyncDispose]();
    },
  );
});
