import assert from "node:assert/strict";
import { RecentIds } from "../../src/wire/answered.ts";
import { test } from "../_harness.ts";

test("RecentIds remembers the newest so many at least, and twice as many at most", () => {
  const ids = new RecentIds<number>(10);
  for (let i = 0; i < 100; i++) {
    assert.equal(ids.get(`${i}`), undefined);
    ids.set(`${i}`, i);
    for (let back = 0; back < Math.min(i + 1, 10); back++) {
      assert.equal(ids.get(`${i - back}`), i - back);
    }
    assert.equal(ids.get(`${i - 20}`), undefined);
  }
});

test("RecentIds.set() of a known id forgets nothing", () => {
  const ids = new RecentIds<true>(3);
  for (const id of ["a", "b", "b", "b", "b"]) ids.set(id, true);
  assert.equal(ids.get("a"), true);
});
