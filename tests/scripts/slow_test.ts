import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "../_harness.ts";

test(
  "no file that one runtime runs by the seed has tests of Deno alone",
  async () => {
    // Scripts are compiled for no other lane.
    const { isDealt } = await import("../../scripts/test/slow.ts");
    const { listFiles, ROOT } = await import("../../scripts/project.ts");
    const dealt = (await listFiles("tests")).filter((path) =>
      path.endsWith("_test.ts") && isDealt(path)
    );
    assert.ok(dealt.length > 50);
    const lost: string[] = [];
    for (const path of dealt) {
      const text = await readFile(new URL(path, ROOT), "utf8");
      if (text.includes('only: "deno"')) lost.push(path);
    }
    assert.deepEqual(lost, []);
  },
  { only: "deno" },
);
