import assert from "node:assert/strict";
import { Ring } from "../../src/conversation/error_feed.ts";
import { test } from "../_harness.ts";
import { randomFrom } from "../options/_random.ts";

test("Ring keeps the newest so many items, and gives the oldest of them first", () => {
  const ring = new Ring<number>(3);
  assert.equal(ring.shift(), undefined);
  for (let i = 1; i <= 10; i++) ring.push(i);
  assert.equal(ring.size, 3);
  assert.deepEqual(
    [ring.shift(), ring.shift(), ring.shift(), ring.shift()],
    [8, 9, 10, undefined],
  );
  assert.equal(ring.size, 0);
});

test("Ring agrees with a plain list, however pushes and shifts are mixed", () => {
  const random = randomFrom(19);
  for (const capacity of [0, 1, 2, 7, 256]) {
    const ring = new Ring<number>(capacity);
    const list: number[] = [];
    for (let step = 0; step < 3_000; step++) {
      if (random() < 0.6) {
        ring.push(step);
        list.push(step);
        if (list.length > capacity) list.shift();
      } else assert.equal(ring.shift(), list.shift());
      assert.equal(ring.size, list.length);
    }
  }
});
