import assert from "node:assert/strict";
import { test } from "../_harness.ts";

test(
  "each test file is in one program of a lane, and slow files of one kind are spread evenly",
  async () => {
    // Scripts are compiled for no other lane.
    const { deal, partsOf, shuffle } = await import(
      "../../scripts/test/deal.ts"
    );
    const { isDealt, reasonOf } = await import("../../scripts/test/slow.ts");
    const { listFiles } = await import("../../scripts/project.ts");
    const files = shuffle(
      (await listFiles("tests")).filter((path) => path.endsWith("_test.ts")),
      7,
    );
    const parts = [false, true].map((isShort) => partsOf(files, isShort));
    assert.deepEqual(parts.flat(2).toSorted(), files.toSorted());
    for (const [at, own] of parts.entries()) {
      for (const part of own) {
        assert.ok(part.every((path) => isDealt(path) === (at === 0)));
        assert.deepEqual(part, files.filter((path) => part.includes(path)));
      }
    }
    for (const reason of new Set(files.map(reasonOf))) {
      const counts = deal(files, 3).map((hand) =>
        hand.filter((path) => reasonOf(path) === reason).length
      );
      assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, `${counts}`);
    }
  },
  { only: "deno" },
);
