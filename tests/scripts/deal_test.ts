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
    const parts = partsOf(files);
    const inParts = parts.flatMap((part) => part.files);
    assert.deepEqual(inParts.toSorted(), files.toSorted());
    for (const { files: own, isShort } of parts) {
      assert.ok(own.every((path) => isDealt(path) !== isShort));
      const kept = files.filter((path) => own.includes(path));
      assert.deepEqual(own, kept);
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
