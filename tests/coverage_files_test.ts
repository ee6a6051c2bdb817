import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "./_harness.ts";

test(
  "coverage that a killed process left half written is dropped and counted, all else is kept",
  async () => {
    const { dropCutFiles } = await import("../scripts/coverage.ts");
    const folder = await mkdtemp(join(tmpdir(), "coverage-"));
    const whole = JSON.stringify({ scriptId: "1", url: "file:///a.ts" });
    try {
      await writeFile(join(folder, "whole.json"), whole);
      await writeFile(join(folder, "cut.json"), whole.slice(0, -1));
      await writeFile(join(folder, "empty.json"), "");
      await writeFile(join(folder, "cut.txt"), "{");
      assert.equal(await dropCutFiles(folder), 2);
      assert.deepEqual((await readdir(folder)).sort(), [
        "cut.txt",
        "whole.json",
      ]);
      assert.equal(await dropCutFiles(folder), 0);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  { only: "deno" },
);
