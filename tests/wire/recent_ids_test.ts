import assert from "node:assert/strict";
import { RecentIds } from "../../src/wire/recent_ids.ts";
import { test } from "../_harness.ts";

test("RecentIds remembers the newest so many at least, and twice as many at most", () => {
  const ids = new RecentIds(10);
  for (let i = 0; i < 100; i++) {
    assert.equal(ids.has(`${i}`), false);
    ids.add(`${i}`);
    for (let back = 0; back < Math.min(i + 1, 10); back++) {
      assert.equal(ids.has(`${i - back}`), true);
    }
    assert.equal(ids.has(`${i - 20}`), false);
  }
});

test("RecentIds.add() of a known id forgets nothing", () => {
  const ids = new RecentIds(3);
  for (const id of ["a", "b", "b", "b", "b"]) ids.add(id);
  assert.equal(ids.has("a"), true);
});
